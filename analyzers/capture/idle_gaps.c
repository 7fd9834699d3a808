/* When does a device run no kernel, and who is to blame?
 *
 * Work with its calls, and the waits of the host, are sorted by start. The
 * sweep stops at every instant at which something starts or ends, lets all of
 * it happen, and then looks at the devices that it touched: one that changed
 * between kernels, another class of work and nothing ends a stretch there. */
#include "analyzers/capture/idle_gaps.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/key_table.h"
#include "core/io/record_spool.h"
#include "core/trace/duration_groups.h"
#include "core/trace/event_work.h"
#include "core/trace/host_waits.h"
#include "core/trace/launch_join.h"
#include "core/trace/resumptions.h"

/* What nothing holds up starts sooner than this after its call returned: a few
 * microseconds, even where a tool makes it slow. */
static const int64_t start_latency_ns = 20000;

enum { STEPS_IN_MEMORY = 64 * 1024, WAITS_KEPT = 16, THREADS_MAX = 65536 };

static const struct {
    const char *name, *key;
} causes[GAP_CAUSES] = {
    [GAP_HOST_LATE] = {"host late", "host_late"},
    [GAP_SYNC] = {"synchronisation", "synchronisation"},
    [GAP_DEPENDENCY] = {"dependency", "dependency"},
    [GAP_UNKNOWN] = {"unknown", "unknown"},
};

bool gap_cause_is_work(enum gap_cause cause)
{
    return cause >= GAP_COPY && cause < GAP_COPY + TRANSFER_CLASSES;
}

static const struct transfer_words *words_of(enum gap_cause cause)
{
    return transfer_words((enum transfer_class)(cause - GAP_COPY));
}

const char *gap_cause_name(enum gap_cause cause)
{
    return gap_cause_is_work(cause) ? words_of(cause)->key : causes[cause].name;
}

const char *gap_cause_only(enum gap_cause cause)
{
    return gap_cause_is_work(cause) ? words_of(cause)->only : causes[cause].name;
}

const char *gap_cause_key(enum gap_cause cause)
{
    return gap_cause_is_work(cause) ? words_of(cause)->key : causes[cause].key;
}

int64_t gaps_span_ns(const struct gaps_device *d)
{
    return duration_ns(d->first_start_ns, d->last_end_ns) - d->unrecorded_ns;
}

int64_t gaps_no_kernel_ns(const struct gaps_device *d)
{
    return gaps_span_ns(d) - d->kernel_ns;
}

int64_t gaps_idle_ns(const struct gaps_device *d)
{
    int64_t idle_ns = gaps_no_kernel_ns(d);
    for (int c = 0; c < TRANSFER_CLASSES; c++)
        idle_ns -= d->cause_ns[GAP_COPY + c];
    return idle_ns;
}

struct gap_share gaps_share(const struct gaps_device *d, enum gap_cause cause)
{
    return (struct gap_share){.key = gap_cause_key(cause),
                              .name = gap_cause_name(cause),
                              .ns = d->cause_ns[cause],
                              .count = d->cause_count[cause],
                              .no_kernel_ns = gaps_no_kernel_ns(d),
                              .span_ns = gaps_span_ns(d)};
}

struct gap_share gaps_share_of_all(const struct gaps_device *d)
{
    struct gap_share all = {.name = "no kernel",
                            .ns = gaps_no_kernel_ns(d),
                            .no_kernel_ns = gaps_no_kernel_ns(d),
                            .span_ns = gaps_span_ns(d)};
    for (int cause = 0; cause < GAP_CAUSES; cause++)
        all.count += d->cause_count[cause];
    return all;
}

struct gap_share gaps_share_of_span(const struct gaps_device *d)
{
    return (struct gap_share){
        .name = "span", .ns = gaps_span_ns(d), .no_kernel_ns = gaps_no_kernel_ns(d), .span_ns = gaps_span_ns(d)};
}

