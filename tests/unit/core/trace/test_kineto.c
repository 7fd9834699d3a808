/* Are Chrome traces of Kineto read to the nanosecond, and annotations left alone?
 *
 * The samples were written by hand after the public format; traces by PyTorch
 * itself are checked in tests/cli/overlap_real.sh where they are there. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/test.h"
#include "tests/unit/sample.h"

/* Microseconds since 1970 have 16 digits: as a double, 0.256 us would be 0.25. */
#define T(us_thousandths) (INT64_C(1727743122000000000) + (us_thousandths))

static const struct sample_event rows[] = {
    {{.start_ns = T(123000), .end_ns = T(126000), .kind = CPPROF_EVENT_RANGE, .device = -1, .thread = 99},
     "ProfilerStep#1",
     ""},
    {{.start_ns = T(123256),
      .end_ns = T(123306),
      .kind = CPPROF_EVENT_API,
      .flags = CPPROF_EVENT_DRIVER_API,
      .device = -1,
      .correlation = 11,
      .thread = UINT32_MAX,
      .detail = CPPROF_API_COPY},
     "cuMemcpyHtoDAsync_v2",
     NULL},
    {{.start_ns = T(123356),
      .end_ns = T(123556),
      .size_bytes = 1500000,
      .kind = CPPROF_EVENT_COPY,
      .flags = CPPROF_EVENT_SRC_PAGEABLE,
      .context = 1,
      .stream = 7,
      .correlation = 11,
      .detail = CPPROF_COPY_H2D},
     "Memcpy HtoD (Pageable -> Device)",
     NULL},
    {{.start_ns = T(123406),
      .end_ns = T(123446),
      .kind = CPPROF_EVENT_API,
      .device = -1,
      .correlation = 12,
      .thread = 99,
      .detail = CPPROF_API_LAUNCH},
     "cudaLaunchKernel",
     NULL},
    {{.start_ns = T(123456),
      .end_ns = T(123756),
      .kind = CPPROF_EVENT_KERNEL,
      .context = 1,
      .stream = 13,
      .correlation = 12,
      .grid = {8, 4, 2},
      .block = {128, 2, 1},
      .registers = 32,
      .shared_dynamic_bytes = 49000,
      .graph_node = 5},
     "void tile<3>(float*)",
     NULL},
    {{.start_ns = T(123756),
      .end_ns = T(123806),
      .size_bytes = 4000,
      .kind = CPPROF_EVENT_MEMSET,
      .context = 1,
      .stream = 13,
      .correlation = 13},
     "Memset (Device)",
     NULL},
    {{.start_ns = T(124000),
      .end_ns = T(125000),
      .size_bytes = 8,
      .kind = CPPROF_EVENT_COPY,
      .flags = CPPROF_EVENT_DST_PAGEABLE,
      .device = 1,
      .context = 2,
      .stream = 9,
      .correlation = 14,
      .detail = CPPROF_COPY_D2H},
     "Memcpy DtoH (Device -> Pageable)",
     NULL},
    {{.start_ns = T(125000),
      .end_ns = T(125500),
      .kind = CPPROF_EVENT_SYNC,
      .device = -1,
      .stream = 7,
      .correlation = 15,
      .thread = 99},
     "Stream Synchronize",
     NULL},
};

/* Operators, annotations on the GPU and Python frames carry streams here and
 * are no events; categories have other names in old files. */
TEST(every_form_gives_the_same_events)
{
    static const struct {
        const char *file;
        int16_t rank;
    } cases[] = {{"kineto.json", 3}, {"kineto_bare.json", -1}, {"kineto_old.json", -1}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct sample_event expected[COUNT_OF(rows)];
        memcpy(expected, rows, sizeof rows);
        for (size_t row = 0; row < COUNT_OF(rows); row++)
            expected[row].event.rank = cases[i].rank;
        struct event_stream *s = sample_open(cases[i].file);
        assert_int_equal(event_stream_caveats(s)->count, 0);
        sample_assert(s, expected, COUNT_OF(expected));
    }
}

