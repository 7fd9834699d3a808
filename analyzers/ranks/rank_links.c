/* Does the same transfer take longer on one communicator than on others? */
#include "analyzers/ranks/rank_links.h"

#include <stdlib.h>

#define COMPARE(x, y)                                                                                                  \
    if ((x) != (y))                                                                                                    \
        return (x) < (y) ? -1 : 1;

static int by_kind(const struct rank_link *a, const struct rank_link *b)
{
    COMPARE(a->name, b->name)
    COMPARE(a->bytes, b->bytes)
    COMPARE(a->ranks, b->ranks)
    return 0;
}

static int by_communicator(const void *left, const void *right)
{
    const struct rank_link *a = left, *b = right;
    const int kind = by_kind(a, b);
    if (kind)
        return kind;
    COMPARE(a->communicator, b->communicator)
    return 0;
}

static int by_time(const void *left, const void *right)
{
    const struct rank_link *a = left, *b = right;
    const int kind = by_kind(a, b);
    if (kind)
        return kind;
    COMPARE(a->expected_ns, b->expected_ns)
    COMPARE(a->communicator, b->communicator)
    return 0;
}

static int by_excess(const void *left, const void *right)
{
    const struct rank_link *a = left, *b = right;
    COMPARE((double)b->expected_ns - b->usual_ns, (double)a->expected_ns - a->usual_ns)
    return by_time(left, right);
}
#undef COMPARE

/* One row for each communicator, kernel and bytes. */
static int gather(const struct rank_meetings_found *m, struct rank_links *out, struct err *e)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->items.count; i++) {
        const struct rank_meeting *x = &m->items.items[i];
        struct rank_link *slot = x->expected_ns >= 0 && x->bytes >= 0 ? ARRAY_PUSH(&out->items) : NULL;
        if (slot)
            *slot = (struct rank_link){.communicator = x->communicator,
                                       .name = x->name,
                                       .bytes = x->bytes,
                                       .ranks = x->count,
                                       .expected_ns = x->expected_ns};
        else if (x->expected_ns >= 0 && x->bytes >= 0)
            return err_memory(e);
    }
    if (out->items.count)
        qsort(out->items.items, out->items.count, sizeof *out->items.items, by_communicator);
    for (size_t i = 0; i < out->items.count; i++)
        if (!i || by_communicator(&out->items.items[i], &out->items.items[kept - 1]) != 0)
            out->items.items[kept++] = out->items.items[i];
    out->items.count = kept;
    return 0;
}

/* The rows [0, count) are of one kind, by time. The median without row i. */
static double median_of_others(const struct rank_link *l, size_t count, size_t i)
{
    const size_t others = count - 1, low = (others - 1) / 2, high = others / 2;
    return ((double)l[low + (low >= i)].expected_ns + (double)l[high + (high >= i)].expected_ns) / 2;
}

int rank_links_compare(const struct rank_meetings_found *m, struct rank_links *out, struct err *e)
{
    *out = (struct rank_links){0};
    int rc = gather(m, out, e);
    struct rank_link *l = out->items.items;
    size_t kept = 0;
    if (rc || !out->items.count)
        return rc;
    qsort(l, out->items.count, sizeof *l, by_time);
    for (size_t i = 0, end; i < out->items.count; i = end) {
        for (end = i + 1; end < out->items.count && !by_kind(&l[i], &l[end]);)
            end++;
        for (size_t k = i; k < end && end - i > 1; k++) {
            l[k].others = end - i - 1;
            l[k].usual_ns = median_of_others(l + i, end - i, k - i);
            l[k].ratio = (double)l[k].expected_ns / l[k].usual_ns;
        }
    }
    for (size_t i = 0; i < out->items.count; i++)
        if (l[i].others)
            l[kept++] = l[i];
    out->items.count = kept;
    qsort(l, kept, sizeof *l, by_excess);
    return 0;
}

void rank_links_release(struct rank_links *l)
{
    free(l->items.items);
    *l = (struct rank_links){0};
}
