/* What did each rank do before a collective that may be late? */
#include "analyzers/ranks/rank_befores.h"

#include <stdlib.h>
#include <string.h>

enum { BEFORES_IN_MEMORY = 32 * 1024 };

static int by_meeting(const void *left, const void *right)
{
    const struct rank_before *a = left, *b = right;
    return a->meeting != b->meeting ? (a->meeting > b->meeting) - (a->meeting < b->meeting)
                                    : (a->place > b->place) - (a->place < b->place);
}

int rank_befores_init(struct rank_befores *b, struct err *e)
{
    *b = (struct rank_befores){0};
    return record_spool_new(&b->spool, sizeof(struct rank_before), BEFORES_IN_MEMORY, by_meeting, e);
}

void rank_befores_release(struct rank_befores *b)
{
    record_spool_free(b->spool);
    free(b->overlaps.items);
    free(b->loaded);
    *b = (struct rank_befores){0};
}

int rank_befores_add(struct rank_befores *b, const struct rank_before *before, struct err *e)
{
    return record_spool_add(b->spool, before, e);
}

static int read_next(struct rank_befores *b, struct err *e)
{
    const int got = record_spool_next(b->spool, &b->next, e);
    b->has_next = got == 1;
    return got == 1 ? 0 : got;
}

int rank_befores_rewind(struct rank_befores *b, struct err *e)
{
    const int rc = record_spool_rewind(b->spool, e);
    return rc ? rc : read_next(b, e);
}

int rank_befores_load(struct rank_befores *b, const struct rank_arrivals *a, const struct rank_meetings_found *m,
                      const struct rank_meeting *meeting, struct err *e)
{
    const uint32_t number = (uint32_t)(meeting - m->items.items);
    int rc = 0;
    if (array_reserve((void **)&b->loaded, &b->capacity, meeting->count, sizeof *b->loaded))
        return err_memory(e);
    memset(b->loaded, 0, meeting->count * sizeof *b->loaded);
    while (!rc && b->has_next && b->next.meeting < number)
        rc = read_next(b, e);
    for (size_t i = 0; i < meeting->count && !rc && b->has_next && b->next.meeting == number; i++) {
        const struct rank_arrival *arrival = &a->items.items[m->attendance[meeting->first + i]];
        if (rank_place_of(a, arrival) != b->next.place) /* both are in the order of places */
            continue;
        b->loaded[i] = b->next;
        rc = read_next(b, e);
    }
    return rc;
}

const struct rank_before *rank_before_at(const struct rank_befores *b, size_t index)
{
    return &b->loaded[index];
}
