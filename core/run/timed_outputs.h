/* timed_outputs.h - how many outputs of a solution's timed launches were verified? The judge says so in the hints of
 * verify.csv: "24 timed outputs; salt 01ab", "24 timed outputs without a gate; inside, salt 01ab". Where it packs
 * constant inputs before, "set up in 81000 ns" stands before the last part. */
#ifndef CPPROF_TIMED_OUTPUTS_H
#define CPPROF_TIMED_OUTPUTS_H

#include <stdbool.h>

#include "core/run/arm_table.h"

/* Of one arm, with caches in one state. */
struct timed_outputs {
    bool is_counted;     /* by this run; bundles of earlier versions do not say */
    double right;        /* over all processes */
    double set_up_ns;    /* longest over the processes; NAN: it does not pack anything */
    bool without_gate;   /* a launch may have begun before all of its inputs were there */
    bool judged_inside;  /* the process of the solution, which could reach its judge */
    bool judged_on_host; /* the device had no memory for references */
};

/* `verify` is BUNDLE_VERIFY of a run with a task; `cache` is "hot", "rotated" or "cold". */
struct timed_outputs timed_outputs_of(const struct arm_table *verify, const struct arm *arm, const char *cache);

/* The largest share of launches that may be wrong although none of the verified ones was: 3 / right is the upper end of
 * the 95% interval (rule of three); at most 1. NAN: not counted. */
double timed_outputs_unseen(const struct timed_outputs *t);

/* May a solution that gains `least` of the time, or more, be called faster? Not without a gate. Launches whose outputs
 * are wrong take no time in the best case, so the gain has to be more than the share of launches that may be wrong
 * unseen. */
bool timed_outputs_suffice(const struct timed_outputs *t, double least);

#endif
