/* How big is a difference, and how sure can a handful of processes make us?
 * Formulas and sources: docs/statistics.md. */
#include "model/statistics.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    RESAMPLES = 10000,
    SMALL_SORT = 16,
    FRACTION_STEPS_MAX = 500, /* of the continued fraction; it needs a few dozen */
    BISECTIONS = 200          /* halves any bracket of doubles to two neighbours */
};

/* pi and sqrt(2) are not in strict C17's math.h */
static const double tau = 6.283185307179586476925;
static const double sqrt_2 = 1.414213562373095048802;

/* Any fixed number will do: the same bundle must give the same report. */
static const uint64_t random_seed = 0x637070726f66;

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

/* Resampling sorts a handful of processes ten thousand times: qsort's calls
 * would be most of its time. */
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

/* A start within 4.5e-4 (Abramowitz and Stegun 26.2.23), then Halley steps on
 * the distribution itself until they no longer move. */
double normal_quantile(double p)
{
    if (isnan(p) || p < 0 || p > 1)
        return NAN;
    if (p == 0 || p == 1)
        return p == 0 ? -INFINITY : INFINITY;
    if (p > 0.5)
        return -normal_quantile(1 - p);
    const double t = sqrt(-2 * log(p));
    double z = -(t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                         (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
    for (int step = 0; step < 4; step++) {
        const double density = exp(-z * z / 2) / sqrt(tau);
        if (density <= 0)
            break;
        const double newton = (normal_cdf(z) - p) / density;
        z -= newton / (1 + z * newton / 2);
    }
    return z;
}

/* Continued fraction of the incomplete beta function (DLMF 8.17.22) by the
 * modified Lentz method; converges fast for x < (a + 1) / (a + b + 2). */
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

/* Where I_x(a, b) = p: the quantile of the beta distribution. */
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

/* Binomial tails are beta distributions: the limits are their quantiles. */
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

/* P(X <= k) of n throws of a coin: I_1/2(n - k, k + 1). */
static double coin_cdf(size_t k, size_t n)
{
    return beta_regularised((double)(n - k), (double)(k + 1), 0.5);
}

/* The k-th value from below lies above the median when fewer than k values lie
 * below it, which is a matter of coins. */
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

/* P(T > t) for t >= 0. */
static double student_t_tail(double t, double df)
{
    return 0.5 * beta_regularised(df / 2, 0.5, df / (df + t * t));
}

/* Bisection on the tail: slow and sure, and this is asked a few times a run. */
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

/* splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t random_next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* The upper 32 bits scaled to [0, count): biased by less than count / 2^32. */
static size_t random_below(uint64_t *state, size_t count)
{
    return (size_t)((random_next(state) >> 32) * (uint64_t)count >> 32);
}

static bool all_positive(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]) || values[i] <= 0)
            return false;
    return true;
}

/* One median per process. */
struct arms {
    const double *base, *cand;
    size_t base_count, cand_count;
    bool paired; /* base[i] and cand[i] come from one process */
};

/* `base` and `cand` are sorted in place. */
static double ratio_of_medians(double *base, size_t base_count, double *cand, size_t cand_count)
{
    return median(cand, cand_count) / median(base, base_count);
}

/* Processes drawn with replacement, for both arms at once when they are pairs. */
static double resampled_ratio(const struct arms *arms, uint64_t *random, double *base_draw, double *cand_draw)
{
    for (size_t i = 0; i < arms->base_count; i++) {
        const size_t pick = random_below(random, arms->base_count);
        base_draw[i] = arms->base[pick];
        if (arms->paired)
            cand_draw[i] = arms->cand[pick];
    }
    for (size_t i = 0; i < arms->cand_count && !arms->paired; i++)
        cand_draw[i] = arms->cand[random_below(random, arms->cand_count)];
    return ratio_of_medians(base_draw, arms->base_count, cand_draw, arms->cand_count);
}

static void widen(struct ratio_interval *interval, double low, double high)
{
    interval->low = fmin(interval->low, low);
    interval->high = fmax(interval->high, high);
}

