/* Does the index find the call and the ranges that a search through the whole trace finds? */
#include "tests/fuzz/byte_trace.h"

#include "core/trace/launch_index.h"
#include "core/trace/selector.h"

enum { PATTERNS = 5 };

__extension__ typedef __int128 wide_ns; /* any sum of times */

struct trace {
    struct cpprof_event events[BYTE_TRACE_EVENTS_MAX]; /* in order */
    size_t count;
    bool takes[PATTERNS][BYTE_TRACE_NAMES + 1];
    struct range_pattern patterns[PATTERNS];
    int64_t widen_ns;
};

/* Whether the range is one of the pattern's and open at that time. */
static bool is_open_at(const struct trace *t, size_t pattern, const struct cpprof_event *range, int64_t time_ns)
{
    if (range->kind != CPPROF_EVENT_RANGE || !t->patterns[pattern].takes || !t->takes[pattern][range->name])
        return false;
    const wide_ns start_ns = (wide_ns)range->start_ns - t->widen_ns, end_ns = (wide_ns)range->end_ns + t->widen_ns;
    return start_ns <= time_ns && (range->flags & CPPROF_EVENT_UNFINISHED || time_ns < end_ns);
}

/* The patterns of which a range is open where the host event begins: on its thread, or on any of its rank. */
static uint64_t open_at(const struct trace *t, const struct cpprof_event *host, bool own_thread)
{
    uint64_t open = 0;
    for (size_t i = 0; i < t->count; i++) {
        const struct cpprof_event *range = &t->events[i];
        if (range->rank != host->rank || (own_thread && range->thread != host->thread))
            continue;
        for (size_t p = 0; p < PATTERNS; p++)
            open |= (uint64_t)is_open_at(t, p, range, host->start_ns) << p;
    }
    return open;
}

static uint64_t by_own_thread(const struct trace *t)
{
    uint64_t own = 0;
    for (size_t p = 0; p < PATTERNS; p++)
        own |= (uint64_t)t->patterns[p].own_thread << p;
    return own;
}

static uint64_t ranges_of(const struct trace *t, const struct cpprof_event *host)
{
    return (open_at(t, host, true) & by_own_thread(t)) | (open_at(t, host, false) & ~by_own_thread(t));
}

/* Not known where ranges are widened. */
static uint64_t of_other_threads_of(const struct trace *t, const struct cpprof_event *host)
{
    return t->widen_ns ? 0 : open_at(t, host, false) & ~ranges_of(t, host);
}

static bool is_call_of(const struct cpprof_event *call, const struct cpprof_event *work)
{
    return call->kind == CPPROF_EVENT_API && (call->detail == CPPROF_API_LAUNCH || call->detail == CPPROF_API_COPY) &&
           call->correlation && call->correlation == work->correlation && call->rank == work->rank;
}

static bool is_part_of(const struct cpprof_event *call, const struct cpprof_event *outer)
{
    const bool begins_inside = byte_event_is_open(outer) || call->start_ns < outer->end_ns ||
                               (call->start_ns == outer->start_ns && call->start_ns == outer->end_ns);
    const bool ends_inside = byte_event_is_open(outer) || call->end_ns <= outer->end_ns;
    return call->thread == outer->thread && begins_inside && ends_inside;
}

/* Counts the work of the id between two calls; NULL: the trace begins or ends there. */
static size_t work_between(const struct trace *t, const struct cpprof_event *work, const struct cpprof_event *from,
                           const struct cpprof_event *to)
{
    size_t count = 0;
    for (size_t i = 0; i < t->count; i++) {
        const struct cpprof_event *other = &t->events[i];
        count += event_is_gpu_work(other) && other->correlation == work->correlation && other->rank == work->rank &&
                 (!from || other->start_ns > from->start_ns) && (!to || other->start_ns <= to->start_ns);
    }
    return count;
}

/* The last call with the id of the work that begins no later, or the first; and whether the calls of the id cannot be
 * told apart, as there is not exactly one piece of work behind each but the last, which has one at most. */
