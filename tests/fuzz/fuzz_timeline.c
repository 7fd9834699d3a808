/* Is the sweep over a trace what counting nanosecond by nanosecond gives? */
#include "tests/fuzz/byte_trace.h"

#include <math.h>
#include <string.h>

#include "core/base/count_of.h"
#include "core/trace/timeline.h"

/* `nvtx` lies on the host, beside `api`; the filters cut across the classes. */
static const char *const set_texts[] = {
    "kernel", "copy", "any", "api", "nvtx", "any[stream=1]", "kernel[name=~a|b]", "h2d[device=0]", "any"};
enum { SETS = COUNT_OF(set_texts), BY_DURATION = 0, PAIRS = 4 };
static const uint8_t pair_sets[PAIRS][2] = {{1, 0}, {0, 1}, {2, 5}, {3, 4}};

enum { WIDEN_MAX_NS = 7, MARGIN_NS = 16, AXIS_NS = BYTE_TRACE_AXIS_NS + 2 * MARGIN_NS };

struct trace {
    struct cpprof_event events[BYTE_TRACE_EVENTS_MAX]; /* in order, and widened */
    size_t count;
    int64_t from_ns; /* where the axis begins */
    int64_t time_error_ns;
    struct timeline_query query;
};

/* How many events are active in each nanosecond: of one set of one device. */
struct counts {
    int64_t active[AXIS_NS];
};

static bool is_here(const struct cpprof_event *event, const struct timeline_device *d)
{
    return event->rank == d->rank && event->device == d->device;
}

static bool is_in(const struct trace *t, size_t set, const struct cpprof_event *event)
{
    return selector_match(t->query.sets[set], event);
}

static void count_event(const struct trace *t, const struct cpprof_event *event, struct counts *out)
{
    for (int64_t ns = event->start_ns; ns < event->end_ns; ns++) {
        REQUIRE(ns >= t->from_ns && ns < t->from_ns + AXIS_NS);
        out->active[ns - t->from_ns]++;
    }
}

static int64_t nanoseconds_at_level(const struct counts *c, int64_t least, int64_t most)
{
    int64_t count = 0;
    for (size_t i = 0; i < AXIS_NS; i++)
        count += c->active[i] >= least && c->active[i] <= most;
    return count;
}

static int64_t peak(const struct counts *c)
{
    int64_t most = 0;
    for (size_t i = 0; i < AXIS_NS; i++)
        most = c->active[i] > most ? c->active[i] : most;
    return most;
}

/* Stretches of `on`, as examples have them: how many, the longest five, the longest first. */
static void check_stretches(const struct trace *t, const bool *on, const struct timeline_examples *said)
{
    int64_t lengths[AXIS_NS];
    size_t count = 0;
    for (size_t i = 0; i < AXIS_NS; i++) {
        if (!on[i])
            continue;
        if (i && on[i - 1])
            lengths[count - 1]++;
        else
            lengths[count++] = 1;
    }
    REQUIRE(said->count == (count < TIMELINE_EXAMPLES ? count : TIMELINE_EXAMPLES));
    for (size_t i = 0; i < said->count; i++) {
        const struct timeline_example *x = &said->items[i];
        size_t longest = i;
        for (size_t k = i + 1; k < count; k++)
            longest = lengths[k] > lengths[longest] ? k : longest;
        const int64_t length = lengths[longest];
        lengths[longest] = lengths[i];
        REQUIRE(timeline_example_ns(x) == length);
        for (int64_t ns = x->start_ns; ns < x->end_ns; ns++)
            REQUIRE(on[ns - t->from_ns]);
    }
}

static void check_together(const struct trace *t, const struct counts *c, const struct timeline_set *said)
{
    bool on[AXIS_NS];
    for (size_t i = 0; i < AXIS_NS; i++)
        on[i] = c->active[i] > 1;
    check_stretches(t, on, &said->together);
}

