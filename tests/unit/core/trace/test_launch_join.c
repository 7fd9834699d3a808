/* Does every operation meet the call that started it, whatever the order and the scope? */
#include <string.h>

#include "core/trace/launch_join.h"
#include "core/trace/stream_scope.h"
#include "tests/test.h"
#include "tests/unit/hand_trace.h"

struct expected {
    unsigned correlation;
    int64_t call_start_ns; /* -1: no call */
    int64_t start_ns;      /* -1: no work */
    unsigned part;
};

enum { DOUBTFUL = 99 }; /* instead of a part: it is not known what belongs together */

static void check(struct event_stream *stream, const struct expected *expected, size_t count)
{
    struct launch_join *join;
    assert_int_equal(launch_join_new(&join, stream, NULL), 0);
    for (int pass = 0; pass < 2; pass++) {
        struct launched got;
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(launch_join_next(join, &got, NULL), 1);
            assert_int_equal(got.correlation, expected[i].correlation);
            assert_int_equal(got.has_call ? got.call_start_ns : -1, expected[i].call_start_ns);
            assert_int_equal(got.kind ? got.start_ns : -1, expected[i].start_ns);
            assert_int_equal(got.is_doubtful ? DOUBTFUL : got.part, expected[i].part);
        }
        assert_int_equal(launch_join_next(join, &got, NULL), 0);
        assert_int_equal(launch_join_rewind(join, NULL), 0);
    }
    launch_join_free(join);
    event_stream_free(stream);
}

/* Each call of id 5 has one kernel before the next: they are told apart by time. Two calls of id 6 come before both
 * kernels, one of id 7 comes before its second kernel, and the first kernel of id 8 comes before both calls. */
TEST(an_id_that_is_used_again)
{
    static const struct host_event events[] = {
        {LAUNCH_CALL, 0, 10, 5, 1, "a", 0, 0},    {KERNEL, 20, 30, 5, 7, "a", 0, 0},
        {LAUNCH_CALL, 100, 110, 5, 1, "a", 0, 0}, {KERNEL, 120, 130, 5, 7, "a", 0, 0},
        {LAUNCH_CALL, 200, 210, 5, 1, "a", 0, 0}, {LAUNCH_CALL, 0, 10, 6, 2, "b", 0, 0},
        {LAUNCH_CALL, 12, 14, 6, 2, "b", 0, 0},   {KERNEL, 20, 30, 6, 8, "b", 0, 0},
        {KERNEL, 40, 50, 6, 8, "b", 0, 0},        {LAUNCH_CALL, 0, 10, 7, 3, "c", 0, 0},
        {KERNEL, 20, 30, 7, 9, "c", 0, 0},        {KERNEL, 31, 35, 7, 9, "c", 0, 0},
        {LAUNCH_CALL, 40, 50, 7, 3, "c", 0, 0},   {KERNEL, 60, 70, 7, 9, "c", 0, 0},
        {KERNEL, 5, 8, 8, 9, "d", 0, 0},          {LAUNCH_CALL, 10, 12, 8, 3, "d", 0, 0},
        {KERNEL, 15, 18, 8, 9, "d", 0, 0},        {LAUNCH_CALL, 30, 32, 8, 3, "d", 0, 0},
    };
    static const struct expected expected[] = {
        {5, 0, 20, 0},         {5, 100, 120, 0},      {5, 200, -1, 0},       {6, -1, 20, DOUBTFUL},
        {6, -1, 40, DOUBTFUL}, {6, 0, -1, DOUBTFUL},  {6, 12, -1, DOUBTFUL}, {7, -1, 20, DOUBTFUL},
        {7, -1, 31, DOUBTFUL}, {7, -1, 60, DOUBTFUL}, {7, 0, -1, DOUBTFUL},  {7, 40, -1, DOUBTFUL},
        {8, -1, 5, DOUBTFUL},  {8, -1, 15, DOUBTFUL}, {8, 10, -1, DOUBTFUL}, {8, 30, -1, DOUBTFUL},
    };
    check(host_stream(events, COUNT_OF(events)), expected, COUNT_OF(expected));
}

