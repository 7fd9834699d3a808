/* How much time do events cover, together and without one another?
 *
 * Union, intersection and difference are each one linear sweep over two sorted lists: O(n + m), without sorting, with
 * integers only. */
#include "core/trace/interval_set.h"

#include <stdbool.h>
#include <stdlib.h>

#include "core/base/array.h"

static int64_t lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t greater(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

void interval_set_init(struct interval_set *s)
{
    *s = (struct interval_set){0};
}

void interval_set_release(struct interval_set *s)
{
    free(s->items);
    interval_set_init(s);
}

int interval_set_add(struct interval_set *s, int64_t start_ns, int64_t end_ns, struct err *e)
{
    if (end_ns <= start_ns)
        return 0;
    struct interval *last = s->count ? &s->items[s->count - 1] : NULL;
    if (last && start_ns < last->start_ns)
        return err_set(e, ERR_INTERNAL, "an interval was added out of order");
    if (last && start_ns <= last->end_ns) {
        last->end_ns = greater(last->end_ns, end_ns);
        return 0;
    }
    struct interval *slot = ARRAY_PUSH(s);
    if (!slot)
        return err_memory(e);
    *slot = (struct interval){start_ns, end_ns};
    return 0;
}

int interval_set_intersect(const struct interval_set *a, const struct interval_set *b, struct interval_set *out,
                           struct err *e)
{
    int rc = 0;
    for (size_t i = 0, j = 0; !rc && i < a->count && j < b->count;) {
        const struct interval *x = &a->items[i], *y = &b->items[j];
        rc = interval_set_add(out, greater(x->start_ns, y->start_ns), lesser(x->end_ns, y->end_ns), e);
        if (x->end_ns < y->end_ns)
            i++;
        else
            j++;
    }
    return rc;
}

int64_t interval_set_total_ns(const struct interval_set *s)
{
    int64_t total = 0;
    for (size_t i = 0; i < s->count; i++)
        total += s->items[i].end_ns - s->items[i].start_ns;
    return total;
}

int64_t interval_set_within_ns(const struct interval_set *s, int64_t start_ns, int64_t end_ns)
{
    size_t low = 0, high = s->count;
    while (low < high) { /* finds the first interval that ends after the start */
        const size_t middle = low + (high - low) / 2;
        if (s->items[middle].end_ns <= start_ns)
            low = middle + 1;
        else
            high = middle;
    }
    int64_t total = 0;
    for (; low < s->count && s->items[low].start_ns < end_ns; low++)
        total += lesser(s->items[low].end_ns, end_ns) - greater(s->items[low].start_ns, start_ns);
    return total;
}
