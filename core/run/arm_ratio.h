/* arm_ratio.h - how do two arms differ in time, and how precise is the time of one? The unit of all intervals is the
 * process (docs/statistics.md). */
#ifndef CPPROF_ARM_RATIO_H
#define CPPROF_ARM_RATIO_H

#include "core/base/err.h"
#include "core/run/timing_arms.h"
#include "core/stats/ratio_decision.h"

/* Two arms. In one bundle, the processes that measured both are pairs if there are any, because a slow process slows
 * both arms. Otherwise each process ran one arm and they are independent; so are the processes of two bundles, whatever
 * their numbers. */
struct arm_pair {
    const struct timing_arm *base, *cand;
    bool one_bundle;
};

/* The processes to compare; base[i] and cand[i] belong together when paired. */
struct arm_processes {
    const struct timing_process **base, **cand;
    size_t base_count, cand_count;
    bool paired;
};

/* Release it even after an error; the arms must outlive it. */
int arm_processes_init(struct arm_processes *out, const struct arm_pair *arms, struct err *e);
void arm_processes_release(struct arm_processes *p);

struct arm_ratio {
    /* cycles: only from processes that know their clock; each block uses its own. */
    struct ratio_decision time, cycles;
    size_t processes, clocked; /* of the arm that has fewer: all, and those with a clock */
    size_t samples;            /* of both arms */
    double base_ns, cand_ns;   /* typical times over the processes */
    bool paired;
};

/* Compares two arms. `looks` is that of the bundle, or the product of two bundles' (core/stats/sequential_looks.h). */
int arm_ratio_measure(struct arm_ratio *out, const struct arm_pair *arms, double margin, int looks, struct err *e);

/* Is there a difference in time but none in clock cycles? False when the clocks are not known. */
bool arm_ratio_is_of_the_clock(const struct arm_ratio *r);

/* How far is an arm from itself? Compares the typical time of every other one of its processes with that of the rest:
 * 0.03 where one of them is 3% above the other. 0 with fewer than two processes. */
double arm_own_difference(const struct timing_process *processes, size_t count);

/* Compares two arms of one bundle in time. A difference that is only due to the clock is inconclusive, with the reason
 * `clock_difference`. */
int arm_ratio_decide(const struct timing_arm *base, const struct timing_arm *cand, double margin, int looks,
                     struct ratio_decision *out, struct err *e);

/* Gives the typical time of an arm over processes with its interval, by the method for the ratio to a constant. The
 * ends are infinite below two processes. */
int arm_time_interval(const struct timing_arm *arm, int looks, struct ratio_interval *out, struct err *e);

#endif
