/* When does each rank begin? A place for each rank that there can be, of which
 * the system lends the pages that are used. */
#include "model/rank_starts.h"

#include <stdlib.h>

enum { RANKS = UINT16_MAX + 1 };

struct rank_start {
    int64_t first_ns;
    bool known;
};

int rank_starts_note(struct rank_starts *starts, int16_t rank, int64_t start_ns, struct err *e)
{
    if (!starts->items && !(starts->items = calloc(RANKS, sizeof *starts->items)))
        return err_memory(e);
    struct rank_start *start = &starts->items[(uint16_t)rank];
    if (start->known)
        return 0;
    *start = (struct rank_start){start_ns, true};
    if (!starts->count++)
        starts->first = rank;
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
    *out = start && start->known ? start->first_ns : 0;
    return start && start->known;
}

bool rank_starts_get_only(const struct rank_starts *starts, int64_t *out)
{
    *out = 0;
    return starts->count == 1 && rank_starts_get(starts, starts->first, out);
}
