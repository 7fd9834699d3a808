/* When was which set of events active, alone or together?
 *
 * A sweep over events in the order of their starts. Each device keeps the ends of the active events in a min-heap.
 * Counts change at starts and ends, and all measures follow from the moments at which a count reaches or leaves zero.
 * All changes of one nanosecond are applied together, so that touching half-open intervals join. */
#include "core/trace/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/trace/duration_groups.h"
#include "core/trace/event_spool.h"
#include "core/trace/identity.h"
#include "core/trace/launch_index.h"
#include "core/trace/rank_starts.h"
#include "core/trace/resumptions.h"
#include "core/trace/stream_order.h"

/* Something active until end_ns; bit i: it is in set i of the query. */
struct active {
    int64_t end_ns;
    uint64_t sets;
    bool gpu_work;
};

/* A stretch of time that is open now, with the event that represented it when it began. */
struct stretch {
    int64_t start_ns;
    struct timeline_example event;
};

/* A count of active events, and its value when it was last settled. */
struct activity {
    int64_t active;
    bool on; /* active was above 0 when last settled */
    bool ever;
    int64_t since_ns; /* on: the start of this stretch of the union */
    int64_t off_ns;   /* not on, but was before: the end of the last stretch */
};

/* The number of a group of samples; 0 before its first sample. */
typedef uint32_t sample_group;

struct set_state {
    struct activity activity;
    struct timeline_example latest; /* the event that ends last, of those begun so far */
    struct timeline_example before; /* `latest` when the set became inactive */
    bool together;                  /* two or more when last settled */
    struct stretch together_from;
    sample_group durations, launches, queues;
};

enum pair_phase { PHASE_NEITHER, PHASE_A, PHASE_B, PHASE_BOTH };
enum last_start { LAST_NONE, LAST_A, LAST_B };

struct pair_state {
    uint64_t sets; /* bits of a and b */
    enum pair_phase phase;
    struct stretch stretch;
    enum last_start last;
    int64_t last_start_ns;
};

struct device_state {
    struct timeline_device out;
    int64_t now_ns;
    uint64_t dirty; /* sets whose count changed at now_ns */
    bool has_examples;
    struct {
        struct active *items;
        size_t count, capacity;
    } heap;
    struct activity gpu_work;
    const struct resumptions *resumptions;
    int64_t calls_that_wait;
    size_t level; /* of the histogram, valid since level_from_ns */
    int64_t level_from_ns;
    struct set_state *sets;
    struct pair_state *pairs;
};

/* The sets of the last event of a name, from what decides about them. */
struct known_sets {
    uint64_t sets;
    uint32_t detail;
    uint16_t kind; /* 0: none is known */
};

enum { KNOWN_NAMES_MAX = 1 << 16 };

/* Which sets a row with a false time may be in. Rows that are alike are one. */
struct false_row {
    int16_t rank, device; /* device: -1 of a host's */
    bool gpu_work;
    uint64_t sets;
    int64_t rows;
};

struct sweep {
    const struct timeline_query *query;
    const struct event_stream *stream;
    struct timeline *out;
    struct {
        struct device_state **items; /* ordered by (rank, device) */
        size_t count, capacity;
    } devices;
    struct stream_order order;
    struct duration_groups *samples; /* NULL: not needed */
    sample_group group_count;
    size_t active_room;         /* the room of all heaps */
    struct launch_index *index; /* NULL: not needed */
    uint64_t by_range;          /* bit i: set i has an nvtx filter */
    const struct resumptions *resumptions;
    size_t bound;                      /* names that the selectors know */
    bool is_scoped;                    /* events are left out, maybe those outside a range */
    bool by_place;                     /* a set depends on the stream, device or rank of an event */
    ARRAY_OF(struct known_sets) known; /* by name */
    ARRAY_OF(struct false_row) false_rows;
};

void timeline_release(struct timeline *t)
{
    arena_release(&t->arena);
    *t = (struct timeline){0};
}

