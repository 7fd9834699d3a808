/* What does each place do between collectives, and at their side?
 *
 * Events come in the order of their starts. So up to the next start, what runs is known from the latest end of each
 * kind, and each stretch of time is cut at these ends. */
#include <stdlib.h>
#include <string.h>

#include "analyzers/ranks/rank_lateness.h"
#include "base/count_sum.h"
#include "trace/event_work.h"

/* A collective that runs. */
struct running {
    int64_t end_ns, wait_end_ns;
    uint32_t arrival;
};

struct sweep {
    bool has_begun;
    int64_t now_ns;
    int64_t until_ns[SPENT_KINDS]; /* latest end of what has started */
    int64_t spent_ns[SPENT_KINDS];
    ARRAY_OF(struct running) running;
};

/* What a place had spent when the last collective of a track ended. */
struct mark {
    int64_t spent_ns[SPENT_KINDS];
    bool is_set;
};

struct segments {
    struct rank_arrivals *a;
    const struct rank_meetings_found *m;
    struct rank_kinds kinds;
    struct sweep *sweeps; /* by place */
    struct mark *marks;   /* by track */
    size_t next;          /* arrival */
};

static int64_t within(int64_t from_ns, int64_t to_ns, int64_t low_ns, int64_t high_ns)
{
    const int64_t begin_ns = from_ns > low_ns ? from_ns : low_ns, end_ns = to_ns < high_ns ? to_ns : high_ns;
    return end_ns > begin_ns ? end_ns - begin_ns : 0;
}

/* From now up to `to_ns` nothing starts or ends that has to be looked at. */
static void spend(struct segments *s, struct sweep *w, int64_t to_ns)
{
    int64_t at_ns = w->now_ns;
    for (int kind = 0; kind < SPENT_KINDS && at_ns < to_ns; kind++) {
        const int64_t end_ns = kind == SPENT_IDLE || w->until_ns[kind] > to_ns ? to_ns : w->until_ns[kind];
        if (end_ns <= at_ns)
            continue;
        count_add(&w->spent_ns[kind], end_ns - at_ns);
        at_ns = end_ns;
    }
    const int64_t kernels_ns = w->until_ns[SPENT_KERNEL] > w->now_ns ? w->until_ns[SPENT_KERNEL] : w->now_ns;
    for (size_t i = 0; i < w->running.count; i++) {
        const struct running *r = &w->running.items[i];
        struct rank_arrival *k = &s->a->items.items[r->arrival];
        k->exposed_wait_ns += within(kernels_ns, to_ns, k->start_ns, r->wait_end_ns);
        k->exposed_ns += within(kernels_ns, to_ns, r->wait_end_ns, r->end_ns);
    }
    w->now_ns = to_ns;
}

/* The collective that ends first, if it ends by then; the number of those that run when none does. */
static size_t ends_first(const struct sweep *w, int64_t by_ns)
{
    size_t first = w->running.count;
    for (size_t i = 0; i < w->running.count; i++)
        if (w->running.items[i].end_ns <= by_ns &&
            (first == w->running.count || w->running.items[i].end_ns < w->running.items[first].end_ns))
            first = i;
    return first;
}

/* Does it end everywhere at the same time? Only then what ranks spend from there on compares. */
static bool is_common(const struct segments *s, uint32_t arrival)
{
    const uint32_t meeting = s->a->items.items[arrival].meeting;
    return meeting && s->m->items.items[meeting - 1].doubt == DOUBT_NONE;
}

static void set_mark(struct mark *mark, const struct sweep *w)
{
    memcpy(mark->spent_ns, w->spent_ns, sizeof mark->spent_ns);
    mark->is_set = true;
}

static void advance(struct segments *s, struct sweep *w, int64_t to_ns)
{
    for (size_t i; (i = ends_first(w, to_ns)) < w->running.count;) {
        const struct running ended = w->running.items[i];
        spend(s, w, ended.end_ns > w->now_ns ? ended.end_ns : w->now_ns);
        if (is_common(s, ended.arrival))
            set_mark(&s->marks[s->a->items.items[ended.arrival].track], w);
        w->running.items[i] = w->running.items[--w->running.count];
    }
    if (to_ns > w->now_ns)
        spend(s, w, to_ns);
}

