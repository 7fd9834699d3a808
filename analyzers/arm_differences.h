/* arm_differences.h - in what, besides their kernels, do two arms differ that a
 * ratio of their times would be blamed on the kernels? */
#ifndef CPPROF_ARM_DIFFERENCES_H
#define CPPROF_ARM_DIFFERENCES_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzers/analysis.h"
#include "core/base/err.h"
#include "core/run/timing_arms.h"

enum difference_weight {
    DIFFERENCE_SAID,      /* to be known with the ratio */
    DIFFERENCE_CONFOUNDS, /* a ratio, but no verdict on the kernels */
    DIFFERENCE_FORBIDS    /* no ratio */
};

struct arm_difference {
    enum comparison_reason reason;
    enum difference_weight weight;
    const char *text; /* one sentence without a full stop: "baseline on NVIDIA H100, candidate on NVIDIA H200" */
};

struct arm_differences {
    struct arm_difference *items;
    size_t count, capacity;
};

void arm_differences_release(struct arm_differences *d);

/* A variant at a config of a bundle, which may have no such arm: arms of two bundles meet here, by their names. */
struct arm_place {
    const struct analysis *analysis;
    const char *variant, *config;
    const struct arm *arm; /* NULL: there is none */
};
struct arm_place arm_place_named(const struct analysis *a, const char *variant, const char *config);
struct arm_place arm_place_of(const struct analysis *a, const struct arm *arm); /* an arm of this run */

/* Which recordings and machines: GPU, driver, clocks and power of the timed processes. What is
 * in `across` (names with commas: device, board, driver, clocks, power; NULL none)
 * is meant to differ, and only said. Texts go to the arena. */
int arm_differences_of_machines(struct arm_differences *out, struct arena *arena, const struct analysis *base,
                                const struct analysis *cand, const char *across, struct err *e);

/* Which work: values computed, operations, bytes, kernels per call. */
int arm_differences_of_work(struct arm_differences *out, struct arena *arena, const struct arm_place *base,
                            const struct arm_place *cand, struct err *e);

/* ERR_USAGE for a list of names that holds another one. */
int arm_differences_check_across(const char *across, struct err *e);

/* The first that weighs this much or more; NULL without one. */
const struct arm_difference *arm_differences_first(const struct arm_differences *d, enum difference_weight least);

/* The row of variants.csv that states this arm; -1 without one. */
long arm_row(const struct analysis *a, const struct arm *arm);

/* Is it a collective of a task, whose processes (`count`, of one state of the caches) are so far from each other that
 * no verdict may rest on its time? NCCL itself took 6.0 and 7.0 us in two: ranks meet otherwise in each of them, and
 * the interval of few can be narrow by chance. */
bool arm_is_unsteady(const struct analysis *a, const struct arm *arm, const struct timing_process *processes,
                     size_t count);

/* Why its times say nothing of the variant, as it declares; "" when they do. */
const char *arm_no_verdict(const struct analysis *a, const struct arm *arm);

/* Both have one kernel per call, as far as is known, of the same machine code and launched alike. */
bool arms_are_one_kernel(const struct arm_place *base, const struct arm_place *cand);

#endif