static struct event_stream *open_text(const char *text, size_t length, struct err *e)
{
    char path[] = "/tmp/cpprof-test-XXXXXX";
    int fd = mkstemp(path);
    struct event_stream *s;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, length), length);
    close(fd);
    event_stream_open(&s, path, e);
    unlink(path);
    return s;
}

/* Cut anywhere: an error, or what stands before the cut and a caveat. */
TEST(a_trace_cut_anywhere_never_lies)
{
    struct str text;
    str_init(&text);
    assert_int_equal(files_read(TEST_DATA_DIRECTORY "/kineto.json", 1 << 20, &text, NULL), 0);
    size_t whole = text.length - 1; /* the last byte is a newline */
    for (size_t length = 0; length < whole; length += 7) {
        struct err e = {0};
        struct event_stream *s = open_text(str_text(&text), length, &e);
        if (!s) {
            assert_int_equal(e.code, ERR_INPUT);
            continue;
        }
        assert_true(caveat_has(event_stream_caveats(s), CAVEAT_TRUNCATED));
        struct cpprof_event got;
        while (event_stream_next(s, &got, NULL) == 1) {
            size_t i = 0;
            while (i < COUNT_OF(rows) && (rows[i].event.start_ns != got.start_ns || rows[i].event.end_ns != got.end_ns))
                i++;
            assert_true(i < COUNT_OF(rows));
            assert_int_equal(got.rank, 3);
        }
        event_stream_free(s);
    }
    str_release(&text);
}

#define PLACE                 ", \"args\": {\"device\": 0, \"stream\": 7}"
#define ROW(category, fields) "{\"ph\": \"X\", \"cat\": " category ", \"name\": \"k\", " fields PLACE "}"
#define KERNEL(fields)        ROW("\"kernel\"", fields)
#define TIMES                 "\"ts\": 1.000, \"dur\": 1.000"

TEST(times_and_their_resolution)
{
    static const struct {
        const char *row;
        int64_t start_ns, end_ns;
        const char *note; /* "" for none */
    } cases[] = {
        {KERNEL("\"ts\": 5, \"dur\": 10.0"), 5000, 15000, "times are rounded to 1000 ns"}, /* 'ts' has no digits */
        {KERNEL("\"ts\": 5.25, \"dur\": 1.5"), 5250, 6750, "times are rounded to 100 ns"},
        {KERNEL("\"ts\": 5.001, \"dur\": 0.000"), 5001, 5001, ""},
        {KERNEL("\"ts\": -5.001, \"dur\": 0.002"), -5001, -4999, ""},
        {KERNEL("\"ts\": 9007199254740.993, \"dur\": 0.001"), 9007199254740993, 9007199254740994, ""}, /* 2^53 + 1 */
        {KERNEL("\"ts\": 1.0006, \"dur\": 1.0004"), 1001, 2001, ""}, /* to the nearest ns */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[512];
        int length = snprintf(text, sizeof text, "{\"traceEvents\": [%s]}", cases[i].row);
        struct err e = {0};
        struct cpprof_event got;
        struct event_stream *s = open_text(text, (size_t)length, &e);
        if (!s)
            fail_msg("%s", e.text);
        assert_int_equal(event_stream_next(s, &got, NULL), 1);
        assert_int_equal(got.start_ns, cases[i].start_ns);
        assert_int_equal(got.end_ns, cases[i].end_ns);
        assert_int_equal(*first_caveat(s, CAVEAT_NOTE) != '\0', *cases[i].note != '\0');
        assert_non_null(strstr(first_caveat(s, CAVEAT_NOTE), cases[i].note));
        event_stream_free(s);
    }
}

