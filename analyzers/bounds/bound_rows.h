/* bound_rows.h - what bounds a kernel, and what a change would bring. */
#ifndef CPPROF_BOUND_ROWS_H
#define CPPROF_BOUND_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzers/finding.h"
#include "core/gpu/thresholds.h"
#include "core/run/arms.h"

enum bound_class {
    BOUND_INCONCLUSIVE,
    BOUND_COMPUTE,
    BOUND_MEMORY,
    BOUND_LATENCY,
    BOUND_LAUNCH,
    BOUND_COPY,       /* the device copies between its launches */
    BOUND_OTHER_WORK, /* the device runs other kernels or memsets between its launches */
    BOUND_BALANCED
};
const char *bound_class_name(enum bound_class c); /* "compute-bound" ... */

/* Is a share that of the busiest unit of its side, or what is known of it where units were not counted? */
enum share_certainty { SHARE_UNKNOWN, SHARE_EXACT, SHARE_AT_MOST, SHARE_AT_LEAST };
const char *share_certainty_name(enum share_certainty c); /* "exact", "at most", "at least"; "" for SHARE_UNKNOWN */

/* How many of the launches that were counted come to this? */
struct bound_tally {
    enum bound_class class_;
    const char *bound_by;
    int64_t count;
};

/* A part of the time from one launch of a kernel to the next (analyzers/bounds/lost_time.h). */
enum lost_kind {
    LOST_HOST,
    LOST_COPY,
    LOST_OTHER_WORK,
    LOST_SMALL_GRID,
    LOST_TAIL,
    LOST_UNIT,
    LOST_STALL,
    LOST_SYNCHRONISATION
};
struct lost_part {
    enum lost_kind kind;
    const char *name; /* "launch gap", "dram", "long_scoreboard" */
    const char *meaning;
    double share;
};

/* The thresholds for launches of one compute capability, as a file of another tool has it. */
struct capability_thresholds {
    const char *capability; /* of the first such launch, which owns it */
    struct thresholds thresholds;
};

/* What bounds it? (design: docs/bounds.md) */
struct bound {
    const struct arm *arm; /* NULL of what another tool counted */
    const char *variant, *config, *kernel;
    enum bound_class class_;
    const char *lean;     /* "compute" or "memory"; "" when there is nothing to go by */
    const char *unit;     /* "fma", "dram", ...; "" when none */
    const char *bound_by; /* of a compute or memory bound the unit, of a latency bound "small-grid", "tail" or the
                          leading stall; "" of the other classes, and of a compute bound whose unit is open */
    bool unit_is_open;    /* of a compute bound: a unit that was not counted may be the limit */
    const char *stated;   /* by the variant, known by construction: "memory-bound dram"; "" when it states none */
    const char *cause;    /* one sentence */
    double margin;        /* ratio points to the nearest boundary */
    double compute_share, memory_share; /* of peak over elapsed cycles */
    enum share_certainty compute_is, memory_is;
    double unit_share;    /* of `unit`, which may be less than its side's; NAN without one */
    const char *ncu_rule; /* Nsight Compute's speed-of-light headline on the same numbers; NULL unknown */
    double sm_throughput, memory_throughput; /* these numbers; NAN unknown */
    struct evidence_list evidence;
    const char *advice, *will_not_help; /* "" when none */
    const char *advised_by; /* what the general advice goes by first (bound_advice_for): `bound_by`, or the leading
                               stall where a small grid costs little */
    const struct imported_launch *counted; /* of a launch that another tool counted; NULL of a bundle */
    /* Each launch that was counted is judged for itself, too. */
    int64_t repeats;             /* how many; 0 without counters */
    int64_t agreeing;            /* how many of them come to the class and limit above */
    struct bound_tally *tallies; /* all of them, most first; in the arena */
    size_t tally_count;
    const struct lost_part *lost; /* they add up to 1; none without counters */
    size_t lost_count;
    const char *const *steps; /* how it was decided, a sentence each (analyzers/bounds/bound_steps.h) */
    size_t step_count;
};

/* A candidate that was measured with the change that was predicted. */
struct prediction_outcome {
    const char *with; /* "pipeline/cpasync3", "ctas_per_sm=8" */
    double gain;
    bool inside; /* the predicted interval */
};

/* What would a change bring? Said from the counters of one arm alone (analyzers/bounds/gain_prediction.h). */
struct prediction {
    const struct arm *arm;
    const char *variant, *config;
    const char *id;      /* "load-ahead" */
    const char *change;  /* for people */
    const char *because; /* one sentence with its numbers */
    const char *assumption;
    double gain_low, gain_high;
    struct prediction_outcome *outcomes; /* in the arena */
    size_t outcome_count;
};

#endif
