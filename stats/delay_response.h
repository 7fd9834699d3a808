/* delay_response.h - how much later may something happen for free? From what delays cost (docs/inside.md).
 *
 * Cost over delay is convex: a delay that something else hides costs nothing, and beyond that each cycle costs the
 * same. So a straight line between two doses is never below the cost, and the line through the last two, continued to
 * the left, is never above it. */
#ifndef CPPROF_DELAY_RESPONSE_H
#define CPPROF_DELAY_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>

struct delay_dose {
    double delay;           /* in any unit, above that of the dose before */
    double cost, low, high; /* in the same unit, with its interval */
};

enum delay_kind {
    DELAY_HIDDEN,   /* no dose costs anything */
    DELAY_CRITICAL, /* the smallest dose costs nearly all of itself */
    DELAY_PARTLY,   /* something in between */
    DELAY_UNSTEADY  /* a larger dose costs less than a smaller one, or less for each cycle: another order has come about
                     */
};

struct delay_response {
    enum delay_kind kind;
    double slack;  /* where the line through the last two doses meets no cost; of what is hidden the largest dose */
    double free;   /* up to here a dose costs no more than `tolerance`, whatever the interval allows */
    double latest; /* the steepest line that the intervals allow meets no cost here; infinite for what is hidden */
    double slope, slope_low, slope_high;          /* of that line; NAN for what is hidden */
    double critical, critical_low, critical_high; /* cost of the smallest dose by that dose */
};

/* Needs two doses at least. */
struct delay_response delay_response_of(const struct delay_dose *doses, size_t count, double tolerance);

#endif
