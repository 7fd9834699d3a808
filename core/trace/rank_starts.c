/* When does each rank begin, and what was recorded of it?
 *
 * There is a place for each possible rank; the system only provides the pages that are used. */
#include "core/trace/rank_starts.h"

#include <stdlib.h>

#include "core/base/stream_edge.h"
#include "core/trace/event_spool.h"
#include "core/trace/event_work.h"

/* Bits of `kinds` that no event kind uses. */
enum { RANKS = UINT16_MAX + 1, HIDDEN_KERNELS = 30, OTHER_CALLS = 31 };

struct rank_start {
    int64_t first_ns;
    uint32_t kinds; /* bit k: it has events of kind k; 0 while nothing is known */
    uint32_t place; /* as the ranks were noted, from 0 */
};

static uint32_t bit_of(int kind)
{
    return UINT32_C(1) << (kind & 31);
}

static struct rank_start *start_of(struct rank_starts *starts, int16_t rank, int64_t first_ns)
{
    if (!starts->items && !(starts->items = calloc(RANKS, sizeof *starts->items)))
        return NULL;
    struct rank_start *start = &starts->items[(uint16_t)rank];
    if (!start->kinds) {
        start->first_ns = first_ns;
        start->place = (uint32_t)starts->count;
        if (!starts->count++)
            starts->first = starts->least = starts->most = rank;
        starts->least = rank < starts->least ? rank : starts->least;
        starts->most = rank > starts->most ? rank : starts->most;
    }
    return start;
}

int rank_starts_note(struct rank_starts *starts, const struct cpprof_event *event, struct err *e)
{
    if (stream_edge_is(event)) /* it takes no time, and the first one comes before all that happens */
        return 0;
    struct rank_start *start = start_of(starts, event->rank, event->start_ns);
    if (!start)
        return err_memory(e);
    start->kinds |= bit_of(event->kind);
    if (event->kind == CPPROF_EVENT_API && event->detail == CPPROF_API_OTHER)
        start->kinds |= bit_of(OTHER_CALLS);
    if (event->flags & EVENT_OF_HIDDEN)
        start->kinds |= bit_of(HIDDEN_KERNELS);
    return 0;
}

void rank_starts_facts(const struct rank_starts *starts, struct rank_facts *out)
{
    for (int rank = INT16_MIN - 1; rank_starts_next(starts, &rank);) {
        const struct rank_start *start = &starts->items[(uint16_t)rank];
        out[start->place] =
            (struct rank_facts){.first_ns = start->first_ns, .kinds = start->kinds, .rank = (int16_t)rank};
    }
}

int rank_starts_add(struct rank_starts *starts, const struct rank_facts *facts, struct err *e)
{
    struct rank_start *start = start_of(starts, facts->rank, facts->first_ns);
    if (!start)
        return err_memory(e);
    start->kinds |= facts->kinds;
    return 0;
}

bool rank_facts_have_gpu_work(const struct rank_facts *facts)
{
    bool found = false;
    for (int kind = 0; kind < HIDDEN_KERNELS; kind++)
        found |= facts->kinds & bit_of(kind) && event_is_gpu_work(&(struct cpprof_event){.kind = (uint16_t)kind});
    return found;
}

void rank_starts_release(struct rank_starts *starts)
{
    free(starts->items);
    *starts = (struct rank_starts){0};
}

bool rank_starts_get(const struct rank_starts *starts, int rank, int64_t *out)
{
    const struct rank_start *start = starts->items ? &starts->items[(uint16_t)rank] : NULL;
    *out = start && start->kinds ? start->first_ns : 0;
    return start && start->kinds;
}

bool rank_starts_has_kind(const struct rank_starts *starts, int rank, int kind)
{
    return starts->items && starts->items[(uint16_t)rank].kinds & bit_of(kind);
}

bool rank_starts_has_other_calls(const struct rank_starts *starts, int rank)
{
    return rank_starts_has_kind(starts, rank, OTHER_CALLS);
}

bool rank_starts_hides_kernels(const struct rank_starts *starts, int rank)
{
    return rank_starts_has_kind(starts, rank, HIDDEN_KERNELS);
}

bool rank_starts_next(const struct rank_starts *starts, int *rank)
{
    for (int next = *rank < starts->least ? starts->least : *rank + 1; starts->items && next <= starts->most; next++)
        if (starts->items[(uint16_t)next].kinds) {
            *rank = next;
            return true;
        }
    return false;
}

bool rank_starts_get_only(const struct rank_starts *starts, int64_t *out)
{
    *out = 0;
    return starts->count == 1 && rank_starts_get(starts, starts->first, out);
}
