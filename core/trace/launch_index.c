/* Which call started this work, and in which ranges?
 *
 * Calls are in a hash table. Ranges are in lanes: one lane for each thread, and one for all threads of a rank. Events
 * come in the order of their starts, so a call begins in a range of a lane when it begins before the last end seen
 * there so far. For events that are asked about later, the lane that decides keeps the union of the intervals. */
#include "core/trace/launch_index.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/hash.h"
#include "core/trace/event_work.h"
#include "core/trace/identity.h"

struct call_slot {
    uint64_t key; /* 0: free */
    struct launch_call call;
    struct call_uses uses; /* of the id; only in the slot of its first call */
};

struct span {
    int64_t start_ns, end_ns;
};

struct span_list { /* sorted, disjoint, not touching */
    struct span *items;
    size_t count, capacity;
};

enum { ANY_THREAD = -1 };

struct lane_pattern {
    struct span_list spans; /* only in the lane that decides for the pattern */
    int64_t until_ns;       /* the last end seen so far */
};

struct lane {
    int32_t rank;
    int64_t thread;                /* ANY_THREAD: all threads of the rank */
    struct lane_pattern *patterns; /* pattern_count entries */
};

struct launch_index {
    const struct range_pattern *patterns; /* while it is built */
    size_t pattern_count;
    uint64_t own_thread; /* bit i: the lane of the thread decides for pattern i */
    int64_t widen_ns;    /* of the ranges */
    struct call_slot *slots;
    size_t slot_count, call_count;
    struct {
        struct lane *items; /* by (rank, thread) */
        size_t count, capacity;
    } lanes;
    size_t span_count;
    uint64_t found;
    struct { /* calls that wait because ranges that begin at the same time may follow */
        struct cpprof_event *items;
        size_t count, capacity;
    } waiting;
};

void launch_index_free(struct launch_index *x)
{
    if (!x)
        return;
    for (size_t i = 0; i < x->lanes.count; i++) {
        for (size_t p = 0; p < x->pattern_count; p++)
            free(x->lanes.items[i].patterns[p].spans.items);
        free(x->lanes.items[i].patterns);
    }
    free(x->lanes.items);
    free(x->slots);
    free(x->waiting.items);
    free(x);
}

