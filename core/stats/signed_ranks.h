/* signed_ranks.h - where is the middle of values that scatter symmetrically? Wilcoxon's signed ranks as an interval
 * (docs/statistics.md). The only assumption is that each value scatters symmetrically around the true middle; the width
 * and shape of the scatter may differ from value to value. */
#ifndef CPPROF_SIGNED_RANKS_H
#define CPPROF_SIGNED_RANKS_H

#include <stddef.h>

enum { SIGNED_RANKS_MAX = 100 }; /* values */

/* The interval from walsh[k] to its counterpart from the top misses the middle with probability missing[k]. */
struct signed_ranks {
    double *walsh; /* Walsh averages, ascending: the means of all pairs of values, each value also with itself */
    double *missing;
    size_t count; /* number of averages, n (n + 1) / 2; 0 when it is empty */
};

/* Returns 0, or -1 when memory is out. `count` is 1 to SIGNED_RANKS_MAX. Release it in either case. */
int signed_ranks_init(struct signed_ranks *s, const double *values, size_t count);
void signed_ranks_release(struct signed_ranks *s);

/* Returns the Hodges-Lehmann estimate: the median of the averages. */
double signed_ranks_middle(const struct signed_ranks *s);

struct middle_interval {
    double low, high;
};

/* Returns the interval that misses the middle with probability `alpha`, from missing[0] to 1; missing[0] is the
 * smallest possible and gives the range from the smallest value to the largest. Between two probabilities it
 * interpolates linearly. */
struct middle_interval signed_ranks_interval(const struct signed_ranks *s, double alpha);

/* Return the largest alpha at which the interval still reaches down, or up, to `limit`: 1 when `limit` is the middle or
 * beyond it, missing[0] when no interval reaches it. */
double signed_ranks_reach_down(const struct signed_ranks *s, double limit);
double signed_ranks_reach_up(const struct signed_ranks *s, double limit);

#endif
