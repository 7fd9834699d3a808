/* How big is a difference, and how sure can a handful of processes make us?
 * Formulas and sources: docs/statistics.md. */
#include "model/statistics.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model/resampling.h"

enum {
    SMALL_SORT = 16,
    FRACTION_STEPS_MAX = 500, /* of the continued fraction; it needs a few dozen */
    BISECTIONS = 200          /* halves any bracket of doubles to two neighbours */
};

/* pi and sqrt(2) are not in strict C17's math.h */
static const double tau = 6.283185307179586476925;
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
        const size_t pick = resampling_draw(random, arms->base_count);
        base_draw[i] = arms->base[pick];
        if (arms->paired)
            cand_draw[i] = arms->cand[pick];
    }
    for (size_t i = 0; i < arms->cand_count && !arms->paired; i++)
        cand_draw[i] = arms->cand[resampling_draw(random, arms->cand_count)];
    return ratio_of_medians(base_draw, arms->base_count, cand_draw, arms->cand_count);
}

static void widen(struct ratio_interval *interval, double low, double high)
{
    interval->low = fmin(interval->low, low);
    interval->high = fmax(interval->high, high);
}

static double lesser_count(const struct ratio_evidence *r)
{
    return (double)(r->base_count < r->cand_count ? r->base_count : r->cand_count);
}

/* The tail that is expanded to this one. */
static double contracted_tail(double expanded, double n)
{
    if (expanded <= 0 || expanded >= 0.5)
        return expanded <= 0 ? 0 : 0.5;
    return student_t_tail(-normal_quantile(expanded) * sqrt((n - 1) / n), n - 1);
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

static struct estimate estimate_log_ratio(const struct arms *arms, double *scratch)
{
    if (arms->paired)
        return estimate_log(arms->cand, arms->base, arms->base_count, scratch);
    return estimate_difference(estimate_log(arms->cand, NULL, arms->cand_count, scratch),
                               estimate_log(arms->base, NULL, arms->base_count, scratch));
}

/* `scratch` has room for one resample of both arms. */
static void resample(struct ratio_evidence *out, const struct arms *arms, double *scratch)
{
    double *base_draw = scratch, *cand_draw = base_draw + arms->base_count;
    uint64_t random = resampling_seed;
    for (size_t i = 0; i < RESAMPLES; i++)
        out->resampled[i] = resampled_ratio(arms, &random, base_draw, cand_draw);
    sort_doubles(out->resampled, RESAMPLES);
    const struct estimate log_ratio = estimate_log_ratio(arms, scratch);
    out->log_mean = log_ratio.centre;
    out->log_variance = log_ratio.variance;
    out->log_df = log_ratio.df;
}

static bool is_usable(const struct arms *arms)
{
    return arms->base_count && arms->cand_count && (!arms->paired || arms->base_count == arms->cand_count) &&
           all_positive(arms->base, arms->base_count) && all_positive(arms->cand, arms->cand_count);
}

int ratio_evidence_init(struct ratio_evidence *r, const double *base, size_t base_count, const double *cand,
                        size_t cand_count, int paired)
{
    const struct arms arms = {base, cand, base_count, cand_count, paired != 0};
    *r = (struct ratio_evidence){.ratio = NAN, .base_count = base_count, .cand_count = cand_count};
    if (!is_usable(&arms))
        return 0;
    double *scratch = calloc(base_count + cand_count, sizeof *scratch);
    const bool spread = base_count >= 2 && cand_count >= 2;
    r->resampled = scratch && spread ? calloc(RESAMPLES, sizeof *r->resampled) : NULL;
    if (!scratch || (spread && !r->resampled)) {
        free(scratch);
        return -1;
    }
    memcpy(scratch, base, base_count * sizeof *base);
    memcpy(scratch + base_count, cand, cand_count * sizeof *cand);
    r->ratio = ratio_of_medians(scratch, base_count, scratch + base_count, cand_count);
    if (spread)
        resample(r, &arms, scratch);
    free(scratch);
    return 0;
}

void ratio_evidence_release(struct ratio_evidence *r)
{
    free(r->resampled);
    r->resampled = NULL;
}

struct ratio_interval ratio_evidence_interval(const struct ratio_evidence *r, double confidence)
{
    struct ratio_interval out = {r->ratio, 0, INFINITY};
    if (!r->resampled || !(confidence > 0 && confidence < 1))
        return out;
    const double tail = (1 - confidence) / 2, expanded = resampling_tail(tail, lesser_count(r));
    out.low = out.high = r->ratio;
    widen(&out, quantile_sorted(r->resampled, RESAMPLES, expanded),
          quantile_sorted(r->resampled, RESAMPLES, 1 - expanded));
    /* Without any spread the degrees of freedom are 0/0 and there is nothing to widen by. */
    const double half = r->log_variance > 0 ? student_t_quantile(1 - tail, r->log_df) * sqrt(r->log_variance) : 0;
    widen(&out, exp(r->log_mean - half), exp(r->log_mean + half));
    return out;
}

/* The q at which quantile_sorted(resampled, q) passes `value`, from below. */
static double share_below(const struct ratio_evidence *r, double value)
{
    size_t from = 0, to = RESAMPLES; /* the first that is not below the value lies in [from, to] */
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (r->resampled[middle] < value)
            from = middle + 1;
        else
            to = middle;
    }
    if (from == 0 || from == RESAMPLES)
        return from ? 1 : 0;
    const double below = r->resampled[from - 1], above = r->resampled[from];
    return ((double)(from - 1) + (value - below) / (above - below)) / (RESAMPLES - 1);
}

/* The tail at which the t interval ends `distance` away from its centre. */
static double student_tail_at(const struct ratio_evidence *r, double distance)
{
    if (distance <= 0)
        return 0.5;
    return r->log_variance > 0 ? student_t_tail(distance / sqrt(r->log_variance), r->log_df) : 0;
}

/* Twice the tail at which both intervals end below `limit`. */
static double p_below(const struct ratio_evidence *r, double limit)
{
    if (r->ratio >= limit)
        return 1;
    const double bootstrap = contracted_tail(1 - share_below(r, limit), lesser_count(r));
    return 2 * fmax(bootstrap, student_tail_at(r, log(limit) - r->log_mean));
}

/* The same above; shares count from the other side, with values that equal the limit on it. */
static double p_above(const struct ratio_evidence *r, double limit)
{
    if (r->ratio <= limit)
        return 1;
    const double bootstrap = contracted_tail(share_below(r, nextafter(limit, INFINITY)), lesser_count(r));
    return 2 * fmax(bootstrap, student_tail_at(r, r->log_mean - log(limit)));
}

double ratio_evidence_p(const struct ratio_evidence *r, double low, double high)
{
    return r->resampled ? fmin(p_below(r, low), p_above(r, high)) : NAN;
}

struct ratio_interval bootstrap_ratio(const double *base, size_t base_count, const double *cand, size_t cand_count,
                                      int paired, double confidence)
{
    struct ratio_evidence evidence;
    struct ratio_interval out = {NAN, 0, INFINITY};
    if (!ratio_evidence_init(&evidence, base, base_count, cand, cand_count, paired))
        out = ratio_evidence_interval(&evidence, confidence);
    ratio_evidence_release(&evidence);
    return out;
}

/* The place of the smallest p that has no adjusted one yet; count when none is left. */
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