static void check_union(const struct trace *t, const struct counts *c, const struct timeline_set *said)
{
    bool is_gap[AXIS_NS] = {false};
    size_t first = AXIS_NS, last = 0;
    for (size_t i = 0; i < AXIS_NS; i++)
        if (c->active[i]) {
            first = first < i ? first : i;
            last = i;
        }
    for (size_t i = first; i < last; i++)
        is_gap[i] = !c->active[i];
    REQUIRE(said->busy_ns == nanoseconds_at_level(c, 1, INT64_MAX));
    REQUIRE(said->together_ns == nanoseconds_at_level(c, 2, INT64_MAX));
    REQUIRE(said->concurrency_max == peak(c));
    REQUIRE(said->first_on_ns == (first < AXIS_NS ? t->from_ns + (int64_t)first : 0));
    REQUIRE(said->last_off_ns == (first < AXIS_NS ? t->from_ns + (int64_t)last + 1 : 0));
    check_stretches(t, is_gap, &said->gaps);
    REQUIRE(said->gap_max_ns == (said->gaps.count ? timeline_example_ns(&said->gaps.items[0]) : 0));
    check_together(t, c, said);
}

/* The end of those before it on its stream; false when it is the first there. */
static bool end_before(const struct trace *t, size_t set, size_t at, int64_t *end_ns)
{
    const struct cpprof_event *event = &t->events[at];
    bool is_second = false;
    for (size_t i = 0; i < at; i++) {
        const struct cpprof_event *before = &t->events[i];
        if (byte_event_is_open(before) || !is_in(t, set, before) || before->rank != event->rank ||
            before->device != event->device || before->context != event->context ||
            (event_is_gpu_work(event) ? before->stream != event->stream : before->thread != event->thread))
            continue;
        *end_ns = is_second && *end_ns > before->end_ns ? *end_ns : before->end_ns;
        is_second = true;
    }
    return is_second;
}

static void check_order(const struct trace *t, size_t set, const struct timeline_device *d)
{
    const struct timeline_set *said = &d->sets[set];
    int64_t streams = 0, violations = 0, proven = 0, violation_ns = 0, end_ns = 0;
    for (size_t i = 0; i < t->count; i++) {
        const struct cpprof_event *event = &t->events[i];
        if (byte_event_is_open(event) || !is_here(event, d) || !is_in(t, set, event))
            continue;
        if (!end_before(t, set, i, &end_ns))
            streams++;
        else if (event->start_ns < end_ns) {
            violations++;
            proven += end_ns - event->start_ns > 2 * t->time_error_ns;
            violation_ns += (event->end_ns < end_ns ? event->end_ns : end_ns) - event->start_ns;
        }
    }
    REQUIRE(said->streams == streams && said->serial_violations == violations);
    REQUIRE(said->serial_proven == proven && said->violation_ns == violation_ns);
    REQUIRE(said->violations.count == (size_t)(violations < TIMELINE_EXAMPLES ? violations : TIMELINE_EXAMPLES));
}

