/* Are nsys gpu traces read to the nanosecond, and is everything else named? */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/files.h"
#include "core/io/decimal.h"
#include "core/trace/interval_set.h"
#include "tests/test.h"
#include "tests/unit/sample.h"

TEST(decimals_are_exact)
{
    static const struct {
        const char *text;
        int64_t scale, value;
        int fraction_digits;
        bool good;
    } cases[] = {
        {"0", 1, 0, 0, true},
        {"828.506165", 1000000, 828506165, 6, true},
        {"9007199254740993", 1, 9007199254740993, 0, true}, /* 2^53 + 1 has no double */
        {"1.719160001", 1000000000, 1719160001, 9, true},
        {"1.7191600019", 1000000000, 1719160001, 10, true}, /* the tenth digit is dropped */
        {"0.5", 1, 1, 1, true},                             /* halves away from zero */
        {"-0.5", 1, -1, 1, true},
        {"0.131", 1000000, 131000, 3, true},
        {"0.001", 1048576, 1049, 3, true}, /* 1048.576 */
        {"9223372036854775807", 1, INT64_MAX, 0, true},
        {"9223372036854775808", 1, 0, 0, false},
        {"9223372036854775.807", 1000, INT64_MAX, 3, true},
        {"9223372036854775.808", 1000, 0, 3, false},
        {"", 1, 0, 0, false},
        {"-", 1, 0, 0, false},
        {".5", 1, 0, 0, false},
        {"5.", 1, 0, 0, false},
        {"1e3", 1, 0, 0, false},
        {"0x10", 1, 0, 0, false},
        {"+1", 1, 0, 0, false},
        {" 1", 1, 0, 0, false},
        {"1,000", 1, 0, 0, false},
        {"nan", 1, 0, 0, false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct decimal got;
        char text[64];
        snprintf(text, sizeof text, "%s7.5", cases[i].text); /* what follows is not read */
        assert_int_equal(decimal_read(text, strlen(cases[i].text), cases[i].scale, &got), cases[i].good);
        if (!cases[i].good)
            continue;
        assert_true(got.value == cases[i].value);
        assert_int_equal(got.fraction_digits, cases[i].fraction_digits);
    }
}

/* The rows of tests/data/nsys_21_columns.csv, as events. MB are 1e6 bytes. */
static const struct {
    struct cpprof_event event;
    const char *name[2]; /* both spellings */
} expected_rows[] = {
    {{.start_ns = 1000,
      .end_ns = 1200,
      .size_bytes = 1500000,
      .kind = CPPROF_EVENT_COPY,
      .flags = CPPROF_EVENT_SRC_PAGEABLE,
      .detail = CPPROF_COPY_H2D,
      .device = 0,
      .context = 1,
      .stream = 7,
      .correlation = 11},
     {"[CUDA memcpy Host-to-Device]", "[CUDA memcpy HtoD]"}},
    {{.start_ns = 1100,
      .end_ns = 1400,
      .kind = CPPROF_EVENT_KERNEL,
      .device = 0,
      .context = 1,
      .stream = 13,
      .correlation = 12,
      .grid = {8, 4, 2},
      .block = {128, 2, 1},
      .registers = 32,
      .shared_static_bytes = 1000,
      .shared_dynamic_bytes = 48000},
     {"void tile<3, float>(const float *, \"quoted\")", "void tile<3, float>(const float *, \"quoted\")"}},
    {{.start_ns = 1400,
      .end_ns = 1450,
      .size_bytes = 4000,
      .kind = CPPROF_EVENT_MEMSET,
      .device = 0,
      .context = 1,
      .stream = 13,
      .correlation = 13},
     {"[CUDA memset]", "[CUDA memset]"}},
    {{.start_ns = 1500,
      .end_ns = 1560,
      .size_bytes = 2000000,
      .kind = CPPROF_EVENT_COPY,
      .detail = CPPROF_COPY_D2H,
      .device = 1,
      .context = 2,
      .stream = 9,
      .correlation = 14},
     {"[CUDA memcpy Device-to-Host]", "[CUDA memcpy DtoH]"}},
    {{.start_ns = 1600,
      .end_ns = 1610,
      .size_bytes = 1000,
      .kind = CPPROF_EVENT_COPY,
      .detail = CPPROF_COPY_D2D,
      .device = 0,
      .context = 1,
      .stream = 7,
      .correlation = 15},
     {"[CUDA memcpy Device-to-Device]", "[CUDA memcpy DtoD]"}},
    {{.start_ns = 1700,
      .end_ns = 1710,
      .size_bytes = 1000,
      .kind = CPPROF_EVENT_COPY,
      .detail = CPPROF_COPY_P2P,
      .device = 0,
      .context = 1,
      .stream = 7,
      .correlation = 16},
     {"[CUDA memcpy Peer-to-Peer]", "[CUDA memcpy PtoP]"}},
    {{.start_ns = 1800,
      .end_ns = 1810,
      .size_bytes = 65000,
      .kind = CPPROF_EVENT_MIGRATION,
      .detail = CPPROF_COPY_H2D,
      .device = 0},
     {"[CUDA memcpy Unified Host-to-Device]", "[CUDA Unified Memory memcpy HtoD]"}},
};

enum { EXPECTED_ROWS = COUNT_OF(expected_rows) };

TEST(every_form_gives_the_same_events)
{
    static const struct {
        const char *file;
        int spelling;
    } cases[] = {{"nsys_21_columns.csv", 0}, {"nsys_20_columns.csv", 1}, {"nsys_us_reordered.csv", 0}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct event_stream *s = sample_open(cases[i].file);
        assert_int_equal(event_stream_count(s), EXPECTED_ROWS);
        for (size_t row = 0; row < EXPECTED_ROWS; row++) {
            struct cpprof_event got, expected = expected_rows[row].event;
            assert_int_equal(event_stream_next(s, &got, NULL), 1);
            assert_string_equal(strtab_text(event_stream_strings(s), got.name),
                                expected_rows[row].name[cases[i].spelling]);
            expected.name = got.name;
            expected.rank = -1;
            assert_memory_equal(&got, &expected, sizeof got);
        }
        event_stream_free(s);
    }
}

TEST(units_and_their_resolution)
{
    struct event_stream *s = sample_open("nsys_ms_coarse.csv");
    struct cpprof_event event;
    assert_int_equal(event_stream_next(s, &event, NULL), 1);
    assert_int_equal(event.start_ns, 1500000); /* 1.5 ms */
    assert_int_equal(event.end_ns, 1750000);   /* + 0.25 ms */
    const struct caveat_list *list = event_stream_caveats(s);
    assert_int_equal(list->count, 2);
    assert_non_null(strstr(list->items[0].text, "nsys_ms_coarse.csv:1: unknown column 'Colour' is ignored"));
    /* one digit after the point of ms: 100000 ns a step; two: 10000. The coarser counts. */
    assert_non_null(
        strstr(list->items[1].text, "times are rounded to 100000 ns (columns 'Start (ms)', 'Duration (ms)')"));
    event_stream_free(s);

    s = sample_open("nsys_us_reordered.csv"); /* us with three digits are exact, KB without digits are not */
    assert_int_equal(event_stream_caveats(s)->count, 1);
    assert_non_null(strstr(first_caveat(s, CAVEAT_NOTE), "sizes are rounded to 1000 bytes (column 'Bytes (KB)')"));
    event_stream_free(s);
}

TEST(what_stands_around_the_table)
{
    static const struct {
        const char *file;
        enum caveat_kind kind;
        const char *caveat;
    } cases[] = {
        {"nsys_two_traces.csv", CAVEAT_WEAKENS,
         "nsys_two_traces.csv:10: a second gpu trace starts here and is not read"},
        {"nsys_other_table_behind.csv", CAVEAT_NOTE,
         "nsys_other_table_behind.csv:4: the gpu trace ends before this line"},
        {"nsys_header_twice.csv", CAVEAT_NOTE, ""},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct event_stream *s = sample_open(cases[i].file);
        struct cpprof_event event;
        assert_int_equal(event_stream_count(s), 1);
        assert_int_equal(event_stream_next(s, &event, NULL), 1);
        assert_int_equal(event.stream, 7);
        assert_string_equal(strtab_text(event_stream_strings(s), event.name), "first");
        assert_non_null(strstr(first_caveat(s, cases[i].kind), cases[i].caveat));
        assert_false(caveat_has(event_stream_caveats(s), CAVEAT_TRUNCATED));
        event_stream_free(s);
    }
}

TEST(a_bad_row_ends_the_good_part)
{
    static const struct {
        const char *file;
        enum caveat_kind kind;
        const char *caveat;
        int64_t events;
    } cases[] = {
        {"cut_in_field.csv", CAVEAT_TRUNCATED,
         ":3: the file ends in the middle of a row; only the rows before it are used: 1", 1},
        {"cut_in_quote.csv", CAVEAT_TRUNCATED, ":3: the file ends inside a quoted field", 1},
        {"cut_in_name.csv", CAVEAT_TRUNCATED, ":3: the file ends in the middle of a row", 1},
        {"no_newline.csv", CAVEAT_WEAKENS, ":3: the file does not end with a newline: rows may be missing; export", 2},
        {"no_newline_number_last.csv", CAVEAT_WEAKENS,
         ":3: the file does not end with a newline: rows may be missing; export", 2},
        {"negative_duration.csv", CAVEAT_TIMES, ": rows that end before they begin, which are left out: 1; the first",
         3},
        {"exponent.csv", CAVEAT_TRUNCATED, ":3: column 'Start (ns)' is '1.3e3', expected a decimal number", 1},
        {"huge_number.csv", CAVEAT_TRUNCATED, ":3: column 'Start (ns)' is '99999999999999999999', expected", 1},
        {"block_too_large.csv", CAVEAT_TRUNCATED, ":3: column 'BlkX' is '70000', expected a smaller number", 1},
        {"no_duration.csv", CAVEAT_TRUNCATED, ":3: column 'Duration (ns)' is 'None', expected a decimal number", 1},
        {"bad_device.csv", CAVEAT_TRUNCATED, ":3: column 'Device' is 'GPU zero', expected a name and '(ordinal)'", 1},
        {"no_name.csv", CAVEAT_TRUNCATED, ":3: column 'Name' is '', expected a name", 1},
        {"stray_quote.csv", CAVEAT_TRUNCATED, ":3: misplaced quote at column 61", 1},
        {"output_between_rows.csv", CAVEAT_TRUNCATED, ":3: 1 fields where the header has 21", 1},
        {"decimal_comma.csv", CAVEAT_TRUNCATED, ":3: 23 fields where the header has 21; if these are decimal commas",
         1},
        {"unknown_operation.csv", CAVEAT_WEAKENS, ":3: '[CUDA teleport]' is no operation that is known; left out", 1},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char name[128], place[256];
        snprintf(name, sizeof name, "bad/%s", cases[i].file);
        snprintf(place, sizeof place, "%s%s", cases[i].file, cases[i].caveat);
        struct event_stream *s = sample_open(name);
        if (!strstr(first_caveat(s, cases[i].kind), place))
            fail_msg("%s: '%s' is not in '%s'", name, place, first_caveat(s, cases[i].kind));
        assert_int_equal(event_stream_count(s), cases[i].events);
        event_stream_free(s);
    }
}

TEST(what_is_no_trace_is_named)
{
    static const struct {
        const char *path, *message;
    } cases[] = {
        {"bad/empty.csv", "' is empty"},
        {"bad/blank.csv", "' is empty"},
        {"bad/header_only.csv", "has the header of a gpu trace but no rows"},
        {"bad/first_row_bad.csv", "first_row_bad.csv:2: 1 fields"},
        {"bad/unknown_unit.csv", ":1: column 'Start (fortnights)' has no unit that is known (ns, us, ms, s)"},
        {"bad/column_twice.csv", ":1: the header repeats column 'Strm'"},
        {"bad/column_missing.csv", ":1: the header lacks column 'Device'"},
        {"bad/semicolons.csv", "separated by semicolons"},
        {"bad/columns.txt", "not separated by commas"},
        {"bad/skipped.csv", "as nsys says: SKIPPED: a.sqlite does not contain CUDA trace data."},
        {"bad/other_report.csv", "of other reports"},
        {"bad/ncu.csv", "is an ncu table"},
        {"bad/ncu_error.csv", "==ERROR== ERR_NVGPUCTRPERM - no permission"},
        {"bad/ncu_no_table.csv", "is ncu output without a table"},
        {"bad/chrome.json", "is a Chrome trace without work on the GPU"},
        {"bad/nvidia_smi.csv", "is a table of nvidia-smi"},
        {"bad/binary.csv", "is a binary file of an unknown kind"},
        {"bad/gzip.csv", "the gzip file is cut"},
        {"bad/sqlite.csv", "cut in its header"},
        {"bad/report.nsys-rep", "nsys stats --report cuda_gpu_trace --format csv FILE.nsys-rep"},
        {"bad/report.ncu-rep", "is an ncu report"},
        {"bad/utf16.csv", "is UTF-16 text"},
        {"bad/prose.csv", "it starts with 'dear diary \\x1b[31m'"},
        {"bad/not_there.csv", "No such file or directory"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct str path;
        struct event_stream *s;
        struct err e = {0};
        str_init(&path);
        assert_int_equal(event_stream_open(&s, files_join(&path, TEST_DATA_DIRECTORY, cases[i].path), &e), ERR_INPUT);
        assert_null(s);
        if (!strstr(e.text, cases[i].message) || !strstr(e.text, cases[i].path) || strchr(e.text, '\n'))
            fail_msg("%s: '%s' is not in '%s'", cases[i].path, cases[i].message, e.text);
        str_release(&path);
    }
}

/* Cut anywhere, a file is an error, or truncated, or what stands before the
 * cut is right to the nanosecond. */
TEST(a_file_cut_anywhere_never_lies)
{
    struct str text;
    str_init(&text);
    assert_int_equal(files_read(TEST_DATA_DIRECTORY "/nsys_21_columns.csv", 1 << 20, &text, NULL), 0);
    char path[] = "/tmp/cpprof-test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    for (size_t length = 0; length < text.length; length++) {
        struct event_stream *s;
        struct err e = {0};
        assert_int_equal(ftruncate(fd, 0), 0);
        assert_int_equal(pwrite(fd, text.text, length, 0), length);
        if (event_stream_open(&s, path, &e)) {
            assert_int_equal(e.code, ERR_INPUT);
            continue;
        }
        struct cpprof_event event;
        for (size_t row = 0; event_stream_next(s, &event, NULL) == 1; row++) {
            assert_true(row < EXPECTED_ROWS);
            assert_int_equal(event.start_ns, expected_rows[row].event.start_ns);
            assert_int_equal(event.end_ns, expected_rows[row].event.end_ns);
            assert_int_equal(event.kind, expected_rows[row].event.kind);
        }
        bool at_row_end = text.text[length - 1] == '\n';
        assert_true(at_row_end || *first_caveat(s, CAVEAT_TRUNCATED) || *first_caveat(s, CAVEAT_NOTE));
        event_stream_free(s);
    }
    close(fd);
    unlink(path);
    str_release(&text);
}

TEST(standard_input_may_be_a_pipe)
{
    int ends[2], before = dup(STDIN_FILENO);
    assert_int_equal(pipe(ends), 0);
    struct str text;
    str_init(&text);
    assert_int_equal(files_read(TEST_DATA_DIRECTORY "/nsys_20_columns.csv", 1 << 20, &text, NULL), 0);
    assert_int_equal(write(ends[1], text.text, text.length), text.length); /* fits a pipe's 64 KiB */
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    struct event_stream *s;
    assert_int_equal(event_stream_open(&s, "-", NULL), 0);
    assert_int_equal(event_stream_count(s), EXPECTED_ROWS);
    assert_string_equal(event_stream_source(s), "-");
    assert_int_equal(strncmp(first_caveat(s, CAVEAT_NOTE), "stdin: ", 7), 0);
    event_stream_free(s);
    str_release(&text);
    if (before >= 0) {
        dup2(before, STDIN_FILENO);
        close(before);
    }
}

/* Real exports by other people; the numbers were computed independently. */
TEST(real_files_to_the_nanosecond)
{
    static const struct {
        const char *file;
        int64_t kernels, kernel_ns, copies, copy_ns, overlap_ns, busy_ns, span_ns;
    } cases[] = {
        {"nsys2024_cuda_gpu_trace_one_stream.csv", 64, 13808111, 264, 1539274, 0, 15347385, 161843545},
        {"nsys2023_cuda_gpu_trace_a100_serial.csv", 110, 38607885, 300, 3966159767, 0, 4004767652, 4034784891},
        {"nsys2022_gputrace_a100_serial.csv", 110, 38607885, 300, 3966159767, 0, 4004767652, 4034784891},
        {"nsys2023_topk_three_streams.csv", 9, 9069918, 13, 146984114, 781344, 155272688, 210666364},
    };
    if (!files_is_directory(SHARED_DATA_DIRECTORY)) {
        print_message("skipped: no folder %s\n", SHARED_DATA_DIRECTORY);
        skip();
    }
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct str path;
        struct event_stream *s;
        struct err e = {0};
        str_init(&path);
        if (event_stream_open(&s, files_join(&path, SHARED_DATA_DIRECTORY, cases[i].file), &e))
            fail_msg("%s", e.text);
        str_release(&path);
        struct interval_set kernels, copies, all, both;
        interval_set_init(&kernels);
        interval_set_init(&copies);
        interval_set_init(&all);
        interval_set_init(&both);
        int64_t kernel_count = 0, copy_count = 0, last_ns = 0;
        struct cpprof_event event;
        while (event_stream_next(s, &event, NULL) == 1) {
            bool kernel = event.kind == CPPROF_EVENT_KERNEL;
            assert_true(kernel || event.kind == CPPROF_EVENT_COPY);
            kernel_count += kernel;
            copy_count += !kernel;
            last_ns = event.end_ns > last_ns ? event.end_ns : last_ns;
            assert_int_equal(interval_set_add(kernel ? &kernels : &copies, event.start_ns, event.end_ns, NULL), 0);
            assert_int_equal(interval_set_add(&all, event.start_ns, event.end_ns, NULL), 0);
        }
        assert_int_equal(interval_set_intersect(&kernels, &copies, &both, NULL), 0);
        assert_int_equal(kernel_count, cases[i].kernels);
        assert_int_equal(interval_set_total_ns(&kernels), cases[i].kernel_ns);
        assert_int_equal(copy_count, cases[i].copies);
        assert_int_equal(interval_set_total_ns(&copies), cases[i].copy_ns);
        assert_int_equal(interval_set_total_ns(&both), cases[i].overlap_ns);
        assert_int_equal(interval_set_total_ns(&all), cases[i].busy_ns);
        assert_int_equal(last_ns - all.items[0].start_ns, cases[i].span_ns);
        assert_false(caveat_has(event_stream_caveats(s), CAVEAT_WEAKENS));
        assert_false(caveat_has(event_stream_caveats(s), CAVEAT_TRUNCATED));
        interval_set_release(&kernels);
        interval_set_release(&copies);
        interval_set_release(&all);
        interval_set_release(&both);
        event_stream_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimals_are_exact),
        cmocka_unit_test(every_form_gives_the_same_events),
        cmocka_unit_test(units_and_their_resolution),
        cmocka_unit_test(what_stands_around_the_table),
        cmocka_unit_test(a_bad_row_ends_the_good_part),
        cmocka_unit_test(what_is_no_trace_is_named),
        cmocka_unit_test(a_file_cut_anywhere_never_lies),
        cmocka_unit_test(standard_input_may_be_a_pipe),
        cmocka_unit_test(real_files_to_the_nanosecond),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
