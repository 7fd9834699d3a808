/* signed_ranks.h - where is the middle of values that scatter alike to both sides,
 * however far? Wilcoxon's signed ranks as an interval (docs/statistics.md). That the
 * middle is the truth is all that is asked of the values: how they scatter, and
 * whether each of them scatters as the others do, makes no difference. */
#ifndef CPPROF_SIGNED_RANKS_H
#define CPPROF_SIGNED_RANKS_H

#include <stddef.h>

enum { SIGNED_RANKS_MAX = 100 }; /* values */

/* The interval from walsh[k] to its counterpart from above misses the middle with chance missing[k]. */
struct signed_ranks {
    double *walsh; /* means of two values, each with each and with itself, ascending */
    double *missing;
    size_t count; /* of the means: n (n + 1) / 2; 0 when there is nothing */
};

/* 0, or -1 when memory is out; `count` from 1 to SIGNED_RANKS_MAX. Release it after either. */
int signed_ranks_init(struct signed_ranks *s, const double *values, size_t count);
void signed_ranks_release(struct signed_ranks *s);

/* Hodges' and Lehmann's estimate: the median of the means. */
double signed_ranks_middle(const struct signed_ranks *s);

struct middle_interval {
    double low, high;
};

/* That misses the middle with chance `alpha` from missing[0], the least there is, to 1; between
 * two chances by a straight line. At missing[0] it is from the smallest value to the largest. */
struct middle_interval signed_ranks_interval(const struct signed_ranks *s, double alpha);

/* The largest alpha at which the interval still reaches down to `limit`, 1 from the middle on;
 * and up to it. missing[0] where no interval does. */
double signed_ranks_reach_down(const struct signed_ranks *s, double limit);
double signed_ranks_reach_up(const struct signed_ranks *s, double limit);

#endif
