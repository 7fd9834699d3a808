/* Which numbers stand behind a claim? */
#include "analyzers/evidence.h"

#include <math.h>
#include <string.h>

enum { FIRST_CAPACITY = 32 };

/* Memory of an arena cannot grow in place: a full list moves to one twice its size. */
static int reserve_one(struct arena *arena, struct evidence **items, size_t count, size_t *capacity)
{
    if (count < *capacity)
        return 0;
    size_t larger = *capacity ? *capacity * 2 : FIRST_CAPACITY;
    struct evidence *moved = arena_alloc(arena, larger * sizeof *moved);
    if (!moved)
        return ERR_MEMORY;
    if (count)
        memcpy(moved, *items, count * sizeof *moved);
    *items = moved;
    *capacity = larger;
    return 0;
}

static struct evidence make(struct analysis *a, const char *metric, double value, enum unit unit)
{
    return (struct evidence){.metric = arena_copy(&a->arena, metric), .value = value, .unit = (int)unit};
}

int bound_add_evidence(struct analysis *a, struct bound *b, const char *metric, double value, enum unit unit,
                       struct err *e)
{
    if (!isfinite(value))
        return 0;
    if (reserve_one(&a->arena, &b->evidence.items, b->evidence.count, &b->evidence.capacity))
        return err_memory(e);
    b->evidence.items[b->evidence.count++] = make(a, metric, value, unit);
    return 0;
}

int finding_add_evidence(struct analysis *a, struct finding *f, const char *metric, double value, enum unit unit,
                         struct err *e)
{
    if (!isfinite(value))
        return 0;
    if (reserve_one(&a->arena, &f->evidence.items, f->evidence.count, &f->evidence.capacity))
        return err_memory(e);
    f->evidence.items[f->evidence.count++] = make(a, metric, value, unit);
    return 0;
}
