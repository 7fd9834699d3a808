/* ratio_decision.h - what is the verdict on two arms, given one value per process? A pure function of numbers with the
 * rules of docs/statistics.md, so that runs, simulations and recorded pools are judged by the same code. */
#ifndef CPPROF_RATIO_DECISION_H
#define CPPROF_RATIO_DECISION_H

#include "core/stats/ratio_estimate.h"

/* The verdict on one arm compared with another. Numbers alone give the first four. The last two, for an arm that cannot
 * be used or whose witnesses contradict each other, come from code that knows the run. */
enum comparison_verdict {
    COMPARE_INCONCLUSIVE,
    COMPARE_FASTER,
    COMPARE_SLOWER,
    COMPARE_EQUIVALENT,
    COMPARE_UNUSABLE,
    COMPARE_CONTRADICTED
};
const char *comparison_verdict_name(enum comparison_verdict v);

enum { RATIO_PROCESSES_MIN = 3 }; /* fewer give no meaningful interval */

#define RATIO_CONFIDENCE 0.95
#define RATIO_MARGIN     0.01 /* by default, a difference below 1% is no difference */

/* Why it is decided as it is. The last are of core/run/arm_ratio.h and of analyzers/spread_decision.h. */
enum ratio_reason {
    RATIO_TOO_FEW_PROCESSES,
    RATIO_BELOW_MARGIN,
    RATIO_ABOVE_MARGIN,
    RATIO_WITHIN_MARGIN,
    RATIO_CROSSES_MARGIN,
    RATIO_OF_THE_CLOCK,
    RATIO_BEYOND_SPREAD,
    RATIO_WITHIN_SPREAD
};

struct ratio_decision {
    struct ratio_interval interval; /* at RATIO_CONFIDENCE */
    /* The smallest gain that an interval of this width would have called faster; NAN when the interval is infinite. */
    double mde;
    /* The p-value of "no more than the margin apart": below 1 - RATIO_CONFIDENCE exactly when the verdict is faster or
     * slower. NAN with too few processes. */
    double p_value;
    enum comparison_verdict verdict;
    enum ratio_reason reason;
};

/* Decides: faster or slower by more than `margin`, equivalent within it, or inconclusive. */
struct ratio_decision ratio_decide(const struct arm_values *values, double margin);

/* Does the same when this is one of `looks` looks at growing data, after each of which the run could have stopped
 * (core/stats/sequential_looks.h). Intervals are wider and p is larger, so that they hold for all looks together. */
struct ratio_decision ratio_decide_looks(const struct arm_values *values, double margin, int looks);

#endif
