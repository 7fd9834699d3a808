/* How far apart are two arms, and how sure does a handful of processes make us? (docs/statistics.md) */
#include "model/ratio_estimate.h"

#include <math.h>
#include <stdlib.h>

#include "model/statistics.h"

enum { TRIMMED_ONE_OF = 10 }; /* values that are left out at each end */

/* A mean, the square of its standard error, and the degrees of freedom of that. */
struct centre {
    double value, variance, df;
};

/* Tukey and McLaughlin 1963: the mean of the middle; its error counts those that
 * are left out as if they were the nearest that are not. With nothing left out
 * it is the mean with s^2 / n. Overwrites the values. */
static struct centre trimmed_mean(double *values, size_t count)
{
    const size_t out = count / TRIMMED_ONE_OF, kept = count - 2 * out;
    sort_doubles(values, count);
    const double middle = mean(values + out, kept);
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

/* Of log(over), or of log(over / under) when there are pairs. */
static struct centre centre_of_logs(const double *over, const double *under, size_t count, double *scratch)
{
    for (size_t i = 0; i < count; i++)
        scratch[i] = log(over[i]) - (under ? log(under[i]) : 0);
    return trimmed_mean(scratch, count);
}

/* Welch 1947, and Yuen 1974 for trimmed means. */
static struct centre difference(struct centre cand, struct centre base)
{
    const double variance = cand.variance + base.variance;
    return (struct centre){cand.value - base.value, variance,
                           variance * variance / (cand.variance * cand.variance / cand.df +
                                                  base.variance * base.variance / base.df)};
}

static struct centre centre_of_ratio(const struct arm_values *v, double *scratch)
{
    if (v->paired)
        return centre_of_logs(v->cand, v->base, v->base_count, scratch);
    return difference(centre_of_logs(v->cand, NULL, v->cand_count, scratch),
                      centre_of_logs(v->base, NULL, v->base_count, scratch));
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

int ratio_estimate_init(struct ratio_estimate *r, const struct arm_values *v)
{
    *r = (struct ratio_estimate){NAN, INFINITY, NAN};
    if (!is_usable(v))
        return 0;
    double *scratch = calloc(v->base_count > v->cand_count ? v->base_count : v->cand_count, sizeof *scratch);
    if (!scratch)
        return -1;
    const struct centre log_ratio = centre_of_ratio(v, scratch);
    free(scratch);
    r->log_ratio = log_ratio.value;
    if (v->base_count >= 2 && v->cand_count >= 2)
        *r = (struct ratio_estimate){log_ratio.value, sqrt(log_ratio.variance), log_ratio.df};
    return 0;
}

struct ratio_interval ratio_estimate_interval(const struct ratio_estimate *r, double confidence)
{
    const double ratio = exp(r->log_ratio);
    if (isnan(ratio) || !isfinite(r->error) || !(confidence > 0 && confidence < 1))
        return (struct ratio_interval){ratio, 0, INFINITY};
    /* Without any spread the degrees of freedom are 0/0, and there is nothing to be unsure of. */
    const double half = r->error > 0 ? student_t_quantile(1 - (1 - confidence) / 2, r->df) * r->error : 0;
    return (struct ratio_interval){ratio, exp(r->log_ratio - half), exp(r->log_ratio + half)};
}

/* That the interval ends before a limit so far away from the estimate. */
static double p_before(const struct ratio_estimate *r, double distance)
{
    if (distance <= 0)
        return 1;
    return r->error > 0 ? 2 * student_t_tail(distance / r->error, r->df) : 0;
}

double ratio_estimate_p(const struct ratio_estimate *r, double low, double high)
{
    if (isnan(r->log_ratio) || !isfinite(r->error))
        return NAN;
    return fmin(p_before(r, log(low) - r->log_ratio), p_before(r, r->log_ratio - log(high)));
}
