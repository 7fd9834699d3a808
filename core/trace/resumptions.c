/* When did recording pause in the middle of a program? */
#include "core/trace/resumptions.h"

#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/err.h"

int resumptions_add(struct resumptions *r, int32_t rank, int64_t paused_ns, int64_t time_ns)
{
    struct resumption *slot = ARRAY_PUSH(r);
    if (!slot)
        return ERR_MEMORY;
    *slot = (struct resumption){rank, paused_ns, time_ns};
    return 0;
}

static int by_time(const void *left, const void *right)
{
    const struct resumption *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

void resumptions_sort(struct resumptions *r)
{
    if (r->count)
        qsort(r->items, r->count, sizeof *r->items, by_time);
}

void resumptions_release(struct resumptions *r)
{
    free(r->items);
    *r = (struct resumptions){0};
}

bool resumptions_within(const struct resumptions *r, int32_t rank, int64_t from_ns, int64_t to_ns)
{
    const struct resumption wanted = {rank, from_ns, from_ns};
    size_t low = 0, high = r->count; /* the first one that is not before it */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (by_time(&r->items[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < r->count && r->items[low].rank == rank && r->items[low].paused_ns <= to_ns;
}
