/* Do slices give the rows that one reader gives, as far as they go, and do they go as far as they can? */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/str.h"
#include "core/trace/event_stream.h"
#include "core/trace/readers/nsys_slices.h"
#include "core/trace/readers/nsys_sorted.h"
#include "tests/test.h"
#include "tests/unit/core/trace/gpu_table.h"

#define HEADER "Start (ns),Duration (ns),Bytes (MB),Device,Strm,Name\n"

/* A line, or several, that a table may have; %d is its number. */
static const char *const pieces[] = {
    "%d,1,,H (0),7,tile\n",
    "%d,1,0.25,H (0),7,\"sum(float *, int)\"\n",
    "%d,2,0.5,H (1),8,\"a \"\"quoted\"\" name %d\"\n", /* for libcsv, and still one line */
    "%d,2,, H (1) ,8,tile\r\n",
    "\"%d\",2,,H (1),8,tile\n",
    "%d,3,,H (0),,tile\n", /* unplaced */
    "%d,1,,H (0),7,\"two\nlines\"\n",
    "%d,1,,H (0),7,\"a line\n5,1,,H (0),7,like a row\n\"\n",
    "%d,1,,H (0),7,\"[CUDA something new]\"\n",
    "%d,1,0.123456,H (0),,\"[CUDA something new]\"\n",
    "%d,1,0.1234567,H (x),7,tile\n",
    "%d,1,,H (0),7,[CUDA memcpy of some kind]\n",
    "%d,x,,H (0),7,tile\n",
    "%d,1,,H (0),7\n",
    "%d,1,,H (0),7,\"no end\n",
    "%d,1,,H (0),7,a\rb\n",
    "\n",
    " \t\n",
    "Processing [a.sqlite] with [b.py]...\n",
    HEADER,
    "%d,1,,H (0),7,a name that is longer than some of the slices are, so that it begins in one and ends behind the "
    "next one, which has no line of its own\n",
};
enum { PIECES = COUNT_OF(pieces), PLAIN_PIECES = 3 };

static uint64_t draw(uint64_t *random, uint64_t below)
{
    *random = *random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (*random >> 33) % below;
}

/* Plain rows, then the odd piece, and some others behind it. */
static void make_text(struct str *text, size_t odd, uint64_t *random)
{
    const uint64_t lines = 20 + draw(random, 60), odd_from = draw(random, lines);
    str_add(text, HEADER);
    for (uint64_t i = 0; i < lines; i++) {
        const bool is_odd = i > odd_from && !draw(random, 4);
        const size_t piece = i == odd_from ? odd : draw(random, is_odd ? PIECES : PLAIN_PIECES);
        str_addf(text, pieces[piece], (int)(100 + i), (int)i);
    }
    if (!draw(random, 4))
        text->length -= draw(random, 20); /* cut */
    if (!draw(random, 8))
        text->text[text->length / 2 + draw(random, text->length / 2)] = '\0';
}

/* Is the next thing in the file a row of one line of which nothing need be said? */
static bool is_row_of_one_line(struct gpu_table *t, struct cpprof_event *event)
{
    const uint64_t at = csv_reader_offset(t->table.csv);
    const char *line;
    size_t length;
    struct csv_row row;
    if (csv_reader_peek_line(t->table.csv, &line, &length, NULL) != 1 || !length || line[0] < '0' || line[0] > '9')
        return false;
    const int64_t number = csv_reader_line(t->table.csv);
    return csv_reader_next(t->table.csv, &row, NULL) == 1 && row.terminated &&
           csv_reader_line(t->table.csv) == number + 1 && csv_reader_offset(t->table.csv) > at &&
           row.count == t->table.field_count && !t->table.layout->read_event(&t->table, &row, event, NULL) &&
           event->kind && !t->caveats.count;
}

