/* rank_waits.h - for whose lateness has a place waited since a moment?
 *
 * Meetings are judged in the order of time, and each adds what its ranks waited, by origin: a place, and a reason of
 * it. A sum since a meeting takes a search, however many meetings there were. */
#ifndef CPPROF_RANK_WAITS_H
#define CPPROF_RANK_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/array.h"
#include "core/base/err.h"
#include "core/base/key_table.h"

struct rank_wait_list;

/* Starts zeroed. */
struct rank_waits {
    struct key_table origins; /* (place, cause) */
    struct key_table pairs;   /* (place that waits, id of the origin; 0: all of them): one list each */
    ARRAY_OF(struct rank_wait_list) lists;
    ARRAY_OF(uint32_t) latest; /* by place that waits: the list that was added to last; 0: none; else 1 more */
};

void rank_waits_release(struct rank_waits *w);

/* The place waited `ns` for an origin at a meeting. Meetings come in order. */
int rank_waits_add(struct rank_waits *w, uint32_t place, uint32_t meeting, uint32_t origin, uint32_t cause, double ns,
                   struct err *e);

/* Meetings from the first one on, and before the second. */
struct rank_waits_span {
    uint32_t from, to;
};

/* Sums of what a place waited at meetings of a span: in all, and for one origin. */
double rank_waits_all(const struct rank_waits *w, uint32_t place, struct rank_waits_span span);
double rank_waits_for(const struct rank_waits *w, uint32_t place, struct rank_waits_span span, uint32_t origin,
                      uint32_t cause);

/* Steps through the origins that a place waited for at meetings from `from` on, the latest first. *at is 0 at first.
 * Returns false after the last. */
struct rank_wait_origin {
    uint32_t origin, cause;
};
bool rank_waits_next(const struct rank_waits *w, uint32_t place, uint32_t from, uint32_t *at,
                     struct rank_wait_origin *out);

#endif