/* Hesterberg 2015: the tail at which a percentile interval of normal data gets
 * the width of the t interval. */
static double expanded_tail(double tail, double n)
{
    return normal_cdf(-sqrt(n / (n - 1)) * student_t_quantile(1 - tail, n - 1));
}

/* `scratch` has room for one resample of both arms and RESAMPLES ratios. */
static void widen_by_bootstrap(struct ratio_interval *out, const struct arms *arms, double tail, double *scratch)
{
    double *base_draw = scratch, *cand_draw = base_draw + arms->base_count, *ratios = cand_draw + arms->cand_count;
    uint64_t random = random_seed;
    for (size_t i = 0; i < RESAMPLES; i++)
        ratios[i] = resampled_ratio(arms, &random, base_draw, cand_draw);
    sort_doubles(ratios, RESAMPLES);
    const double n = (double)(arms->base_count < arms->cand_count ? arms->base_count : arms->cand_count);
    const double expanded = expanded_tail(tail, n);
    widen(out, quantile_sorted(ratios, RESAMPLES, expanded), quantile_sorted(ratios, RESAMPLES, 1 - expanded));
}

struct estimate {
    double centre, variance, df; /* of the mean */
};

/* Of log(over), or of log(over / under) when there are pairs. */
static struct estimate estimate_log(const double *over, const double *under, size_t count, double *scratch)
{
    for (size_t i = 0; i < count; i++)
        scratch[i] = log(over[i]) - (under ? log(under[i]) : 0);
    const double deviation = standard_deviation(scratch, count);
    return (struct estimate){mean(scratch, count), deviation * deviation / (double)count, (double)(count - 1)};
}

/* Welch-Satterthwaite degrees of freedom for two independent groups. */
static struct estimate estimate_difference(struct estimate cand, struct estimate base)
{
    const double variance = cand.variance + base.variance;
    return (struct estimate){cand.centre - base.centre, variance,
                             variance * variance / (cand.variance * cand.variance / cand.df +
                                                    base.variance * base.variance / base.df)};
}

static void widen_by_student_t(struct ratio_interval *out, const struct arms *arms, double tail, double *scratch)
{
    const struct estimate log_ratio =
        arms->paired ? estimate_log(arms->cand, arms->base, arms->base_count, scratch)
                     : estimate_difference(estimate_log(arms->cand, NULL, arms->cand_count, scratch),
                                           estimate_log(arms->base, NULL, arms->base_count, scratch));
    /* Without any spread the degrees of freedom are 0/0 and there is nothing to widen by. */
    const double half =
        log_ratio.variance > 0 ? student_t_quantile(1 - tail, log_ratio.df) * sqrt(log_ratio.variance) : 0;
    widen(out, exp(log_ratio.centre - half), exp(log_ratio.centre + half));
}

struct ratio_interval bootstrap_ratio(const double *base, size_t base_count, const double *cand, size_t cand_count,
                                      int paired, double confidence)
{
    const struct arms arms = {base, cand, base_count, cand_count, paired != 0};
    const struct ratio_interval nothing = {NAN, 0, INFINITY};
    if (!base_count || !cand_count || (paired && base_count != cand_count) || !all_positive(base, base_count) ||
        !all_positive(cand, cand_count))
        return nothing;
    double *scratch = calloc(base_count + cand_count + RESAMPLES, sizeof *scratch);
    if (!scratch)
        return nothing;
    memcpy(scratch, base, base_count * sizeof *base);
    memcpy(scratch + base_count, cand, cand_count * sizeof *cand);
    const double ratio = ratio_of_medians(scratch, base_count, scratch + base_count, cand_count);
    struct ratio_interval out = {ratio, 0, INFINITY};
    if (base_count >= 2 && cand_count >= 2 && confidence > 0 && confidence < 1) {
        const double tail = (1 - confidence) / 2;
        out = (struct ratio_interval){ratio, ratio, ratio};
        widen_by_bootstrap(&out, &arms, tail, scratch);
        widen_by_student_t(&out, &arms, tail, scratch);
    }
    free(scratch);
    return out;
}