static int by_length(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Hyndman and Fan's type 7. */
static double quantile(int64_t *lengths, size_t count, double p)
{
    qsort(lengths, count, sizeof lengths[0], by_length);
    const double at = p * (double)(count - 1);
    const size_t below = (size_t)at, above = below + 1 < count ? below + 1 : below;
    return (double)lengths[below] + (at - (double)below) * (double)(lengths[above] - lengths[below]);
}

static void check_quantiles(const struct timeline_set *said, int64_t *lengths, size_t count, bool wanted)
{
    if (!wanted || !count) {
        REQUIRE(isnan(said->dur_p50_ns) && isnan(said->dur_p99_ns));
        return;
    }
    REQUIRE(fabs(said->dur_p50_ns - quantile(lengths, count, 0.5)) < 1e-6);
    REQUIRE(fabs(said->dur_p99_ns - quantile(lengths, count, 0.99)) < 1e-6);
}

static void check_set(const struct trace *t, size_t set, const struct timeline_device *d, struct counts *counts)
{
    const struct timeline_set *said = &d->sets[set];
    struct timeline_set own = {0};
    int64_t lengths[BYTE_TRACE_EVENTS_MAX];
    size_t finished = 0;
    for (size_t i = 0; i < t->count; i++) {
        const struct cpprof_event *event = &t->events[i];
        if (!is_here(event, d) || !is_in(t, set, event))
            continue;
        own.count++;
        own.size_bytes += (int64_t)event->size_bytes;
        if (byte_event_is_open(event)) {
            own.unfinished++;
            continue;
        }
        own.first_start_ns = finished ? own.first_start_ns : event->start_ns;
        own.last_end_ns = !finished || event->end_ns > own.last_end_ns ? event->end_ns : own.last_end_ns;
        lengths[finished++] = event->end_ns - event->start_ns;
        own.sum_ns += event->end_ns - event->start_ns;
        count_event(t, event, counts);
    }
    REQUIRE(said->count == own.count && said->unfinished == own.unfinished && said->size_bytes == own.size_bytes);
    REQUIRE(said->sum_ns == own.sum_ns);
    REQUIRE(said->first_start_ns == own.first_start_ns && said->last_end_ns == own.last_end_ns);
    check_union(t, counts, said);
    check_order(t, set, d);
    check_quantiles(said, lengths, finished, set == BY_DURATION);
}

static void check_alternations(const struct trace *t, size_t pair, const struct timeline_device *d)
{
    const struct timeline_pair *said = &d->pairs[pair];
    const struct cpprof_event *last = NULL;
    int64_t switches = 0, close_starts = 0;
    for (size_t i = 0; i < t->count; i++) {
        const struct cpprof_event *event = &t->events[i];
        if (byte_event_is_open(event) || !is_here(event, d) ||
            is_in(t, pair_sets[pair][0], event) == is_in(t, pair_sets[pair][1], event))
            continue;
        switches += last && is_in(t, pair_sets[pair][0], event) != is_in(t, pair_sets[pair][0], last);
        close_starts += last && t->time_error_ns && event->start_ns - last->start_ns <= 2 * t->time_error_ns;
        last = event;
    }
    REQUIRE(said->alternations == switches && said->close_starts == close_starts);
}

static void check_pair(const struct trace *t, size_t pair, const struct timeline_device *d, const struct counts *counts)
{
    const struct counts *a = &counts[pair_sets[pair][0]], *b = &counts[pair_sets[pair][1]];
    const struct timeline_pair *said = &d->pairs[pair];
    bool common[AXIS_NS], exposed[AXIS_NS];
    int64_t overlap_ns = 0;
    for (size_t i = 0; i < AXIS_NS; i++) {
        common[i] = a->active[i] && b->active[i];
        exposed[i] = a->active[i] && !b->active[i];
        overlap_ns += common[i];
    }
    REQUIRE(said->overlap_ns == overlap_ns);
    check_stretches(t, common, &said->common);
    check_stretches(t, exposed, &said->exposed);
    check_alternations(t, pair, d);
}

/* What is busy and what is idle make up the span. */
static void check_work(const struct trace *t, const struct timeline_device *d)
{
    struct counts work = {{0}};
    struct timeline_device own = {0};
    bool is_first = true;
    for (size_t i = 0; i < t->count; i++) {
        const struct cpprof_event *event = &t->events[i];
        if (!is_here(event, d))
            continue;
        own.events += event_is_gpu_work(event);
        if (byte_event_is_open(event))
            continue;
        own.pageable += event_is_pageable(event);
        own.pageable_ns += event_is_pageable(event) ? event->end_ns - event->start_ns : 0;
        if (!event_is_gpu_work(event))
            continue;
        own.first_start_ns = is_first ? event->start_ns : own.first_start_ns;
        own.last_end_ns = is_first || event->end_ns > own.last_end_ns ? event->end_ns : own.last_end_ns;
        is_first = false;
        count_event(t, event, &work);
    }
    REQUIRE(d->events == own.events && d->pageable == own.pageable && d->pageable_ns == own.pageable_ns);
    REQUIRE(d->first_start_ns == own.first_start_ns && d->last_end_ns == own.last_end_ns);
    int64_t span_ns = 0;
    for (size_t level = 0; level < TIMELINE_LEVELS; level++)
        span_ns += d->level_ns[level];
    REQUIRE(span_ns == own.last_end_ns - own.first_start_ns && d->level_ns[0] == span_ns - d->busy_ns);
    REQUIRE(d->busy_ns == nanoseconds_at_level(&work, 1, INT64_MAX));
    for (int64_t level = 1; level < TIMELINE_LEVELS; level++)
        REQUIRE(d->level_ns[level] ==
                nanoseconds_at_level(&work, level, level < TIMELINE_LEVELS - 1 ? level : INT64_MAX));
}

static void check_device(const struct trace *t, const struct timeline_device *d)
{
    struct counts counts[SETS] = {{{0}}};
    check_work(t, d);
    for (size_t i = 0; i < SETS; i++)
        check_set(t, i, d, &counts[i]);
    for (size_t i = 0; i < PAIRS; i++)
        check_pair(t, i, d, counts);
}

static void check_totals(const struct trace *t, const struct timeline *said)
{
    int64_t work = 0, unfinished = 0, waits = 0, calls_that_wait = 0, said_calls = 0;
    bool has_waits = false;
    for (size_t i = 0; i < t->count; i++) {
        const struct cpprof_event *event = &t->events[i];
        work += event_is_gpu_work(event);
        unfinished += byte_event_is_open(event);
        waits += event->kind == CPPROF_EVENT_SYNC;
        calls_that_wait += event->kind == CPPROF_EVENT_API && event->detail == CPPROF_API_SYNC;
        size_t places = 0;
        for (size_t k = 0; k < said->device_count; k++)
            places += is_here(event, &said->devices[k]);
        REQUIRE(places == 1);
    }
    REQUIRE(said->gpu_events == work && said->unfinished == unfinished);
    for (size_t i = 0; i < said->rank_count; i++) {
        said_calls += said->ranks[i].calls_that_wait;
        has_waits |= said->ranks[i].has_waits;
    }
    REQUIRE(said_calls == calls_that_wait && has_waits == (waits > 0));
}

static void widen(struct cpprof_event *event, int64_t by_ns)
{
    if (byte_event_is_open(event))
        return;
    event->start_ns -= by_ns;
    event->end_ns = event->end_ns + by_ns > event->start_ns ? event->end_ns + by_ns : event->start_ns;
}

static bool has_time_beyond(const struct trace *t)
{
    for (size_t i = 0; i < t->count; i++)
        if (!byte_event_is_open(&t->events[i]) &&
            (t->events[i].start_ns < -TIMELINE_TIME_MAX_NS || t->events[i].end_ns > TIMELINE_TIME_MAX_NS))
            return true;
    return false;
}

static void measure(struct trace *t, struct event_stream *stream)
{
    struct timeline said;
    struct err e = {0};
    const int rc = timeline_measure(stream, &t->query, &said, &e);
    byte_trace_sort(stream, t->events, t->count);
    const bool were_beyond = has_time_beyond(t);
    for (size_t i = 0; i < t->count; i++)
        widen(&t->events[i], t->query.widen_ns);
    if (were_beyond || has_time_beyond(t))
        REQUIRE(rc == ERR_INPUT && *e.text);
    else {
        REQUIRE(rc == 0 && said.time_error_ns == t->time_error_ns);
        check_totals(t, &said);
        for (size_t i = 0; i < said.device_count; i++)
            check_device(t, &said.devices[i]);
    }
    timeline_release(&said);
}

static void make_query(struct trace *t)
{
    for (size_t i = 0; i < SETS; i++) {
        const char *text = set_texts[i];
        REQUIRE(selector_parse(&t->query.sets[i], &text, NULL, NULL) == 0 && !*text);
    }
    t->query.set_count = SETS;
    t->query.wants_durations[BY_DURATION] = true;
    t->query.wants_launches[SETS - 1] = true;
    t->query.pair_count = PAIRS;
    for (size_t i = 0; i < PAIRS; i++) {
        t->query.pairs[i].a = pair_sets[i][0];
        t->query.pairs[i].b = pair_sets[i][1];
    }
}

/* The first byte says where time begins and how much it is rounded, the second how much events are widened. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int64_t begins_ns[4] = {0, 1000, -TIMELINE_TIME_MAX_NS - 2,
                                         TIMELINE_TIME_MAX_NS - BYTE_TRACE_AXIS_NS / 2};
    struct trace t = {.count = 0};
    const uint8_t head = fuzz_take(&data, &size);
    t.from_ns = begins_ns[head & 3] - MARGIN_NS;
    t.time_error_ns = head >> 2 & 3;
    t.query.widen_ns = fuzz_take(&data, &size) % (2 * WIDEN_MAX_NS + 1) - WIDEN_MAX_NS;
    t.count = byte_events(t.events, data, size, begins_ns[head & 3]);
    make_query(&t);
    struct event_stream *stream = byte_stream(t.events, t.count);
    event_stream_set_time_error_ns(stream, t.time_error_ns);
    measure(&t, stream);
    event_stream_free(stream);
    for (size_t i = 0; i < SETS; i++)
        selector_free(t.query.sets[i]);
    return 0;
}
