/* What is the ratio of two arms, and how precisely do a few processes determine it? (docs/statistics.md) */
#include "core/stats/ratio_estimate.h"

#include <math.h>
#include <stdlib.h>

#include "core/stats/statistics.h"

enum { TRIMMED_ONE_OF = 10 }; /* one of so many values is left out at each end */

/* A mean, the square of its standard error, and the degrees of freedom of the error. */
struct centre {
    double value, variance, df;
};

/* The trimmed mean of Tukey and McLaughlin 1963. For its error the values left out count as the nearest ones that are
 * not. With nothing left out it is the mean with s^2 / n. Overwrites the values. */
static struct centre trimmed_mean(double *values, size_t count)
{
    const size_t out = count / TRIMMED_ONE_OF, kept = count - 2 * out;
    sort_doubles(values, count);
    const double middle = mean(out ? values + out : values, kept);
    for (size_t i = 0; i < out; i++) {
        values[i] = values[out];
        values[count - 1 - i] = values[count - 1 - out];
    }
    const double n = (double)count, h = (double)kept, s = standard_deviation(values, count);
    return (struct centre){middle, s * s * (n - 1) / (h * (h - 1)), h - 1};
}

double typical_over_processes(double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = log(values[i]);
    return exp(trimmed_mean(values, count).value);
}

/* log(over), or log(over / under) when there are pairs. */
static void take_logs(double *out, const double *over, const double *under, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = log(over[i]) - (under ? log(under[i]) : 0);
}

/* Welch 1947, and Yuen 1974 for trimmed means. */
static struct centre difference(struct centre cand, struct centre base)
{
    const double variance = cand.variance + base.variance;
    return (struct centre){cand.value - base.value, variance,
                           variance * variance /
                               (cand.variance * cand.variance / cand.df + base.variance * base.variance / base.df)};
}

static struct centre centre_of_arms(const struct arm_values *v, double *scratch)
{
    take_logs(scratch, v->cand, NULL, v->cand_count);
    const struct centre cand = trimmed_mean(scratch, v->cand_count);
    take_logs(scratch, v->base, NULL, v->base_count);
    return difference(cand, trimmed_mean(scratch, v->base_count));
}

static bool all_positive(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]) || values[i] <= 0)
            return false;
    return true;
}

static bool is_usable(const struct arm_values *v)
{
    return v->base_count && v->cand_count && (!v->paired || v->base_count == v->cand_count) &&
           all_positive(v->base, v->base_count) && all_positive(v->cand, v->cand_count);
}

static void take_centre(struct ratio_estimate *r, const struct centre *c, bool has_error)
{
    r->log_ratio = r->mean = c->value;
    if (has_error) {
        r->error = sqrt(c->variance);
        r->df = c->df;
    }
}

/* Overwrites the logs. */
static int estimate_pairs(struct ratio_estimate *r, double *logs, size_t count)
{
    const bool ranked = count >= RATIO_PAIRS_RANKED && count <= SIGNED_RANKS_MAX;
    if (ranked && signed_ranks_init(&r->ranks, logs, count))
        return -1;
    const struct centre mean = trimmed_mean(logs, count);
    take_centre(r, &mean, count >= 2);
    if (ranked)
        r->log_ratio = signed_ranks_middle(&r->ranks);
    return 0;
}

static void estimate_arms(struct ratio_estimate *r, const struct arm_values *v, double *scratch)
{
    const struct centre difference_of_means = centre_of_arms(v, scratch);
    take_centre(r, &difference_of_means, v->base_count >= 2 && v->cand_count >= 2);
}

int ratio_estimate_init(struct ratio_estimate *r, const struct arm_values *v)
{
    *r = (struct ratio_estimate){.log_ratio = NAN, .mean = NAN, .error = INFINITY, .df = NAN};
    if (!is_usable(v))
        return 0;
    int rc = 0;
    double *scratch = calloc(v->base_count > v->cand_count ? v->base_count : v->cand_count, sizeof *scratch);
    if (!scratch)
        return -1;
    if (v->paired) {
        take_logs(scratch, v->cand, v->base, v->base_count);
        rc = estimate_pairs(r, scratch, v->base_count);
    } else {
        estimate_arms(r, v, scratch);
    }
    free(scratch);
    return rc;
}

void ratio_estimate_release(struct ratio_estimate *r)
{
    signed_ranks_release(&r->ranks);
}

/* The interval of the mean. Without any spread the degrees of freedom are 0/0, and the interval is the mean. */
static struct middle_interval t_interval(const struct ratio_estimate *r, double alpha)
{
    const double half = r->error > 0 ? student_t_quantile(1 - alpha / 2, r->df) * r->error : 0;
    return (struct middle_interval){r->mean - half, r->mean + half};
}

/* Where ranks give no interval at that level, it is the t interval, widened to include the range that ranks can give:
 * from the smallest value to the largest. */
static struct middle_interval interval_of_logs(const struct ratio_estimate *r, double alpha)
{
    const struct signed_ranks *ranks = &r->ranks;
    if (ranks->count && alpha >= ranks->missing[0])
        return signed_ranks_interval(ranks, alpha);
    struct middle_interval by_t = t_interval(r, alpha);
    if (ranks->count)
        by_t =
            (struct middle_interval){fmin(by_t.low, ranks->walsh[0]), fmax(by_t.high, ranks->walsh[ranks->count - 1])};
    return by_t;
}

struct ratio_interval ratio_estimate_interval(const struct ratio_estimate *r, double confidence)
{
    const double ratio = exp(r->log_ratio);
    if (isnan(ratio) || !isfinite(r->error) || !(confidence > 0 && confidence < 1))
        return (struct ratio_interval){ratio, 0, INFINITY};
    const struct middle_interval logs = interval_of_logs(r, 1 - confidence);
    return (struct ratio_interval){ratio, exp(logs.low), exp(logs.high)};
}

/* The p-value at which the t interval ends `distance` away from the mean. */
static double t_p(const struct ratio_estimate *r, double distance)
{
    if (distance <= 0)
        return 1;
    return r->error > 0 ? 2 * student_t_tail(distance / r->error, r->df) : 0;
}

static double p_above(const struct ratio_estimate *r, double limit)
{
    const double by_t = t_p(r, r->mean - limit);
    if (!r->ranks.count)
        return by_t;
    const double by_ranks = signed_ranks_reach_down(&r->ranks, limit);
    return limit < r->ranks.walsh[0] ? fmin(by_ranks, by_t) : by_ranks;
}

static double p_below(const struct ratio_estimate *r, double limit)
{
    const double by_t = t_p(r, limit - r->mean);
    if (!r->ranks.count)
        return by_t;
    const double by_ranks = signed_ranks_reach_up(&r->ranks, limit);
    return limit > r->ranks.walsh[r->ranks.count - 1] ? fmin(by_ranks, by_t) : by_ranks;
}

double ratio_estimate_p(const struct ratio_estimate *r, double low, double high)
{
    if (isnan(r->log_ratio) || !isfinite(r->error))
        return NAN;
    return fmin(p_below(r, log(low)), p_above(r, log(high)));
}