/* Compares the rows of slices with those of one reader, and the place where they stop. Returns how many there are. */
static size_t compare(const struct str *text, size_t slice_bytes)
{
    struct gpu_table here, whole;
    struct nsys_slices *slices;
    struct nsys_slice slice;
    struct cpprof_event event;
    size_t rows = 0;
    gpu_table_open(&here, text->text, text->length);
    gpu_table_open(&whole, text->text, text->length);
    const uint64_t begin = csv_reader_offset(here.table.csv);
    assert_int_equal(nsys_slices_new(&slices, &here.table, here.file, begin, slice_bytes, &here.strings, NULL), 0);
    for (int pass = 0; slices && pass < 2; pass++) { /* the second one has all names, and fewer counts would be lost */
        nsys_slices_rewind(slices);
        while (nsys_slices_next(slices, &slice, NULL) == 1)
            for (size_t i = 0; !pass && i < slice.count; i++, rows++) {
                assert_true(is_row_of_one_line(&whole, &event));
                gpu_table_assert_alike(&here, &slice.events[i], &whole, &event);
                assert_int_equal(slice.events[i].name, event.name);
            }
    }
    if (slices) {
        const uint64_t end = nsys_slices_offset(slices);
        nsys_slices_add_counts(slices, &here.table);
        gpu_table_assert_same_counts(&here.table, &whole.table);
        assert_int_equal(here.table.rows, rows);
        assert_int_equal(strtab_count(&here.strings), strtab_count(&whole.strings));
        assert_int_equal(csv_reader_offset(whole.table.csv), end);
        assert_int_equal(nsys_slices_reached_end(slices), end == text->length);
        /* the last line of a file may be in a slice that has no end; then only that slice is left */
        if (end < text->length && text->text[text->length - 1] == '\n')
            assert_false(is_row_of_one_line(&whole, &event));
        nsys_slices_free(slices);
    }
    gpu_table_close(&here);
    gpu_table_close(&whole);
    return rows;
}

TEST(slices_give_what_one_reader_gives)
{
    enum { FILES = 150 };
    static const size_t slice_bytes[] = {1, 17, 40, 64, 333, 1000};
    uint64_t random = 1;
    size_t rows = 0;
    for (int file = 0; file < FILES; file++) {
        struct str text;
        str_init(&text);
        make_text(&text, (size_t)file % PIECES, &random);
        for (size_t i = 0; i < COUNT_OF(slice_bytes); i++)
            rows += compare(&text, slice_bytes[i]);
        str_release(&text);
    }
    assert_true(rows > 8000);
}

TEST(a_line_without_end_is_no_row)
{
    struct str text;
    str_init(&text);
    str_add(&text, HEADER "1,1,,H (0),7,tile\n2,1,,H (0),7,");
    for (int i = 0; i < 30000; i++)
        str_add(&text, "long");
    str_add(&text, "\n3,1,,H (0),7,tile\n");
    struct gpu_table t;
    struct nsys_slices *slices;
    struct nsys_slice slice;
    gpu_table_open(&t, text.text, text.length);
    assert_int_equal(nsys_slices_new(&slices, &t.table, t.file, sizeof HEADER - 1, 64, &t.strings, NULL), 0);
    nsys_slices_rewind(slices);
    while (nsys_slices_next(slices, &slice, NULL) == 1)
        ;
    assert_int_equal(nsys_slices_offset(slices), sizeof HEADER - 1);
    assert_false(nsys_slices_reached_end(slices));
    nsys_slices_free(slices);
    gpu_table_close(&t);
    str_release(&text);
}

TEST(there_are_none_of_small_files_and_of_other_tables)
{
    struct gpu_table t;
    struct nsys_slices *slices;
    static const char text[] = HEADER "1,1,,H (0),7,tile\n";
    const size_t row = sizeof text - sizeof HEADER;
    gpu_table_open(&t, text, sizeof text - 1);
    assert_int_equal(nsys_slices_new(&slices, &t.table, t.file, sizeof HEADER - 1, row / 2 + 1, &t.strings, NULL), 0);
    assert_null(slices);
    t.table.layout = &nsys_api_layout;
    assert_int_equal(nsys_slices_new(&slices, &t.table, t.file, sizeof HEADER - 1, 1, &t.strings, NULL), 0);
    assert_null(slices);
    t.table.layout = &nsys_gpu_layout;
    gpu_table_close(&t);
}

/* ---- order ---- */

/* Rows as starts; each has its own duration and a name, so that no two are alike. */
static void make_rows(struct str *text, const int *starts, size_t count)
{
    str_add(text, HEADER);
    for (size_t i = 0; i < count; i++)
        str_addf(text, "%d,%d,,H (0),7,name %d\n", starts[i], (int)(count - i), (int)(i * 7 % count));
}

