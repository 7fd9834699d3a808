/* statistics.h - medians, quantiles, and intervals that hold for few processes.
 * Formulas and sources: docs/statistics.md. */
#ifndef CPPROF_STATISTICS_H
#define CPPROF_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

/* Linear interpolation between order statistics (Hyndman-Fan type 7). `sorted`
 * ascends; NAN when count is 0. */
double quantile_sorted(const double *sorted, size_t count, double q);
void sort_doubles(double *values, size_t count);
double median(double *values, size_t count); /* sorts in place */

/* Mean of the middle half of the values: a quarter of them (rounded down) is left
 * out at each end. Sorts in place; NAN when count is 0. */
double midmean(double *values, size_t count);

double mean(const double *values, size_t count);
double standard_deviation(const double *values, size_t count); /* n - 1; NAN below 2 */

/* Quantile of Student's t with `df` degrees of freedom, and of the normal. */
double student_t_quantile(double p, double df);
double normal_quantile(double p);
double normal_cdf(double z);

/* A share estimated by counting `hits` of `count`, and its exact interval
 * (Clopper and Pearson 1934), which covers at least `confidence`. Without a
 * count nothing is known: the rate is NAN, the interval 0 to 1. */
struct rate_interval {
    double rate;
    double low;
    double high;
};
struct rate_interval binomial_interval(size_t hits, size_t count, double confidence);

/* A median and its interval by order statistics, which covers at least
 * `confidence` whatever the distribution; infinite when there are too few
 * values for that (5 at 95%). Sorts in place. */
struct median_interval {
    double median;
    double low;
    double high;
};
struct median_interval median_interval(double *values, size_t count, double confidence);

/* Median of the candidate's per-process medians over the baseline's. base[i]
 * and cand[i] come from the same process when `paired`. The interval is the
 * expanded percentile bootstrap over processes (deterministic seed), widened
 * for small n as docs/statistics.md derives. n below 2 gives an infinite one. */
struct ratio_interval {
    double ratio;
    double low;
    double high;
};
struct ratio_interval bootstrap_ratio(const double *base, size_t base_count, const double *cand, size_t cand_count,
                                      int paired, double confidence);

/* The same evidence asked several times, drawn once. */
struct ratio_evidence {
    double ratio; /* NAN when the medians are no positive numbers or no pairs */
    size_t base_count, cand_count;
    double *resampled; /* ascending; NULL below two processes an arm */
    double log_mean, log_variance, log_df; /* of the mean log ratio */
};

/* 0, or -1 when memory is out. To be released in either case. */
int ratio_evidence_init(struct ratio_evidence *r, const double *base, size_t base_count, const double *cand,
                        size_t cand_count, int paired);
void ratio_evidence_release(struct ratio_evidence *r);
struct ratio_interval ratio_evidence_interval(const struct ratio_evidence *r, double confidence);

/* The p-value that belongs to the interval: the smallest 1 - confidence at which
 * the interval lies wholly below `low` or wholly above `high`. NAN without one. */
double ratio_evidence_p(const struct ratio_evidence *r, double low, double high);

/* Holm 1979: adjusted p-values of a family of tests. A NAN is no test, and stays. */
void holm_adjust(const double *p, size_t count, double *adjusted);

#endif
