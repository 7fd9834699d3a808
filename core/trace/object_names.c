/* Which of the names of an object is the final one? */
#include "core/trace/object_names.h"

#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/count_of.h"
#include "core/base/err.h"

int object_names_add(struct object_names *n, const struct object_name *name)
{
    if (n->count == OBJECT_NAMES_MAX) {
        n->left_out++;
        return 0;
    }
    struct object_name *slot = ARRAY_PUSH(n);
    if (!slot)
        return ERR_MEMORY;
    *slot = *name;
    slot->row = (uint32_t)n->count;
    return 0;
}

static int order(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int by_object(const struct object_name *x, const struct object_name *y)
{
    const int places[] = {x->rank - y->rank, order(x->object, y->object), order(x->context, y->context),
                          order(x->id, y->id)};
    for (size_t i = 0; i < COUNT_OF(places); i++)
        if (places[i])
            return places[i];
    return 0;
}

static int by_object_and_row(const void *a, const void *b)
{
    const struct object_name *x = a, *y = b;
    const int place = by_object(x, y);
    return place ? place : order(x->row, y->row);
}

void object_names_sort(struct object_names *n)
{
    size_t kept = 0;
    if (n->count)
        qsort(n->items, n->count, sizeof *n->items, by_object_and_row);
    for (size_t i = 0; i < n->count; i++)
        if (i + 1 == n->count || by_object(&n->items[i], &n->items[i + 1]))
            n->items[kept++] = n->items[i];
    n->count = kept;
}

void object_names_release(struct object_names *n)
{
    free(n->items);
    *n = (struct object_names){0};
}