static struct event_source *open_source(struct gpu_table *t, const struct str *text, size_t slice_bytes,
                                        const struct nsys_sorted_end *end)
{
    struct nsys_slices *slices;
    struct event_source *source;
    gpu_table_open(t, text->text, text->length);
    assert_int_equal(nsys_slices_new(&slices, &t->table, t->file, sizeof HEADER - 1, slice_bytes, &t->strings, NULL),
                     0);
    assert_int_equal(nsys_sorted_new(&source, slices, end, NULL), 0);
    return source;
}

static const struct nsys_sorted_end nobody = {0};

/* Gives all events of the source, and returns what ends them. */
static int drain(struct event_source *source, struct err *e)
{
    const struct cpprof_event *event;
    int got;
    assert_int_equal(source->rewind(source, e), 0);
    do
        got = source->next(source, &event, e);
    while (got == 1);
    return got;
}

static void assert_order_is_that_of_a_spool(const int *starts, size_t count, size_t slice_bytes)
{
    struct str text;
    struct gpu_table t, all;
    struct cpprof_event expected;
    const struct cpprof_event *event;
    struct csv_row row;
    str_init(&text);
    make_rows(&text, starts, count);
    gpu_table_open(&all, text.text, text.length);
    while (csv_reader_next(all.table.csv, &row, NULL) == 1)
        assert_int_equal(all.table.layout->read_row(&all.table, &row, NULL), 0);
    struct event_source *source = open_source(&t, &text, slice_bytes, &nobody);
    for (int pass = 0; pass < 2; pass++) {
        assert_int_equal(event_spool_rewind(all.sink.events, NULL), 0);
        assert_int_equal(source->rewind(source, NULL), 0);
        while (event_spool_next(all.sink.events, &expected, NULL) == 1) {
            assert_int_equal(source->next(source, &event, NULL), 1);
            assert_memory_equal(event, &expected, sizeof expected);
        }
        assert_int_equal(source->next(source, &event, NULL), 0);
        assert_int_equal(source->count, count);
    }
    source->free(source);
    gpu_table_close(&t);
    gpu_table_close(&all);
    str_release(&text);
}

TEST(rows_that_start_together_are_sorted)
{
    int starts[60];
    uint64_t random = 5;
    for (int trial = 0; trial < 100; trial++) {
        for (size_t i = 0; i < 60; i++)
            starts[i] = i ? starts[i - 1] + (draw(&random, 4) > 2) : 0; /* groups longer than a slice, too */
        assert_order_is_that_of_a_spool(starts, 60, trial % 2 ? 40 : 300);
    }
}

TEST(a_row_out_of_order_is_noticed_wherever_it_is)
{
    enum { ROWS = 30 };
    for (size_t at = 1; at < ROWS; at++) {
        int starts[ROWS];
        struct str text;
        struct gpu_table t;
        for (size_t i = 0; i < ROWS; i++)
            starts[i] = (int)i * 5 + 5;
        starts[at] = starts[at - 1] - 1;
        str_init(&text);
        make_rows(&text, starts, ROWS);
        struct event_source *source = open_source(&t, &text, 40, &nobody);
        assert_int_equal(drain(source, NULL), ERR_INPUT);
        source->free(source);
        gpu_table_close(&t);
        str_release(&text);
    }
}

/* ---- ends ---- */

struct told {
    int times;
    int64_t rows;
    bool is_freed;
};

static int count_end(void *context, const struct nsys_slices *slices, struct err *e)
{
    struct told *told = context;
    struct nsys_table sums = {0};
    (void)e;
    nsys_slices_add_counts(slices, &sums);
    told->times++;
    told->rows = sums.rows;
    return 0;
}

static void note_free(void *context)
{
    ((struct told *)context)->is_freed = true;
}