/* Returns where the lane is, or would be. */
static size_t lane_place(const struct launch_index *x, int32_t rank, int64_t thread)
{
    size_t low = 0, high = x->lanes.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct lane *lane = &x->lanes.items[middle];
        if (lane->rank < rank || (lane->rank == rank && lane->thread < thread))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct lane *lane_at(const struct launch_index *x, int32_t rank, int64_t thread)
{
    const size_t place = lane_place(x, rank, thread);
    if (place == x->lanes.count)
        return NULL;
    struct lane *lane = &x->lanes.items[place];
    return lane->rank == rank && lane->thread == thread ? lane : NULL;
}

static struct lane_pattern *new_patterns(size_t count)
{
    struct lane_pattern *patterns = calloc(count, sizeof *patterns);
    for (size_t p = 0; patterns && p < count; p++)
        patterns[p].until_ns = INT64_MIN;
    return patterns;
}

static int lane_add(struct lane **out, struct launch_index *x, int32_t rank, int64_t thread, struct err *e)
{
    *out = lane_at(x, rank, thread);
    if (*out)
        return 0;
    if (x->lanes.count == LAUNCH_INDEX_THREADS_MAX)
        return err_set(e, ERR_INPUT, "NVTX ranges on more than %d threads", LAUNCH_INDEX_THREADS_MAX);
    struct lane_pattern *patterns = new_patterns(x->pattern_count);
    if (!patterns || !ARRAY_PUSH(&x->lanes)) {
        free(patterns);
        return err_memory(e);
    }
    x->lanes.count--; /* it does not count until it is in its place */
    const size_t place = lane_place(x, rank, thread);
    struct lane *lane = &x->lanes.items[place];
    memmove(lane + 1, lane, (x->lanes.count - place) * sizeof *lane);
    *lane = (struct lane){rank, thread, patterns};
    x->lanes.count++;
    *out = lane;
    return 0;
}

static int span_add(struct launch_index *x, struct span_list *list, struct span span, struct err *e)
{
    struct span *last = list->count ? &list->items[list->count - 1] : NULL;
    if (last && span.start_ns <= last->end_ns) {
        last->end_ns = span.end_ns > last->end_ns ? span.end_ns : last->end_ns;
        return 0;
    }
    if (x->span_count == LAUNCH_INDEX_SPANS_MAX)
        return err_set(e, ERR_INPUT, "more than %d NVTX ranges to keep in mind; name fewer of them",
                       LAUNCH_INDEX_SPANS_MAX);
    struct span *slot = ARRAY_PUSH(list);
    if (!slot)
        return err_memory(e);
    *slot = span;
    x->span_count++;
    return 0;
}

static int add_to_lane(struct launch_index *x, const struct cpprof_event *range, int64_t thread, size_t pattern,
                       struct span span, struct err *e)
{
    struct lane *lane;
    int code = lane_add(&lane, x, range->rank, thread, e);
    if (code)
        return code;
    struct lane_pattern *in = &lane->patterns[pattern];
    in->until_ns = span.end_ns > in->until_ns ? span.end_ns : in->until_ns;
    const bool decides = (thread != ANY_THREAD) == (x->own_thread >> pattern & 1);
    return decides ? span_add(x, &in->spans, span, e) : 0;
}

static int64_t add_saturated(int64_t a, int64_t b)
{
    int64_t sum;
    return !__builtin_add_overflow(a, b, &sum) ? sum : b < 0 ? INT64_MIN : INT64_MAX;
}

/* Times of ranges can have any value. */
static struct span widened(const struct cpprof_event *range, int64_t by_ns)
{
    const bool is_open = range->flags & CPPROF_EVENT_UNFINISHED;
    const int64_t end_ns = is_open ? INT64_MAX : add_saturated(range->end_ns, by_ns);
    return (struct span){add_saturated(range->start_ns, -by_ns), end_ns};
}

static int add_range(struct launch_index *x, const struct cpprof_event *range, struct err *e)
{
    const struct span span = widened(range, x->widen_ns);
    for (size_t p = 0; p < x->pattern_count; p++) {
        const struct range_pattern *pattern = &x->patterns[p];
        if (!pattern->takes || range->name >= pattern->count || !pattern->takes[range->name])
            continue;
        x->found |= (uint64_t)1 << p;
        if (span.end_ns <= span.start_ns)
            continue;
        int code = add_to_lane(x, range, range->thread, p, span, e);
        if (!code)
            code = add_to_lane(x, range, ANY_THREAD, p, span, e);
        if (code)
            return code;
    }
    return 0;
}

static bool is_inside(const struct span_list *list, int64_t time_ns)
{
    size_t low = 0, high = list->count; /* finds the first span that begins after the time */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (list->items[middle].start_ns <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low && time_ns < list->items[low - 1].end_ns;
}

static uint64_t ranges_on(const struct launch_index *x, const struct cpprof_event *host, int64_t thread)
{
    const struct lane *lane = lane_at(x, host->rank, thread);
    uint64_t ranges = 0;
    for (size_t p = 0; lane && p < x->pattern_count; p++)
        if (is_inside(&lane->patterns[p].spans, host->start_ns))
            ranges |= (uint64_t)1 << p;
    return ranges;
}

/* While the index is built: returns the patterns with a range open on the lane. When ranges are widened, all of them
 * were read before. */
static uint64_t open_on(const struct launch_index *x, const struct cpprof_event *call, int64_t thread)
{
    const struct lane *lane = lane_at(x, call->rank, thread);
    uint64_t open = 0;
    if (x->widen_ns)
        return ranges_on(x, call, thread);
    for (size_t p = 0; lane && p < x->pattern_count; p++)
        if (call->start_ns < lane->patterns[p].until_ns)
            open |= (uint64_t)1 << p;
    return open;
}

/* A lane has the intervals only of those patterns that it decides for. */
static uint64_t ranges_at(const struct launch_index *x, const struct cpprof_event *host)
{
    return x->lanes.count ? ranges_on(x, host, host->thread) | ranges_on(x, host, ANY_THREAD) : 0;
}

/* The key of the call with which the id is used for the (use + 1)-th time. It is never 0, because the correlation id of
 * an event that is looked up is not 0. */
static uint64_t key_of(const struct cpprof_event *event, uint32_t use)
{
    return (uint64_t)use << 48 | (uint64_t)(uint16_t)event->rank << 32 | event->correlation;
}

static struct call_slot *find_slot(struct call_slot *slots, size_t count, uint64_t key)
{
    size_t at = (size_t)hash_mix(key) & (count - 1);
    while (slots[at].key && slots[at].key != key)
        at = (at + 1) & (count - 1);
    return &slots[at];
}

static int grow_slots(struct launch_index *x, struct err *e)
{
    const size_t grown = x->slot_count ? x->slot_count * 2 : 1024;
    struct call_slot *slots = calloc(grown, sizeof *slots);
    if (!slots)
        return err_memory(e);
    for (size_t i = 0; i < x->slot_count; i++)
        if (x->slots[i].key)
            *find_slot(slots, grown, x->slots[i].key) = x->slots[i];
    free(x->slots);
    x->slots = slots;
    x->slot_count = grown;
    return 0;
}

static struct call_slot *slot_of(const struct launch_index *x, const struct cpprof_event *event, uint32_t use)
{
    struct call_slot *slot = x->call_count ? find_slot(x->slots, x->slot_count, key_of(event, use)) : NULL;
    return slot && slot->key ? slot : NULL;
}

/* A runtime call and the driver call inside it share one id. The outer one counts, and begins first. */
static bool is_inside_call(const struct launch_call *outer, const struct cpprof_event *event)
{
    const bool has_ended = outer->end_ns >= outer->start_ns;
    return outer->thread == event->thread && (!has_ended || event->end_ns <= outer->end_ns) &&
           (!has_ended || event->start_ns < outer->end_ns || event->start_ns == outer->start_ns);
}

/* Does the call need no slot of its own? `first` has the first call of its id. */
static bool is_told(const struct launch_index *x, struct call_slot *first, const struct cpprof_event *event)
{
    const struct call_slot *last = slot_of(x, event, first->uses.calls - 1);
    return (last && is_inside_call(&last->call, event)) || !call_uses_add_call(&first->uses);
}

static int add_call(struct launch_index *x, const struct cpprof_event *event, struct err *e)
{
    const uint64_t any = open_on(x, event, ANY_THREAD), own = open_on(x, event, event->thread);
    const uint64_t ranges = (own & x->own_thread) | (any & ~x->own_thread), of_other_threads = any & ~ranges;
    struct call_slot *first = slot_of(x, event, 0);
    if (first && is_told(x, first, event))
        return 0;
    const uint32_t use = first ? first->uses.calls - 1 : 0;
    if (x->call_count >= x->slot_count / 4 * 3) {
        if (x->call_count == LAUNCH_INDEX_CALLS_MAX)
            return err_set(e, ERR_INPUT,
                           "more than %d calls that start GPU work: too many to join with it; use a shorter trace",
                           LAUNCH_INDEX_CALLS_MAX);
        int code = grow_slots(x, e);
        if (code)
            return code;
    }
    struct call_slot *slot = find_slot(x->slots, x->slot_count, key_of(event, use));
    const bool unfinished = event->flags & CPPROF_EVENT_UNFINISHED || event->end_ns < event->start_ns;
    slot->key = key_of(event, use);
    if (!use)
        call_uses_add_call(&slot->uses);
    slot->call = (struct launch_call){.start_ns = event->start_ns,
                                      .end_ns = unfinished ? INT64_MIN : event->end_ns,
                                      .ranges = ranges,
                                      .of_other_threads = of_other_threads,
                                      .thread = event->thread};
    x->call_count++;
    return 0;
}

static int add_waiting(struct launch_index *x, struct err *e)
{
    for (size_t i = 0; i < x->waiting.count; i++) {
        int code = add_call(x, &x->waiting.items[i], e);
        if (code)
            return code;
    }
    x->waiting.count = 0;
    return 0;
}

static bool starts_work(const struct cpprof_event *event)
{
    return event->kind == CPPROF_EVENT_API && event->correlation &&
           (event->detail == CPPROF_API_LAUNCH || event->detail == CPPROF_API_COPY);
}

static void add_work(const struct launch_index *x, const struct cpprof_event *work)
{
    struct call_slot *first = work->correlation ? slot_of(x, work, 0) : NULL;
    if (first)
        call_uses_add_work(&first->uses);
}

/* Widened ranges may begin before calls that precede them in the stream, so all ranges are read first. */
static int read_ranges(struct launch_index *x, struct event_stream *stream, struct err *e)
{
    struct cpprof_event event;
    int code = event_stream_rewind(stream, e);
    while (!code && (code = event_stream_next_unscoped(stream, &event, e)) > 0)
        code = event.kind == CPPROF_EVENT_RANGE ? add_range(x, &event, e) : 0;
    return code;
}

static int add_event(struct launch_index *x, const struct cpprof_event *event, struct err *e)
{
    if (x->waiting.count && x->waiting.items[0].start_ns < event->start_ns) {
        int code = add_waiting(x, e);
        if (code)
            return code;
    }
    if (event->kind == CPPROF_EVENT_RANGE)
        return x->widen_ns ? 0 : add_range(x, event, e);
    if (event_is_gpu_work(event))
        add_work(x, event);
    if (!starts_work(event))
        return 0;
    if (x->waiting.count == LAUNCH_INDEX_WAITING_MAX)
        return err_set(e, ERR_INPUT, "more than %d calls begin at %lld ns: these are no times of calls",
                       LAUNCH_INDEX_WAITING_MAX, (long long)event->start_ns);
    struct cpprof_event *slot = ARRAY_PUSH(&x->waiting);
    if (!slot)
        return err_memory(e);
    *slot = *event;
    return 0;
}

static int read_all(struct launch_index *x, struct event_stream *stream, struct err *e)
{
    struct cpprof_event event;
    int code = x->widen_ns ? read_ranges(x, stream, e) : 0;
    if (!code)
        code = event_stream_rewind(stream, e);
    while (!code && (code = event_stream_next_unscoped(stream, &event, e)) > 0)
        code = add_event(x, &event, e);
    if (!code)
        code = add_waiting(x, e);
    return code ? code : event_stream_rewind(stream, e);
}

static int build(struct launch_index **out, struct event_stream *stream, const struct launch_index *asked,
                 struct err *e)
{
    struct launch_index *x = calloc(1, sizeof *x);
    *out = NULL;
    if (!x)
        return err_memory(e);
    *x = *asked;
    for (size_t p = 0; p < x->pattern_count; p++)
        x->own_thread |= (uint64_t)x->patterns[p].own_thread << p;
    int code = read_all(x, stream, e);
    x->patterns = NULL;
    if (code)
        launch_index_free(x);
    else
        *out = x;
    return code;
}

int launch_index_build(struct launch_index **out, struct event_stream *stream, const struct range_pattern *patterns,
                       size_t pattern_count, struct err *e)
{
    return build(out, stream, &(struct launch_index){.patterns = patterns, .pattern_count = pattern_count}, e);
}

int launch_index_build_widened(struct launch_index **out, struct event_stream *stream,
                               const struct range_pattern *patterns, size_t pattern_count, int64_t widen_ns,
                               struct err *e)
{
    return build(out, stream,
                 &(struct launch_index){.patterns = patterns, .pattern_count = pattern_count, .widen_ns = widen_ns}, e);
}

/* Returns the last of the calls of an id that begins no later than the work; the first when none does. */
static struct call_slot *last_use_before(const struct launch_index *x, const struct cpprof_event *work, uint32_t uses)
{
    uint32_t low = 1, high = uses; /* finds the first use that begins after the work */
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (slot_of(x, work, middle)->call.start_ns <= work->start_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return slot_of(x, work, low - 1);
}

struct launch_call *launch_index_call(const struct launch_index *x, const struct cpprof_event *work)
{
    struct call_slot *first = work->correlation ? slot_of(x, work, 0) : NULL;
    if (!first)
        return NULL;
    struct launch_call *call =
        first->uses.calls > 1 ? &last_use_before(x, work, first->uses.calls)->call : &first->call;
    call->is_doubtful = first->uses.is_doubtful;
    return call;
}

bool launch_call_is_late(const struct launch_call *call, const struct cpprof_event *work, int64_t time_error_ns)
{
    int64_t late_ns;
    return __builtin_sub_overflow(call->start_ns, work->start_ns, &late_ns) ? call->start_ns > 0
                                                                            : late_ns > 2 * time_error_ns;
}

uint64_t launch_index_ranges(const struct launch_index *x, const struct cpprof_event *event)
{
    if (!event_is_gpu_work(event))
        return ranges_at(x, event);
    const struct launch_call *call = launch_index_call(x, event);
    return call ? call->ranges : 0;
}

uint64_t launch_index_found(const struct launch_index *x)
{
    return x->found;
}

size_t launch_index_longest_search(const struct launch_index *x)
{
    size_t longest = 0;
    for (size_t i = 0; i < x->slot_count; i++) {
        const size_t home = (size_t)hash_mix(x->slots[i].key) & (x->slot_count - 1);
        const size_t away = (i - home) & (x->slot_count - 1);
        if (x->slots[i].key && away > longest)
            longest = away;
    }
    return longest;
}
