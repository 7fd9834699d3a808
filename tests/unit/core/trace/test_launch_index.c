/* Does the table of calls keep its bounds, whatever the ids in a trace? */
#include <stdlib.h>

#include "core/trace/launch_index.h"
#include "tests/test.h"
#include "tests/unit/hand_trace.h"

enum { CROWD = 50000, CROWD_SLOTS = 131072, CROWD_HOMES = 2048 };

/* Ids that a hash known to the whole world, the golden ratio's, puts into 1/64 of the table. */
static void crowd(struct host_event *out)
{
    unsigned id = 0;
    for (size_t i = 0; i < CROWD; i++) {
        uint64_t hash;
        do {
            hash = ++id * UINT64_C(0x9e3779b97f4a7c15);
            hash ^= hash >> 32;
        } while ((hash & (CROWD_SLOTS - 1)) >= CROWD_HOMES);
        const int64_t start_ns = 10 * (int64_t)i;
        out[i] = (struct host_event){LAUNCH_CALL, start_ns, start_ns + 5, id, 1, "launch", 0, 1};
    }
}

TEST(no_trace_chooses_its_collisions)
{
    struct host_event *calls = calloc(CROWD, sizeof *calls);
    assert_non_null(calls);
    crowd(calls);
    struct event_stream *stream = host_stream(calls, CROWD);
    struct launch_index *index;
    assert_int_equal(launch_index_build(&index, stream, NULL, 0, NULL), 0);
    assert_in_range(launch_index_longest_search(index), 0, 500); /* 49,974 with that hash */
    for (size_t i = 0; i < CROWD; i += 1000) {
        const struct cpprof_event work = {.kind = CPPROF_EVENT_KERNEL, .correlation = calls[i].correlation};
        const struct launch_call *call = launch_index_call(index, &work);
        assert_non_null(call);
        assert_int_equal(call->start_ns, calls[i].start_ns);
    }
    launch_index_free(index);
    event_stream_free(stream);
    free(calls);
}

TEST(calls_that_begin_together_are_bounded)
{
    const size_t count = LAUNCH_INDEX_WAITING_MAX + 1;
    struct host_event *calls = calloc(count, sizeof *calls);
    assert_non_null(calls);
    for (size_t i = 0; i < count; i++)
        calls[i] = (struct host_event){LAUNCH_CALL, 10, 20, (unsigned)i + 1, 1, "launch", 0, 1};
    for (size_t extra = 0; extra < 2; extra++) {
        struct event_stream *stream = host_stream(calls, LAUNCH_INDEX_WAITING_MAX + extra);
        struct launch_index *index;
        struct err e = {0};
        assert_int_equal(launch_index_build(&index, stream, NULL, 0, &e), extra ? ERR_INPUT : 0);
        assert_string_equal(e.text, extra ? "more than 262144 calls begin at 10 ns: these are no times of calls" : "");
        launch_index_free(index);
        event_stream_free(stream);
    }
    free(calls);
}

/* Ranges at both ends of time, 5 ns longer on both sides: the sums do not fit. */
TEST(ranges_at_the_ends_of_time_are_widened)
{
    static const struct host_event events[] = {{RANGE, INT64_MIN + 2, 100, 0, 1, "first", 0, 1},
                                               {LAUNCH_CALL, 104, 105, 7, 1, "in first", 0, 1},
                                               {LAUNCH_CALL, 106, 107, 8, 1, "in none", 0, 1},
                                               {RANGE, 200, INT64_MAX - 2, 0, 1, "last", 0, 1},
                                               {LAUNCH_CALL, 300, 301, 9, 1, "in last", 0, 1}};
    static const struct {
        unsigned correlation;
        uint64_t ranges;
    } cases[] = {{7, 1}, {8, 0}, {9, 1}};
    struct event_stream *stream = host_stream(events, 5);
    const bool takes[6] = {true, true, true, true, true, true};
    const struct range_pattern pattern = {takes, 6, false};
    struct launch_index *index;
    assert_int_equal(launch_index_build_widened(&index, stream, &pattern, 1, 5, NULL), 0);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct cpprof_event work = {
            .kind = CPPROF_EVENT_KERNEL, .correlation = cases[i].correlation, .start_ns = 400};
        assert_true(launch_index_ranges(index, &work) == cases[i].ranges);
    }
    launch_index_free(index);
    event_stream_free(stream);
}

/* Id 5 has one kernel behind each call, and so the calls are told apart by time. Id 6 has both behind both calls. */
TEST(an_id_that_is_used_again)
{
    static const struct host_event events[] = {
        {LAUNCH_CALL, 0, 10, 5, 1, "call", 0, 0},    {KERNEL, 20, 30, 5, 7, "k", 0, 0},
        {LAUNCH_CALL, 100, 110, 5, 1, "call", 0, 0}, {KERNEL, 120, 130, 5, 7, "k", 0, 0},
        {LAUNCH_CALL, 0, 10, 6, 2, "call", 0, 0},    {LAUNCH_CALL, 100, 110, 6, 2, "call", 0, 0},
        {KERNEL, 120, 130, 6, 7, "k", 0, 0},         {KERNEL, 140, 150, 6, 7, "k", 0, 0}};
    static const struct {
        unsigned correlation;
        int64_t start_ns, call_start_ns;
        bool is_doubtful;
    } cases[] = {{5, 20, 0, false}, {5, 120, 100, false}, {6, 120, 100, true}, {6, 140, 100, true}};
    struct event_stream *stream = host_stream(events, COUNT_OF(events));
    struct launch_index *index;
    assert_int_equal(launch_index_build(&index, stream, NULL, 0, NULL), 0);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct cpprof_event work = {.kind = CPPROF_EVENT_KERNEL,
                                          .correlation = cases[i].correlation,
                                          .start_ns = cases[i].start_ns,
                                          .rank = -1};
        const struct launch_call *call = launch_index_call(index, &work);
        assert_int_equal(call->start_ns, cases[i].call_start_ns);
        assert_int_equal(call->is_doubtful, cases[i].is_doubtful);
    }
    launch_index_free(index);
    event_stream_free(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_trace_chooses_its_collisions), cmocka_unit_test(calls_that_begin_together_are_bounded),
        cmocka_unit_test(an_id_that_is_used_again), cmocka_unit_test(ranges_at_the_ends_of_time_are_widened)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
