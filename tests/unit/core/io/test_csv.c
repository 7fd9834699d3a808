/* Are rows cut right, quotes taken seriously, and tables the same after a round trip? */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/io/csv.h"
#include "core/io/table.h"
#include "tests/test.h"

/* Everything the reader says, as text: "LINE:field|field;" for each row, '~'
 * after a row without newline, then the error. */
static void transcribe(const char *text, size_t length, struct str *out)
{
    FILE *file = fmemopen((void *)(uintptr_t)text, length, "rb");
    assert_non_null(file);
    struct csv_reader *reader;
    struct csv_row row;
    struct err e = {0};
    int got;
    assert_int_equal(csv_reader_new(&reader, file, "x.csv", NULL), 0);
    while ((got = csv_reader_next(reader, &row, &e)) == 1) {
        str_addf(out, "%lld:", (long long)row.line);
        for (size_t i = 0; i < row.count; i++)
            str_addf(out, "%s%s", i ? "|" : "", row.fields[i].text);
        str_add(out, row.terminated ? ";" : "~;");
    }
    if (got < 0)
        str_add(out, e.text);
    csv_reader_free(reader);
    fclose(file);
}

TEST(rows_and_their_lines)
{
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"a,b\n1,2\n", "1:a|b;2:1|2;"},
        {"a,b\r\n1,2\r\n", "1:a|b;2:1|2;"},
        {"\n \t\na\n\n\nb\n", "3:a;6:b;"},        /* blank lines count, but are no rows */
        {"a,\"b\nc\",d\ne\n", "1:a|b\nc|d;3:e;"}, /* a row over two lines */
        {"a,\"b\n\nc\"\ne\n", "1:a|b\n\nc;4:e;"}, /* a blank line inside quotes is text */
        {"\"say \"\"hi\"\"\",x\n", "1:say \"hi\"|x;"},
        {",\n", "1:|;"},
        {" a , b\n", "1:a|b;"},
        {"\xef\xbb\xbf"
         "a\n",
         "1:a;"},
        {"\xef\xbb\xbf\xef\xbb\xbf", "1:\xef\xbb\xbf~;"}, /* the second one is text */
        {"a,b", "1:a|b~;"},
        {"a,\"b\"", "1:a|b~;"},
        {"a,b\n1,\"2", "1:a|b;x.csv:2: the file ends inside a quoted field of the row that starts here"},
        {"a\n1,\"2\n3\n4\n", "1:a;x.csv:2: the file ends inside a quoted field of the row that starts here"},
        {"a\nb\"c\n", "1:a;x.csv:2: misplaced quote at column 2"},
        {"\"a\nb\" c\n", "x.csv:2: misplaced quote at column 4, in the row that starts on line 1"},
        {"a\rb\n", "x.csv:1: a carriage return stands inside the row; convert the line ends"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct str out;
        str_init(&out);
        transcribe(cases[i].in, strlen(cases[i].in), &out);
        assert_string_equal(str_text(&out), cases[i].out);
        str_release(&out);
    }
}

/* What is said of a row that starts with `first`, behind that field. */
static void transcribe_behind(const char *first, const char *value, const char *line, struct str *out)
{
    struct str text, all;
    str_init(&text);
    str_init(&all);
    str_addf(&text, "%s,%s\n", first, line);
    transcribe(text.text, text.length, &all);
    const char *said = str_text(&all);
    str_add(out, strncmp(said, "1:", 2) || strncmp(said + 2, value, strlen(value)) ? said : said + 2 + strlen(value));
    str_release(&text);
    str_release(&all);
}

/* A row with a doubled quote always goes through libcsv, one without only when
 * it must: all lines of up to six of the bytes that matter give the same. */
