/* bound_decision.h - from shares of peak to a class: the rules of
 * docs/bounds.md as pure functions of numbers. Shares are ratios of the peak
 * over elapsed cycles; NAN is "not measured" everywhere. */
#ifndef CPPROF_BOUND_DECISION_H
#define CPPROF_BOUND_DECISION_H

#include "analyzers/analysis.h"

struct bound_shares {
    double launch_idle; /* device idle between two launches over the launch interval */
    double compute;     /* busiest pipe, or the issue slots */
    double memory;      /* busiest memory unit */
    double copying;     /* device copying between two launches over the launch interval */
    double other_work;  /* device running other kernels or memsets between them */
};

/* Is it about what is between two launches? Then no counter of a kernel decides. */
bool bound_is_of_gaps(enum bound_class class_);

/* The class, and how many points the nearest boundary of that class is away
 * (NAN when inconclusive). Inconclusive when a share that decides is missing. */
enum bound_class bound_decide(const struct thresholds *t, const struct bound_shares *shares, double *margin);

/* Is DRAM, which reaches at most `reach` of its peak, the unit to name, although another memory unit may be busier? */
bool bound_prefers_dram(const struct thresholds *t, double dram_share, double reach, double busiest_share);

/* Is a pipe the unit to name, where the issue slots that feed it are busier? */
bool bound_prefers_pipe(const struct thresholds *t, double pipe_share, double issue_share);

/* Is shared memory the unit to name, where L1, which holds it, is the busiest? */
bool bound_prefers_shared(const struct thresholds *t, double shared_share, double l1_share);

/* Why is nothing busy? Asked in this order. */
enum latency_cause { LATENCY_SMALL_GRID, LATENCY_TAIL, LATENCY_STALL };
enum latency_cause bound_latency_cause(const struct thresholds *t, double grid_blocks, double sm_count, double waves);

/* The headline of Nsight Compute's speed-of-light rule on the same numbers:
 * SM and memory throughput, waves per SM. NULL when one that decides is missing. */
const char *bound_ncu_rule(const struct thresholds *t, double sm_throughput, double memory_throughput, double waves);

#endif
