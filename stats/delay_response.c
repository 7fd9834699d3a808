/* Where does a delay begin to cost? */
#include "stats/delay_response.h"

#include <math.h>

/* The share of itself that the smallest dose of something critical costs. */
#define CRITICAL_SHARE 0.8

/* By how much the slope may fall from dose to dose: so much does the waiting itself disturb. */
#define SLOPE_FALLS 0.25

static double slope(const struct delay_dose *from, double cost_from, const struct delay_dose *to, double cost_to)
{
    return (cost_to - cost_from) / (to->delay - from->delay);
}

/* Does a larger dose cost less than a smaller one, or clearly less for each cycle? */
static bool is_unsteady(const struct delay_dose *d, size_t count)
{
    struct delay_dose before = {0, 0, 0, 0};
    for (size_t i = 0; i < count; i++) {
        for (size_t k = i + 1; k < count; k++)
            if (d[k].high < d[i].low)
                return true;
        if (i + 1 < count && slope(&before, before.high, &d[i], d[i].low) >
                                 slope(&d[i], d[i].low, &d[i + 1], d[i + 1].high) + SLOPE_FALLS)
            return true;
        before = d[i];
    }
    return false;
}

/* Between two doses the high ends are taken for a line. */
static double free_up_to(const struct delay_dose *d, size_t count, double tolerance)
{
    struct delay_dose before = {0, 0, 0, 0};
    for (size_t i = 0; i < count; i++) {
        if (d[i].high > tolerance)
            return before.high > tolerance ? 0
                                           : before.delay + (tolerance - before.high) / (d[i].high - before.high) *
                                                                (d[i].delay - before.delay);
        before = d[i];
    }
    return d[count - 1].delay;
}

static bool costs(const struct delay_dose *d, double tolerance)
{
    return d->low > tolerance;
}

/* The line through the last two doses, and the steepest and the flattest that their intervals allow. */
static void fit(struct delay_response *r, const struct delay_dose *d, size_t count)
{
    const struct delay_dose *last = &d[count - 1], *before = &d[count - 2];
    const double step = last->delay - before->delay;
    r->slope = (last->cost - before->cost) / step;
    r->slope_low = (last->low - before->high) / step;
    r->slope_high = (last->high - before->low) / step;
    r->slack = r->slope > 0 ? fmax(last->delay - last->cost / r->slope, 0) : r->free;
    r->latest = r->slope_high > 0 ? fmax(last->delay - last->low / r->slope_high, r->slack) : r->slack;
    if (r->slack < r->free)
        r->slack = r->free;
    if (r->latest < r->slack)
        r->latest = r->slack;
}

struct delay_response delay_response_of(const struct delay_dose *d, size_t count, double tolerance)
{
    const struct delay_dose *first = &d[0], *last = &d[count - 1];
    struct delay_response r = {
        .kind = DELAY_PARTLY,
        .slack = last->delay,
        .free = free_up_to(d, count, tolerance),
        .latest = INFINITY,
        .slope = NAN,
        .slope_low = NAN,
        .slope_high = NAN,
        .critical = first->cost / first->delay,
        .critical_low = first->low / first->delay,
        .critical_high = first->high / first->delay,
    };
    if (is_unsteady(d, count)) {
        r.kind = DELAY_UNSTEADY;
        return r;
    }
    bool any = false;
    for (size_t i = 0; i < count; i++)
        any |= costs(&d[i], tolerance);
    if (!any) {
        r.kind = DELAY_HIDDEN;
        return r;
    }
    fit(&r, d, count);
    if (costs(first, tolerance) && r.critical >= CRITICAL_SHARE)
        r.kind = DELAY_CRITICAL;
    return r;
}