TEST(by_rank_and_correlation)
{
    static const struct host_event events[] = {
        {LAUNCH_CALL, 0, 10, 5, 1, "launch", 0, 0},    {KERNEL, 20, 30, 5, 7, "k", 0, 0},
        {LAUNCH_CALL, 12, 15, 6, 1, "graph", 0, 0},    {KERNEL, 50, 60, 6, 7, "second", 0, 0},
        {KERNEL, 40, 45, 6, 7, "first", 0, 0},         {KERNEL, 70, 80, 9, 7, "no call", 0, 0},
        {LAUNCH_CALL, 90, 95, 10, 1, "lost", 0, 0},    {KERNEL, 91, 99, 0, 7, "no id", 0, 0},
        {LAUNCH_CALL, 3, 4, 5, 1, "other rank", 0, 2}, {H2D, 8, 9, 5, 7, "copy", 0, 2},
        {KERNEL, 30, -1, 5, 7, "hangs", 0, 0},
    };
    static const struct expected expected[] = {
        {0, -1, 91, 0}, {5, 0, 20, 0},   {6, 12, 40, 0}, {6, 12, 50, 1},
        {9, -1, 70, 0}, {10, 90, -1, 0}, {5, 3, 8, 0}, /* rank 1 behind rank -1 */
    };
    check(host_stream(events, COUNT_OF(events)), expected, COUNT_OF(expected));
}

/* The id is the driver call's, the time that the caller paid the runtime call's. Two runtime calls stay two. */
TEST(driver_calls_inside)
{
    static const struct host_event events[] = {
        {LAUNCH_CALL, 100, 200, 1, 1, "runtime", 0, 0},
        {DRIVER_LAUNCH, 110, 190, 2, 1, "driver", 0, 0},
        {KERNEL, 300, 400, 2, 7, "k", 0, 0},
        {LAUNCH_CALL, 500, 600, 3, 1, "outer", 0, 0},
        {LAUNCH_CALL, 510, 550, 4, 1, "inside", 0, 0},
        {KERNEL, 620, 630, 3, 7, "k", 0, 0},
        {KERNEL, 640, 650, 4, 7, "k", 0, 0},
        {DRIVER_LAUNCH, 700, 710, 5, 2, "driver", 0, 0},
        {LAUNCH_CALL, 700, 720, 6, 2, "same start", 0, 0},
        {KERNEL, 800, 810, 5, 7, "k", 0, 0},
    };
    static const struct expected expected[] = {{2, 100, 300, 0}, {3, 500, 620, 0}, {4, 510, 640, 0}, {5, 700, 800, 0}};
    check(host_stream(events, COUNT_OF(events)), expected, COUNT_OF(expected));
}

/* The window begins at the kernel; its call lies before, and calls without work there are no launches here. */
TEST(calls_outside_of_the_scope)
{
    static const struct host_event events[] = {
        {LAUNCH_CALL, 0, 10, 1, 1, "launch", 0, 0},
        {LAUNCH_CALL, 20, 30, 2, 1, "lost before", 0, 0},
        {KERNEL, 100, 150, 1, 7, "k", 0, 0},
        {LAUNCH_CALL, 120, 130, 3, 1, "lost inside", 0, 0},
    };
    static const struct expected expected[] = {{1, 0, 100, 0}, {3, 120, -1, 0}};
    struct event_stream *stream = host_stream(events, COUNT_OF(events));
    const struct stream_scope scope = {.has_window = true, .window_start_ns = 100, .window_end_ns = 1000};
    assert_int_equal(event_stream_scope(stream, &scope, NULL), 0);
    check(stream, expected, COUNT_OF(expected));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_rank_and_correlation), cmocka_unit_test(driver_calls_inside),
                                       cmocka_unit_test(an_id_that_is_used_again),
                                       cmocka_unit_test(calls_outside_of_the_scope)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
