/* Which quantiles, moments and adjusted p-values do these numbers have?
 * Formulas and sources: docs/statistics.md. */
#include "core/stats/statistics.h"

#include <math.h>
#include <stdlib.h>

enum {
    SMALL_SORT = 16,
    FRACTION_STEPS_MAX = 500, /* of the continued fraction, which needs a few dozen */
    BISECTIONS = 200          /* halves any interval of doubles until its ends are neighbours */
};

/* not in strict C17's math.h */
static const double sqrt_2 = 1.414213562373095048802;

static int double_order(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static void insertion_sort(double *values, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const double value = values[i];
        size_t hole = i;
        for (; hole > 0 && values[hole - 1] > value; hole--)
            values[hole] = values[hole - 1];
        values[hole] = value;
    }
}

/* Resampling sorts a few values ten thousand times; the calls in qsort would take most of that time. */
void sort_doubles(double *values, size_t count)
{
    if (count <= SMALL_SORT)
        insertion_sort(values, count);
    else
        qsort(values, count, sizeof *values, double_order);
}

double quantile_sorted(const double *sorted, size_t count, double q)
{
    if (!count || isnan(q))
        return NAN;
    const double position = fmin(fmax(q, 0), 1) * (double)(count - 1);
    const size_t below = (size_t)position;
    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] + (position - (double)below) * (sorted[below + 1] - sorted[below]);
}

double median(double *values, size_t count)
{
    sort_doubles(values, count);
    return quantile_sorted(values, count, 0.5);
}

double midmean(double *values, size_t count)
{
    const size_t left_out = count / 4;
    sort_doubles(values, count);
    return mean(values + left_out, count - 2 * left_out);
}

double mean(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return count ? sum / (double)count : NAN;
}

double standard_deviation(const double *values, size_t count)
{
    if (count < 2)
        return NAN;
    const double centre = mean(values, count);
    double squares = 0;
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - centre) * (values[i] - centre);
    return sqrt(squares / (double)(count - 1));
}

double normal_cdf(double z)
{
    return 0.5 * erfc(-z / sqrt_2);
}

/* The continued fraction of the incomplete beta function (DLMF 8.17.22) by the modified Lentz method. It converges fast
 * for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double value = d;
    for (int m = 1; m <= FRACTION_STEPS_MAX; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        const double terms[] = {even, odd};
        double change = 1;
        for (size_t i = 0; i < 2; i++) {
            d = 1 + terms[i] * d;
            c = 1 + terms[i] / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            change = c * d;
            value *= change;
        }
        if (fabs(change - 1) < 1e-16)
            break;
    }
    return value;
}

/* The regularised incomplete beta function I_x(a, b). */
static double beta_regularised(double a, double b, double x)
{
    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    const double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/* Solves I_x(a, b) = p for x: the quantile of the beta distribution. */
static double beta_quantile(double p, double a, double b)
{
    double low = 0, high = 1;
    for (int i = 0; i < BISECTIONS; i++) {
        const double middle = low + (high - low) / 2;
        if (beta_regularised(a, b, middle) < p)
            low = middle;
        else
            high = middle;
    }
    return low + (high - low) / 2;
}

/* Binomial tails are beta distributions, so the limits are beta quantiles. */
struct rate_interval binomial_interval(size_t hits, size_t count, double confidence)
{
    if (!count || hits > count || !(confidence > 0 && confidence < 1))
        return (struct rate_interval){NAN, 0, 1};
    const double k = (double)hits, n = (double)count, tail = (1 - confidence) / 2;
    return (struct rate_interval){
        .rate = k / n,
        .low = hits ? beta_quantile(tail, k, n - k + 1) : 0,
        .high = hits < count ? beta_quantile(1 - tail, k + 1, n - k) : 1,
    };
}

/* P(X <= k) for the heads X of n fair coins: I_1/2(n - k, k + 1). */
static double coin_cdf(size_t k, size_t n)
{
    return beta_regularised((double)(n - k), (double)(k + 1), 0.5);
}

/* The k-th smallest value lies above the median when fewer than k values lie below it, which has the probability of
 * coin tosses. */
struct median_interval median_interval(double *values, size_t count, double confidence)
{
    struct median_interval out = {median(values, count), -INFINITY, INFINITY};
    const double tail = (1 - confidence) / 2;
    size_t k = 0;
    while (2 * (k + 1) <= count && coin_cdf(k, count) <= tail)
        k++;
    if (k) {
        out.low = values[k - 1];
        out.high = values[count - k];
    }
    return out;
}

double student_t_tail(double t, double df)
{
    return 0.5 * beta_regularised(df / 2, 0.5, df / (df + t * t));
}

/* Bisection on the tail is slow and safe, and this is called a few times per run. */
double student_t_quantile(double p, double df)
{
    if (isnan(p) || !(p >= 0 && p <= 1) || !(df > 0))
        return NAN;
    if (p < 0.5)
        return -student_t_quantile(1 - p, df);
    if (p == 1)
        return INFINITY;
    const double tail = 1 - p;
    double low = 0, high = 1;
    while (student_t_tail(high, df) > tail && high < 1e300)
        high *= 2;
    for (int i = 0; i < BISECTIONS; i++) {
        const double middle = low + (high - low) / 2;
        if (student_t_tail(middle, df) > tail)
            low = middle;
        else
            high = middle;
    }
    return low + (high - low) / 2;
}

/* Returns the index of the smallest p that is not adjusted yet; `count` when none is left. */
static size_t next_smallest(const double *p, const double *adjusted, size_t count)
{
    size_t found = count;
    for (size_t i = 0; i < count; i++)
        if (!isnan(p[i]) && isnan(adjusted[i]) && (found == count || p[i] < p[found]))
            found = i;
    return found;
}

void holm_adjust(const double *p, size_t count, double *adjusted)
{
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        adjusted[i] = NAN;
        left += isnan(p[i]) ? 0 : 1;
    }
    double reached = 0;
    for (; left; left--) {
        const size_t at = next_smallest(p, adjusted, count);
        reached = fmin(1, fmax(reached, (double)left * p[at]));
        adjusted[at] = reached;
    }
}
