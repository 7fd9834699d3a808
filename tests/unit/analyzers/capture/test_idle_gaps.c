/* Is every nanosecond without a kernel blamed once, and on the right one? */
#include <string.h>

#include "analyzers/capture/idle_gaps.h"
#include "core/trace/event_spool.h"
#include "tests/test.h"
#include "tests/unit/hand_trace.h"

/* One gap [100,120) before a kernel whose call, and what else the host did, decides. */
struct one_gap {
    const char *what;
    struct host_event events[6];
    size_t count;
    enum gap_cause cause;
    int64_t starved_ns;
};

#define BEFORE                                                                                                         \
    {                                                                                                                  \
        KERNEL, 0, 100, 1, 7, "before", 0, 0                                                                           \
    }
#define AFTER                                                                                                          \
    {                                                                                                                  \
        KERNEL, 120, 150, 2, 7, "after", 0, 0                                                                          \
    }

static const struct one_gap gaps[] = {
    {"no call", {BEFORE, AFTER}, 2, GAP_UNKNOWN, 0},
    {"called at 110", {BEFORE, AFTER, {LAUNCH_CALL, 110, 115, 2, 1, "l", 0, 0}}, 3, GAP_HOST_LATE, 15},
    {"called when it went idle", {BEFORE, AFTER, {LAUNCH_CALL, 100, 105, 2, 1, "l", 0, 0}}, 3, GAP_HOST_LATE, 5},
    {"call not done", {BEFORE, AFTER, {LAUNCH_CALL, 95, 101, 2, 1, "l", 0, 0}}, 3, GAP_HOST_LATE, 1},
    {"call ended with the work", {BEFORE, AFTER, {LAUNCH_CALL, 95, 100, 2, 1, "l", 0, 0}}, 3, GAP_DEPENDENCY, 0},
    {"called after it started", {BEFORE, AFTER, {LAUNCH_CALL, 119, 140, 2, 1, "l", 0, 0}}, 3, GAP_HOST_LATE, 20},
    {"waited until 105",
     {BEFORE, AFTER, {LAUNCH_CALL, 110, 115, 2, 1, "l", 0, 0}, {SYNC_CALL, 50, 105, 3, 1, "s", 0, 0}},
     4,
     GAP_SYNC,
     15},
    {"waited for 10 of 20",
     {BEFORE, AFTER, {LAUNCH_CALL, 110, 115, 2, 1, "l", 0, 0}, {SYNC_CALL, 95, 105, 3, 1, "s", 0, 0}},
     4,
     GAP_SYNC,
     15},
    {"waited for 9 of 20",
     {BEFORE, AFTER, {LAUNCH_CALL, 110, 115, 2, 1, "l", 0, 0}, {SYNC_CALL, 96, 105, 3, 1, "s", 0, 0}},
     4,
     GAP_HOST_LATE,
     15},
    {"another thread waited",
     {BEFORE, AFTER, {LAUNCH_CALL, 110, 115, 2, 1, "l", 0, 0}, {SYNC_CALL, 50, 105, 3, 2, "s", 0, 0}},
     4,
     GAP_HOST_LATE,
     15},
    {"waited and was done before",
     {BEFORE, AFTER, {LAUNCH_CALL, 110, 115, 2, 1, "l", 0, 0}, {SYNC_CALL, 50, 100, 3, 1, "s", 0, 0}},
     4,
     GAP_HOST_LATE,
     15},
    {"a copy that returned when it was done",
     {{H2D, 0, 100, 1, 7, "c", 0, 0},
      AFTER,
      {LAUNCH_CALL, 110, 115, 2, 1, "l", 0, 0},
      {COPY_CALL, 0, 103, 1, 1, "memcpy", 0, 0}},
     4,
     GAP_SYNC,
     15},
    {"a copy that did not wait",
     {{H2D, 0, 100, 1, 7, "c", 0, 0},
      AFTER,
      {LAUNCH_CALL, 110, 115, 2, 1, "l", 0, 0},
      {COPY_CALL, 0, 3, 1, 1, "memcpy", 0, 0}},
     4,
     GAP_HOST_LATE,
     15},
    {"a graph: the call of its first kernel counts",
     {BEFORE, AFTER, {KERNEL, 120, 130, 0, 8, "unknown beside it", 0, 0}, {LAUNCH_CALL, 90, 95, 2, 1, "l", 0, 0}},
     4,
     GAP_DEPENDENCY,
     0},
};

TEST(one_gap_each)
{
    for (size_t i = 0; i < COUNT_OF(gaps); i++) {
        struct event_stream *stream = host_stream(gaps[i].events, gaps[i].count);
        struct idle_gaps g;
        assert_int_equal(idle_gaps_measure(stream, &g, NULL), 0);
        assert_int_equal(g.count, 1);
        const struct gaps_device *d = &g.items[0];
        if (d->cause_ns[gaps[i].cause] != 20 || d->starved_ns != gaps[i].starved_ns)
            fail_msg("%s: %lld ns of %s, starved %lld", gaps[i].what, (long long)d->cause_ns[gaps[i].cause],
                     gap_cause_name(gaps[i].cause), (long long)d->starved_ns);
        assert_int_equal(gaps_idle_ns(d), 20);
        assert_int_equal(gaps_span_ns(d), 150);
        idle_gaps_release(&g);
        event_stream_free(stream);
    }
}

