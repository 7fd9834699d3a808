/* inside_rows.h - what an arm that records says about the inside of its kernel (docs/inside.md). */
#ifndef CPPROF_INSIDE_ROWS_H
#define CPPROF_INSIDE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzers/compare/sweep_rows.h"
#include "core/base/reason.h"
#include "core/run/arms.h"

/* Why may what a kernel recorded, or its fold, not be believed? Half a sentence each. */
#define INSIDE_REASONS(X)                                                                                              \
    X(INSIDE_NO_REASON, "", "")                                                                                        \
    X(INSIDE_NO_OFF_ARM, "no_off_arm", "the run has no build of it without marks")                                     \
    X(INSIDE_CONTRADICTED, "contradicted", "its witnesses contradict each other")                                      \
    X(INSIDE_WRONG_RESULT, "wrong_result", "its results are wrong")                                                    \
    X(INSIDE_NOT_SELECTED, "not_selected", "it was not shown that the kernel ran that was meant")                      \
    X(INSIDE_NOT_VERIFIED, "not_verified", "its results were not verified")                                            \
    X(INSIDE_RECORDS_MISSING, "records_missing", "records are missing or contradict others")                           \
    X(INSIDE_TOO_FEW_WINDOWS, "too_few_windows", "fewer than 3 windows of tiles were recorded whole")                  \
    X(INSIDE_NO_RECEIPT, "no_receipt", "what its builds occupy is not known")                                          \
    X(INSIDE_NEW_SPILLS, "new_spills", "the marks made it spill registers, so these are the phases of another kernel") \
    X(INSIDE_OTHER_OCCUPANCY, "other_occupancy",                                                                       \
      "with marks an SM has another number of blocks, so these are the phases of another kernel")                      \
    X(INSIDE_OTHER_WORK, "other_work", "with marks it does other work")                                                \
    X(INSIDE_NOT_TIMED, "not_timed", "its builds with and without marks were not both timed")                          \
    X(INSIDE_MIXED_TIMING, "mixed_timing", "its builds with and without marks were timed in different ways")           \
    X(INSIDE_TOO_FEW_PROCESSES, "too_few_processes", "fewer than 3 processes timed it with and without marks")         \
    X(INSIDE_SLOWER, "slower", "with marks it is more than 5% slower, so these are the phases of another kernel")      \
    X(INSIDE_FASTER, "faster", "with marks it is more than 5% faster, so these are the phases of another kernel")      \
    X(INSIDE_COST_UNCLEAR, "cost_unclear", "its cost may be more than 5%")                                             \
    X(INSIDE_TOO_FEW_LAUNCHES, "too_few_launches", "fewer than 16 launches alike have samples")                        \
    X(INSIDE_NO_BEGIN, "no_begin", "the begin of more than a quarter of its launches is not known")                    \
    X(INSIDE_UNSTEADY_LENGTH, "unsteady_length",                                                                       \
      "more than a quarter of its launches are longer or shorter than the others")                                     \
    X(INSIDE_OFFSETS_NOT_SPREAD, "offsets_not_spread", "its launches begin at the same parts of a sample")             \
    X(INSIDE_OTHER_LENGTH, "other_length", "its sampled launches take another time than the timed ones")

enum inside_reason { INSIDE_REASONS(REASON_CODE) };
extern const struct reason inside_reasons[];

/* A build that records and differs by more in its time shows the phases of another kernel. */
#define INSIDE_COST_MAX 0.05

/* The scopes of an overlap: the block by itself, or with all blocks of its SM. */
#define INSIDE_CTA "cta"
#define INSIDE_SM  "sm"

struct inside_phase_row {
    const char *role_name, *name, *kind;
    int64_t role, mark;
    int64_t tiles;         /* whose length is known */
    struct bounded cycles; /* mean of a tile; the unit of the interval is the block of a launch */
    struct bounded ns;
};

struct inside_overlap {
    const char *scope;
    double copy_cycles, work_cycles,
        hidden_cycles;   /* in all that was recorded, arrival in the middle of its interval */
    struct bounded h, e; /* NAN without a copy, and without work */
    struct bounded idle; /* share of the time, from the first work on, in which nothing of the scope works */
};

