/* Which gap becomes a picture, and what is around it? */
#define _GNU_SOURCE

#include "analyzers/capture/trace_window.h"
#include "tests/test.h"
#include "tests/unit/hand_trace.h"

/* Device 0: busy [0, 100), [700, 800), [830, 900): a gap of 600 and one of 30. Device 1 is busy all the time. */
static const struct tiny_event events[] = {{KERNEL, 0, 60, 7, "a", 0, 0},     {KERNEL, 0, 900, 9, "other", 1, 0},
                                           {KERNEL, 60, 100, 8, "b", 0, 0},   {H2D, 650, 680, 8, "h2d", 1, 0},
                                           {KERNEL, 700, 800, 7, "c", 0, 0},  {KERNEL, 830, 900, 7, "d", 0, 0},
                                           {KERNEL, 840, -1, 7, "open", 0, 0}};

TEST(the_longest_gap_has_a_window)
{
    struct event_stream *stream = tiny_stream(events, COUNT_OF(events));
    struct idle_gaps gaps;
    struct trace_window w;
    struct err e = {0};
    const struct gaps_device *device;
    int64_t begin, end;
    assert_int_equal(idle_gaps_measure(stream, &gaps, &e), 0);
    const struct idle_gap *gap = trace_window_gap(&gaps, &device);
    assert_non_null(gap);
    assert_int_equal(device->device, 0);
    assert_int_equal(gap->start_ns, 100);
    assert_int_equal(gap->end_ns, 700);
    trace_window_around(gap->start_ns, gap->end_ns, device, &begin, &end);
    assert_int_equal(begin, 0); /* a third of 600 before 100 is before the first operation */
    assert_int_equal(end, 900);
    assert_int_equal(trace_window_read(stream, device->rank, device->device, 50, 830, &w, &e), 0);
    assert_int_equal(w.slices.count, 3); /* a, b, c; d begins where it ends */
    assert_int_equal(w.slices.items[0].end_ns, 60);
    assert_int_equal(w.slices.items[1].stream, 8);
    assert_int_equal(w.slices.items[2].start_ns, 700);
    trace_window_release(&w);
    idle_gaps_release(&gaps);
    event_stream_free(stream);
}

TEST(the_cause_with_most_time_is_shown)
{
    struct gaps_device devices[] = {
        {.device = 0, .last_end_ns = 100, .kernel_ns = 90, .cause_ns = {[GAP_SYNC] = 10}, .largest_count = 1},
        {.device = 1,
         .last_end_ns = 100,
         .kernel_ns = 10,
         .cause_ns = {[GAP_HOST_LATE] = 40, [GAP_COPY] = 50},
         .longest = {[GAP_HOST_LATE] = {.end_ns = 40}, [GAP_COPY] = {.end_ns = 25}},
         .largest_count = 2}};
    const struct idle_gaps gaps = {.items = devices, .count = 2}, none = {0};
    const struct gaps_device *device;
    const struct idle_gap *gap = trace_window_gap(&gaps, &device);
    assert_ptr_equal(device, &devices[1]);
    assert_ptr_equal(gap, &devices[1].longest[GAP_COPY]);
    assert_null(trace_window_gap(&none, &device));
}

/* 12 copies of 1000 ns are longer than each gap whose next call is not known, of which there are 30 of 900 ns. */
TEST(a_cause_of_many_short_gaps_is_shown)
{
    struct tiny_event many[55];
    size_t count = 0;
    int64_t at_ns = 0;
    for (size_t i = 0; i < 12; i++, at_ns += 1010) {
        many[count++] = (struct tiny_event){KERNEL, at_ns, at_ns + 10, 7, "k", 0, 0};
        many[count++] = (struct tiny_event){H2D, at_ns + 10, at_ns + 1010, 7, "c", 0, 0};
    }
    for (size_t i = 0; i < 31; i++, at_ns += 910)
        many[count++] = (struct tiny_event){KERNEL, at_ns, at_ns + 10, 7, "k", 0, 0};
    struct event_stream *stream = tiny_stream(many, count);
    struct idle_gaps gaps;
    const struct gaps_device *device;
    assert_int_equal(idle_gaps_measure(stream, &gaps, NULL), 0);
    const struct idle_gap *gap = trace_window_gap(&gaps, &device);
    assert_int_equal(gap->cause, GAP_UNKNOWN);
    assert_int_equal(gap->start_ns, 12 * 1010 + 10);
    assert_int_equal(gap->end_ns, 12 * 1010 + 910);
    idle_gaps_release(&gaps);
    event_stream_free(stream);
}

/* Ends of what can be said: no sum overflows. */
TEST(times_at_the_ends_of_their_range_do_not_overflow)
{
    const struct gaps_device device = {.first_start_ns = INT64_MIN, .last_end_ns = INT64_MAX};
    int64_t begin, end;
    trace_window_around(INT64_MIN + 3, INT64_MAX - 5, &device, &begin, &end);
    assert_true(begin == INT64_MIN);
    assert_true(end == INT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_longest_gap_has_a_window),
        cmocka_unit_test(the_cause_with_most_time_is_shown),
        cmocka_unit_test(a_cause_of_many_short_gaps_is_shown),
        cmocka_unit_test(times_at_the_ends_of_their_range_do_not_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
