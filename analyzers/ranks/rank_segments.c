/* What does each place do between collectives, and at their side?
 *
 * Events come in the order of their starts. So up to the next start, what runs is known from the latest end of each
 * kind, and each stretch of time is cut at these ends. */
#include <stdlib.h>
#include <string.h>

#include "analyzers/ranks/rank_lateness.h"
#include "core/base/count_sum.h"
#include "core/base/key_table.h"
#include "core/trace/event_work.h"
#include "core/trace/resumptions.h"

/* A collective that runs. */
struct running {
    int64_t end_ns, wait_end_ns;
    uint32_t arrival;
};

struct sweep {
    bool has_begun;
    int32_t rank;
    int64_t now_ns;
    int64_t paused_ns;             /* recording went on again up to here */
    int64_t until_ns[SPENT_KINDS]; /* latest end of what has started */
    int64_t spent_ns[SPENT_KINDS];
    ARRAY_OF(struct running) running;
    uint32_t waited; /* meetings before this one, at which it waited, do so no more */
};

/* What a place had spent when the last collective of a track ended. */
struct mark {
    int64_t spent_ns[SPENT_KINDS];
    int64_t end_ns;
    uint32_t meeting; /* and 1 more; 0: it had none */
    uint32_t waited;  /* as of the sweep */
    size_t waiting;   /* others that waited then */
    struct rank_overlap overlaps[RANK_OVERLAPS_MAX];
};

/* Tracks of one place: the second one has all ranks of the first, and maybe more. */
struct wider {
    uint32_t track, other;
};

struct segments {
    struct rank_arrivals *a;
    struct rank_befores *befores;
    const struct rank_meetings_found *m;
    struct rank_kinds kinds;
    const struct resumptions *resumptions;
    struct sweep *sweeps;         /* by place */
    struct mark *marks;           /* by track */
    ARRAY_OF(struct wider) wider; /* by track */
    size_t *first_wider;          /* of each track, and behind the last */
    size_t next;                  /* arrival */
    struct key_table compared;    /* (communicator, communicator) */
    ARRAY_OF(bool) is_wider;      /* by its id: does the first have all ranks of the second? */
};

/* Adds to `count` collectives that run, those that wait or the others, their parts of a time. */
static void share_time(struct segments *s, const struct sweep *w, bool wait, int64_t at_ns, int64_t ns, int64_t count)
{
    int64_t given = 0;
    for (size_t i = 0; i < w->running.count; i++) {
        const struct running *r = &w->running.items[i];
        struct rank_arrival *k = &s->a->items.items[r->arrival];
        if ((r->wait_end_ns > at_ns) != wait)
            continue;
        const int64_t part_ns = ns / count + (given++ < ns % count);
        *(wait ? &k->exposed_wait_ns : &k->exposed_ns) += part_ns;
    }
}

/* No other kernel runs. A moment is lost once: it is shared by the collectives that wait; where none does, by all that
 * run. */
static void expose(struct segments *s, const struct sweep *w, int64_t from_ns, int64_t to_ns)
{
    for (int64_t at_ns = from_ns, next_ns; at_ns < to_ns; at_ns = next_ns) {
        int64_t waiting = 0;
        next_ns = to_ns;
        for (size_t i = 0; i < w->running.count; i++) {
            const int64_t wait_end_ns = w->running.items[i].wait_end_ns;
            waiting += wait_end_ns > at_ns;
            next_ns = wait_end_ns > at_ns && wait_end_ns < next_ns ? wait_end_ns : next_ns;
        }
        if (w->running.count)
            share_time(s, w, waiting > 0, at_ns, next_ns - at_ns, waiting ? waiting : (int64_t)w->running.count);
    }
}

/* From now up to `to_ns` nothing starts or ends that has to be looked at. */
static void spend(struct segments *s, struct sweep *w, int64_t to_ns)
{
    int64_t at_ns = w->now_ns;
    for (int kind = 0; kind < SPENT_KINDS && at_ns < to_ns; kind++) {
        const int64_t end_ns = kind == SPENT_IDLE || w->until_ns[kind] > to_ns ? to_ns : w->until_ns[kind];
        if (end_ns <= at_ns)
            continue;
        if (kind == SPENT_IDLE && resumptions_within(s->resumptions, w->rank, at_ns, end_ns))
            w->paused_ns = end_ns; /* what it did meanwhile is not known */
        else
            count_add(&w->spent_ns[kind], end_ns - at_ns);
        at_ns = end_ns;
    }
    expose(s, w, w->until_ns[SPENT_KERNEL] > w->now_ns ? w->until_ns[SPENT_KERNEL] : w->now_ns, to_ns);
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
    const uint8_t doubt = meeting ? s->m->items.items[meeting - 1].doubt : DOUBT_MISMATCH;
    return doubt == DOUBT_NONE || doubt == DOUBT_UNRECORDED;
}

/* Waits end in the order of meetings, because that is the order of last arrivals. */
static void note_waited(const struct segments *s, struct sweep *w, const struct running *r)
{
    const uint32_t meeting = s->a->items.items[r->arrival].meeting;
    if (is_common(s, r->arrival) && meeting > w->waited)
        w->waited = meeting;
}