/* The build without marks (`off`) and the one that records, side by side. NAN: unknown. */
struct inside_receipt {
    double registers_off, registers, local_bytes_off, local_bytes, blocks_per_sm_off, blocks_per_sm;
    int64_t counters_compared; /* counters of operations and of copies that both have */
    const char *differs;       /* the first of them that is not equal within 1%; "" for none */
};

/* Samples of the whole GPU during launches of the arm without marks: in which share of the cycles were units active, as
 * means over the chip? Bounds, not intervals. */
struct inside_series {
    const char *work; /* "tensor" or "fma" */
    int64_t launches, samples;
    double window_ns;              /* mean length of a sample */
    double tile_ns;                /* mean time of a tile in the build that records; NAN unknown */
    double attenuation;            /* what a sample leaves of a change that repeats with each tile */
    double copy_share, work_share; /* requests of L1 caches, and the work */
    double h_least, h_most, e_least, e_most;
};

/* Samples of all launches on one axis of time. Of the samples whose middles lie in one step of it: */
struct inside_fold_point {
    double at_ns;        /* the middle of the step, since the launch began */
    double share, error; /* their mean; its standard error, NAN below two samples */
    int64_t samples;     /* 0: share is NAN */
};

struct inside_fold_unit {
    const char *unit;                   /* "tensor", "dram" */
    double plateau;                     /* mean share in the middle half of the launch */
    struct bounded lead_in_ns, tail_ns; /* from the begin until half of the plateau, and from there to the end */
    struct inside_fold_point *points;   /* in the arena of the analysis */
    size_t point_count;
};

struct inside_fold {
    int64_t launches;                   /* that were sampled; 0: there is no fold */
    int64_t folded;                     /* 0 when they cannot be */
    double window_ns, step_ns;          /* of a sample, and of the axis */
    double length_ns, length_spread_ns; /* of a launch, and its standard deviation */
    double attenuation;                 /* what is left of a change that repeats with each tile */
    struct inside_fold_unit *units;     /* that are active at all */
    size_t unit_count;
    bool is_ok;
    enum inside_reason reason;
    const char *why; /* as those of an inside */
};

enum { INSIDE_SCOPES = 2, INSIDE_SERIES_MAX = 2 };

struct inside {
    const struct arm *arm, *off; /* off NULL: the run does not have it */
    const char *variant, *config;
    const char *of;     /* the variant without marks; "": unknown */
    const char *method; /* how arrival is known: "recorder" or "poll" */
    struct inside_overlap overlaps[INSIDE_SCOPES];
    size_t overlap_count;
    struct inside_series series[INSIDE_SERIES_MAX]; /* one for each kind of work that was seen */
    size_t series_count;
    struct inside_fold fold;
    struct inside_phase_row *phases; /* in the arena of the analysis */
    size_t phase_count;
    struct bounded exposed_wait;  /* share of the time of the roles that work; NAN: they mark no wait */
    struct bounded wait_cycles;   /* the same, mean of a tile */
    struct bounded savable;       /* about the share of the time that tiles which come earlier save */
    double arrived;               /* share of waits whose tile was there; NAN without a wait */
    double stages;                /* mean number of copies under way */
    int64_t stages_possible;      /* that the phases state, or that were seen */
    double imbalance;             /* time of the slowest block over the mean */
    struct bounded cost;          /* of recording, as a share of the time without */
    struct bounded cycles_per_ns; /* its ends are those of the warps, no interval */
    int64_t devices;              /* that the arm ran on, of which some SMs are recorded */
    int64_t launches, blocks,
        windows;     /* that count for the overlap: blocks of all launches, windows of up to 8 tiles */
    int64_t copies;  /* with an arrival */
    int64_t missing; /* records that are missing, or contradict others */
    struct inside_receipt receipt;
    bool is_ok;
    enum inside_reason reason;
    const char *why; /* the same in words, as half a sentence */
};

#endif
