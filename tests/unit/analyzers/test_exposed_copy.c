/* Which copy has most time without a kernel? */
#define _GNU_SOURCE

#include "analyzers/capture/exposed_copy.h"
#include "tests/test.h"
#include "tests/unit/hand_trace.h"

struct expected {
    int device; /* -1: no copy counts */
    int64_t start_ns, exposed_ns;
};

static void assert_found(const struct tiny_event *events, size_t count, struct expected expected)
{
    struct event_stream *stream = tiny_stream(events, count);
    struct idle_gaps gaps;
    struct exposed_copy copy;
    struct err e = {0};
    assert_int_equal(idle_gaps_measure(stream, &gaps, &e), 0);
    assert_int_equal(exposed_copy_find(stream, &gaps, &copy, &e), 0);
    if (expected.device < 0) {
        assert_null(copy.device);
    } else {
        assert_non_null(copy.device);
        assert_int_equal(copy.device->device, expected.device);
        assert_int_equal(copy.start_ns, expected.start_ns);
        assert_int_equal(copy.exposed_ns, expected.exposed_ns);
    }
    idle_gaps_release(&gaps);
    event_stream_free(stream);
}

#define FOUND(events, ...) assert_found(events, COUNT_OF(events), (struct expected){__VA_ARGS__})

/* [0, 400) has kernels in [50, 150) and [100, 300), 250 of its 400: 150 are left. [500, 660) has none: 160. */
TEST(what_kernels_cover_is_hidden)
{
    static const struct tiny_event events[] = {{H2D, 0, 400, 1, "long", 0, 4096},
                                               {KERNEL, 50, 150, 2, "a", 0, 0},
                                               {KERNEL, 100, 300, 3, "b", 0, 0},
                                               {D2H, 500, 660, 1, "alone", 0, 4096}};
    FOUND(events, 0, 500, 160);
}

/* A kernel that runs on covers [0, 700) of [100, 1000); another begins before that copy ends and ends after it: 900 to
 * 1000. Hidden are 600 and 100, 200 are left. */
TEST(kernels_reach_over_both_ends)
{
    static const struct tiny_event events[] = {{KERNEL, 0, 700, 1, "first", 0, 0},
                                               {H2D, 100, 1000, 2, "copy", 0, 1},
                                               {KERNEL, 200, 300, 3, "inside", 0, 0},
                                               {KERNEL, 900, 5000, 1, "last", 0, 0},
                                               {D2H, 1000, 4000, 2, "hidden", 0, 1}};
    FOUND(events, 0, 100, 200);
}

/* A kernel of another device hides nothing, nor does a memset, nor a kernel without an end. */
TEST(only_kernels_of_the_device_hide)
{
    static const struct tiny_event events[] = {{KERNEL, 0, 1000, 1, "other", 1, 0},
                                               {H2D, 100, 400, 2, "copy", 0, 1},
                                               {MEMSET, 100, 400, 3, "set", 0, 1},
                                               {KERNEL, 100, -1, 4, "open", 0, 0}};
    FOUND(events, 0, 100, 300);
}

/* 10 of a span of 1000 are no more than 1%, 11 are. */
TEST(short_copies_count_for_nothing)
{
    static const struct tiny_event shorter[] = {{H2D, 0, 10, 1, "copy", 0, 1}, {KERNEL, 10, 1000, 1, "a", 0, 0}},
                                   longer[] = {{H2D, 0, 11, 1, "copy", 0, 1}, {KERNEL, 11, 1000, 1, "a", 0, 0}},
                                   none[] = {{KERNEL, 0, 1000, 1, "a", 0, 0}};
    FOUND(shorter, -1, 0, 0);
    FOUND(longer, 0, 0, 11);
    FOUND(none, -1, 0, 0);
}

/* More than are looked at: the first ones are, and nothing is written beyond them. */
TEST(many_copies_at_once_are_bounded)
{
    static struct tiny_event events[3 * EXPOSED_COPIES_AT_ONCE];
    for (unsigned i = 0; i < 3 * EXPOSED_COPIES_AT_ONCE; i++)
        events[i] = (struct tiny_event){H2D, i, 10000 + i, i, "copy", 0, 1};
    FOUND(events, 0, 0, 10000);
}

TEST(times_at_the_ends_of_their_range_do_not_overflow)
{
    const int64_t end = (int64_t)1 << 61;
    const struct tiny_event events[] = {{H2D, -end, end, 1, "copy", 0, 1}, {KERNEL, -end, end, 2, "a", 0, 0}};
    FOUND(events, -1, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_kernels_cover_is_hidden),
        cmocka_unit_test(kernels_reach_over_both_ends),
        cmocka_unit_test(only_kernels_of_the_device_hide),
        cmocka_unit_test(short_copies_count_for_nothing),
        cmocka_unit_test(many_copies_at_once_are_bounded),
        cmocka_unit_test(times_at_the_ends_of_their_range_do_not_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