void idle_gaps_release(struct idle_gaps *g)
{
    free(g->items);
    *g = (struct idle_gaps){0};
}

/* ---- the sweep's state ---- */

/* From OTHERS on: only work of that class, or of a later one. */
enum { NOTHING_YET, IDLE, KERNELS, OTHERS };

/* Copies that are told apart; the later one where both run. */
enum special { NOT_SPECIAL, PAGEABLE, COMMUNICATING };

/* A device during the sweep; the result it fills has the same index. */
struct lane {
    int state;
    uint32_t ends; /* index into those of the sweep */
    int64_t since_ns;
    uint32_t kernels; /* running now */
    uint32_t others[TRANSFER_CLASSES];
    uint32_t pageable, communicating; /* of the copies */
    enum special special;             /* no kernel runs, but such a copy, ... */
    int64_t special_since_ns;         /* ... since then */
    bool is_touched;                  /* in this instant */
    bool has_started, has_ended;
    struct launched started;                     /* in this instant: the first with a call, else the first */
    struct gap_neighbour ended;                  /* in this instant */
    struct gap_neighbour before;                 /* when the present stretch began */
    struct gap_neighbour last[TRANSFER_CLASSES]; /* what started last of each class */
};

/* What the host waited in, the last WAITS_KEPT of a thread. */
struct wait {
    uint32_t name;
    int64_t start_ns, end_ns;
    int64_t reach_ns; /* its end; behind that of its copy where two clocks let the call return before */
};

struct host_thread {
    struct wait waits[WAITS_KEPT];
    size_t added;
};

struct running {
    int64_t end_ns;
    uint32_t lane;
    struct gap_neighbour what;
};

struct last_end {
    int64_t end_ns;
    uint32_t lane;
    struct gap_neighbour what;
};

/* Ends on devices of one trace. Another trace may have another clock, so its ends say nothing here. */
struct trace_ends {
    struct last_end last[2]; /* the latest end, and the latest on another device than that; lane 0: not known */
};

struct sweep {
    struct idle_gaps *out;
    const struct event_stream *stream;
    struct key_table devices, threads;
    struct {
        struct lane *items; /* one for each id of devices, as are out->items */
        size_t count, capacity;
    } lanes;
    struct {
        struct host_thread *items; /* one for each id of threads */
        size_t count, capacity;
    } hosts;
    struct { /* a heap: what ends first is first */
        struct running *items;
        size_t count, capacity;
    } running;
    struct {
        uint32_t *items;
        size_t count, capacity;
    } touched;
    const struct resumptions *resumptions;
    struct {
        struct trace_ends *items; /* by the place of the trace (event_stream_origin) */
        size_t count, capacity;
    } ends;
    int64_t now_ns;
    gap_take take; /* NULL: nobody asks for each gap */
    void *context;
    int rc; /* of `take` */
    struct err *e;
};

static struct gap_neighbour neighbour(const struct launched *work)
{
    return (struct gap_neighbour){true,       work->is_pageable, work->communicates, work->kind,
                                  work->name, work->detail,      work->stream};
}

static int add_lane(struct sweep *s, const struct launched *work, int16_t rank, int16_t gpu)
{
    const size_t origin = event_stream_origin(s->stream, rank);
    struct gaps_device *device = ARRAY_PUSH(s->out);
    struct lane *lane = device ? ARRAY_PUSH(&s->lanes) : NULL;
    if (!lane)
        return ERR_MEMORY;
    while (s->ends.count <= origin)
        if (!ARRAY_PUSH(&s->ends))
            return ERR_MEMORY;
    lane->ends = (uint32_t)origin;
    device->rank = rank;
    device->device = gpu;
    device->first_start_ns = work->start_ns;
    device->last_end_ns = work->end_ns;
    return 0;
}

