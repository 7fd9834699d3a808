/* How long did a device run nothing before this work began? */
#include "core/trace/idle_before.h"

#include <stdbool.h>
#include <stdlib.h>

#include "core/io/record_spool.h"
#include "core/trace/duration_groups.h"

enum { WORK_IN_MEMORY = 64 * 1024 };

struct idle_before {
    struct record_spool *work;
    bool is_reading, has_until;
    int64_t until_ns; /* the last end so far, on the device of `last` */
    struct idle_work last;
};

static int work_order(const void *left, const void *right)
{
    const struct idle_work *a = left, *b = right;
#define COMPARE(field)                                                                                                 \
    if (a->field != b->field)                                                                                          \
        return a->field < b->field ? -1 : 1;
    COMPARE(rank)
    COMPARE(device)
    COMPARE(start_ns)
    COMPARE(is_unknown)
    COMPARE(correlation)
    COMPARE(row)
    COMPARE(end_ns)
#undef COMPARE
    return 0;
}

int idle_before_new(struct idle_before **out, struct err *e)
{
    struct idle_before *b = calloc(1, sizeof *b);
    int rc = b ? record_spool_new(&b->work, sizeof(struct idle_work), WORK_IN_MEMORY, work_order, e) : err_memory(e);
    if (rc) {
        free(b);
        b = NULL;
    }
    *out = b;
    return rc;
}

void idle_before_free(struct idle_before *b)
{
    if (!b)
        return;
    record_spool_free(b->work);
    free(b);
}

int idle_before_add(struct idle_before *b, const struct idle_work *work, struct err *e)
{
    return work->end_ns > work->start_ns ? record_spool_add(b->work, work, e) : 0;
}

/* Goes to the next work. Returns how long the device was idle before; 0: not at all, or it is the device's first. */
static int64_t pass(struct idle_before *b, const struct idle_work *work)
{
    const bool is_same = b->has_until && b->last.rank == work->rank && b->last.device == work->device;
    const int64_t idle_ns = is_same && work->start_ns > b->until_ns ? duration_ns(b->until_ns, work->start_ns) : 0;
    if (!is_same || work->end_ns > b->until_ns)
        b->until_ns = work->end_ns;
    b->has_until = true;
    b->last = *work;
    return idle_ns;
}

int idle_before_next(struct idle_before *b, uint32_t *row, int64_t *idle_ns, struct err *e)
{
    struct idle_work work;
    int rc = b->is_reading ? 0 : record_spool_rewind(b->work, e);
    b->is_reading = true;
    while (!rc && (rc = record_spool_next(b->work, &work, e)) == 1) {
        rc = 0;
        *idle_ns = pass(b, &work);
        *row = work.row;
        if (*idle_ns)
            return 1;
    }
    return rc;
}