/* Long gaps [100,50100): a launch takes 20 us at most, whatever is behind that waited on the device. */
TEST(late_calls_of_long_gaps)
{
    static const struct {
        int64_t call_start_ns, call_end_ns;
        enum gap_cause cause;
    } cases[] = {{110, 115, GAP_DEPENDENCY},     /* 49985 behind it */
                 {24990, 25000, GAP_DEPENDENCY}, /* 24900 before its end, 25100 behind */
                 {25090, 25100, GAP_HOST_LATE},  /* 25000 and 25000 */
                 {30090, 30100, GAP_HOST_LATE},
                 {50000, 50090, GAP_HOST_LATE}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct host_event events[] = {
            BEFORE,
            {KERNEL, 50100, 50200, 2, 7, "after", 0, 0},
            {LAUNCH_CALL, cases[i].call_start_ns, cases[i].call_end_ns, 2, 1, "l", 0, 0},
        };
        struct event_stream *stream = host_stream(events, COUNT_OF(events));
        struct idle_gaps g;
        assert_int_equal(idle_gaps_measure(stream, &g, NULL), 0);
        assert_int_equal(g.items[0].cause_ns[cases[i].cause], 50000);
        idle_gaps_release(&g);
        event_stream_free(stream);
    }
}

/* Device 0 is idle in [100,200); device 1 works until 180, and what was launched long ago waits for it. */
TEST(another_device)
{
    static const struct host_event events[] = {
        BEFORE,
        {KERNEL, 0, 180, 4, 9, "elsewhere", 1, 0},
        {KERNEL, 200, 210, 2, 8, "after", 0, 0},
        {LAUNCH_CALL, 10, 15, 2, 1, "l", 0, 0},
    };
    struct event_stream *stream = host_stream(events, COUNT_OF(events));
    struct idle_gaps g;
    assert_int_equal(idle_gaps_measure(stream, &g, NULL), 0);
    assert_int_equal(g.count, 2);
    const struct idle_gap *gap = &g.items[0].largest[0];
    assert_int_equal(gap->cause, GAP_DEPENDENCY);
    assert_true(gap->has_other);
    assert_int_equal(gap->other_device, 1);
    assert_int_equal(gap->other.stream, 9);
    assert_int_equal(gaps_no_kernel_ns(&g.items[1]), 0);
    idle_gaps_release(&g);
    event_stream_free(stream);
}

/* Copies [0,30) and [30,50) touch: one stretch. Kernel [40,60) over the second: copies only until 40. Memset
 * [60,60) has no duration; the one at 90 ends the span. */
TEST(copies_and_instants)
{
    static const struct host_event events[] = {
        {H2D, 0, 30, 0, 7, "c", 0, 0},     {H2D, 30, 50, 0, 8, "c", 0, 0},    {KERNEL, 40, 60, 0, 7, "k", 0, 0},
        {MEMSET, 60, 60, 0, 7, "m", 0, 0}, {KERNEL, 70, 80, 0, 7, "k", 0, 0}, {MEMSET, 90, 90, 0, 7, "m", 0, 0},
    };
    struct event_stream *stream = host_stream(events, COUNT_OF(events));
    struct idle_gaps g;
    assert_int_equal(idle_gaps_measure(stream, &g, NULL), 0);
    const struct gaps_device *d = &g.items[0];
    assert_int_equal(gaps_span_ns(d), 90);
    assert_int_equal(d->kernel_ns, 30);
    assert_int_equal(d->cause_ns[GAP_COPY], 40);
    assert_int_equal(d->cause_count[GAP_COPY], 1);
    assert_int_equal(d->cause_ns[GAP_UNKNOWN], 20); /* [60,70) and [80,90) */
    assert_int_equal(d->cause_count[GAP_UNKNOWN], 2);
    assert_int_equal(d->largest_count, 3);
    assert_int_equal(d->largest[0].work.stream, 8);
    assert_int_equal(d->largest[1].start_ns, 60); /* of equals the earlier first */
    idle_gaps_release(&g);
    event_stream_free(stream);
}

/* What each gap adds up to; the one with this number is refused. */
struct taken {
    int64_t cause_ns[GAP_CAUSES], last_end_ns;
    int count, refused;
};

static int take_gap(void *context, const struct gaps_device *device, const struct idle_gap *gap, struct err *e)
{
    struct taken *taken = context;
    assert_int_equal(device->rank, -1);
    assert_true(gap->start_ns >= taken->last_end_ns && gap->end_ns > gap->start_ns);
    taken->last_end_ns = gap->end_ns;
    taken->cause_ns[gap->cause] += gap->end_ns - gap->start_ns;
    return ++taken->count == taken->refused ? err_set(e, ERR_INPUT, "refused") : 0;
}