static void extend(struct sweep *w, enum rank_spent kind, int64_t end_ns)
{
    if (end_ns > w->until_ns[kind])
        w->until_ns[kind] = end_ns;
}

enum { RUNNING_MAX = 4096 }; /* collectives at once on one device */

static int arrive(struct segments *s, struct sweep *w, struct err *e)
{
    const uint32_t index = (uint32_t)s->next++;
    struct rank_arrival *k = &s->a->items.items[index];
    const struct mark *mark = &s->marks[k->track];
    k->has_previous = mark->is_set;
    for (int kind = 0; kind < SPENT_KINDS && mark->is_set; kind++)
        k->spent_ns[kind] = w->spent_ns[kind] - mark->spent_ns[kind];
    extend(w, SPENT_WAIT, k->wait_end_ns);
    extend(w, SPENT_TRANSFER, k->end_ns);
    if (w->running.count == RUNNING_MAX)
        return err_set(e, ERR_INPUT, "more than %d collectives run at once on one device", RUNNING_MAX);
    struct running *slot = ARRAY_PUSH(&w->running);
    if (!slot)
        return err_memory(e);
    *slot = (struct running){k->end_ns, k->wait_end_ns, index};
    return 0;
}

static int take(struct segments *s, const struct cpprof_event *event, struct err *e)
{
    if (!event_is_gpu_work(event) || event->device < 0 || event->flags & CPPROF_EVENT_UNFINISHED)
        return 0;
    struct sweep *w = &s->sweeps[rank_arrivals_place(s->a, event)];
    if (!w->has_begun) {
        w->has_begun = true;
        w->now_ns = event->start_ns;
        for (int kind = 0; kind < SPENT_KINDS; kind++)
            w->until_ns[kind] = event->start_ns;
    }
    advance(s, w, event->start_ns);
    if (rank_kinds_arrives(&s->kinds, event))
        return arrive(s, w, e);
    extend(w, event->kind == CPPROF_EVENT_KERNEL ? SPENT_KERNEL : SPENT_COPY, event->end_ns);
    return 0;
}

/* What still runs when the last event has started. */
static void finish(struct segments *s)
{
    for (size_t i = 0; i < s->a->places.count; i++) {
        struct sweep *w = &s->sweeps[i];
        int64_t end_ns = w->now_ns;
        for (int kind = 0; kind < SPENT_IDLE; kind++)
            end_ns = w->until_ns[kind] > end_ns ? w->until_ns[kind] : end_ns;
        if (w->has_begun)
            advance(s, w, end_ns);
        memcpy(s->a->places.items[i].spent_ns, w->spent_ns, sizeof w->spent_ns);
    }
}

static int read_again(struct segments *s, struct event_stream *stream, struct err *e)
{
    struct cpprof_event event;
    int rc = event_stream_rewind(stream, e);
    while (!rc && (rc = event_stream_next(stream, &event, e)) == 1)
        rc = take(s, &event, e);
    if (!rc)
        finish(s);
    return rc;
}

int rank_segments_measure(struct event_stream *stream, const char *comm_pattern, const struct rank_meetings_found *m,
                          struct rank_arrivals *a, struct err *e)
{
    struct segments s = {.a = a,
                         .m = m,
                         .sweeps = calloc(a->places.count + 1, sizeof *s.sweeps),
                         .marks = calloc(a->tracks.count + 1, sizeof *s.marks)};
    int rc = s.sweeps && s.marks ? 0 : err_memory(e);
    if (!rc)
        rc = rank_kinds_make(&s.kinds, event_stream_strings(stream), comm_pattern, e);
    if (!rc)
        rc = read_again(&s, stream, e);
    for (size_t i = 0; i < a->places.count && s.sweeps; i++)
        free(s.sweeps[i].running.items);
    rank_kinds_release(&s.kinds);
    free(s.sweeps);
    free(s.marks);
    return rc;
}
