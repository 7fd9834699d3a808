/* Who is late at each collective? */
#include "core/trace/rank_meetings.h"

#include <stdbool.h>
#include <stdlib.h>

#include "core/base/count_sum.h"
#include "core/base/key_table.h"
#include "core/trace/duration_groups.h"
#include "core/trace/event_work.h"
#include "core/trace/meeting_kernels.h"
#include "core/trace/selector.h"

/* A kernel of a collective, in the order of the stream. */
struct attendance {
    uint32_t rank; /* its id */
    uint32_t name;
    int64_t kernel_ns;
};

struct gathering {
    struct rank_meetings *out;
    struct selector *communication;
    struct key_table ids; /* of (rank, device) */
    bool *is_meeting;     /* by string id */
    ARRAY_OF(struct attendance) kernels;
    bool is_too_many;
};

static int start(struct gathering *g, struct event_stream *stream, struct err *e)
{
    const struct strtab *strings = event_stream_strings(stream);
    const uint32_t count = (uint32_t)strtab_count(strings);
    g->is_meeting = calloc((size_t)count + 1, sizeof *g->is_meeting);
    int rc = g->is_meeting ? selector_new(&g->communication, CLASS_COMM, e) : err_memory(e);
    if (!rc)
        rc = selector_bind(g->communication, stream, e);
    for (uint32_t id = 1; id <= count && !rc; id++)
        g->is_meeting[id] = meeting_kernel_is_of_all(strtab_text(strings, id));
    return rc ? rc : event_stream_rewind(stream, e);
}

static int note_rank(struct gathering *g, const struct cpprof_event *event, uint32_t *id, struct err *e)
{
    *id = key_table_add(&g->ids, event->rank, (uint32_t)event->device);
    if (!*id)
        return err_memory(e);
    g->is_too_many |= *id > MEETING_RANKS_MAX;
    if (*id <= g->out->ranks.count || g->is_too_many)
        return 0;
    struct meeting_rank *rank = ARRAY_PUSH(&g->out->ranks);
    if (!rank)
        return err_memory(e);
    rank->rank = event->rank;
    rank->device = event->device;
    return 0;
}

static int attend(struct gathering *g, const struct cpprof_event *event, struct err *e)
{
    uint32_t id;
    int rc = note_rank(g, event, &id, e);
    g->is_too_many |= g->kernels.count == MEETINGS_MAX;
    if (rc || g->is_too_many)
        return rc;
    struct attendance *kernel = ARRAY_PUSH(&g->kernels);
    if (!kernel)
        return err_memory(e);
    *kernel = (struct attendance){id - 1, event->name, duration_ns(event->start_ns, event->end_ns)};
    g->out->ranks.items[id - 1].kernels++;
    return 0;
}

static bool is_meeting(const struct gathering *g, const struct strtab *strings, const struct cpprof_event *event)
{
    return event->kind == CPPROF_EVENT_KERNEL && !(event->flags & CPPROF_EVENT_UNFINISHED) &&
           event->name <= strtab_count(strings) && g->is_meeting[event->name] &&
           selector_match(g->communication, event);
}

static int gather(struct gathering *g, struct event_stream *stream, struct err *e)
{
    const struct strtab *strings = event_stream_strings(stream);
    struct cpprof_event event;
    int rc = start(g, stream, e);
    while (!rc && !g->is_too_many && (rc = event_stream_next(stream, &event, e)) == 1)
        rc = is_meeting(g, strings, &event) ? attend(g, &event, e) : 0;
    return rc;
}

/* ---- the n-th of each rank ---- */

/* Fills the meetings from the kernels of each rank; false where the ranks differ. */
static bool pair_up(struct gathering *g, int64_t *seen)
{
    struct rank_meetings *m = g->out;
    const size_t ranks = m->ranks.count;
    for (size_t i = 0; i < g->kernels.count; i++) {
        const struct attendance *k = &g->kernels.items[i];
        const size_t at = (size_t)seen[k->rank]++;
        struct meeting *meeting = &m->meetings.items[at];
        if (meeting->name && meeting->name != k->name)
            return false;
        if (!meeting->name || k->kernel_ns < meeting->transfer_ns) {
            meeting->transfer_ns = k->kernel_ns;
            meeting->last = k->rank;
        }
        meeting->name = k->name;
        m->kernel_ns[at * ranks + k->rank] = k->kernel_ns;
    }
    return true;
}

