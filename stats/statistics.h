/* statistics.h - moments, quantiles, rates with their intervals, adjusted p-values.
 * Formulas and sources: docs/statistics.md. */
#ifndef CPPROF_STATISTICS_H
#define CPPROF_STATISTICS_H

#include <stddef.h>

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

/* Student's t with `df` degrees of freedom, and the normal distribution. */
double student_t_quantile(double p, double df);
double student_t_tail(double t, double df); /* P(T > t) for t >= 0 */
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

/* Holm 1979: adjusted p-values of a family of tests. A NAN is no test, and stays. */
void holm_adjust(const double *p, size_t count, double *adjusted);

#endif
