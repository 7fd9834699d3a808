/* When does each rank begin, and what was recorded of it?
 *
 * There is a place for each possible rank; the system only provides the pages that are used. */
#include "trace/rank_starts.h"

#include <stdlib.h>

enum { RANKS = UINT16_MAX + 1, OTHER_CALLS = 31 /* a bit of `kinds` that no event kind uses */ };

struct rank_start {
    int64_t first_ns;
    uint32_t kinds; /* bit k: it has events of kind k; 0 while nothing is known */
};

static uint32_t bit_of(int kind)
{
    return UINT32_C(1) << (kind & 31);
}

int rank_starts_note(struct rank_starts *starts, const struct cpprof_event *event, struct err *e)
{
    if (!starts->items && !(starts->items = calloc(RANKS, sizeof *starts->items)))
        return err_memory(e);
    struct rank_start *start = &starts->items[(uint16_t)event->rank];
    if (!start->kinds) {
        start->first_ns = event->start_ns;
        if (!starts->count++)
            starts->first = event->rank;
    }
    start->kinds |= bit_of(event->kind);
    if (event->kind == CPPROF_EVENT_API && event->detail == CPPROF_API_OTHER)
        start->kinds |= bit_of(OTHER_CALLS);
    return 0;
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

bool rank_starts_next(const struct rank_starts *starts, int *rank)
{
    for (int next = *rank + 1; starts->items && next <= INT16_MAX; next++)
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