static void sum_up(struct rank_meetings *m)
{
    if (!m->ranks.items || !m->meetings.items || !m->kernel_ns)
        return;
    for (size_t i = 0; i < m->meetings.count; i++) {
        struct meeting_rank *last = &m->ranks.items[m->meetings.items[i].last];
        last->last++;
        for (size_t r = 0; r < m->ranks.count; r++) {
            count_add(&m->ranks.items[r].waited_ns, rank_meetings_waited_ns(m, i, r));
            count_add(&last->caused_ns, rank_meetings_waited_ns(m, i, r));
        }
    }
}

static int add_meetings(struct gathering *g, struct err *e)
{
    struct rank_meetings *m = g->out;
    const size_t ranks = m->ranks.count, count = (size_t)m->ranks.items[0].kernels;
    for (size_t r = 1; r < ranks; r++)
        if (m->ranks.items[r].kernels != m->ranks.items[0].kernels) {
            m->doubt = MEETINGS_DIFFERENT;
            return 0;
        }
    int64_t *seen = calloc(ranks, sizeof *seen);
    m->kernel_ns = calloc(count * ranks, sizeof *m->kernel_ns);
    for (size_t i = 0; i < count && seen && m->kernel_ns; i++)
        if (!ARRAY_PUSH(&m->meetings))
            break;
    const bool is_made = m->meetings.count == count;
    if (is_made && !pair_up(g, seen)) {
        m->doubt = MEETINGS_DIFFERENT;
        m->meetings.count = 0;
    }
    free(seen);
    sum_up(m);
    return is_made ? 0 : err_memory(e);
}

static int by_place(const void *left, const void *right)
{
    const struct meeting_rank *a = left, *b = right;
    return a->rank != b->rank ? (a->rank > b->rank) - (a->rank < b->rank)
                              : (a->device > b->device) - (a->device < b->device);
}

/* Ranks get their order before the kernels refer to them. */
static int sort_ranks(struct gathering *g, struct err *e)
{
    struct rank_meetings *m = g->out;
    uint32_t *places = calloc(m->ranks.count + 1, sizeof *places);
    if (!places)
        return err_memory(e);
    qsort(m->ranks.items, m->ranks.count, sizeof *m->ranks.items, by_place);
    for (size_t r = 0; r < m->ranks.count; r++)
        places[key_table_find(&g->ids, m->ranks.items[r].rank, (uint32_t)m->ranks.items[r].device) - 1] = (uint32_t)r;
    for (size_t i = 0; i < g->kernels.count; i++)
        g->kernels.items[i].rank = places[g->kernels.items[i].rank];
    free(places);
    return 0;
}

int rank_meetings_read(struct event_stream *stream, struct rank_meetings *out, struct err *e)
{
    *out = (struct rank_meetings){0};
    struct gathering g = {.out = out};
    int rc = gather(&g, stream, e);
    if (!rc && g.is_too_many)
        out->doubt = MEETINGS_TOO_MANY;
    else if (!rc && out->ranks.count < 2)
        out->doubt = MEETINGS_NONE;
    else if (!rc)
        rc = sort_ranks(&g, e);
    if (!rc && !out->doubt)
        rc = add_meetings(&g, e);
    selector_free(g.communication);
    key_table_release(&g.ids);
    free(g.is_meeting);
    free(g.kernels.items);
    return rc;
}

void rank_meetings_release(struct rank_meetings *m)
{
    free(m->ranks.items);
    free(m->meetings.items);
    free(m->kernel_ns);
    *m = (struct rank_meetings){0};
}

int64_t rank_meetings_waited_ns(const struct rank_meetings *m, size_t meeting, size_t rank)
{
    if (!m->kernel_ns)
        return 0;
    return m->kernel_ns[meeting * m->ranks.count + rank] - m->meetings.items[meeting].transfer_ns;
}