TEST(lines_cut_here_are_cut_as_by_libcsv)
{
    static const char bytes[] = {'a', ',', '"', ' ', '\r'};
    enum { BYTES = sizeof bytes, LONGEST = 6 };
    size_t lines = 1;
    for (size_t length = 0; length <= LONGEST; length++, lines *= BYTES)
        for (size_t line = 0; line < lines; line++) {
            char text[LONGEST + 1] = "";
            size_t digits = line;
            for (size_t i = 0; i < length; i++, digits /= BYTES)
                text[i] = bytes[digits % BYTES];
            struct str here, libcsv;
            str_init(&here);
            str_init(&libcsv);
            transcribe_behind("1234", "1234", text, &here);
            transcribe_behind("\"\"\"\"", "\"", text, &libcsv);
            assert_string_equal(str_text(&here), str_text(&libcsv));
            str_release(&here);
            str_release(&libcsv);
        }
}

TEST(text_is_read_also_after_an_error)
{
    static const char *const texts[] = {"\xef\xbb\xbf"
                                        "a,b\n",
                                        "\"open", "c\"\n", "x\ry\n", "d,\"e\"\"\"\n"};
    static const int codes[] = {1, ERR_INPUT, ERR_INPUT, ERR_INPUT, 1};
    struct csv_reader *reader;
    struct csv_row row;
    assert_int_equal(csv_reader_new(&reader, NULL, "x.csv", NULL), 0);
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        assert_int_equal(csv_reader_give_text(reader, texts[i], strlen(texts[i]), NULL), 0);
        assert_int_equal(csv_reader_next(reader, &row, NULL), codes[i]);
        if (!i)
            assert_string_equal(row.fields[0].text, "\xef\xbb\xbf"
                                                    "a"); /* text from the middle of a file */
    }
    assert_string_equal(row.fields[1].text, "e\"");
    assert_int_equal(csv_reader_offset(reader), strlen(texts[4]));
    assert_int_equal(csv_reader_next(reader, &row, NULL), 0);
    csv_reader_free(reader);
}

TEST(a_reader_goes_to_a_row)
{
    FILE *file = tmpfile();
    struct csv_reader *reader;
    struct csv_row row;
    struct err e;
    assert_true(file && fputs("a\nb\nc\nd\"\n", file) >= 0);
    rewind(file);
    assert_int_equal(csv_reader_new(&reader, file, "x.csv", NULL), 0);
    assert_int_equal(csv_reader_next(reader, &row, NULL), 1);
    assert_int_equal(csv_reader_go_to(reader, 4, 3, NULL), 0);
    assert_int_equal(csv_reader_next(reader, &row, NULL), 1);
    assert_string_equal(row.fields[0].text, "c");
    assert_true(row.line == 3 && csv_reader_offset(reader) == 6);
    assert_int_equal(csv_reader_next(reader, &row, &e), ERR_INPUT);
    assert_string_equal(e.text, "x.csv:4: misplaced quote at column 2");
    csv_reader_free(reader);
    fclose(file);
}

/* Before, after and around the size of the read buffer, rows stay whole. */
TEST(rows_across_read_blocks)
{
    struct str in, out, expected;
    str_init(&in);
    str_init(&out);
    str_init(&expected);
    for (int i = 1; i <= 20000; i++) {
        str_addf(&in, "%d,\"name, %d\"\n", i, i * 7);
        str_addf(&expected, "%d:%d|name, %d;", i, i, i * 7);
    }
    transcribe(in.text, in.length, &out);
    assert_string_equal(out.text, expected.text);
    str_release(&in);
    str_release(&out);
    str_release(&expected);
}

TEST(what_is_too_big_is_refused)
{
    struct str in, out;
    str_init(&in);
    str_init(&out);
    str_add(&in, "a\n");
    for (int i = 0; i <= CSV_FIELD_BYTES_MAX; i++)
        str_add_char(&in, 'x');
    str_add(&in, "\n");
    transcribe(in.text, in.length, &out);
    assert_string_equal(out.text, "1:a;x.csv:2: a field is longer than 1 MiB; a quote may be missing");

    str_clear(&in);
    str_clear(&out);
    str_add(&in, "a\n\"open"); /* an unclosed quote that swallows line after line */
    for (int i = 0; i < 300000; i++)
        str_add(&in, "more text of a row\n");
    transcribe(in.text, in.length, &out);
    assert_string_equal(out.text,
                        "1:a;x.csv:2: the row that starts here is longer than 4194304 bytes; a quote may be missing");

    str_clear(&in);
    str_clear(&out);
    for (int i = 0; i <= CSV_FIELDS_MAX; i++)
        str_add_char(&in, ',');
    str_add(&in, "\n");
    transcribe(in.text, in.length, &out);
    assert_string_equal(out.text, "x.csv:1: the row has more than 4096 fields");

    str_clear(&in);
    str_clear(&out);
    for (int i = 0; i < 5 * 1024 * 1024; i++)
        str_add_char(&in, 'x');
    transcribe(in.text, in.length, &out);
    assert_string_equal(out.text, "x.csv:1: the line is longer than 4194304 bytes; this is no CSV file");
    str_release(&in);
    str_release(&out);
}

