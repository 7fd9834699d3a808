/* ratio_estimate.h - what is the ratio of two arms, and how precisely do a few processes determine it? With
 * enough pairs it uses the signed ranks of their log ratios, otherwise a t interval of a trimmed mean. Formulas and
 * sources: docs/statistics.md. */
#ifndef CPPROF_RATIO_ESTIMATE_H
#define CPPROF_RATIO_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/stats/signed_ranks.h"

enum { RATIO_PAIRS_RANKED = 6 }; /* fewer pairs give no 95% interval by ranks: 2 / 2^5 is 6.25% */

/* One value per process of two arms, in any unit. base[i] and cand[i] come from the same process when `paired`. */
struct arm_values {
    const double *base, *cand;
    size_t base_count, cand_count;
    bool paired;
};

struct ratio_interval {
    double ratio; /* candidate / baseline; always within the interval */
    double low, high;
};

struct ratio_estimate {
    double log_ratio; /* NAN when a value is not a positive number, or there are no pairs */
    double mean;      /* the trimmed mean of the logs; equal to log_ratio when there are no ranks */
    double error;     /* standard error of the mean; infinite with fewer than two processes of an arm */
    double df;        /* degrees of freedom of the error */
    /* Signed ranks of the pairs' log ratios; empty for fewer than RATIO_PAIRS_RANKED and more than SIGNED_RANKS_MAX. */
    struct signed_ranks ranks;
};

/* Returns the typical time of an arm over its processes: exp of the mean logarithm, without a tenth of the values
 * (rounded down) at each end. Overwrites the values. NAN when count is 0. */
double typical_over_processes(double *values, size_t count);

/* Returns 0, or -1 when memory is out. Release it in either case. */
int ratio_estimate_init(struct ratio_estimate *r, const struct arm_values *values);
void ratio_estimate_release(struct ratio_estimate *r);

/* Returns the interval at that confidence; 0 to infinity when the error is not known. */
struct ratio_interval ratio_estimate_interval(const struct ratio_estimate *r, double confidence);

/* Returns the p-value that belongs to the interval: the smallest 1 - confidence at which the interval lies completely
 * below `low` or completely above `high`. NAN without an interval. */
double ratio_estimate_p(const struct ratio_estimate *r, double low, double high);

#endif
