/* ratio_estimate.h - how far apart are two arms, and how sure does a handful of
 * processes make us? Of pairs the signed ranks of their log ratios, where there are
 * enough; else a t interval of a trimmed mean; formulas and sources: docs/statistics.md. */
#ifndef CPPROF_RATIO_ESTIMATE_H
#define CPPROF_RATIO_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/signed_ranks.h"

enum { RATIO_PAIRS_RANKED = 6 }; /* fewer have no interval of 95% by their ranks: 2 / 2^5 is 6.25% */

/* One value per process of two arms, in any unit; base[i] and cand[i] come from
 * one process when `paired`. */
struct arm_values {
    const double *base, *cand;
    size_t base_count, cand_count;
    bool paired;
};

struct ratio_interval {
    double ratio; /* candidate over baseline; always within */
    double low, high;
};

struct ratio_estimate {
    double log_ratio; /* NAN when a value is no positive number, or pairs are none */
    double mean;      /* trimmed, of the logs; the log_ratio where there are no ranks */
    double error;     /* its standard error; infinite below two processes an arm */
    double df;        /* degrees of freedom of the error */
    struct signed_ranks
        ranks; /* of the pairs' log ratios; empty for fewer than RATIO_PAIRS_RANKED and more than SIGNED_RANKS_MAX */
};

/* What an arm takes, over its processes: exp of the mean logarithm, without a
 * tenth of the values, rounded down, at each end. Overwrites the values; NAN when
 * count is 0. */
double typical_over_processes(double *values, size_t count);

/* 0, or -1 when memory is out. Release it after either. */
int ratio_estimate_init(struct ratio_estimate *r, const struct arm_values *values);
void ratio_estimate_release(struct ratio_estimate *r);

/* From 0 to infinity when the error is not known. */
struct ratio_interval ratio_estimate_interval(const struct ratio_estimate *r, double confidence);

/* The p-value that belongs to the interval: the smallest 1 - confidence at which
 * the interval lies wholly below `low` or wholly above `high`. NAN without one. */
double ratio_estimate_p(const struct ratio_estimate *r, double low, double high);

#endif
