/* In which calls does the host wait, and do all that ask say the same? */
#include <string.h>

#include "analyzers/capture/idle_gaps.h"
#include "analyzers/capture/kernel_launch_costs.h"
#include "core/trace/host_waits.h"
#include "tests/test.h"
#include "tests/unit/hand_trace.h"

/* One call with its copies: does the host wait? */
static const struct {
    const char *what;
    struct host_event events[4];
    size_t count;
    bool waits;
} cases[] = {
    {"returns behind the copy", {{COPY_CALL, 0, 50, 1, 1, "memcpy", 0, 0}, {H2D, 10, 40, 1, 7, "", 0, 0}}, 2, true},
    {"returns with the copy", {{COPY_CALL, 0, 50, 1, 1, "memcpy", 0, 0}, {H2D, 10, 50, 1, 7, "", 0, 0}}, 2, true},
    {"returns before its end", {{COPY_CALL, 0, 50, 1, 1, "async", 0, 0}, {H2D, 10, 51, 1, 7, "", 0, 0}}, 2, false},
    {"a memset that it waits for",
     {{COPY_CALL, 0, 50, 1, 1, "memset", 0, 0}, {MEMSET, 10, 40, 1, 7, "", 0, 0}},
     2,
     true},
    {"waits for both parts",
     {{COPY_CALL, 0, 50, 1, 1, "memcpy", 0, 0}, {H2D, 10, 20, 1, 7, "", 0, 0}, {H2D, 20, 30, 1, 7, "", 0, 0}},
     3,
     true},
    {"waits for one of two parts",
     {{COPY_CALL, 0, 50, 1, 1, "memcpy", 0, 0}, {H2D, 10, 20, 1, 7, "", 0, 0}, {H2D, 20, 60, 1, 7, "", 0, 0}},
     3,
     false},
    {"a call without its copy", {{COPY_CALL, 0, 50, 1, 1, "memcpy", 0, 0}}, 1, false},
    {"a copy without its call", {{H2D, 10, 40, 1, 7, "", 0, 0}}, 1, false},
    {"a launch that is quick",
     {{LAUNCH_CALL, 0, 50, 1, 1, "launch", 0, 0}, {KERNEL, 10, 40, 1, 7, "", 0, 0}},
     2,
     false},
    {"hip: returns 10 us before its end, by another clock",
     {{COPY_CALL, 0, 50, 1, 1, "hipMemcpyWithStream", 0, 0}, {H2D, 10, 10050, 1, 7, "", 0, 0}},
     2,
     true},
    {"hip: returns before that",
     {{COPY_CALL, 0, 50, 1, 1, "hipMemcpyWithStream", 0, 0}, {H2D, 10, 10051, 1, 7, "", 0, 0}},
     2,
     false},
    {"hip: the second part ends too late",
     {{COPY_CALL, 0, 50, 1, 1, "hipMemcpy", 0, 0}, {H2D, 10, 51, 1, 7, "", 0, 0}, {H2D, 60, 10051, 1, 7, "", 0, 0}},
     3,
     false},
    {"hip: asynchronous", {{COPY_CALL, 0, 50, 1, 1, "hipMemcpyAsync", 0, 0}, {H2D, 10, 51, 1, 7, "", 0, 0}}, 2, false},
    {"hip: a memset", {{COPY_CALL, 0, 50, 1, 1, "hipMemset", 0, 0}, {MEMSET, 10, 51, 1, 7, "", 0, 0}}, 2, false},
    {"it synchronises", {{SYNC_CALL, 0, 50, 1, 1, "sync", 0, 0}}, 1, true},
    {"it never returned", {{SYNC_CALL, 0, -1, 1, 1, "sync", 0, 0}}, 1, false},
    {"another call", {{OTHER_CALL, 0, 50, 1, 1, "malloc", 0, 0}}, 1, false},
};

/* Around it device 0 is idle from 5 to 100, until a launch that came late. A wait of 50, with work on another
 * device, is more than half of the 95. */
static const struct host_event around[] = {{LAUNCH_CALL, -20, -10, 90, 1, "launch", 0, 0},
                                           {KERNEL, -5, 5, 90, 7, "k", 0, 0},
                                           {LAUNCH_CALL, 60, 95, 91, 1, "launch", 0, 0},
                                           {KERNEL, 100, 110, 91, 7, "k", 0, 0}};

static int64_t shown_ns(struct event_stream *stream)
{
    struct short_names names;
    struct kernel_launch_costs t;
    short_names_init(&names);
    assert_int_equal(kernel_launch_costs_measure(stream, NAMES_SHORT, &names, &t, NULL), 0);
    const int64_t total_ns = t.all_waits.total_ns;
    kernel_launch_costs_release(&t);
    short_names_release(&names);
    return total_ns;
}

static bool is_blamed(struct event_stream *stream)
{
    struct idle_gaps gaps;
    assert_int_equal(event_stream_rewind(stream, NULL), 0);
    assert_int_equal(idle_gaps_measure(stream, &gaps, NULL), 0);
    const bool blamed = gaps.count && gaps.items[0].cause_count[GAP_SYNC] > 0;
    idle_gaps_release(&gaps);
    return blamed;
}

TEST(one_definition)
{
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct event_stream *stream = host_stream(cases[i].events, cases[i].count);
        const int64_t expected_ns = cases[i].waits ? 50 : 0;
        if (shown_ns(stream) != expected_ns)
            fail_msg("%s: waits are not %d ns", cases[i].what, (int)expected_ns);
        event_stream_free(stream);
    }
}

TEST(whoever_asks)
{
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct host_event events[COUNT_OF(around) + 4];
        memcpy(events, around, sizeof around);
        memcpy(events + COUNT_OF(around), cases[i].events, cases[i].count * sizeof events[0]);
        for (size_t k = 0; k < cases[i].count; k++)
            events[COUNT_OF(around) + k].device = 1;
        struct event_stream *stream = host_stream(events, COUNT_OF(around) + cases[i].count);
        const bool shown = shown_ns(stream) == 50;
        if (shown != cases[i].waits || is_blamed(stream) != shown)
            fail_msg("%s: it is shown %s", cases[i].what, shown ? "and not blamed" : "not, and blamed");
        event_stream_free(stream);
    }
}

/* A copy on the device itself: the gap begins where the copy ends, at 4 us behind the return of its call. */
TEST(a_hip_copy_is_blamed_for_the_gap_behind_it)
{
    static const char *const calls[] = {"hipMemcpyWithStream", "hipMemcpyAsync"};
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        const struct host_event events[] = {{COPY_CALL, 0, 100000, 1, 1, calls[i], 0, 0},
                                            {H2D, 90000, 104000, 1, 7, "", 0, 0},
                                            {LAUNCH_CALL, 120000, 126000, 2, 1, "launch", 0, 0},
                                            {KERNEL, 128000, 130000, 2, 7, "k", 0, 0}};
        struct event_stream *stream = host_stream(events, COUNT_OF(events));
        if (is_blamed(stream) != (i == 0))
            fail_msg("%s is blamed %s", calls[i], i ? "though it does not wait" : "not");
        event_stream_free(stream);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_definition),
        cmocka_unit_test(whoever_asks),
        cmocka_unit_test(a_hip_copy_is_blamed_for_the_gap_behind_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
