/* bisection.h - which commit is to be measured next, when some are decided and some cannot be? Positions are 0, the
 * good one, to count - 1, the bad one. */
#ifndef CPPROF_BISECTION_H
#define CPPROF_BISECTION_H

#include <stddef.h>

enum bisection_mark {
    BISECTION_OPEN,
    BISECTION_NOT_SLOWER,
    BISECTION_SLOWER,
    BISECTION_SKIPPED /* measured, and not decided; or it cannot be measured */
};

/* The change lies behind `good` and not behind `bad`. */
struct bisection_range {
    size_t good, bad;
};

/* Returns the first slower position and the last not slower one before it. Position 0 must not be slower, and the last
 * one must be. */
struct bisection_range bisection_range(const enum bisection_mark *marks, size_t count);

/* Returns the open position in the range that is nearest to its middle, the earlier one of two; `count` when none is
 * open: the range is all that can be known. */
size_t bisection_next(const enum bisection_mark *marks, size_t count);

#endif
