/* For whose lateness has a place waited since a moment? */
#include "analyzers/ranks/rank_waits.h"

#include <stdlib.h>

/* What was waited up to a meeting, in all. */
struct waited {
    uint32_t meeting;
    double ns;
};

struct rank_wait_list {
    uint32_t origin, cause;
    uint32_t before,
        behind; /* of the place's lists, those that were added to earlier and later; 0: none; else 1 more */
    struct waited *items;
    uint32_t count, capacity;
};

void rank_waits_release(struct rank_waits *w)
{
    for (size_t i = 0; i < w->lists.count; i++)
        free(w->lists.items[i].items);
    free(w->lists.items);
    free(w->latest.items);
    key_table_release(&w->origins);
    key_table_release(&w->pairs);
    *w = (struct rank_waits){0};
}

static struct rank_wait_list *list_at(const struct rank_waits *w, uint32_t one_more)
{
    return &w->lists.items[one_more - 1];
}

/* Moves a list to the front of those of its place. */
static void move_to_front(struct rank_waits *w, uint32_t place, uint32_t list)
{
    struct rank_wait_list *l = list_at(w, list);
    uint32_t *latest = &w->latest.items[place];
    if (*latest == list)
        return;
    if (l->behind)
        list_at(w, l->behind)->before = l->before;
    if (l->before)
        list_at(w, l->before)->behind = l->behind;
    l->behind = 0;
    l->before = *latest;
    if (*latest)
        list_at(w, *latest)->behind = list;
    *latest = list;
}

/* Most lists have one or two, and there are many lists: they do not double from the start. Returns the last one,
 * zeroed; NULL when memory is out. */
static struct waited *push(struct rank_wait_list *l)
{
    if (l->count == l->capacity) {
        const uint32_t capacity = l->capacity + l->capacity / 2 + 1;
        struct waited *moved = realloc(l->items, capacity * sizeof *moved);
        if (!moved)
            return NULL;
        l->items = moved;
        l->capacity = capacity;
    }
    l->items[l->count] = (struct waited){0, 0};
    return &l->items[l->count++];
}

/* Adds to one list; id 0 is that of all origins, which is in no order. */
static int add(struct rank_waits *w, uint32_t place, uint32_t meeting, uint32_t id, struct rank_wait_origin of,
               double ns, struct err *e)
{
    const uint32_t list = key_table_add(&w->pairs, (int32_t)place, id);
    struct rank_wait_list *fresh = list > w->lists.count ? ARRAY_PUSH(&w->lists) : NULL;
    if (!list || list > w->lists.count)
        return err_memory(e);
    if (fresh)
        *fresh = (struct rank_wait_list){.origin = of.origin, .cause = of.cause};
    struct rank_wait_list *l = list_at(w, list);
    struct waited *last = l->count ? &l->items[l->count - 1] : NULL;
    const double before_ns = last ? last->ns : 0;
    if (!last || last->meeting != meeting)
        last = push(l);
    if (!last)
        return err_memory(e);
    *last = (struct waited){meeting, before_ns + ns};
    if (id)
        move_to_front(w, place, list);
    return 0;
}

int rank_waits_add(struct rank_waits *w, uint32_t place, uint32_t meeting, uint32_t origin, uint32_t cause, double ns,
                   struct err *e)
{
    const uint32_t id = key_table_add(&w->origins, (int32_t)origin, cause);
    if (!id)
        return err_memory(e);
    while (w->latest.count <= place)
        if (!ARRAY_PUSH(&w->latest))
            return err_memory(e);
    int rc = add(w, place, meeting, id, (struct rank_wait_origin){origin, cause}, ns, e);
    return rc ? rc : add(w, place, meeting, 0, (struct rank_wait_origin){0, 0}, ns, e);
}

/* What a list has before a meeting. */
static double sum_before(const struct rank_wait_list *l, uint32_t meeting)
{
    size_t low = 0, high = l->count;
    while (low < high) { /* the first that is not before it */
        const size_t middle = (low + high) / 2;
        if (l->items[middle].meeting < meeting)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? l->items[low - 1].ns : 0;
}

static double sum_of(const struct rank_waits *w, uint32_t place, uint32_t id, struct rank_waits_span span)
{
    const uint32_t list = key_table_find(&w->pairs, (int32_t)place, id);
    return list ? sum_before(list_at(w, list), span.to) - sum_before(list_at(w, list), span.from) : 0;
}

double rank_waits_all(const struct rank_waits *w, uint32_t place, struct rank_waits_span span)
{
    return sum_of(w, place, 0, span);
}

double rank_waits_for(const struct rank_waits *w, uint32_t place, struct rank_waits_span span, uint32_t origin,
                      uint32_t cause)
{
    const uint32_t id = key_table_find(&w->origins, (int32_t)origin, cause);
    return id ? sum_of(w, place, id, span) : 0;
}

bool rank_waits_next(const struct rank_waits *w, uint32_t place, uint32_t from, uint32_t *at,
                     struct rank_wait_origin *out)
{
    *at = *at ? list_at(w, *at)->before : place < w->latest.count ? w->latest.items[place] : 0;
    if (!*at)
        return false;
    const struct rank_wait_list *l = list_at(w, *at);
    *out = (struct rank_wait_origin){l->origin, l->cause};
    return l->items[l->count - 1].meeting >= from;
}
