/* arm_ratio.h - how do two arms differ in time, and how sure is the time of one?
 * Processes are the unit, as in every interval of docs/statistics.md. */
#ifndef CPPROF_ARM_RATIO_H
#define CPPROF_ARM_RATIO_H

#include "base/err.h"
#include "run/timing_arms.h"
#include "stats/ratio_decision.h"

/* Two arms. In one bundle, the processes that measured both are pairs, where there
 * are any; what slows one process down slows both arms in it. Else each process
 * ran one arm and they are independent, as are the processes of two bundles,
 * whatever their numbers. */
struct arm_pair {
    const struct timing_arm *base, *cand;
    bool one_bundle;
};

/* The processes that count; base[i] and cand[i] belong together when paired. */
struct arm_processes {
    const struct timing_process **base, **cand;
    size_t base_count, cand_count;
    bool paired;
};

/* Release it even after an error; the arms must outlive it. */
int arm_processes_init(struct arm_processes *out, const struct arm_pair *arms, struct err *e);
void arm_processes_release(struct arm_processes *p);

struct arm_ratio {
    struct ratio_decision time, cycles; /* cycles: of the processes with a clock; each block's by its own */
    size_t processes, clocked;          /* of the arm that has fewer; with a clock */
    size_t samples;                     /* of both arms */
    double base_ns, cand_ns;            /* typical over the processes */
    bool paired;
};

/* `looks` is of the bundle, or the product of both (stats/sequential_looks.h). */
int arm_ratio_measure(struct arm_ratio *out, const struct arm_pair *arms, double margin, int looks, struct err *e);

/* Is a difference in time none in clock cycles? Without clocks nothing is known against it. */
bool arm_ratio_is_of_the_clock(const struct arm_ratio *r);

/* Arms of one bundle in time. A difference of the clock is inconclusive, `clock_difference`. */
int arm_ratio_decide(const struct timing_arm *base, const struct timing_arm *cand, double margin, int looks,
                     struct ratio_decision *out, struct err *e);

/* The typical time over processes with its interval: the ratio to a constant, by
 * the same method. Infinite ends below two processes. */
int arm_time_interval(const struct timing_arm *arm, int looks, struct ratio_interval *out, struct err *e);

#endif
