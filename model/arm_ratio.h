/* arm_ratio.h - how do two arms of one run differ in time, and how sure is the
 * time of one? Processes are the unit, as in every interval of docs/statistics.md. */
#ifndef CPPROF_ARM_RATIO_H
#define CPPROF_ARM_RATIO_H

#include "base/err.h"
#include "model/ratio_decision.h"
#include "model/timing_arms.h"

/* Arms of one bundle: the processes that measured both are pairs, where there
 * are any; else each process ran one arm and they are independent. `looks` is of
 * the bundle (model/looks.h). A difference that does not hold in clock cycles is
 * inconclusive, `clock_difference`. */
int arm_ratio_decide(const struct timing_arm *base, const struct timing_arm *cand, double margin, int looks,
                     struct ratio_decision *out, struct err *e);

/* The median over processes with its interval: the ratio to a constant, by the
 * same method. Infinite ends below two processes. */
int arm_time_interval(const struct timing_arm *arm, int looks, struct ratio_interval *out, struct err *e);

#endif