TEST(preamble_lines_are_peeked_and_skipped)
{
    char text[] = "He said \"wait\r\n\nh1,h2\n1,2\n";
    FILE *file = fmemopen(text, strlen(text), "rb");
    struct csv_reader *reader;
    const char *line;
    size_t length;
    struct csv_row row;
    assert_int_equal(csv_reader_new(&reader, file, "x.csv", NULL), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(csv_reader_peek_line(reader, &line, &length, NULL), 1);
        assert_int_equal(length, 13);
        assert_memory_equal(line, "He said \"wait", 13);
    }
    csv_reader_skip_line(reader);
    assert_int_equal(csv_reader_peek_line(reader, &line, &length, NULL), 1);
    assert_int_equal(length, 0);
    csv_reader_skip_line(reader);
    assert_int_equal(csv_reader_line(reader), 3);
    assert_int_equal(csv_reader_next(reader, &row, NULL), 1);
    assert_int_equal(row.line, 3);
    assert_string_equal(row.fields[1].text, "h2");
    assert_int_equal(csv_reader_next(reader, &row, NULL), 1);
    assert_int_equal(csv_reader_peek_line(reader, &line, &length, NULL), 0);
    csv_reader_free(reader);
    fclose(file);
}

static const struct column columns[] = {COLUMN_ANY("name", UNIT_TEXT), COLUMN_ANY("duration_ns", UNIT_NS),
                                        COLUMN_ANY("process", UNIT_COUNT)};

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fputs(text, file) >= 0, 1);
    assert_int_equal(fclose(file), 0);
}