TEST(the_end_is_told_once)
{
    static const int starts[] = {1, 2, 3, 4, 5, 6};
    struct str text;
    struct gpu_table t;
    const struct cpprof_event *event;
    struct told told = {0};
    str_init(&text);
    make_rows(&text, starts, 6);
    struct event_source *source = open_source(&t, &text, 40, &(struct nsys_sorted_end){count_end, note_free, &told});
    assert_int_equal(source->rewind(source, NULL), 0);
    assert_int_equal(source->next(source, &event, NULL), 1); /* this pass is left */
    assert_int_equal(told.times, 0);
    for (int pass = 0; pass < 2; pass++)
        assert_int_equal(drain(source, NULL), 0);
    assert_true(told.times == 1 && told.rows == 6);
    source->free(source);
    assert_true(told.is_freed);
    gpu_table_close(&t);
    str_release(&text);
}

TEST(a_file_that_changes_between_two_passes_is_an_error)
{
    static const int starts[] = {10, 20, 30, 40, 50, 60, 70, 80};
    static const char *const changes[] = {"\"", "\n", "x", ""}; /* in the last row; "": the file is cut */
    for (size_t i = 0; i < COUNT_OF(changes); i++) {
        struct str text;
        struct gpu_table t;
        struct err e = {0};
        str_init(&text);
        make_rows(&text, starts, 8);
        struct event_source *source = open_source(&t, &text, 40, &nobody);
        assert_int_equal(drain(source, NULL), 0);
        const off_t at = (off_t)text.length - 20;
        if (*changes[i])
            assert_int_equal(pwrite(fileno(t.file), changes[i], 1, at), 1);
        else
            assert_int_equal(ftruncate(fileno(t.file), at), 0);
        assert_int_equal(drain(source, &e), ERR_INPUT);
        assert_non_null(strstr(e.text, "has changed while it was read"));
        source->free(source);
        gpu_table_close(&t);
        str_release(&text);
    }
}

/* ---- streams ---- */

static void write_trace(const char *path, const char *second_row)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(HEADER "1,1,,H (0),7,tile\n", file);
    fputs(second_row, file);
    for (int i = 3; i < 20000; i++)
        fprintf(file, "%d,1,0.25,H (0),7,name %d\n", i, i % 5000);
    fclose(file);
}

TEST(only_a_sorted_trace_of_rows_is_read_on_demand)
{
    static const struct {
        const char *second_row;
        bool is_on_demand;
    } cases[] = {{"2,1,,H (0),7,tile\n", true}, {"0,1,,H (0),7,tile\n", false}, {"2,1,,H (0),7,\"a\nb\"\n", false}};
    const char *path = "test_nsys_slices.csv";
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct event_stream *late, *usual;
        struct cpprof_event a, b;
        write_trace(path, cases[i].second_row);
        assert_int_equal(event_stream_open_as(&late, &path, 1, &(struct event_stream_wish){.on_demand = true}, NULL),
                         0);
        assert_int_equal(event_stream_open(&usual, path, NULL), 0);
        assert_int_equal(event_stream_is_on_demand(late), cases[i].is_on_demand);
        assert_false(event_stream_is_on_demand(usual));
        while (event_stream_next(usual, &b, NULL) == 1) {
            assert_int_equal(event_stream_next(late, &a, NULL), 1);
            assert_memory_equal(&a, &b, sizeof a);
        }
        assert_int_equal(event_stream_next(late, &a, NULL), 0);
        assert_int_equal(event_stream_count(late), event_stream_count(usual));
        const struct caveat_list *said = event_stream_caveats(late), *expected = event_stream_caveats(usual);
        assert_true(said->count == expected->count && expected->count > 0); /* that sizes are rounded */
        for (size_t k = 0; k < said->count; k++)
            assert_string_equal(said->items[k].text, expected->items[k].text);
        event_stream_free(late);
        event_stream_free(usual);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_give_what_one_reader_gives),
        cmocka_unit_test(a_line_without_end_is_no_row),
        cmocka_unit_test(there_are_none_of_small_files_and_of_other_tables),
        cmocka_unit_test(rows_that_start_together_are_sorted),
        cmocka_unit_test(a_row_out_of_order_is_noticed_wherever_it_is),
        cmocka_unit_test(the_end_is_told_once),
        cmocka_unit_test(a_file_that_changes_between_two_passes_is_an_error),
        cmocka_unit_test(only_a_sorted_trace_of_rows_is_read_on_demand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