static uint32_t lane_of(struct sweep *s, const struct launched *work, struct err *e)
{
    int16_t rank = work->rank, device = work->device;
    event_stream_gpu_of(s->stream, &rank, &device);
    const uint32_t id = key_table_add(&s->devices, rank, (uint32_t)device);
    if (id > GAPS_DEVICES_MAX) {
        err_set(e, ERR_INPUT, "more than %d devices", GAPS_DEVICES_MAX);
        return 0;
    }
    if (id && (id <= s->lanes.count || !add_lane(s, work, rank, device)))
        return id;
    err_memory(e);
    return 0;
}

static int touch(struct sweep *s, uint32_t lane)
{
    if (s->lanes.items[lane - 1].is_touched)
        return 0;
    uint32_t *slot = ARRAY_PUSH(&s->touched);
    if (!slot)
        return ERR_MEMORY;
    *slot = lane;
    s->lanes.items[lane - 1].is_touched = true;
    return 0;
}

/* ---- the heap of what is running ---- */

static int push_running(struct sweep *s, const struct running *r, struct err *e)
{
    if (s->running.count == GAPS_RUNNING_MAX)
        return err_set(e, ERR_INPUT, "more than %d operations at once", GAPS_RUNNING_MAX);
    if (!ARRAY_PUSH(&s->running))
        return err_memory(e);
    size_t at = s->running.count - 1;
    for (; at && s->running.items[(at - 1) / 2].end_ns > r->end_ns; at = (at - 1) / 2)
        s->running.items[at] = s->running.items[(at - 1) / 2];
    s->running.items[at] = *r;
    return 0;
}

