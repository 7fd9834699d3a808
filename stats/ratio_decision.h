/* ratio_decision.h - from one value per process of two arms to a verdict: the
 * rules of docs/statistics.md as a pure function of numbers, so that a run, a
 * simulation and a recorded pool are judged by the same code. */
#ifndef CPPROF_RATIO_DECISION_H
#define CPPROF_RATIO_DECISION_H

#include "stats/ratio_estimate.h"

/* The verdict on one arm against another. Numbers alone give the first four; that an arm cannot be used, or that its
 * witnesses contradict each other, is said by those who know the run. */
enum comparison_verdict {
    COMPARE_INCONCLUSIVE,
    COMPARE_FASTER,
    COMPARE_SLOWER,
    COMPARE_EQUIVALENT,
    COMPARE_UNUSABLE,
    COMPARE_CONTRADICTED
};
const char *comparison_verdict_name(enum comparison_verdict v);

enum { RATIO_PROCESSES_MIN = 3 }; /* below, no interval deserves the name */

#define RATIO_CONFIDENCE 0.95
#define RATIO_MARGIN     0.01 /* unless asked otherwise, a difference below 1% is no difference */

struct ratio_decision {
    struct ratio_interval interval; /* at RATIO_CONFIDENCE */
    double mde;     /* smallest gain that an interval of this width would have called; NAN when it has no end */
    double p_value; /* of "no more than the margin apart": below 1 - RATIO_CONFIDENCE exactly when faster or slower; NAN
                       too few */
    enum comparison_verdict verdict;
    const char *reason; /* too_few_processes, interval_below_margin, _above_margin, _within_margin, _crosses_margin */
};

/* Faster or slower by more than `margin`, equivalent within it, or not known. */
struct ratio_decision ratio_decide(const struct arm_values *values, double margin);

/* The same where this may have been any of `looks` looks at growing numbers, after
 * each of which the run could have stopped (stats/sequential_looks.h): intervals are wider and
 * p is larger, so that they hold over all looks together. */
struct ratio_decision ratio_decide_looks(const struct arm_values *values, double margin, int looks);

#endif