/* A row that is no GPU work may hold any nonsense without harm. */
TEST(rows_of_no_interest_are_not_judged)
{
    static const char *const others[] = {
        "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": 5, \"ts\": \"then\", \"dur\": -1}",
        "{\"ph\": \"X\", \"cat\": \"python_function\", \"args\": {\"stream\": -1, \"grid\": [1, 2, 3, 4]}}",
        "{\"ph\": \"f\", \"cat\": \"ac2g\", \"id\": 1, \"id\": 2}",
        "{\"ph\": \"X\", \"cat\": \"cuda_sync\", \"name\": \"w\", \"ts\": 1, \"dur\": 1, \"args\": {\"stream\": -1}}",
        "{}",
    };
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        char text[512];
        int length = snprintf(text, sizeof text, "[%s, %s]", others[i], KERNEL("\"ts\": 1.000, \"dur\": 1.000"));
        struct err e = {0};
        struct event_stream *s = open_text(text, (size_t)length, &e);
        if (!s)
            fail_msg("%s: %s", others[i], e.text);
        if (event_stream_caveats(s)->count)
            fail_msg("%s: %s", others[i], event_stream_caveats(s)->items[0].text);
        event_stream_free(s);
    }
}

/* What is no row ends the good part: kernels in a list of their own are no less lost than cut ones. */
TEST(what_is_no_row_is_said)
{
    static const char *const others[] = {"5", "null", "\"text\"", "[]",
                                         "[" KERNEL("\"ts\": 2.000, \"dur\": 1.000") "]"};
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        char text[512];
        int length = snprintf(text, sizeof text, "[%s, %s]", KERNEL("\"ts\": 1.000, \"dur\": 1.000"), others[i]);
        struct err e = {0};
        struct event_stream *s = open_text(text, (size_t)length, &e);
        if (!s)
            fail_msg("%s: %s", others[i], e.text);
        assert_int_equal(event_stream_count(s), 1);
        assert_non_null(strstr(first_caveat(s, CAVEAT_TRUNCATED), "row 2 of the trace is no object"));
        event_stream_free(s);
    }
}

/* A device is an int16_t: one beyond would be another device, or none. */
TEST(a_device_that_does_not_fit_is_said)
{
    static const struct {
        const char *device;
        bool fits;
    } cases[] = {{"32767", true}, {"32768", false}, {"49000", false}, {"65535", false}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[512];
        const int length = snprintf(text, sizeof text,
                                    "[{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", " TIMES
                                    ", \"args\": {\"device\": %s, \"stream\": 7}}]",
                                    cases[i].device);
        struct err e = {0};
        struct event_stream *s = open_text(text, (size_t)length, &e);
        assert_int_equal(s != NULL, cases[i].fits);
        assert_true(cases[i].fits || strstr(e.text, "'device' is no whole number that fits"));
        event_stream_free(s);
    }
}

/* The format allows several categories; whoever writes one in capitals means no other. */
TEST(a_category_is_found_in_any_form)
{
    static const char *const rows_of_work[] = {
        ROW("\"kernel,timeline\"", TIMES),
        ROW("\"timeline, kernel\"", TIMES),
        ROW("\"KERNEL\"", TIMES),
        ROW("\" kernel \"", TIMES),
        ROW("\"kernel,Kernel\"", TIMES),
        ROW("\"a category that is longer than all that mean something,kernel\"", TIMES)};
    for (size_t i = 0; i < COUNT_OF(rows_of_work); i++) {
        char text[512];
        int length = snprintf(text, sizeof text, "[%s, %s]", KERNEL(TIMES), rows_of_work[i]);
        struct err e = {0};
        struct event_stream *s = open_text(text, (size_t)length, &e);
        if (!s || event_stream_count(s) != 2)
            fail_msg("%s: %s", rows_of_work[i], e.text);
        assert_int_equal(event_stream_caveats(s)->count, 0);
        event_stream_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_gives_the_same_events), cmocka_unit_test(a_trace_cut_anywhere_never_lies),
        cmocka_unit_test(times_and_their_resolution),       cmocka_unit_test(rows_of_no_interest_are_not_judged),
        cmocka_unit_test(what_is_no_row_is_said),           cmocka_unit_test(a_device_that_does_not_fit_is_said),
        cmocka_unit_test(a_category_is_found_in_any_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
