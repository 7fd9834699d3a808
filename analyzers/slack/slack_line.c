/* Where does a cost begin to grow with the delay, and how steeply? The cost is taken as 0 up to the slack and as a
 * straight line behind it. Its slope is not 1 where a slot comes round once in several tiles. */
#include "analyzers/slack/slack_line.h"

#include <math.h>
#include <stdbool.h>

#define CRITICAL_SLOPE 0.8
#define SLOPE_FALLS    0.25 /* so much may the slope fall from delay to delay */

static const struct bounded unknown = {NAN, NAN, NAN};

static bool costs(const struct slack_point *p)
{
    return p->cost.low > p->tolerance;
}

static bool is_free(const struct slack_point *p)
{
    return p->cost.high <= p->tolerance;
}

/* ---- which points ---- */

static size_t first_that_costs(const struct slack_point *points, size_t count)
{
    size_t first = 0;
    while (first < count && !costs(&points[first]))
        first++;
    return first;
}

static bool all_cost_from(const struct slack_point *points, size_t count, size_t first)
{
    while (first < count && costs(&points[first]))
        first++;
    return first == count;
}

static struct bounded slope_between(const struct slack_point *a, const struct slack_point *b)
{
    const double step = b->delay - a->delay;
    return (struct bounded){(b->cost.value - a->cost.value) / step, (b->cost.low - a->cost.high) / step,
                            (b->cost.high - a->cost.low) / step};
}

/* ---- whether a line may be drawn ---- */

/* Does a larger delay cost less than a smaller one, beyond both intervals and what counts as nothing? */
static bool costs_less(const struct slack_point *points, size_t count)
{
    for (size_t small = 0; small < count; small++)
        for (size_t large = small + 1; large < count; large++)
            if (points[small].cost.low - points[large].cost.high > points[small].tolerance)
                return true;
    return false;
}

/* By how much the slope before `point` is uncertain because delays are known to within SLACK_DELAY_ERROR. */
static double slope_error(const struct slack_point *points, size_t point)
{
    return SLACK_DELAY_ERROR / (points[point].delay - (point ? points[point - 1].delay : 0));
}

/* Does each cycle of a larger delay clearly cost less than of a smaller one? What hides a delay hides its begin. */
static bool flattens(const struct slack_point *points, size_t count)
{
    static const struct slack_point none = {0, {0, 0, 0}, 0};
    for (size_t small = 0; small < count; small++)
        for (size_t large = small + 1; large < count; large++) {
            const double fall = slope_between(small ? &points[small - 1] : &none, &points[small]).low -
                                slope_between(&points[large - 1], &points[large]).high;
            if (fall > SLOPE_FALLS + slope_error(points, small) + slope_error(points, large))
                return true;
        }
    return false;
}

/* ---- the line ---- */

/* Returns where the line through two costs meets 0; NAN when it does not rise. */
static double meets_zero(const struct slack_point *a, double cost_a, const struct slack_point *b, double cost_b)
{
    return cost_b > cost_a ? b->delay - cost_b * (b->delay - a->delay) / (cost_b - cost_a) : NAN;
}

/* Both ends of both costs: the steepest and the flattest line that they allow are among these. */
static struct bounded crossing(const struct slack_point *a, const struct slack_point *b)
{
    struct bounded out = {meets_zero(a, a->cost.value, b, b->cost.value), INFINITY, -INFINITY};
    const double of_a[] = {a->cost.low, a->cost.high}, of_b[] = {b->cost.low, b->cost.high};
    for (int i = 0; i < 4; i++) {
        const double at = meets_zero(a, of_a[i % 2], b, of_b[i / 2]);
        out.low = fmin(out.low, isnan(at) ? -INFINITY : at);
        out.high = fmax(out.high, isnan(at) ? INFINITY : at);
    }
    return out;
}

/* The largest delay that was tried and cost nothing, as did all smaller ones. */
static double last_free(const struct slack_point *points, size_t count)
{
    double last = 0;
    for (size_t i = 0; i < count && is_free(&points[i]); i++)
        last = points[i].delay;
    return last;
}

/* Keeps low <= value <= high, and all of it from 0 up to a delay that is known to cost. */
static struct bounded order(struct bounded b, double most)
{
    b.value = fmin(fmax(b.value, 0), most);
    b.low = fmin(fmax(b.low, 0), b.value);
    b.high = fmax(fmin(b.high, most), b.value);
    return b;
}

/* Behind `first` all points cost. The line through the last two is the value: near the slack single tiles are late and
 * others are not, so the cost is rounded there. Free for certain is a delay that was tried. */
static void fit(struct slack_line *out, const struct slack_point *points, size_t count, size_t first)
{
    const bool is_behind = first + 1 < count;
    const struct slack_point *a = &points[count - 2], *b = a + 1;
    out->slope = slope_between(a, b);
    out->slack = crossing(a, b);
    out->slack.low = fmin(out->slack.low, last_free(points, count)) - SLACK_DELAY_ERROR;
    out->slack.high += SLACK_DELAY_ERROR;
    if (!is_behind) { /* the line begins somewhere between the two, and may be as steep as it likes */
        out->slope.high = INFINITY;
        out->slack.high = b->delay;
    }
    out->slack = order(out->slack, points[first].delay);
}

static void find_hidden(struct slack_line *out, const struct slack_point *points, size_t count)
{
    const struct slack_point *last = &points[count - 1];
    if (!is_free(last))
        return;
    out->status = SLACK_HIDDEN;
    out->slope = slope_between(last - 1, last);
    out->slack = (struct bounded){last->delay, last->delay, INFINITY};
}

struct slack_line slack_line_of(const struct slack_point *points, size_t count)
{
    const double from_zero = points[0].delay;
    struct slack_line out = {SLACK_INCONCLUSIVE, unknown, unknown, unknown};
    const struct bounded smallest = points[0].cost;
    out.first_slope = (struct bounded){smallest.value / from_zero, smallest.low / from_zero, smallest.high / from_zero};
    if (costs_less(points, count) || flattens(points, count)) {
        out.status = SLACK_UNSTEADY;
        return out;
    }
    const size_t first = first_that_costs(points, count);
    if (first == count) {
        find_hidden(&out, points, count);
        return out;
    }
    if (!all_cost_from(points, count, first))
        return out;
    fit(&out, points, count, first);
    if (!isfinite(out.slope.value) || out.slope.value <= 0)
        return (struct slack_line){SLACK_INCONCLUSIVE, unknown, out.first_slope, unknown};
    const bool at_once = first == 0 && out.first_slope.value >= CRITICAL_SLOPE;
    out.status = at_once ? SLACK_CRITICAL : SLACK_PARTLY;
    if (at_once)
        out.slack.value = out.slack.low = 0;
    return out;
}

double slack_free_up_to(const struct slack_point *points, size_t count, double limit)
{
    double delay = 0, cost = 0;
    for (size_t i = 0; i < count; i++) {
        if (points[i].cost.value >= limit)
            return delay + (limit - cost) / (points[i].cost.value - cost) * (points[i].delay - delay);
        delay = points[i].delay;
        cost = points[i].cost.value;
    }
    return delay;
}