/* Collectives that wait now; fills those that there is room for, and returns how many they are. */
static size_t find_waiting(const struct segments *s, struct sweep *w, bool is_before,
                           struct rank_overlap out[RANK_OVERLAPS_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < w->running.count; i++) {
        const struct running *r = &w->running.items[i];
        if (r->wait_end_ns <= w->now_ns) {
            note_waited(s, w, r);
            continue;
        }
        if (count < RANK_OVERLAPS_MAX)
            out[count] = (struct rank_overlap){r->arrival, is_before, s->a->items.items[r->arrival].exposed_wait_ns};
        count++;
    }
    return count;
}

static void set_mark(struct segments *s, struct sweep *w, const struct running *ended)
{
    const struct rank_arrival *k = &s->a->items.items[ended->arrival];
    struct mark *mark = &s->marks[k->track];
    memcpy(mark->spent_ns, w->spent_ns, sizeof mark->spent_ns);
    mark->end_ns = ended->end_ns;
    mark->meeting = k->meeting;
    mark->waiting = find_waiting(s, w, true, mark->overlaps);
    mark->waited = w->waited;
}

/* The last collective that all ranks of this one had; NULL when there was none, or recording paused since. */
static const struct mark *last_common(const struct segments *s, const struct sweep *w, uint32_t track)
{
    const struct mark *last = NULL;
    for (size_t i = s->first_wider[track]; i < s->first_wider[track + 1]; i++) {
        const struct mark *mark = &s->marks[s->wider.items[i].other];
        if (mark->meeting && mark->end_ns >= w->paused_ns && (!last || mark->end_ns > last->end_ns))
            last = mark;
    }
    return last;
}

