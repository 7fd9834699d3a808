/* Is everything counted once, in its row, and do rows of two traces meet? */
#include <math.h>
#include <string.h>

#include "analyzers/capture/trace_statistics.h"
#include "tests/test.h"
#include "tests/unit/hand_trace.h"

static const struct host_event events[] = {
    {KERNEL, 0, 30, 1, 7, "_Z4tilei", 0, 1},      {KERNEL, 30, 40, 2, 8, "_Z4tilei", 1, 1},
    {KERNEL, 40, 50, 3, 7, "_Z5scalei", 0, 1},    {KERNEL, 60, -1, 4, 7, "_Z4tilei", 0, 1},
    {H2D, 50, 90, 5, 7, "any name", 0, 1},        {H2D, 90, 100, 6, 7, "another", 0, 1},
    {LAUNCH_CALL, 0, 6, 1, 1, "launch_v1", 0, 1}, {SYNC_CALL, 6, 8, 9, 2, "wait", 0, 1},
};

struct row {
    enum statistics_section section;
    const char *name;
    int device;
    unsigned stream;
    int64_t count, unfinished, total_ns;
    double share;
};

/* GPU work 30 + 10 + 10 + 40 + 10 = 100; calls 8. */
static const struct row by_name[] = {
    {STATISTICS_KERNELS, "tile(int)", -1, 0, 2, 1, 40, 0.4}, {STATISTICS_KERNELS, "scale(int)", -1, 0, 1, 0, 10, 0.1},
    {STATISTICS_COPIES, "copy h2d", -1, 0, 2, 0, 50, 0.5},   {STATISTICS_API, "launch", -1, 0, 1, 0, 6, 0.75},
    {STATISTICS_API, "wait", -1, 0, 1, 0, 2, 0.25},
};
static const struct row by_stream[] = {
    {STATISTICS_KERNELS, "kernels", 0, 7, 2, 1, 40, 0.4}, {STATISTICS_KERNELS, "kernels", 1, 8, 1, 0, 10, 0.1},
    {STATISTICS_COPIES, "copy h2d", 0, 7, 2, 0, 50, 0.5}, {STATISTICS_API, "calls", -1, 1, 1, 0, 6, 0.75},
    {STATISTICS_API, "calls", -1, 2, 1, 0, 2, 0.25},
};
static const struct row by_device[] = {
    {STATISTICS_KERNELS, "kernels", 0, 0, 2, 1, 40, 0.4},
    {STATISTICS_KERNELS, "kernels", 1, 0, 1, 0, 10, 0.1},
    {STATISTICS_COPIES, "copy h2d", 0, 0, 2, 0, 50, 0.5},
    {STATISTICS_API, "calls", -1, 0, 2, 0, 8, 1.0},
};

TEST(rows_of_every_kind)
{
    static const struct {
        enum statistics_by by;
        const struct row *rows;
        size_t count;
    } cases[] = {{STATISTICS_BY_NAME, by_name, COUNT_OF(by_name)},
                 {STATISTICS_BY_STREAM, by_stream, COUNT_OF(by_stream)},
                 {STATISTICS_BY_DEVICE, by_device, COUNT_OF(by_device)}};
    for (size_t c = 0; c < COUNT_OF(cases); c++) {
        struct event_stream *stream = host_stream(events, COUNT_OF(events));
        struct short_names names;
        struct trace_statistics s;
        short_names_init(&names);
        assert_int_equal(trace_statistics_measure(stream, cases[c].by, NAMES_SHORT, &names, &s, NULL), 0);
        assert_int_equal(s.count, cases[c].count);
        assert_int_equal(s.gpu_ns, 100);
        assert_int_equal(s.unfinished, 1);
        for (size_t i = 0; i < s.count; i++) {
            const struct statistics_row *got = &s.items[i];
            const struct row *want = &cases[c].rows[i];
            assert_int_equal(got->section, want->section);
            assert_string_equal(short_names_full(&names, got->name), want->name);
            assert_int_equal(got->device, want->device);
            assert_int_equal(got->rank, cases[c].by == STATISTICS_BY_NAME ? -1 : 0);
            assert_int_equal(got->stream, want->stream);
            assert_int_equal(got->durations.count, want->count);
            assert_int_equal(got->unfinished, want->unfinished);
            assert_int_equal(got->durations.total_ns, want->total_ns);
            assert_true(fabs(got->share - want->share) < 1e-12);
        }
        trace_statistics_release(&s);
        short_names_release(&names);
        event_stream_free(stream);
    }
}

TEST(two_traces)
{
    static const struct host_event other[] = {
        {KERNEL, 0, 60, 1, 7, "_Z4tilei", 0, 1},
        {KERNEL, 60, 61, 1, 7, "_Z3newv", 0, 1},
    };
    struct event_stream *streams[] = {host_stream(events, COUNT_OF(events)), host_stream(other, COUNT_OF(other))};
    struct short_names names;
    struct trace_statistics s[2];
    struct statistics_pairs pairs;
    short_names_init(&names);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(trace_statistics_measure(streams[i], STATISTICS_BY_NAME, NAMES_FULL, &names, &s[i], NULL), 0);
    assert_int_equal(statistics_pairs_make(&pairs, &s[0], &s[1], &names, NULL), 0);
    static const struct {
        const char *name;
        int64_t a_ns, b_ns; /* -1: not there */
    } expected[] = {{"tile(int)", 40, 60}, {"scale(int)", 10, -1}, {"new()", -1, 1},
                    {"copy h2d", 50, -1},  {"launch", 6, -1},      {"wait", 2, -1}};
    assert_int_equal(pairs.count, COUNT_OF(expected));
    for (size_t i = 0; i < pairs.count; i++) {
        const struct statistics_pair *p = &pairs.items[i];
        assert_string_equal(short_names_full(&names, (p->a ? p->a : p->b)->name), expected[i].name);
        assert_int_equal(p->a ? p->a->durations.total_ns : -1, expected[i].a_ns);
        assert_int_equal(p->b ? p->b->durations.total_ns : -1, expected[i].b_ns);
    }
    statistics_pairs_release(&pairs);
    for (size_t i = 0; i < 2; i++) {
        trace_statistics_release(&s[i]);
        event_stream_free(streams[i]);
    }
    short_names_release(&names);
}

TEST(names_as_recorded)
{
    struct event_stream *stream = host_stream(events, 1);
    struct short_names names;
    struct trace_statistics s;
    short_names_init(&names);
    assert_int_equal(trace_statistics_measure(stream, STATISTICS_BY_NAME, NAMES_MANGLED, &names, &s, NULL), 0);
    assert_string_equal(short_names_full(&names, s.items[0].name), "_Z4tilei");
    trace_statistics_release(&s);
    short_names_release(&names);
    event_stream_free(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_of_every_kind), cmocka_unit_test(two_traces),
                                       cmocka_unit_test(names_as_recorded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
