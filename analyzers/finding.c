/* Which numbers stand behind a claim? */
#include "analyzers/finding.h"

#include <math.h>
#include <string.h>

enum { FIRST_CAPACITY = 8 };

/* Memory of an arena cannot grow in place: a full list moves to one twice its size. */
static int grow(struct arena *arena, struct evidence_list *list)
{
    const size_t capacity = list->capacity ? list->capacity * 2 : FIRST_CAPACITY;
    struct evidence *items = arena_alloc(arena, capacity * sizeof *items);
    if (!items)
        return ERR_MEMORY;
    if (list->count)
        memcpy(items, list->items, list->count * sizeof *items);
    list->items = items;
    list->capacity = capacity;
    return 0;
}

int evidence_add(struct arena *arena, struct evidence_list *list, const char *metric, double value, enum unit unit,
                 struct err *e)
{
    if (!isfinite(value))
        return 0;
    if (list->count == list->capacity && grow(arena, list))
        return err_memory(e);
    list->items[list->count++] = (struct evidence){arena_copy(arena, metric), value, (int)unit};
    return 0;
}