static struct running pop_running(struct sweep *s)
{
    struct running *heap = s->running.items;
    const struct running first = heap[0], moved = heap[--s->running.count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < s->running.count; at = child) {
        if (child + 1 < s->running.count && heap[child + 1].end_ns < heap[child].end_ns)
            child++;
        if (heap[child].end_ns >= moved.end_ns)
            break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
    return first;
}

/* ---- causes ---- */

static int64_t gap_ns(const struct idle_gap *gap)
{
    return duration_ns(gap->start_ns, gap->end_ns);
}

static int64_t part_inside(int64_t start_ns, int64_t end_ns, int64_t from_ns, int64_t to_ns)
{
    const int64_t begin = start_ns > from_ns ? start_ns : from_ns, end = end_ns < to_ns ? end_ns : to_ns;
    return end > begin ? end - begin : 0;
}

/* The wait that kept the thread from launching. Without a wait its thread would
 * have come to the launch earlier by the length of the wait at most: one that
 * ended in the gap, before the launch, and is at least half as long as the gap
 * explains it. Where there are several, the longest. */
static const struct wait *find_wait(struct sweep *s, const struct launched *next, const struct idle_gap *gap)
{
    const uint32_t id = key_table_find(&s->threads, next->rank, next->thread);
    if (!id)
        return NULL;
    const struct host_thread *host = &s->hosts.items[id - 1];
    const struct wait *best = NULL;
    int64_t best_ns = gap_ns(gap) - gap_ns(gap) / 2;
    for (size_t i = 0; i < WAITS_KEPT && i < host->added; i++) {
        const struct wait *w = &host->waits[i];
        const int64_t wait_ns = duration_ns(w->start_ns, w->end_ns);
        if (w->reach_ns <= gap->start_ns || w->end_ns > next->call_start_ns || wait_ns < best_ns)
            continue;
        best = w;
        best_ns = wait_ns;
    }
    return best;
}

static void set_call(struct idle_gap *gap, const struct launched *next)
{
    gap->has_call = true;
    gap->call = (struct gap_call){next->call_name, next->call_start_ns, next->call_end_ns};
}

static void set_dependency(struct sweep *s, struct idle_gap *gap, uint32_t lane)
{
    gap->cause = GAP_DEPENDENCY;
    const struct last_end *last = s->ends.items[s->lanes.items[lane - 1].ends].last;
    const struct last_end *other = last[0].lane == lane ? &last[1] : &last[0];
    if (!other->lane || other->end_ns <= gap->start_ns)
        return;
    gap->has_other = true;
    gap->other_rank = s->out->items[other->lane - 1].rank;
    gap->other_device = s->out->items[other->lane - 1].device;
    gap->other = other->what;
}

/* The call had returned before the gap, or so early in it that most of the gap
 * lies behind it, and more than a launch takes. */
static bool is_launched_in_time(const struct idle_gap *gap)
{
    if (gap->call.end_ns <= gap->start_ns)
        return true;
    const int64_t host_ns = duration_ns(gap->start_ns, gap->call.end_ns);
    const int64_t device_ns = duration_ns(gap->call.end_ns, gap->end_ns);
    return device_ns > host_ns && device_ns > start_latency_ns;
}

static void blame(struct sweep *s, struct idle_gap *gap, uint32_t lane)
{
    const struct launched *next = &s->lanes.items[lane - 1].started;
    gap->after = neighbour(next);
    gap->cause = GAP_UNKNOWN;
    if (!next->has_call)
        return;
    set_call(gap, next);
    if (is_launched_in_time(gap)) {
        set_dependency(s, gap, lane);
        return;
    }
    gap->cause = GAP_HOST_LATE;
    const struct wait *wait = find_wait(s, next, gap);
    if (wait) {
        gap->cause = GAP_SYNC;
        gap->wait = (struct gap_call){wait->name, wait->start_ns, wait->end_ns};
    }
}

/* ---- stretches ---- */

static void keep_if_large(struct gaps_device *d, const struct idle_gap *gap)
{
    size_t at = d->largest_count;
    while (at && gap_ns(&d->largest[at - 1]) < gap_ns(gap))
        at--;
    if (at == GAPS_SHOWN)
        return;
    if (d->largest_count < GAPS_SHOWN)
        d->largest_count++;
    memmove(&d->largest[at + 1], &d->largest[at], (d->largest_count - at - 1) * sizeof d->largest[0]);
    d->largest[at] = *gap;
}

static void close_gap(struct sweep *s, uint32_t lane, const struct lane *l)
{
    struct gaps_device *d = &s->out->items[lane - 1];
    struct idle_gap gap = {.start_ns = l->since_ns, .end_ns = s->now_ns, .before = l->before};
    if (l->state == IDLE && resumptions_within(s->resumptions, d->rank, gap.start_ns, gap.end_ns)) {
        d->unrecorded_ns += gap_ns(&gap);
        return;
    }
    if (l->state == IDLE) {
        blame(s, &gap, lane);
        if (gap.has_call) {
            d->starved_ns += part_inside(gap.start_ns, gap.call.end_ns, gap.start_ns, gap.end_ns);
            d->answered_ns += gap_ns(&gap);
        }
    } else {
        gap.cause = (enum gap_cause)(GAP_COPY + l->state - OTHERS);
        gap.work = l->last[l->state - OTHERS];
        if (l->has_started)
            gap.after = neighbour(&l->started);
    }
    if (gap.cause == GAP_UNKNOWN && gap.after.kind == CPPROF_EVENT_MIGRATION)
        d->paging_ns += gap_ns(&gap);
    d->cause_ns[gap.cause] += gap_ns(&gap);
    d->cause_count[gap.cause]++;
    keep_if_large(d, &gap);
    if (gap_ns(&gap) > gap_ns(&d->longest[gap.cause]))
        d->longest[gap.cause] = gap;
    if (s->take && !s->rc)
        s->rc = s->take(s->context, d, &gap, s->e);
}

static void settle_special(struct sweep *s, uint32_t lane, struct lane *l)
{
    struct gaps_device *d = &s->out->items[lane - 1];
    const enum special special = l->kernels         ? NOT_SPECIAL
                                 : l->communicating ? COMMUNICATING
                                 : l->pageable      ? PAGEABLE
                                                    : NOT_SPECIAL;
    if (special == l->special)
        return;
    if (l->special == PAGEABLE)
        d->pageable_ns += duration_ns(l->special_since_ns, s->now_ns);
    if (l->special == COMMUNICATING)
        d->communication_ns += duration_ns(l->special_since_ns, s->now_ns);
    l->special = special;
    l->special_since_ns = s->now_ns;
}

static int state_of(const struct lane *l)
{
    if (l->kernels)
        return KERNELS;
    for (int c = 0; c < TRANSFER_CLASSES; c++)
        if (l->others[c])
            return OTHERS + c;
    return IDLE;
}

static void settle_lane(struct sweep *s, uint32_t lane)
{
    struct lane *l = &s->lanes.items[lane - 1];
    settle_special(s, lane, l);
    const int state = state_of(l);
    if (state != l->state) {
        if (l->state == KERNELS)
            s->out->items[lane - 1].kernel_ns += duration_ns(l->since_ns, s->now_ns);
        else if (l->state != NOTHING_YET)
            close_gap(s, lane, l);
        if (l->has_ended)
            l->before = l->ended;
        l->state = state;
        l->since_ns = s->now_ns;
    }
    l->is_touched = l->has_started = l->has_ended = false;
}

static void settle(struct sweep *s)
{
    for (size_t i = 0; i < s->touched.count; i++)
        settle_lane(s, s->touched.items[i]);
    s->touched.count = 0;
}

static void note_end(struct sweep *s, const struct running *r)
{
    const struct last_end now = {r->end_ns, r->lane, r->what};
    struct last_end *last = s->ends.items[s->lanes.items[r->lane - 1].ends].last;
    if (last[0].lane && last[0].lane != r->lane)
        last[1] = last[0];
    last[0] = now;
}

/* How many of this kind run. */
static uint32_t *running_of(struct lane *l, uint16_t kind)
{
    return kind == CPPROF_EVENT_KERNEL ? &l->kernels : &l->others[transfer_class_of(kind)];
}

/* What ends at the first end, all of it. */
static int end_instant(struct sweep *s)
{
    s->now_ns = s->running.items[0].end_ns;
    while (s->running.count && s->running.items[0].end_ns == s->now_ns) {
        const struct running r = pop_running(s);
        struct lane *l = &s->lanes.items[r.lane - 1];
        if (touch(s, r.lane))
            return ERR_MEMORY;
        --*running_of(l, r.what.kind);
        l->pageable -= r.what.is_pageable;
        l->communicating -= r.what.communicates;
        l->ended = r.what;
        l->has_ended = true;
        note_end(s, &r);
    }
    return 0;
}

/* Lets everything end that ends before `time_ns` or at it. */
static int advance(struct sweep *s, int64_t time_ns)
{
    if (time_ns > s->now_ns)
        settle(s);
    while (s->running.count && s->running.items[0].end_ns <= time_ns) {
        if (end_instant(s))
            return ERR_MEMORY;
        if (s->now_ns < time_ns)
            settle(s);
    }
    s->now_ns = time_ns;
    return 0;
}

static int start_work(struct sweep *s, const struct launched *work, struct err *e)
{
    const uint32_t lane = lane_of(s, work, e);
    if (!lane)
        return e->code;
    if (touch(s, lane))
        return err_memory(e);
    struct gaps_device *d = &s->out->items[lane - 1];
    struct lane *l = &s->lanes.items[lane - 1];
    d->operations++;
    s->out->operations++;
    if (work->end_ns > d->last_end_ns)
        d->last_end_ns = work->end_ns;
    if (!l->has_started || (!l->started.has_call && work->has_call))
        l->started = *work;
    l->has_started = true;
    if (work->end_ns == work->start_ns)
        return 0;
    ++*running_of(l, work->kind);
    const struct running r = {work->end_ns, lane, neighbour(work)};
    if (work->kind != CPPROF_EVENT_KERNEL)
        l->last[transfer_class_of(work->kind)] = r.what;
    l->pageable += r.what.is_pageable;
    l->communicating += r.what.communicates;
    return push_running(s, &r, e);
}

static int add_wait(struct sweep *s, const struct launched *call, struct err *e)
{
    const uint32_t id = key_table_add(&s->threads, call->rank, call->thread);
    if (!id)
        return err_memory(e);
    if (id > THREADS_MAX)
        return err_set(e, ERR_INPUT, "calls on more than %d threads", THREADS_MAX);
    while (s->hosts.count < id)
        if (!ARRAY_PUSH(&s->hosts))
            return err_memory(e);
    struct host_thread *host = &s->hosts.items[id - 1];
    const int64_t reach_ns =
        call->end_ns > call->call_end_ns && call->end_ns < INT64_MAX ? call->end_ns + 1 : call->call_end_ns;
    host->waits[host->added++ % WAITS_KEPT] =
        (struct wait){call->call_name, call->call_start_ns, call->call_end_ns, reach_ns};
    return 0;
}

static int step(struct sweep *s, const struct launched *l, struct err *e)
{
    if (!l->kind)
        return add_wait(s, l, e);
    if (advance(s, l->start_ns))
        return err_memory(e);
    return start_work(s, l, e);
}

/* Work without a duration may end a device's span behind everything else. */
static void close_span(struct sweep *s, uint32_t lane)
{
    const struct gaps_device *d = &s->out->items[lane - 1];
    struct lane *l = &s->lanes.items[lane - 1];
    if (l->state == IDLE && d->last_end_ns > l->since_ns) {
        s->now_ns = d->last_end_ns;
        close_gap(s, lane, l);
    }
}

static int finish(struct sweep *s, struct err *e)
{
    settle(s);
    while (s->running.count) {
        if (end_instant(s))
            return err_memory(e);
        settle(s);
    }
    for (size_t i = 0; i < s->lanes.count; i++)
        close_span(s, (uint32_t)i + 1);
    return 0;
}

/* ---- sorting ---- */

static int64_t step_ns(const struct launched *l)
{
    return l->kind ? l->start_ns : l->call_start_ns;
}

static int step_order(const void *left, const void *right)
{
    const struct launched *a = left, *b = right;
#define COMPARE(x, y)                                                                                                  \
    if ((x) != (y))                                                                                                    \
        return (x) < (y) ? -1 : 1;
    COMPARE(step_ns(a), step_ns(b))
    COMPARE(a->kind != 0, b->kind != 0)
    COMPARE(a->end_ns, b->end_ns)
    COMPARE(a->rank, b->rank)
    COMPARE(a->device, b->device)
    COMPARE(a->stream, b->stream)
    COMPARE(a->correlation, b->correlation)
    COMPARE(a->part, b->part)
    COMPARE(a->call_end_ns, b->call_end_ns)
    COMPARE(a->name, b->name)
#undef COMPARE
    return 0;
}

/* A wait is a call without work; what work it had only says how far it reached. */
static int sort_wait(struct record_spool *steps, const struct launched *call, struct err *e)
{
    const struct launched wait = {.call_start_ns = call->call_start_ns,
                                  .call_end_ns = call->call_end_ns,
                                  .end_ns = call->end_ns,
                                  .call_name = call->call_name,
                                  .thread = call->thread,
                                  .rank = call->rank,
                                  .device = -1,
                                  .has_call = true};
    return record_spool_add(steps, &wait, e);
}

static int sort_synchronising(struct record_spool *steps, const struct cpprof_event *event, struct err *e)
{
    const struct launched call = {.call_start_ns = event->start_ns,
                                  .call_end_ns = event->end_ns,
                                  .end_ns = event->end_ns,
                                  .call_name = event->name,
                                  .thread = event->thread,
                                  .rank = event->rank};
    return sort_wait(steps, &call, e);
}

/* Work, and the copies that the host waited for. */
static int sort_work(struct record_spool *steps, struct launch_join *join, const struct strtab *names, struct err *e)
{
    struct host_wait_search search = {.names = names};
    struct launched next, call;
    int rc, more = 1;
    while (more) {
        if ((more = launch_join_next(join, &next, e)) < 0)
            return more;
        if (host_waits_next(&search, more ? &next : NULL, &call) && (rc = sort_wait(steps, &call, e)))
            return rc;
        if (more && next.kind && (rc = record_spool_add(steps, &next, e)))
            return rc;
    }
    return 0;
}

static int sort_waits(struct record_spool *steps, struct event_stream *stream, struct err *e)
{
    struct cpprof_event event;
    int rc = event_stream_rewind(stream, e);
    while (!rc && (rc = event_stream_next_unscoped(stream, &event, e)) == 1)
        rc = host_waits_in(&event) ? sort_synchronising(steps, &event, e) : 0;
    return rc ? rc : event_stream_rewind(stream, e);
}

static int sort_steps(struct record_spool *steps, struct event_stream *stream, struct idle_gaps *out, struct err *e)
{
    struct launch_join *join;
    int rc = launch_join_new(&join, stream, e);
    if (!rc) {
        out->calls = launch_join_calls(join);
        rc = sort_work(steps, join, event_stream_strings(stream), e);
    }
    launch_join_free(join);
    return rc ? rc : sort_waits(steps, stream, e);
}

static int sweep_all(struct sweep *s, struct record_spool *steps, struct err *e)
{
    struct launched launched;
    int rc = record_spool_rewind(steps, e);
    while (!rc && (rc = record_spool_next(steps, &launched, e)) == 1)
        rc = (rc = step(s, &launched, e)) ? rc : s->rc;
    if (!rc)
        rc = finish(s, e);
    return rc ? rc : s->rc;
}

static int device_order(const void *left, const void *right)
{
    const struct gaps_device *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->device < b->device ? -1 : a->device > b->device;
}

void idle_gaps_sort(struct idle_gaps *g)
{
    if (g->count)
        qsort(g->items, g->count, sizeof *g->items, device_order);
}

const struct gaps_device *idle_gaps_device(const struct idle_gaps *g, int32_t rank, int32_t device)
{
    size_t low = 0, high = g->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct gaps_device *d = &g->items[middle];
        if (d->rank == rank && d->device == device)
            return d;
        if (d->rank != rank ? d->rank < rank : d->device < device)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

int idle_gaps_measure(struct event_stream *stream, struct idle_gaps *out, struct err *e)
{
    return idle_gaps_each(stream, NULL, NULL, out, e);
}

int idle_gaps_each(struct event_stream *stream, gap_take take, void *context, struct idle_gaps *out, struct err *e)
{
    *out = (struct idle_gaps){0};
    if (event_stream_is_launches_only(stream))
        return err_set(e, ERR_INPUT,
                       "'%s' has launches and no copies: what looks idle may be a copy; export everything: nsys export "
                       "--type sqlite REPORT.nsys-rep",
                       event_stream_source(stream));
    struct err own = {0};
    if (!e)
        e = &own;
    struct sweep s = {.out = out,
                      .stream = stream,
                      .now_ns = INT64_MIN,
                      .take = take,
                      .context = context,
                      .resumptions = event_stream_resumptions(stream),
                      .e = e};
    struct record_spool *steps;
    int rc = record_spool_new(&steps, sizeof(struct launched), STEPS_IN_MEMORY, step_order, e);
    if (!rc)
        rc = sort_steps(steps, stream, out, e);
    if (!rc)
        rc = sweep_all(&s, steps, e);
    if (!rc)
        idle_gaps_sort(out);
    record_spool_free(steps);
    key_table_release(&s.devices);
    key_table_release(&s.threads);
    free(s.lanes.items);
    free(s.ends.items);
    free(s.hosts.items);
    free(s.running.items);
    free(s.touched.items);
    return rc;
}
