/* Which part of a name can a narrow column do without? The one that its neighbours have, too. */
#include "reports/document/shorten.h"

#include <stdlib.h>
#include <string.h>

#include "reports/document/block.h"

/* Cuts that are tried, and characters that stay at either end. */
enum { TRIES_MAX = 12, END_LEAST = 2 };

static const char ellipsis[] = "\xe2\x80\xa6";

/* Each of the names once. */
struct distinct {
    struct arena arena;
    const char **items;
    size_t *lengths; /* in characters */
    size_t count;
    size_t before, after; /* characters that all begin and end with */
};

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static size_t sort_once(const char **items, size_t count)
{
    size_t kept = 0;
    qsort(items, count, sizeof *items, compare_texts);
    for (size_t i = 0; i < count; i++)
        if (!kept || strcmp(items[kept - 1], items[i]) != 0)
            items[kept++] = items[i];
    return kept;
}

static size_t common_beginning(const char *a, const char *b)
{
    size_t columns = 0;
    for (size_t at = 0; a[at] && a[at] == b[at]; at++)
        columns += ((unsigned char)a[at] & 0xc0) != 0x80;
    return columns;
}

static size_t common_end(const char *a, const char *b)
{
    size_t columns = 0;
    const char *a_at = a + strlen(a), *b_at = b + strlen(b);
    while (a_at > a && b_at > b && a_at[-1] == b_at[-1]) {
        a_at--, b_at--;
        columns += ((unsigned char)*a_at & 0xc0) != 0x80;
    }
    return columns;
}

/* One name alone shares nothing. */
static void find_common(struct distinct *d)
{
    if (d->count < 2)
        return;
    d->before = common_beginning(d->items[0], d->items[d->count - 1]); /* they are sorted */
    d->after = common_end(d->items[0], d->items[1]);
    for (size_t i = 2; i < d->count; i++) {
        const size_t after = common_end(d->items[0], d->items[i]);
        d->after = after < d->after ? after : d->after;
    }
}

/* Release it in any case. */
static bool distinct_init(struct distinct *d, const char *const *names, size_t count)
{
    *d = (struct distinct){0};
    arena_init(&d->arena);
    d->items = arena_alloc(&d->arena, (count + 1) * sizeof *d->items);
    d->lengths = arena_alloc(&d->arena, (count + 1) * sizeof *d->lengths);
    if (!d->items || !d->lengths)
        return false;
    memcpy(d->items, names, count * sizeof *names);
    d->count = sort_once(d->items, count);
    for (size_t i = 0; i < d->count; i++)
        d->lengths[i] = visible_columns(d->items[i]);
    find_common(d);
    return true;
}

static void distinct_release(struct distinct *d)
{
    arena_release(&d->arena);
}

/* ---- cuts ---- */

/* `head` characters, a mark, and as many of the end as there is room for. */
static const char *cut(struct arena *arena, const char *name, size_t columns, size_t head)
{
    const size_t length = visible_columns(name);
    if (length <= columns)
        return name;
    return arena_printf(arena, "%.*s%s%s", (int)visible_bytes(name, head), name, ellipsis,
                        name + visible_bytes(name, length - (columns - 1 - head)));
}

/* Characters that tell names apart and are cut. */
static size_t cost_of(const struct distinct *d, size_t columns, size_t head)
{
    size_t cost = 0;
    for (size_t i = 0; i < d->count; i++) {
        const size_t length = d->lengths[i];
        if (length <= columns)
            continue;
        const size_t begin = head > d->before ? head : d->before;
        const size_t cut_end = length - (columns - 1 - head), own_end = length > d->after ? length - d->after : 0;
        const size_t end = cut_end < own_end ? cut_end : own_end;
        cost += end > begin ? end - begin : 0;
    }
    return cost;
}

static bool still_differ(const struct distinct *d, size_t columns, size_t head)
{
    struct arena arena;
    arena_init(&arena);
    const char **cuts = arena_alloc(&arena, (d->count + 1) * sizeof *cuts);
    bool differ = cuts;
    for (size_t i = 0; i < d->count && differ; i++)
        differ = *(cuts[i] = cut(&arena, d->items[i], columns, head)) || !*d->items[i];
    differ = differ && sort_once(cuts, d->count) == d->count;
    arena_release(&arena);
    return differ;
}

struct head {
    size_t columns, cost, from_middle;
};

static int compare_heads(const void *a, const void *b)
{
    const struct head *x = a, *y = b;
    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    return (x->from_middle > y->from_middle) - (x->from_middle < y->from_middle);
}

/* The cheapest cut after which they still differ; 0: there is none. */
static size_t find_head(const struct distinct *d, size_t columns)
{
    struct head heads[NAME_COLUMNS_MAX];
    size_t count = 0, found = 0;
    for (size_t head = END_LEAST; head + END_LEAST < columns && count < NAME_COLUMNS_MAX; head++) {
        const size_t middle = columns / 2;
        heads[count++] = (struct head){head, cost_of(d, columns, head), head > middle ? head - middle : middle - head};
    }
    qsort(heads, count, sizeof *heads, compare_heads);
    for (size_t i = 0; i < count && i < TRIES_MAX && !found; i++)
        if (still_differ(d, columns, heads[i].columns))
            found = heads[i].columns;
    return found;
}

static size_t longest(const struct distinct *d)
{
    size_t columns = 0;
    for (size_t i = 0; i < d->count; i++)
        columns = d->lengths[i] > columns ? d->lengths[i] : columns;
    return columns;
}

bool shorten_names(struct arena *arena, const char **names, size_t count, size_t columns)
{
    struct distinct d;
    const size_t head = distinct_init(&d, names, count) ? find_head(&d, columns) : 0;
    for (size_t i = 0; i < count && head; i++)
        names[i] = cut(arena, names[i], columns, head);
    distinct_release(&d);
    return head;
}

size_t shorten_least(const char *const *names, size_t count, size_t least)
{
    struct distinct d;
    size_t columns = least;
    if (distinct_init(&d, names, count)) {
        const size_t most = longest(&d);
        while (columns < most && !find_head(&d, columns))
            columns += (columns + 3) / 4;
        columns = columns < most ? columns : most;
    }
    distinct_release(&d);
    return columns;
}

size_t shorten_beginning(const char *const *names, size_t count)
{
    size_t common = count > 1 ? strlen(names[0]) : 0, end = 0;
    for (size_t i = 1; i < count; i++) {
        size_t length = 0;
        while (length < common && names[0][length] == names[i][length])
            length++;
        common = length;
    }
    for (size_t i = 0; i < common; i++)
        if (names[0][i] == '/' || names[0][i] == '-')
            end = i + 1;
    return end;
}
