/* statistics.h - moments, quantiles, rates with their intervals, adjusted p-values.
 * Formulas and sources: docs/statistics.md. */
#ifndef CPPROF_STATISTICS_H
#define CPPROF_STATISTICS_H

#include <stddef.h>

/* Interpolates linearly between order statistics (Hyndman-Fan type 7). `sorted` ascends. NAN when count is 0. */
double quantile_sorted(const double *sorted, size_t count, double q);
void sort_doubles(double *values, size_t count);
double median(double *values, size_t count); /* sorts in place */

/* Returns the mean of the middle half: a quarter of the values (rounded down) is left out at each end. Sorts in place.
 * NAN when count is 0. */
double midmean(double *values, size_t count);

double mean(const double *values, size_t count);
double standard_deviation(const double *values, size_t count); /* divides by n - 1; NAN below 2 values */

/* Student's t distribution with `df` degrees of freedom, and the normal distribution. */
double student_t_quantile(double p, double df);
double student_t_tail(double t, double df); /* P(T > t) for t >= 0 */
double normal_cdf(double z);

/* A share, estimated by counting `hits` of `count`, and its exact interval (Clopper and Pearson 1934), which covers at
 * least `confidence`. When count is 0 the rate is NAN and the interval 0 to 1. */
struct rate_interval {
    double rate;
    double low;
    double high;
};
struct rate_interval binomial_interval(size_t hits, size_t count, double confidence);

/* A median and its interval by order statistics, which covers at least `confidence` for any distribution. The interval
 * is infinite when there are too few values (at 95%, fewer than 6). Sorts in place. */
struct median_interval {
    double median;
    double low;
    double high;
};
struct median_interval median_interval(double *values, size_t count, double confidence);

/* Holm 1979: adjusts the p-values of a family of tests. A NAN is not a test and stays NAN. */
void holm_adjust(const double *p, size_t count, double *adjusted);

#endif
