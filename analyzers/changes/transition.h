/* transition.h - what became different between two arms, in one sentence from
 * their counters and resources: "memory-bound (dram 88.0%) -> compute-bound
 * (tensor 71.0%); long_scoreboard stalls 46.0% -> 9.0%; +24 registers". */
#ifndef CPPROF_TRANSITION_H
#define CPPROF_TRANSITION_H

#include "analyzers/analysis.h"
#include "core/base/str.h"
#include "core/run/counters.h"

/* What one arm is, as far as it is known. An arm with several kernels has no single answer. */
struct arm_traits {
    const struct bound *bound;                       /* NULL unknown, or several */
    const struct resource *resource;                 /* as above */
    const struct counters *counters;                 /* as above */
    double dram_bytes, instructions, bank_conflicts; /* NAN unknown */
};

/* Fills the traits of an arm of the run of `a`, which must outlive them. */
struct arm_traits arm_traits_of(const struct analysis *a, const struct arm *arm);

/* Appends what changed materially (core/gpu/thresholds.h), with "; " between the
 * parts; nothing when nothing did. */
void transition_add(struct str *out, const struct thresholds *t, const struct arm_traits *base,
                    const struct arm_traits *cand);

/* Fewer blocks than fit at once, or a last wave that leaves most of the device
 * empty: the slowest block ends the kernel. */
bool has_tail_risk(const struct thresholds *t, double waves);

#endif
