/* Is the second half of a table taken only when it was read well? */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/event_spool.h"
#include "trace/readers/nsys_layouts.h"
#include "trace/readers/second_half.h"

enum { LARGE_BYTES = 17 * 1024 * 1024 };

struct trial {
    FILE *file;
    struct strtab strings;
    struct caveat_list caveats;
    struct reader_sink sink;
    struct nsys_table table;
};

static void begin(struct trial *t, size_t bytes)
{
    static const char row[] = "5,1,NVIDIA H200 (0),7,tile\n";
    *t = (struct trial){.file = tmpfile()};
    assert_non_null(t->file);
    fputs("Start (ns),Duration (ns),Device,Strm,Name\n", t->file);
    for (size_t at = 0; at < bytes; at += sizeof row - 1)
        fputs(row, t->file);
    rewind(t->file);
    strtab_init(&t->strings);
    caveat_list_init(&t->caveats);
    assert_int_equal(event_spool_new(&t->sink.events, NULL), 0);
    t->sink.strings = &t->strings;
    t->sink.caveats = &t->caveats;
    t->table = (struct nsys_table){.layout = &nsys_gpu_layout, .path = "x.csv", .sink = &t->sink};
    assert_int_equal(csv_reader_new(&t->table.csv, t->file, "x.csv", NULL), 0);
    assert_int_equal(nsys_table_read_header(&t->table, NULL), 0);
}

static void end(struct trial *t)
{
    csv_reader_free(t->table.csv);
    nsys_table_release(&t->table);
    event_spool_free(t->sink.events);
    strtab_release(&t->strings);
    caveat_list_release(&t->caveats);
    fclose(t->file);
}

/* Takes one row for all. */
static bool read_well(struct nsys_table *t, const atomic_bool *stop)
{
    struct csv_row row;
    (void)stop;
    if (csv_reader_next(t->csv, &row, NULL) != 1 || t->layout->read_row(t, &row, NULL))
        return false;
    t->rows = 3;
    t->unplaced = 2;
    t->fraction_digits[1] = 4;
    return true;
}

static bool read_badly(struct nsys_table *t, const atomic_bool *stop)
{
    read_well(t, stop);
    return false;
}

static bool read_until_told(struct nsys_table *t, const atomic_bool *stop)
{
    while (!atomic_load(stop))
        ;
    return read_well(t, stop);
}

static void a_half_that_was_read_well_is_taken(void **state)
{
    (void)state;
    struct trial t;
    struct cpprof_event event;
    begin(&t, LARGE_BYTES);
    assert_true(strtab_add(&t.strings, "first") && strtab_add(&t.strings, "tile"));
    t.table.rows = 10;
    struct second_half *h = second_half_begin(&t.table, t.file, read_well);
    if (!h) /* a single processor */
        skip();
    assert_true(second_half_offset(h) > LARGE_BYTES / 2);
    assert_int_equal(second_half_take(h, &t.table, NULL), 1);
    second_half_free(h);
    assert_true(t.table.rows == 10 + 3 && t.table.unplaced == 2 && t.table.fraction_digits[1] == 4);
    for (int pass = 0; pass < 2; pass++) {
        assert_int_equal(event_spool_rewind(t.sink.events, NULL), 0);
        assert_int_equal(event_spool_next(t.sink.events, &event, NULL), 1);
        assert_string_equal(strtab_text(&t.strings, event.name), "tile");
        assert_int_equal(event.start_ns, 5);
        assert_int_equal(event_spool_next(t.sink.events, &event, NULL), 0);
    }
    assert_int_equal(strtab_count(&t.strings), 2);
    end(&t);
}

static void a_half_that_is_not_good_leaves_nothing(void **state)
{
    (void)state;
    struct trial t;
    begin(&t, LARGE_BYTES);
    struct second_half *h = second_half_begin(&t.table, t.file, read_badly);
    if (!h)
        skip();
    assert_int_equal(second_half_take(h, &t.table, NULL), 0);
    second_half_free(h);
    assert_true(!t.table.rows && !t.table.unplaced && !event_spool_count(t.sink.events) && !strtab_count(&t.strings));
    second_half_free(second_half_begin(&t.table, t.file, read_until_told)); /* nobody waits for its end */
    end(&t);
}

static void small_files_have_no_halves(void **state)
{
    (void)state;
    struct trial t;
    begin(&t, 1024);
    assert_null(second_half_begin(&t.table, t.file, read_well));
    end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_half_that_was_read_well_is_taken),
        cmocka_unit_test(a_half_that_is_not_good_leaves_nothing),
        cmocka_unit_test(small_files_have_no_halves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
