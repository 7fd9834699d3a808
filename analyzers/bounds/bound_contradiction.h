/* bound_contradiction.h - do the numbers of one launch in another tool's file agree with one another? */
#ifndef CPPROF_BOUND_CONTRADICTION_H
#define CPPROF_BOUND_CONTRADICTION_H

#include <stdbool.h>

#include "core/gpu/metrics.h"
#include "core/run/imported_launches.h"

struct bound_contradiction {
    const struct metric *part, *whole; /* a unit that is busier than the throughput that includes it; NULL: none */
    const char *rule;                  /* else: what the tool's rule says of its numbers, and cannot; NULL: none */
};

/* `busier` than by the rounding of numbers that were counted in several passes, and for the rule than by that of its
 * numbers. Units of which it was not seen that a throughput includes them are not compared. */
struct bound_contradiction bound_contradiction_find(const struct imported_launch *launch);

static inline bool bound_contradicts(const struct bound_contradiction *c)
{
    return c->part || c->rule;
}

#endif