static const struct cpprof_event *find_call(const struct trace *t, const struct cpprof_event *work, bool *is_doubtful)
{
    const struct cpprof_event *calls[BYTE_TRACE_EVENTS_MAX], *found = NULL;
    size_t count = 0;
    *is_doubtful = false;
    for (size_t i = 0; i < t->count; i++)
        if (is_call_of(&t->events[i], work) && (!count || !is_part_of(&t->events[i], calls[count - 1])))
            calls[count++] = &t->events[i];
    for (size_t i = 0; i < count; i++) {
        const struct cpprof_event *next = i + 1 < count ? calls[i + 1] : NULL;
        const size_t behind = work_between(t, work, calls[i], next);
        found = !found || calls[i]->start_ns <= work->start_ns ? calls[i] : found;
        *is_doubtful |= count > 1 && (next ? behind != 1 : behind > 1);
    }
    return found;
}

static void check_late(const struct launch_call *call, const struct cpprof_event *work)
{
    for (int64_t time_error_ns = 0; time_error_ns < 4; time_error_ns++)
        REQUIRE(launch_call_is_late(call, work, time_error_ns) ==
                ((wide_ns)call->start_ns - work->start_ns > 2 * time_error_ns));
}

static void check_work(const struct trace *t, const struct launch_index *index, const struct cpprof_event *work)
{
    bool is_doubtful;
    const struct cpprof_event *own = find_call(t, work, &is_doubtful);
    const struct launch_call *call = launch_index_call(index, work);
    REQUIRE(!call == !own);
    REQUIRE(launch_index_ranges(index, work) == (own ? ranges_of(t, own) : 0));
    if (!own)
        return;
    REQUIRE(call->start_ns == own->start_ns && call->thread == own->thread);
    REQUIRE(byte_event_is_open(own) ? call->end_ns < call->start_ns : call->end_ns == own->end_ns);
    REQUIRE(call->ranges == ranges_of(t, own));
    REQUIRE(call->of_other_threads == of_other_threads_of(t, own));
    REQUIRE(call->is_doubtful == is_doubtful);
    check_late(call, work);
}

static void check(const struct trace *t, const struct launch_index *index)
{
    uint64_t found = 0;
    for (size_t i = 0; i < t->count; i++) {
        const struct cpprof_event *event = &t->events[i];
        if (event_is_gpu_work(event))
            check_work(t, index, event);
        else
            REQUIRE(launch_index_ranges(index, event) == ranges_of(t, event));
        for (size_t p = 0; p < PATTERNS && event->kind == CPPROF_EVENT_RANGE; p++)
            found |= (uint64_t)(t->patterns[p].takes && t->takes[p][event->name]) << p;
    }
    REQUIRE(launch_index_found(index) == found);
}

/* Two bits of a byte say what a pattern asks for; the last one asks for nothing. */
static void make_patterns(struct trace *t, uint8_t names, uint8_t threads)
{
    for (size_t p = 0; p + 1 < PATTERNS; p++) {
        for (size_t name = 1; name <= BYTE_TRACE_NAMES; name++)
            t->takes[p][name] = p == 0 || (names >> p * 2 & 3) + 1u >= name;
        t->patterns[p] = (struct range_pattern){t->takes[p], BYTE_TRACE_NAMES + 1, threads >> p & 1};
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int64_t begins_ns[4] = {0, 1000, INT64_MIN + 1, INT64_MAX - BYTE_TRACE_AXIS_NS};
    struct trace t = {.count = 0};
    struct launch_index *index;
    const uint8_t head = fuzz_take(&data, &size), names = fuzz_take(&data, &size);
    t.widen_ns = (fuzz_take(&data, &size) % 3 - 1) * (head >> 3 & 3);
    make_patterns(&t, names, head >> 5);
    t.count = byte_events(t.events, data, size, begins_ns[head & 3]);
    struct event_stream *stream = byte_stream(t.events, t.count);
    REQUIRE(launch_index_build_widened(&index, stream, t.patterns, PATTERNS, t.widen_ns, NULL) == 0);
    byte_trace_sort(stream, t.events, t.count);
    check(&t, index);
    launch_index_free(index);
    event_stream_free(stream);
    return 0;
}