static char *scratch_path(void)
{
    static char path[64];
    strcpy(path, "/tmp/cpprof-test-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    return path;
}

TEST(tables_round_trip)
{
    static const struct {
        const char *name;
        double duration;
        int64_t process;
    } rows[] = {
        {"plain", 12.5, 0},
        {"void f<int, 3>(float *)", 0.1, -1}, /* 0.1 has no exact form: 15 digits read back equal */
        {"say \"hi\"", 1.0 / 3.0, INT64_MAX}, /* needs 16 or 17 digits */
        {"two\nlines", 1e300, INT64_MIN},
        {" spaces ", -0.0, 7},
        {"caf\xc3\xa9", 9007199254740993.0, 3},
    };
    char *path = scratch_path();
    for (size_t i = 0; i < COUNT_OF(rows); i++) { /* appended one by one */
        struct table t;
        table_init(&t, columns, 3);
        struct cell *row = table_add_row(&t);
        row[0] = cell_text(&t, rows[i].name);
        row[1] = cell_number(rows[i].duration);
        row[2] = cell_integer(rows[i].process);
        assert_int_equal(table_append_csv(&t, path, NULL), 0);
        table_release(&t);
    }
    struct table t;
    struct err e = {0};
    table_init(&t, columns, 3);
    assert_int_equal(table_read_csv(&t, path, &e), 0);
    assert_int_equal(table_rows(&t), COUNT_OF(rows));
    for (size_t i = 0; i < table_rows(&t); i++) {
        assert_string_equal(table_text(&t, i, 0), rows[i].name);
        assert_true(table_number(&t, i, 1) == rows[i].duration);
        assert_int_equal(table_at(&t, i, 2)->type, CELL_INTEGER);
        assert_int_equal(table_at(&t, i, 2)->integer, rows[i].process);
    }
    table_release(&t);
    unlink(path);
}

TEST(missing_cells_stay_missing)
{
    char *path = scratch_path();
    struct table t;
    table_init(&t, columns, 3);
    struct cell *row = table_add_row(&t);
    row[0] = cell_text(&t, "k");
    row[1] = cell_number(INFINITY);
    row[2] = cell_missing(&t, "not measured");
    assert_string_equal(table_at(&t, 0, 1)->text, "not a number");
    assert_int_equal(table_append_csv(&t, path, NULL), 0);
    table_release(&t);
    table_init(&t, columns, 3);
    assert_int_equal(table_read_csv(&t, path, NULL), 0);
    assert_int_equal(table_at(&t, 0, 1)->type, CELL_MISSING);
    assert_int_equal(table_at(&t, 0, 2)->type, CELL_MISSING);
    assert_true(isnan(table_number(&t, 0, 1)));
    assert_string_equal(table_text(&t, 0, 1), "");
    table_release(&t);
    unlink(path);
}

TEST(tables_are_read_by_column_name)
{
    static const struct {
        const char *file, *error; /* error: what the message says after the path */
        size_t rows;              /* that stay */
    } cases[] = {
        {"process,extra,name,duration_ns\n1,zzz,k,2.5\n", NULL, 1}, /* any order, unknown columns ignored */
        {"name,duration_ns,process\n", NULL, 0},
        {"", "' is empty: it lacks even a header", 0},
        {"name,process\nk,1\n", ":1: the header lacks column 'duration_ns'", 0},
        {"name,name,duration_ns,process\n", ":1: the header repeats column 'name'", 0},
        {"name,duration_ns,process\nk,1,2\nk,1\n", ":3: 2 fields where the header has 3", 1},
        {"name,duration_ns,process\nk,1,2\nk,abc,1\n", ":3: column 'duration_ns' is 'abc', expected a number", 1},
        {"name,duration_ns,process\nk,inf,2\n", ":2: column 'duration_ns' is 'inf', expected a number", 0},
        {"name,duration_ns,process\nk,0x10,2\n", ":2: column 'duration_ns' is '0x10', expected a number", 0},
        {"name,duration_ns,process\nk,1e999,2\n", ":2: column 'duration_ns' is '1e999', expected a number", 0},
        {"name,duration_ns,process\nk,1,2\nk,1,2", ":3: the file ends in the middle of a row", 1},
        {"name,duration_ns,process\nk,1,2\n\"k,1,2\n", ":3: the file ends inside a quoted field", 1},
    };
    char *path = scratch_path();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        write_file(path, cases[i].file);
        struct table t;
        struct err e = {0};
        table_init(&t, columns, 3);
        assert_int_equal(table_read_csv(&t, path, &e), cases[i].error ? ERR_INPUT : 0);
        if (cases[i].error)
            assert_non_null(strstr(e.text, cases[i].error));
        assert_int_equal(table_rows(&t), cases[i].rows);
        if (!cases[i].error && cases[i].rows) {
            assert_string_equal(table_text(&t, 0, 0), "k");
            assert_true(table_number(&t, 0, 1) == 2.5);
            assert_true(table_number(&t, 0, 2) == 1);
        }
        table_release(&t);
    }
    unlink(path);
    struct err e = {0};
    struct table t;
    table_init(&t, columns, 3);
    assert_int_equal(table_read_csv(&t, "/nonexistent/x.csv", &e), ERR_INPUT);
    assert_non_null(strstr(e.text, "cannot read '/nonexistent/x.csv'"));
    assert_int_equal(table_append_csv(&t, "/nonexistent/x.csv", &e), ERR_ENVIRONMENT);
    table_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_and_their_lines),
        cmocka_unit_test(lines_cut_here_are_cut_as_by_libcsv),
        cmocka_unit_test(text_is_read_also_after_an_error),
        cmocka_unit_test(a_reader_goes_to_a_row),
        cmocka_unit_test(rows_across_read_blocks),
        cmocka_unit_test(what_is_too_big_is_refused),
        cmocka_unit_test(preamble_lines_are_peeked_and_skipped),
        cmocka_unit_test(tables_round_trip),
        cmocka_unit_test(missing_cells_stay_missing),
        cmocka_unit_test(tables_are_read_by_column_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
