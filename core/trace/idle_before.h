/* idle_before.h - how long did a device run nothing before this work began?
 *
 * Idle is the time between the first start and the last end of a device in which nothing runs, as in idle() of
 * docs/rules.md. It belongs to the work whose start ends it. */
#ifndef CPPROF_IDLE_BEFORE_H
#define CPPROF_IDLE_BEFORE_H

#include <stdint.h>

#include "core/base/err.h"

struct idle_before;

/* Work with a duration; records are written as bytes: no padding. */
struct idle_work {
    int64_t start_ns, end_ns;
    uint32_t row;         /* a number of the caller's */
    uint32_t is_unknown;  /* who launched it: of work that starts together, known work ends the gap */
    uint32_t correlation; /* then the lowest */
    int16_t rank, device;
};

int idle_before_new(struct idle_before **out, struct err *e);
void idle_before_free(struct idle_before *b);

/* Takes work in any order, in bounded memory. Work without a duration neither ends nor begins idle time. */
int idle_before_add(struct idle_before *b, const struct idle_work *work, struct err *e);

/* Gives the next stretch of idle time and the row of the work that ends it. Returns 1, 0 at the end, or an error code.
 * Nothing is added after the first call. */
int idle_before_next(struct idle_before *b, uint32_t *row, int64_t *idle_ns, struct err *e);

#endif