TEST(who_takes_a_gap_can_end_it)
{
    static const struct host_event events[] = {
        {KERNEL, 0, 10, 0, 7, "k", 0, 0}, {KERNEL, 20, 30, 0, 7, "k", 0, 0}, {KERNEL, 50, 60, 0, 7, "k", 0, 0}};
    struct event_stream *stream = host_stream(events, COUNT_OF(events));
    for (int refused = 0; refused <= 2; refused++) {
        struct taken taken = {.refused = refused};
        struct idle_gaps g;
        struct err e = {0};
        assert_int_equal(idle_gaps_each(stream, take_gap, &taken, &g, &e), refused ? ERR_INPUT : 0);
        assert_string_equal(e.text, refused ? "refused" : "");
        assert_int_equal(taken.count, refused ? refused : 2);
        idle_gaps_release(&g);
    }
    event_stream_free(stream);
}

/* Whatever the trace, the parts add up to the span, and idle is what interval arithmetic says. */
TEST(parts_add_up)
{
    enum { EVENTS = 200, SPAN = 400, TRACES = 200 };
    uint64_t seed = 11;
    for (int trace = 0; trace < TRACES; trace++) {
        struct host_event events[EVENTS];
        unsigned char busy[SPAN + 60] = {0};
        int64_t first = INT64_MAX, last = 0, kernels = 0, copies = 0, memsets = 0;
        for (unsigned i = 0; i < EVENTS; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            const unsigned pick = (unsigned)(seed >> 33);
            static const enum hand_kind kinds[] = {KERNEL, H2D, MEMSET, LAUNCH_CALL, SYNC_CALL};
            const enum hand_kind kind = kinds[pick % 5];
            const int64_t start = pick / 4 % SPAN, length = kind >= KERNEL ? pick / 4096 % 6 : pick / 4096 % 50;
            events[i] =
                (struct host_event){kind, start, start + length, 1 + pick / 64 % 40, pick / 8192 % 3, "n", 0, 0};
            if (kind < KERNEL)
                continue;
            first = start < first ? start : first;
            last = start + length > last ? start + length : last;
            for (int64_t t = start; t < start + length; t++)
                busy[t] |= kind == KERNEL ? 1 : kind == H2D ? 2 : 4;
        }
        for (int64_t t = first; t < last; t++) {
            kernels += busy[t] & 1;
            copies += (busy[t] & 3) == 2; /* also beside a memset */
            memsets += busy[t] == 4;
        }
        struct event_stream *stream = host_stream(events, EVENTS);
        struct idle_gaps g;
        struct taken taken = {.last_end_ns = first};
        assert_int_equal(idle_gaps_each(stream, take_gap, &taken, &g, NULL), 0);
        const struct gaps_device *d = &g.items[0];
        int64_t sum = d->kernel_ns;
        for (int cause = 0; cause < GAP_CAUSES; cause++) {
            sum += d->cause_ns[cause];
            assert_int_equal(taken.cause_ns[cause], d->cause_ns[cause]);
        }
        assert_int_equal(gaps_span_ns(d), last - first);
        assert_int_equal(sum, last - first);
        assert_int_equal(d->kernel_ns, kernels);
        assert_int_equal(d->cause_ns[GAP_COPY], copies);
        assert_int_equal(d->cause_ns[GAP_MEMSET], memsets);
        assert_int_equal(gaps_idle_ns(d), last - first - kernels - copies - memsets);
        assert_true(d->starved_ns <= gaps_idle_ns(d));
        idle_gaps_release(&g);
        event_stream_free(stream);
    }
}

/* A copy that communicates is told apart first: pageable [0,40), both [20,60), kernel [50,55). */
TEST(copies_that_communicate)
{
    static const struct cpprof_event events[] = {
        {.kind = CPPROF_EVENT_COPY, .start_ns = 0, .end_ns = 40, .flags = CPPROF_EVENT_SRC_PAGEABLE},
        {.kind = CPPROF_EVENT_COPY,
         .detail = CPPROF_COPY_P2P,
         .start_ns = 20,
         .end_ns = 60,
         .flags = EVENT_COMMUNICATES},
        {.kind = CPPROF_EVENT_KERNEL, .start_ns = 50, .end_ns = 55},
    };
    struct event_stream *stream;
    struct idle_gaps g;
    assert_int_equal(event_stream_from_events(&stream, events, COUNT_OF(events), NULL, NULL), 0);
    assert_int_equal(idle_gaps_measure(stream, &g, NULL), 0);
    assert_int_equal(g.items[0].kernel_ns, 5);
    assert_int_equal(g.items[0].cause_ns[GAP_COPY], 55);
    assert_int_equal(g.items[0].communication_ns, 35); /* [20,50) and [55,60) */
    assert_int_equal(g.items[0].pageable_ns, 20);
    idle_gaps_release(&g);
    event_stream_free(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_gap_each),           cmocka_unit_test(late_calls_of_long_gaps),
        cmocka_unit_test(another_device),         cmocka_unit_test(copies_and_instants),
        cmocka_unit_test(parts_add_up),           cmocka_unit_test(who_takes_a_gap_can_end_it),
        cmocka_unit_test(copies_that_communicate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