static void advance(struct segments *s, struct sweep *w, int64_t to_ns)
{
    for (size_t i; (i = ends_first(w, to_ns)) < w->running.count;) {
        const struct running ended = w->running.items[i];
        spend(s, w, ended.end_ns > w->now_ns ? ended.end_ns : w->now_ns);
        w->running.items[i] = w->running.items[--w->running.count];
        note_waited(s, w, &ended);
        if (is_common(s, ended.arrival))
            set_mark(s, w, &ended);
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

static int add_overlaps(struct segments *s, struct rank_before *b, const struct rank_overlap *items, size_t count,
                        struct err *e)
{
    for (size_t i = 0; i < count; i++) {
        struct rank_overlap *slot = ARRAY_PUSH(&s->befores->overlaps);
        if (!slot)
            return err_memory(e);
        *slot = items[i];
        b->overlap_count++;
    }
    return 0;
}

/* What the place has spent since the last collective of all ranks, and which others waited at either end of that. */
static int count_spent(struct segments *s, struct sweep *w, const struct rank_arrival *k, struct err *e)
{
    struct rank_overlap now[RANK_OVERLAPS_MAX];
    const size_t waiting = find_waiting(s, w, false, now);
    const bool is_needed = k->meeting && s->m->items.items[k->meeting - 1].may_be_late;
    const struct mark *mark = is_needed ? last_common(s, w, k->track) : NULL;
    if (!mark || mark->waiting > RANK_OVERLAPS_MAX || waiting > RANK_OVERLAPS_MAX)
        return 0;
    struct rank_before b = {.meeting = k->meeting - 1,
                            .place = rank_place_of(s->a, k),
                            .since = mark->meeting,
                            .waits_from = mark->waited,
                            .waits_to = w->waited,
                            .overlap_first = s->befores->overlaps.count & 0xfffffff};
    for (int kind = 0; kind < SPENT_KINDS; kind++)
        b.spent_ns[kind] = w->spent_ns[kind] - mark->spent_ns[kind];
    int rc = add_overlaps(s, &b, mark->overlaps, mark->waiting, e);
    if (!rc)
        rc = add_overlaps(s, &b, now, waiting, e);
    return rc ? rc : rank_befores_add(s->befores, &b, e);
}

static int arrive(struct segments *s, struct sweep *w, const struct cpprof_event *event, struct err *e)
{
    const uint32_t index = (uint32_t)s->next++;
    struct rank_arrival *k = &s->a->items.items[index];
    const int64_t wait_end_ns = event->start_ns + k->wait_ns;
    int rc = count_spent(s, w, k, e);
    if (rc)
        return rc;
    k->exposed_wait_ns = k->exposed_ns = 0; /* in the place of its times, which are those of the event */
    extend(w, SPENT_WAIT, wait_end_ns);
    extend(w, SPENT_TRANSFER, event->end_ns);
    if (w->running.count == RUNNING_MAX)
        return err_set(e, ERR_INPUT, "more than %d collectives run at once on one device", RUNNING_MAX);
    struct running *slot = ARRAY_PUSH(&w->running);
    if (!slot)
        return err_memory(e);
    *slot = (struct running){event->end_ns, wait_end_ns, index};
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
        w->rank = event->rank;
        w->paused_ns = INT64_MIN;
        for (int kind = 0; kind < SPENT_KINDS; kind++)
            w->until_ns[kind] = event->start_ns;
    }
    advance(s, w, event->start_ns);
    if (rank_kinds_arrives(&s->kinds, event))
        return arrive(s, w, event, e);
    extend(w, event->kind == CPPROF_EVENT_KERNEL ? SPENT_KERNEL : SPENT_COPY + (int)transfer_class_of(event->kind),
           event->end_ns);
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

/* ---- communicators with all ranks of another ---- */

static bool has_place(const struct rank_arrivals *a, const struct rank_communicator *c, uint32_t place)
{
    size_t low = 0, high = c->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (a->tracks.items[a->members[c->first + middle]].place < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->count && a->tracks.items[a->members[c->first + low]].place == place;
}

static bool has_all(const struct rank_arrivals *a, uint32_t wide, uint32_t narrow)
{
    const struct rank_communicator *w = &a->communicators.items[wide], *n = &a->communicators.items[narrow];
    for (size_t i = 0; i < n->count; i++)
        if (n->count > w->count || !has_place(a, w, a->tracks.items[a->members[n->first + i]].place))
            return false;
    return true;
}

/* Many places have the same two communicators, which are compared once. */
static int compare_once(struct segments *s, uint32_t wide, uint32_t narrow, bool *is_wider, struct err *e)
{
    const uint32_t id = key_table_add(&s->compared, (int32_t)wide, narrow);
    bool *slot = id > s->is_wider.count ? ARRAY_PUSH(&s->is_wider) : NULL;
    if (!id || id > s->is_wider.count)
        return err_memory(e);
    if (slot)
        *slot = has_all(s->a, wide, narrow);
    *is_wider = s->is_wider.items[id - 1];
    return 0;
}

static int by_place(const void *left, const void *right)
{
    const struct wider *a = left, *b = right;
    return a->other != b->other ? (a->other > b->other) - (a->other < b->other)
                                : (a->track > b->track) - (a->track < b->track);
}

static int by_track(const void *left, const void *right)
{
    const struct wider *a = left, *b = right;
    return a->track != b->track ? (a->track > b->track) - (a->track < b->track)
                                : (a->other > b->other) - (a->other < b->other);
}

enum { COMPARED_MAX = 32 }; /* other tracks of a place; beyond, only the track itself */

/* Pairs of the tracks [first, end) of one place. */
static int add_wider(struct segments *s, const struct wider *at, size_t count, struct err *e)
{
    const struct rank_track *tracks = s->a->tracks.items;
    int rc = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count && !rc; k++) {
            bool is_taken = i == k;
            if (!is_taken && count <= COMPARED_MAX)
                rc = compare_once(s, tracks[at[k].track].communicator, tracks[at[i].track].communicator, &is_taken, e);
            struct wider *slot = is_taken && !rc ? ARRAY_PUSH(&s->wider) : NULL;
            if (slot)
                *slot = (struct wider){at[i].track, at[k].track};
            else if (is_taken && !rc)
                rc = err_memory(e);
        }
    return rc;
}

static int find_wider(struct segments *s, struct err *e)
{
    const size_t count = s->a->tracks.count;
    struct wider *at = calloc(count + 1, sizeof *at); /* `other` is the place */
    s->first_wider = calloc(count + 2, sizeof *s->first_wider);
    int rc = at && s->first_wider ? 0 : err_memory(e);
    for (size_t i = 0; i < count && !rc; i++)
        at[i] = (struct wider){(uint32_t)i, s->a->tracks.items[i].place};
    if (!rc)
        qsort(at, count, sizeof *at, by_place);
    for (size_t i = 0, end; i < count && !rc; i = end) {
        for (end = i + 1; end < count && at[end].other == at[i].other;)
            end++;
        rc = add_wider(s, at + i, end - i, e);
    }
    if (!rc && s->wider.count)
        qsort(s->wider.items, s->wider.count, sizeof *s->wider.items, by_track);
    for (size_t i = 0; i < s->wider.count && !rc; i++)
        s->first_wider[s->wider.items[i].track + 1] = i + 1;
    free(at);
    return rc;
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

int rank_segments_measure(struct event_stream *stream, const struct rank_meetings_found *m, struct rank_arrivals *a,
                          struct rank_befores *befores, struct err *e)
{
    struct segments s = {.a = a,
                         .befores = befores,
                         .m = m,
                         .resumptions = event_stream_resumptions(stream),
                         .sweeps = calloc(a->places.count + 1, sizeof *s.sweeps),
                         .marks = calloc(a->tracks.count + 1, sizeof *s.marks)};
    int rc = s.sweeps && s.marks ? 0 : err_memory(e);
    if (!rc)
        rc = find_wider(&s, e);
    if (!rc)
        rc = rank_kinds_make(&s.kinds, stream, e);
    if (!rc)
        rc = read_again(&s, stream, e);
    for (size_t i = 0; i < a->places.count && s.sweeps; i++)
        free(s.sweeps[i].running.items);
    rank_kinds_release(&s.kinds);
    free(s.sweeps);
    free(s.marks);
    free(s.wider.items);
    key_table_release(&s.compared);
    free(s.is_wider.items);
    free(s.first_wider);
    return rc;
}