static int64_t add_saturated(int64_t a, uint64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static int64_t covered_ns(const struct timeline_example *event, int64_t start_ns, int64_t end_ns)
{
    const int64_t from = event->start_ns > start_ns ? event->start_ns : start_ns;
    const int64_t to = event->end_ns < end_ns ? event->end_ns : end_ns;
    return to - from;
}

static struct stretch stretch_open(const struct set_state *s, int64_t now_ns)
{
    return (struct stretch){now_ns, s->latest};
}

/* Closes the stretch. It is named after the first or the last event in it: the one that fills more of it. */
static void stretch_close(const struct stretch *from, const struct set_state *s, int64_t now_ns,
                          struct timeline_examples *list)
{
    const struct timeline_example *event = &from->event;
    if (covered_ns(&s->latest, from->start_ns, now_ns) > covered_ns(event, from->start_ns, now_ns))
        event = &s->latest;
    timeline_examples_offer(list, &(struct timeline_example){.start_ns = from->start_ns,
                                                             .end_ns = now_ns,
                                                             .name = event->name,
                                                             .stream = event->stream,
                                                             .is_pageable = event->is_pageable});
}

static void settle_together(struct set_state *s, struct timeline_set *out, int64_t now_ns)
{
    const bool together = s->activity.active > 1;
    if (together == s->together)
        return;
    s->together = together;
    if (together) {
        s->together_from = stretch_open(s, now_ns);
        return;
    }
    out->together_ns += now_ns - s->together_from.start_ns;
    stretch_close(&s->together_from, s, now_ns, &out->together);
}

/* `unrecorded`: recording went on again in the gap. */
static void set_begins(struct set_state *s, struct timeline_set *out, bool unrecorded, int64_t now_ns)
{
    if (!s->activity.ever) {
        out->first_on_ns = now_ns;
        return;
    }
    if (unrecorded) {
        out->unrecorded_ns += now_ns - s->activity.off_ns;
        return;
    }
    const struct timeline_example gap = {.start_ns = s->activity.off_ns,
                                         .end_ns = now_ns,
                                         .name = s->latest.name,
                                         .stream = s->latest.stream,
                                         .other_name = s->before.name,
                                         .other_stream = s->before.stream,
                                         .is_gap = true,
                                         .is_pageable = s->latest.is_pageable,
                                         .other_is_pageable = s->before.is_pageable};
    if (timeline_example_ns(&gap) > out->gap_max_ns)
        out->gap_max_ns = timeline_example_ns(&gap);
    timeline_examples_offer(&out->gaps, &gap);
}

static void set_pauses(struct set_state *s, struct timeline_set *out, int64_t now_ns)
{
    s->before = s->latest;
    out->last_off_ns = now_ns;
}

/* Returns whether the count reached or left zero. `*busy_ns` grows when it reached zero. */
static bool settle_activity(struct activity *a, int64_t now_ns, int64_t *busy_ns)
{
    const bool on = a->active > 0;
    if (on == a->on)
        return false;
    a->on = on;
    if (on) {
        a->since_ns = now_ns;
    } else {
        *busy_ns += now_ns - a->since_ns;
        a->off_ns = now_ns;
    }
    return true;
}

/* Has it just begun again, after a gap in which recording went on? `busy_ns` is what it was busy before. */
static bool is_unrecorded(const struct device_state *d, const struct activity *a, int64_t busy_ns)
{
    return a->on && busy_ns && resumptions_within(d->resumptions, d->out.rank, a->off_ns, d->now_ns);
}

static void settle_set(const struct device_state *d, struct set_state *s, struct timeline_set *out)
{
    const int64_t now_ns = d->now_ns;
    if (settle_activity(&s->activity, now_ns, &out->busy_ns)) {
        if (s->activity.on)
            set_begins(s, out, is_unrecorded(d, &s->activity, out->busy_ns), now_ns);
        else
            set_pauses(s, out, now_ns);
        s->activity.ever = true;
    }
    if (s->activity.active > out->concurrency_max)
        out->concurrency_max = s->activity.active;
    settle_together(s, out, now_ns);
}

static void settle_pair(struct pair_state *p, const struct set_state *a, const struct set_state *b,
                        struct timeline_pair *out, int64_t now_ns)
{
    const enum pair_phase phase = (enum pair_phase)((a->activity.on ? PHASE_A : 0) | (b->activity.on ? PHASE_B : 0));
    if (phase == p->phase)
        return;
    if (p->phase == PHASE_BOTH)
        out->overlap_ns += now_ns - p->stretch.start_ns;
    if (p->phase & PHASE_A)
        stretch_close(&p->stretch, a, now_ns, p->phase == PHASE_BOTH ? &out->common : &out->exposed);
    p->phase = phase;
    p->stretch = stretch_open(a, now_ns);
}

static void settle_level(struct device_state *d)
{
    const size_t level = d->gpu_work.active < TIMELINE_LEVELS ? (size_t)d->gpu_work.active : TIMELINE_LEVELS - 1;
    if (level == d->level)
        return;
    if (d->level) /* idle time is the rest of the span */
        d->out.level_ns[d->level] += d->now_ns - d->level_from_ns;
    d->level = level;
    d->level_from_ns = d->now_ns;
}

/* Returns the lowest set in a mask, and removes it from the mask. */
static size_t take_lowest(uint64_t *sets)
{
    const size_t i = (size_t)__builtin_ctzll(*sets);
    *sets &= *sets - 1;
    return i;
}

/* Applies everything that changed at now_ns; after this, time moves on. */
static void settle(const struct timeline_query *query, struct device_state *d)
{
    if (settle_activity(&d->gpu_work, d->now_ns, &d->out.busy_ns) && is_unrecorded(d, &d->gpu_work, d->out.busy_ns))
        d->out.unrecorded_ns += d->now_ns - d->gpu_work.off_ns;
    settle_level(d);
    if (!d->dirty)
        return;
    for (uint64_t left = d->dirty; left;) {
        const size_t i = take_lowest(&left);
        settle_set(d, &d->sets[i], &d->out.sets[i]);
    }
    for (size_t i = 0; i < query->pair_count; i++)
        if (d->dirty & d->pairs[i].sets)
            settle_pair(&d->pairs[i], &d->sets[query->pairs[i].a], &d->sets[query->pairs[i].b], &d->out.pairs[i],
                        d->now_ns);
    d->dirty = 0;
}

static void move_to(const struct timeline_query *query, struct device_state *d, int64_t time_ns)
{
    if (time_ns > d->now_ns) {
        settle(query, d);
        d->now_ns = time_ns;
    }
}

static void heap_push(struct active *heap, size_t count, struct active new)
{
    size_t at = count;
    while (at && new.end_ns < heap[(at - 1) / 2].end_ns) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = new;
}

/* Removes the first of a heap of `count`. */
static struct active heap_pop(struct active *heap, size_t count)
{
    const struct active first = heap[0];
    const struct active last = heap[--count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && heap[child + 1].end_ns < heap[child].end_ns)
            child++;
        if (last.end_ns <= heap[child].end_ns)
            break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    return first;
}

static void change_counts(struct device_state *d, const struct active *x, int by)
{
    for (uint64_t left = x->sets; left;)
        d->sets[take_lowest(&left)].activity.active += by;
    d->dirty |= x->sets;
    if (x->gpu_work)
        d->gpu_work.active += by;
}

/* Ends all events that end at or before time_ns, in order. */
static void end_until(const struct timeline_query *query, struct device_state *d, int64_t time_ns)
{
    while (d->heap.count && d->heap.items[0].end_ns <= time_ns) {
        const struct active ended = heap_pop(d->heap.items, d->heap.count--);
        move_to(query, d, ended.end_ns);
        change_counts(d, &ended, -1);
    }
    move_to(query, d, time_ns);
}

static void device_free(struct device_state *d)
{
    free(d->sets);
    free(d->pairs);
    free(d->heap.items);
    free(d);
}

/* Of a set or a pair: what is brief has one list of examples only. */
static size_t count_lists(const struct timeline_query *query)
{
    size_t lists = 0;
    for (size_t i = 0; i < query->set_count; i++)
        lists += query->is_brief[i] ? 1 : 3;
    for (size_t i = 0; i < query->pair_count; i++)
        lists += query->pairs[i].is_brief ? 1 : 2;
    return lists;
}

static void give_room(struct timeline_examples *list, struct timeline_example **room)
{
    list->items = *room;
    *room += TIMELINE_EXAMPLES;
}

/* Room for the examples of a device, when it has its first event of a set. */
static int add_examples(const struct timeline_query *query, struct device_state *d, struct arena *arena, struct err *e)
{
    struct timeline_example *room = arena_alloc(arena, (count_lists(query) + 1) * TIMELINE_EXAMPLES * sizeof *room);
    if (!room)
        return err_memory(e);
    for (size_t i = 0; i < query->set_count; i++) {
        give_room(&d->out.sets[i].violations, &room);
        if (query->is_brief[i])
            continue;
        give_room(&d->out.sets[i].gaps, &room);
        give_room(&d->out.sets[i].together, &room);
    }
    for (size_t i = 0; i < query->pair_count; i++) {
        give_room(&d->out.pairs[i].exposed, &room);
        if (!query->pairs[i].is_brief)
            give_room(&d->out.pairs[i].common, &room);
    }
    d->has_examples = true;
    return 0;
}

static struct device_state *device_new(struct sweep *s, int16_t rank, int16_t device)
{
    const struct timeline_query *query = s->query;
    struct device_state *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    *d = (struct device_state){
        .out = {.rank = rank, .device = device}, .now_ns = INT64_MIN, .resumptions = s->resumptions};
    d->sets = calloc(query->set_count + 1, sizeof *d->sets);
    d->pairs = calloc(query->pair_count + 1, sizeof *d->pairs);
    d->out.sets = arena_alloc(&s->out->arena, (query->set_count + 1) * sizeof *d->out.sets);
    d->out.pairs = arena_alloc(&s->out->arena, (query->pair_count + 1) * sizeof *d->out.pairs);
    if (!d->sets || !d->pairs || !d->out.sets || !d->out.pairs) {
        device_free(d);
        return NULL;
    }
    for (size_t i = 0; i < query->pair_count; i++)
        d->pairs[i].sets = (uint64_t)1 << query->pairs[i].a | (uint64_t)1 << query->pairs[i].b;
    return d;
}

static int device_order(const struct device_state *d, int16_t rank, int16_t device)
{
    if (d->out.rank != rank)
        return d->out.rank < rank ? -1 : 1;
    return (d->out.device > device) - (d->out.device < device);
}

/* Finds the state of the event's GPU, or of its (rank, device), and makes it when it is new. */
static int find_device(struct device_state **out, struct sweep *s, const struct cpprof_event *event, struct err *e)
{
    int16_t rank = event->rank, device = event->device;
    size_t low = 0, high = s->devices.count;
    event_stream_gpu_of(s->stream, &rank, &device);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = device_order(s->devices.items[middle], rank, device);
        if (!order) {
            *out = s->devices.items[middle];
            return 0;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (s->devices.count == TIMELINE_DEVICES_MAX)
        return err_set(e, ERR_INPUT, "more than %d pairs of rank and device", TIMELINE_DEVICES_MAX);
    struct device_state *d = device_new(s, rank, device);
    struct device_state **place = d ? ARRAY_PUSH(&s->devices) : NULL;
    if (!place) {
        if (d)
            device_free(d);
        return err_memory(e);
    }
    memmove(s->devices.items + low + 1, s->devices.items + low,
            (s->devices.count - 1 - low) * sizeof *s->devices.items);
    s->devices.items[low] = d;
    *out = d;
    return 0;
}

static int add_sample(struct sweep *s, sample_group *group, int64_t value_ns, struct err *e)
{
    if (!*group)
        *group = ++s->group_count;
    return duration_groups_add(s->samples, *group - 1, value_ns, e);
}

/* Calls outside the scope are not checked against TIMELINE_TIME_MAX_NS. */
static int64_t since_ns(int64_t from_ns, int64_t to_ns)
{
    int64_t passed_ns;
    return __builtin_sub_overflow(to_ns, from_ns, &passed_ns) ? INT64_MAX : passed_ns;
}

/* Each node of a graph has its own queue time, but all share one launch call. */
static int add_launch(struct sweep *s, struct set_state *state, size_t i, const struct cpprof_event *work,
                      struct err *e)
{
    struct launch_call *call = event_is_gpu_work(work) ? launch_index_call(s->index, work) : NULL;
    if (!call)
        return 0;
    const uint64_t bit = (uint64_t)1 << i;
    const bool is_new = !(call->counted & bit);
    call->counted |= bit;
    int code = add_sample(s, &state->queues, since_ns(call->start_ns, work->start_ns), e);
    if (code || !is_new || call->end_ns < call->start_ns)
        return code;
    return add_sample(s, &state->launches, since_ns(call->start_ns, call->end_ns), e);
}

static int add_to_set(struct sweep *s, struct device_state *d, size_t i, const struct cpprof_event *event,
                      const struct timeline_example *x, struct err *e)
{
    struct set_state *state = &d->sets[i];
    struct timeline_set *out = &d->out.sets[i];
    const bool is_first = out->count == out->unfinished;
    out->count++;
    out->sum_ns = add_saturated(out->sum_ns, (uint64_t)timeline_example_ns(x));
    if (is_first) {
        out->first = *x;
        out->first_start_ns = x->start_ns;
    }
    if (is_first || x->end_ns > out->last_end_ns) {
        out->last = *x;
        out->last_end_ns = x->end_ns;
    }
    if (is_first || x->end_ns > state->latest.end_ns)
        state->latest = *x;
    int code = s->query->wants_durations[i] ? add_sample(s, &state->durations, timeline_example_ns(x), e) : 0;
    if (!code && s->query->wants_launches[i])
        code = add_launch(s, state, i, event, e);
    return code ? code : stream_order_add(&s->order, event, i, out, e);
}

/* An event that is in both sets of a pair is ignored. */
static void count_alternations(const struct timeline_query *query, struct device_state *d, uint64_t sets,
                               int64_t start_ns, int64_t time_error_ns)
{
    for (size_t i = 0; i < query->pair_count; i++) {
        const bool in_a = sets >> query->pairs[i].a & 1;
        const bool in_b = sets >> query->pairs[i].b & 1;
        if (in_a == in_b)
            continue;
        const enum last_start now = in_a ? LAST_A : LAST_B;
        struct pair_state *p = &d->pairs[i];
        if (p->last != LAST_NONE && p->last != now)
            d->out.pairs[i].alternations++;
        if (p->last != LAST_NONE && time_error_ns && start_ns - p->last_start_ns <= 2 * time_error_ns)
            d->out.pairs[i].close_starts++;
        p->last = now;
        p->last_start_ns = start_ns;
    }
}

static bool is_finished(const struct cpprof_event *event)
{
    return !(event->flags & CPPROF_EVENT_UNFINISHED) && event->end_ns >= event->start_ns;
}

static void add_gpu_work(struct timeline_device *out, const struct cpprof_event *event, bool is_first)
{
    if (is_first)
        out->first_start_ns = event->start_ns;
    if (is_first || event->end_ns > out->last_end_ns)
        out->last_end_ns = event->end_ns;
}

/* Heaps never shrink, so their room is what is limited. */
static int make_room(struct sweep *s, struct device_state *d, struct err *e)
{
    const size_t had = d->heap.capacity;
    if (array_reserve((void **)&d->heap.items, &d->heap.capacity, d->heap.count + 1, sizeof *d->heap.items))
        return err_memory(e);
    s->active_room += d->heap.capacity - had;
    if (s->active_room > TIMELINE_ACTIVE_MAX)
        return err_set(e, ERR_INPUT, "about %zu events at once: more than can be told apart", d->heap.count);
    return 0;
}

static int start_event(struct sweep *s, struct device_state *d, const struct cpprof_event *event,
                       const struct active *x, struct err *e)
{
    if (event->start_ns < d->now_ns)
        return err_set(e, ERR_INTERNAL, "events are not in the order of their starts");
    const struct timeline_example example = {.start_ns = event->start_ns,
                                             .end_ns = event->end_ns,
                                             .name = event->name,
                                             .stream = event->stream,
                                             .is_pageable = event_is_pageable(event)};
    if (example.is_pageable) {
        d->out.pageable++;
        d->out.pageable_ns = add_saturated(d->out.pageable_ns, (uint64_t)timeline_example_ns(&example));
    }
    end_until(s->query, d, event->start_ns);
    if (x->gpu_work) {
        add_gpu_work(&d->out, event, !d->gpu_work.ever);
        d->gpu_work.ever = true;
    }
    for (uint64_t left = x->sets; left;) {
        const int code = add_to_set(s, d, take_lowest(&left), event, &example, e);
        if (code)
            return code;
    }
    count_alternations(s->query, d, x->sets, event->start_ns, s->out->time_error_ns);
    if (event->end_ns == event->start_ns)
        return 0; /* an empty interval is counted, and is part of no union */
    int code = make_room(s, d, e);
    if (code)
        return code;
    heap_push(d->heap.items, d->heap.count++, *x);
    change_counts(d, x, +1);
    return 0;
}

static uint64_t match_sets(const struct sweep *s, const struct cpprof_event *event)
{
    uint64_t sets = 0;
    for (size_t i = 0; i < s->query->set_count; i++)
        if (selector_match(s->query->sets[i], event))
            sets |= (uint64_t)1 << i;
    return sets;
}

/* Returns where the sets of such events are kept; NULL: they are not. */
static struct known_sets *place_of_sets(struct sweep *s, const struct cpprof_event *event)
{
    if (s->by_place || event->flags & EVENT_COMMUNICATES || event->name >= KNOWN_NAMES_MAX)
        return NULL;
    while (s->known.count <= event->name)
        if (!ARRAY_PUSH(&s->known))
            return NULL;
    return &s->known.items[event->name];
}

static uint64_t sets_of(struct sweep *s, const struct cpprof_event *event)
{
    struct known_sets *known = place_of_sets(s, event);
    uint64_t sets;
    if (known && known->kind == event->kind && known->detail == event->detail && event->kind) {
        sets = known->sets;
    } else {
        sets = match_sets(s, event);
        if (known)
            *known = (struct known_sets){sets, event->detail, event->kind};
    }
    if (!(sets & s->by_range))
        return sets;
    return sets & (~s->by_range | launch_index_ranges(s->index, event));
}

/* Would some set take the work if the thread that launched it had been in the range that another thread was in? */
static bool is_of_other_thread(const struct sweep *s, const struct cpprof_event *work)
{
    const struct launch_call *call = s->by_range ? launch_index_call(s->index, work) : NULL;
    for (uint64_t left = call ? call->of_other_threads & s->by_range : 0; left;)
        if (selector_match(s->query->sets[take_lowest(&left)], work))
            return true;
    return false;
}

/* Checks whether it is known which call started the work. */
static void check_call(struct sweep *s, const struct cpprof_event *work)
{
    const struct launch_call *call = launch_index_call(s->index, work);
    s->out->unlaunched += !call;
    s->out->doubtful += call && call->is_doubtful;
    s->out->early += call && launch_call_is_late(call, work, s->out->time_error_ns);
}

/* A row of the host may be a range, or a call that started work: it may be missed wherever these are asked for. */
static uint64_t sets_without(const struct sweep *s, const struct cpprof_event *event)
{
    uint64_t sets = match_sets(s, event);
    for (size_t i = 0; event->device < 0 && i < s->query->set_count; i++)
        if (s->is_scoped || s->query->wants_launches[i] || s->by_range >> i & 1)
            sets |= (uint64_t)1 << i;
    return sets;
}

static int add_false_row(struct sweep *s, const struct cpprof_event *event, struct err *e)
{
    struct false_row new = {event->rank, event->device, event_is_gpu_work(event), sets_without(s, event), 1};
    event_stream_gpu_of(s->stream, &new.rank, &new.device);
    s->out->false_times++;
    for (size_t i = 0; i < s->false_rows.count; i++) {
        struct false_row *row = &s->false_rows.items[i];
        if (row->rank == new.rank && row->device == new.device && row->gpu_work == new.gpu_work &&
            row->sets == new.sets) {
            row->rows++;
            return 0;
        }
    }
    struct false_row *row = ARRAY_PUSH(&s->false_rows);
    if (!row)
        return err_memory(e);
    *row = new;
    return 0;
}

/* Notes on the devices which sets lack rows. */
static void finish_false_rows(struct sweep *s)
{
    for (size_t i = 0; i < s->false_rows.count; i++) {
        const struct false_row *row = &s->false_rows.items[i];
        bool found = false;
        for (size_t k = 0; k < s->devices.count; k++) {
            struct timeline_device *d = &s->devices.items[k]->out;
            if (d->rank != row->rank || (row->device >= 0 && d->device != row->device))
                continue;
            found = true;
            d->false_times += row->gpu_work ? row->rows : 0;
            for (uint64_t left = row->sets; left;)
                d->sets[take_lowest(&left)].false_times += row->rows;
        }
        s->out->has_false_alone |= !found;
    }
}

static void note_doubt(struct timeline *t, struct timeline_device *d, const struct active *x)
{
    t->doubtful_times++;
    d->doubtful_times += x->gpu_work;
    for (uint64_t left = x->sets; left;)
        d->sets[take_lowest(&left)].doubtful_times++;
}

static int add_event(struct sweep *s, const struct cpprof_event *event, struct err *e)
{
    struct device_state *d = NULL;
    int code = find_device(&d, s, event, e);
    if (code)
        return code;
    struct active x = {.end_ns = event->end_ns, .gpu_work = event_is_gpu_work(event), .sets = sets_of(s, event)};
    if (x.sets && !d->has_examples && add_examples(s->query, d, &s->out->arena, e))
        return e->code;
    for (uint64_t left = x.sets; left;) {
        struct timeline_set *set = &d->out.sets[take_lowest(&left)];
        set->size_bytes = add_saturated(set->size_bytes, event->size_bytes);
    }
    if (event->flags & EVENT_IS_DOUBTFUL)
        note_doubt(s->out, &d->out, &x);
    if (s->index && x.gpu_work)
        check_call(s, event);
    s->out->of_other_threads += x.gpu_work && is_of_other_thread(s, event);
    d->out.events += x.gpu_work;
    s->out->gpu_events += x.gpu_work;
    d->calls_that_wait += event->kind == CPPROF_EVENT_API && event->detail == CPPROF_API_SYNC;
    if (!is_finished(event)) {
        s->out->unfinished++;
        for (size_t i = 0; i < s->query->set_count; i++)
            if (x.sets >> i & 1) {
                d->out.sets[i].count++;
                d->out.sets[i].unfinished++;
            }
        return 0;
    }
    if (event->start_ns < -TIMELINE_TIME_MAX_NS || event->end_ns > TIMELINE_TIME_MAX_NS)
        return err_set(e, ERR_INPUT, "an event at %lld ns is more than 73 years from time zero",
                       (long long)event->start_ns);
    return x.sets || x.gpu_work ? start_event(s, d, event, &x, e) : 0;
}

static void summarise(const struct sweep *s, sample_group group, double *p50_ns, double *p99_ns)
{
    *p50_ns = *p99_ns = NAN;
    if (!group)
        return;
    const struct duration_summary *summary = duration_groups_get(s->samples, group - 1);
    *p50_ns = summary->p50_ns;
    *p99_ns = summary->p99_ns;
}

static void finish_device(const struct sweep *s, struct device_state *d)
{
    const struct timeline_query *query = s->query;
    end_until(query, d, TIMELINE_TIME_MAX_NS + 1);
    d->out.level_ns[0] = d->out.last_end_ns - d->out.first_start_ns - d->out.unrecorded_ns - d->out.busy_ns;
    for (size_t i = 0; i < query->set_count; i++) {
        struct set_state *state = &d->sets[i];
        struct timeline_set *out = &d->out.sets[i];
        summarise(s, state->durations, &out->dur_p50_ns, &out->dur_p99_ns);
        summarise(s, state->launches, &out->launch_p50_ns, &out->launch_p99_ns);
        summarise(s, state->queues, &out->queue_p50_ns, &out->queue_p99_ns);
    }
}

static void note_ranks(struct timeline *out, const struct event_stream *stream)
{
    const struct rank_starts *recorded = event_stream_starts(stream);
    for (int rank = INT16_MIN - 1; rank_starts_next(recorded, &rank);)
        if (event_stream_takes_rank(stream, rank))
            out->ranks[out->rank_count++] =
                (struct timeline_rank){.rank = rank,
                                       .has_calls = rank_starts_has_kind(recorded, rank, CPPROF_EVENT_API),
                                       .has_other_calls = rank_starts_has_other_calls(recorded, rank),
                                       .has_ranges = rank_starts_has_kind(recorded, rank, CPPROF_EVENT_RANGE),
                                       .has_waits = rank_starts_has_kind(recorded, rank, CPPROF_EVENT_SYNC),
                                       .hides_kernels = rank_starts_hides_kernels(recorded, rank)};
}

/* Did kernels that no record shows run in a process that uses this GPU? */
static bool hides_kernels(const struct timeline_device *d, const struct event_stream *stream)
{
    const struct gpu_places *places = event_stream_gpus(stream);
    bool found = d->of_rank->hides_kernels;
    for (size_t i = 0; !found && i < places->count; i++) {
        const struct gpu_place *place = &places->items[i];
        int16_t rank = place->rank, device = place->device;
        event_stream_gpu_of(stream, &rank, &device);
        found = rank == d->rank && device == d->device && event_stream_takes_rank(stream, place->rank) &&
                rank_starts_hides_kernels(event_stream_starts(stream), place->rank);
    }
    return found;
}

/* Devices and ranks are both sorted by rank, and each device has its rank in the list. */
static void join_ranks(struct sweep *s, const struct event_stream *stream)
{
    struct timeline_rank *rank = s->out->ranks;
    for (size_t i = 0; i < s->devices.count; i++) {
        struct device_state *d = s->devices.items[i];
        while (rank->rank != d->out.rank)
            rank++;
        rank->calls_that_wait += d->calls_that_wait;
        d->out.of_rank = rank;
        d->out.hides_kernels = hides_kernels(&d->out, stream);
    }
}

static int finish(struct sweep *s, const struct event_stream *stream, struct err *e)
{
    struct timeline *out = s->out;
    out->devices = arena_alloc(&out->arena, (s->devices.count + 1) * sizeof *out->devices);
    out->ranks = arena_alloc(&out->arena, (event_stream_starts(stream)->count + 1) * sizeof *out->ranks);
    if (!out->devices || !out->ranks)
        return err_memory(e);
    note_ranks(out, stream);
    join_ranks(s, stream);
    finish_false_rows(s);
    int code = s->samples ? duration_groups_finish(s->samples, e) : 0;
    if (code)
        return code;
    for (size_t i = 0; i < s->devices.count; i++) {
        finish_device(s, s->devices.items[i]);
        out->devices[out->device_count++] = s->devices.items[i]->out;
    }
    return 0;
}

static void widen(struct cpprof_event *event, int64_t by_ns)
{
    if (!by_ns || !is_finished(event) || event->start_ns < -TIMELINE_TIME_MAX_NS ||
        event->end_ns > TIMELINE_TIME_MAX_NS)
        return;               /* impossible times are refused later */
    event->start_ns -= by_ns; /* for all events that are measured alike, so their order stays */
    event->end_ns += by_ns;
    if (event->end_ns < event->start_ns)
        event->end_ns = event->start_ns;
}

/* A stream that is read on demand gets names while it is read. */
static int bind_new_names(struct sweep *s, const struct strtab *strings, struct err *e)
{
    int code = 0;
    for (size_t i = 0; !code && i < s->query->set_count; i++)
        code = selector_bind_new(s->query->sets[i], strings, e);
    s->bound = strtab_count(strings);
    return code;
}

static int sweep_all(struct sweep *s, struct event_stream *stream, struct err *e)
{
    struct cpprof_event event;
    int code;
    const bool no_gpu_work = event_stream_is_launches_only(stream);
    while ((code = event_stream_next_with_false(stream, &event, e)) > 0) {
        if (event.name > s->bound && (code = bind_new_names(s, event_stream_strings(stream), e)))
            return code;
        if (event.flags & EVENT_IS_FALSE) {
            if ((code = add_false_row(s, &event, e)))
                return code;
            continue;
        }
        widen(&event, s->query->widen_ns);
        if (!(no_gpu_work && event_is_gpu_work(&event)) && (code = add_event(s, &event, e)))
            return code;
    }
    return code ? code : finish(s, stream, e);
}

/* Joins only what some set needs. */
static int join_launches(struct sweep *s, struct event_stream *stream, struct err *e)
{
    struct range_pattern patterns[TIMELINE_SETS_MAX] = {0};
    bool wanted = false;
    for (size_t i = 0; i < s->query->set_count; i++) {
        patterns[i].takes = selector_ranges(s->query->sets[i], &patterns[i].count);
        patterns[i].own_thread = selector_is_by_own_thread(s->query->sets[i]);
        if (patterns[i].takes)
            s->by_range |= (uint64_t)1 << i;
        wanted |= s->query->wants_launches[i] || patterns[i].takes;
    }
    s->out->joined = wanted;
    /* A call and both ends of a range may be off, and the event that begins in it has been moved, too. */
    const int64_t widen_ns = 3 * s->query->widen_ns;
    return wanted ? launch_index_build_widened(&s->index, stream, patterns, s->query->set_count, widen_ns, e) : 0;
}

/* Memory for samples is bounded, whatever their number; it is allocated only when a set wants samples. */
static int prepare_samples(struct sweep *s, struct err *e)
{
    bool wanted = false;
    for (size_t i = 0; i < s->query->set_count; i++)
        wanted |= s->query->wants_durations[i] || s->query->wants_launches[i];
    return wanted ? duration_groups_new(&s->samples, e) : 0;
}

int timeline_measure(struct event_stream *stream, struct timeline_query *query, struct timeline *out, struct err *e)
{
    *out = (struct timeline){0};
    arena_init(&out->arena);
    bool by_place = false;
    for (size_t i = 0; i < query->set_count; i++) {
        int code = selector_bind(query->sets[i], stream, e);
        if (code)
            return code;
        by_place |= selector_is_by_place(query->sets[i]);
    }
    out->time_error_ns = event_stream_time_error_ns(stream);
    out->lacks_migrations = event_stream_lacks_migrations(stream);
    out->may_lack_waits = event_stream_may_lack_waits(stream);
    out->hides_anywhere = event_stream_hides_anywhere(stream);
    out->is_mixed = event_stream_is_mixed(stream);
    out->call_doubt = *event_stream_call_doubt(stream);
    out->has_false_alone = event_stream_lacks_times(stream);
    struct sweep s = {.query = query,
                      .stream = stream,
                      .out = out,
                      .order.time_error_ns = out->time_error_ns,
                      .is_scoped = event_stream_is_scoped(stream),
                      .by_place = by_place,
                      .bound = strtab_count(event_stream_strings(stream)),
                      .resumptions = event_stream_resumptions(stream)};
    int code = prepare_samples(&s, e);
    if (!code)
        code = join_launches(&s, stream, e);
    if (!code)
        code = sweep_all(&s, stream, e);
    launch_index_free(s.index);
    duration_groups_free(s.samples);
    for (size_t i = 0; i < s.devices.count; i++)
        device_free(s.devices.items[i]);
    free(s.devices.items);
    free(s.known.items);
    free(s.false_rows.items);
    stream_order_release(&s.order);
    return code;
}
