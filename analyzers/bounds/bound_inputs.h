/* bound_inputs.h - everything that one bound is decided by, gathered from the
 * counters, the resources, the launches and the manifest of a bundle. */
#ifndef CPPROF_BOUND_INPUTS_H
#define CPPROF_BOUND_INPUTS_H

#include "analyzers/analysis.h"
#include "analyzers/bound_decision.h"
#include "analyzers/bounds/bound_contradiction.h"
#include "core/base/str.h"
#include "core/run/counters.h"
#include "core/run/imported_launches.h"

struct bound_inputs {
    const struct thresholds *thresholds; /* of what is judged */
    const struct counters *counters;     /* NULL: none were recorded */
    const struct chip *chip;             /* NULL: unknown */
    const struct resource *resource;     /* NULL: unknown */
    const struct launch_cost *launch;    /* NULL: not traced, or as no launch that is timed */
    bool is_python;                      /* traced launches wait for Python, and those that are timed do not */
    const double
        *busy_at_most; /* by metric: a unit that was not counted is no busier; NULL, or NAN where nothing is known */
    struct bound_contradiction contradiction; /* of a launch that another tool counted */
    const bool *lacks;                        /* by metric, as in struct imported_launch; NULL: nothing */
    double sm_count, grid_blocks, waves;      /* NAN: unknown */
    double gap_most; /* as much of a timed launch may be a gap, where graphs were timed and single launches traced */
    struct bound_shares shares;                 /* of the busiest unit, or of a limit above it */
    struct bound_shares at_least;               /* of the units that were counted; 0 when none was */
    enum share_certainty compute_is, memory_is; /* what `shares` says of each side */
    const struct metric *compute_busiest; /* the busiest pipe or the issue slots; NULL when that side was not measured;
                                             sm_throughput when only the limit of pipes is known */
    const struct metric *compute_unit;    /* the one to name: that one, or the pipe that the issue slots feed */
    double compute_unit_share;
    const struct metric *memory_busiest; /* the busiest memory unit */
    const struct metric *memory_unit;    /* the one to name: that one or DRAM */
    double memory_unit_share;
    bool counted_nothing;        /* each unit that was counted is at 0, which no kernel that ran is */
    bool recorded_nothing;       /* the tool that counted left no value of this launch */
    double dram_reach;           /* share of its peak that device memory reaches: as measured on this GPU, ... */
    bool dram_reach_is_measured; /* ... else the threshold dram_ceiling */
};

/* `counters` may be NULL. Points into `a` and into the counters. */
struct bound_inputs bound_inputs_gather(const struct analysis *a, const struct counters *counters,
                                        const struct arm *arm, const char *kernel);

/* The same of what another tool counted. */
struct bound_inputs bound_inputs_of(const struct imported_launch *launch, const struct thresholds *thresholds);

/* What was found on the way to a class. Whatever is told of a bound (its cause, its steps, its limit) is told from
 * this. */
struct bound_record {
    enum bound_class class_; /* inconclusive, too, when counters of a unit are missing, or a unit may be unknown, and
                                the host is not the limit */
    double margin;           /* how close it was; NAN when inconclusive */
    const char *bound_by;    /* as in struct bound; a literal */
    const struct metric *missing[COUNTERS_METRICS_MAX]; /* of units of which none was measured and any could be the
                                busiest one: nothing limits it, or its limit leaves another answer open */
    size_t missing_count;
    bool unit_is_open; /* of a compute bound: its class is certain, but any of these could be its unit */
    const struct metric *unknown_unit; /* the throughput (sm_throughput, memory_throughput) that is far above each unit
                                of its side, counted or limited: a unit that is not known may be the limit. NULL: there
                                is none, or the other side is the limit whatever it does, or counters are missing */
    enum latency_cause latency_cause;  /* of a latency bound */
    bool is_short;       /* latency-bound by a stall, but starting and ending are most of a short kernel */
    double active_share; /* of a latency-bound kernel's time that in which SMs have warps; NAN unknown */
};

struct bound_record bound_inputs_decide(const struct bound_inputs *in);

/* Appends "1 block for 22 SMs, so 21 have nothing to do", "264 blocks for 132 SMs". */
void bound_inputs_write_grid(struct str *out, const struct bound_inputs *in);

/* Returns the execution pipe to name as the busiest of those that were counted; NULL when none was. */
const struct metric *bound_inputs_pipe(const struct bound_inputs *in, double *share);

#endif
