/* compare_rows.h - times of arms, and of one arm beside another. */
#ifndef CPPROF_COMPARE_ROWS_H
#define CPPROF_COMPARE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/reason.h"
#include "core/run/arms.h"
#include "core/stats/ratio_decision.h"

/* What the time of a sample of a program is: while work of it keeps a GPU busy; from its first start to its last end;
 * until the next sample begins. */
enum measure { MEASURE_BUSY, MEASURE_SPAN, MEASURE_INTERVAL, MEASURES };

/* Why is a comparison called what it is called? docs/statistics.md has the table. */
#define COMPARISON_REASONS(X)                                                                                          \
    X(COMPARISON_NO_TIMING, "no_timing", "one of the arms has no timing")                                              \
    X(COMPARISON_INTERVAL_BELOW_MARGIN, "interval_below_margin", "the whole interval lies below the margin")           \
    X(COMPARISON_INTERVAL_ABOVE_MARGIN, "interval_above_margin", "the whole interval lies above the margin")           \
    X(COMPARISON_INTERVAL_WITHIN_MARGIN, "interval_within_margin",                                                     \
      "the whole interval lies within the margin: that there is no larger difference is shown")                        \
    X(COMPARISON_INTERVAL_CROSSES_MARGIN, "interval_crosses_margin",                                                   \
      "the interval reaches across the margin: more processes may decide it")                                          \
    X(COMPARISON_TOO_FEW_PROCESSES, "too_few_processes", "an interval needs three processes or more")                  \
    X(COMPARISON_TIMES_SAY_NOTHING, "times_say_nothing", "times of this form say nothing of the variants")             \
    X(COMPARISON_WORK_VARIES, "work_varies", "samples of an arm are not one kind of work")                             \
    X(COMPARISON_UNCOUNTED, "uncounted", SOLUTION_UNCOUNTED)                                                           \
    X(COMPARISON_FEW_VERIFIED, "few_verified",                                                                         \
      "so few of its timed outputs were verified that wrong ones could make the gain: more processes "                 \
      "verify more")                                                                                                   \
    X(COMPARISON_WITHOUT_GATE, "without_gate",                                                                         \
      "it was timed without a gate, so that it may have begun before the clock: a gain needs a judge in a "            \
      "process of its own, with device memory for its references")                                                     \
    X(COMPARISON_UNSTEADY_RANKS, "unsteady_ranks",                                                                     \
      "a collective is more than 2% from itself in every other process: more processes may decide it")                 \
    X(COMPARISON_THROTTLED, "throttled", "the GPU slowed itself down in every block of one of the arms")               \
    X(COMPARISON_CLOCK_DIFFERENCE, "clock_difference", "the difference does not hold in clock cycles")                 \
    X(COMPARISON_HOLM, "holm", "among so many comparisons a difference like this one comes up by chance")              \
    X(COMPARISON_IDENTICAL_CODE, "identical_code",                                                                     \
      "both arms are the same machine code, launched alike: the difference is not one of the kernels")                 \
    X(COMPARISON_BOARD_DIFFERS, "board_differs",                                                                       \
      "the arms were measured on two boards of one model, which differ among themselves")                              \
    X(COMPARISON_DEVICE_UNKNOWN, "device_unknown", "one of the bundles does not say on which GPU it was measured")     \
    X(COMPARISON_NOT_IN_CANDIDATE, "not_in_candidate",                                                                 \
      "the baseline has this variant at this shape, the candidate has not")                                            \
    X(COMPARISON_SHAPES_DIFFER, "shapes_differ", "the two have no shape in common")                                    \
    X(COMPARISON_WORK_DIFFERS, "work_differs", "the arms do not do the same work")                                     \
    X(COMPARISON_SAME_RECORDING, "same_recording", "both bundles are one recording: it can only agree with itself")    \
    X(COMPARISON_DEVICE_DIFFERS, "device_differs", "the arms were measured on different GPUs")                         \
    X(COMPARISON_DRIVER_DIFFERS, "driver_differs", "the arms were measured with different drivers")                    \
    X(COMPARISON_CLOCKS_DIFFER, "clocks_differ", "the memory of the GPU was clocked differently")                      \
    X(COMPARISON_POWER_LIMIT_DIFFERS, "power_limit_differs", "the GPU had different power limits")                     \
    X(COMPARISON_MIXED_TIMING, "mixed_timing", "the arms were timed in different ways, which do not cost the same")    \
    X(COMPARISON_CONTRADICTED, "contradicted", "the witnesses of an arm contradict each other")                        \
    X(COMPARISON_FAILED_VERIFICATION, "failed_verification", "an arm computes a wrong result")                         \
    X(COMPARISON_WRONG_BASELINE, "wrong_baseline",                                                                     \
      "the baseline computes a wrong result: there is nothing to compare with")                                        \
    X(COMPARISON_PROGRAM_FAILED, "program_failed", "a program of the comparison failed")                               \
    X(COMPARISON_WRONG_KERNEL, "wrong_kernel", "an arm ran another kernel than the one that was meant")

enum comparison_reason { COMPARISON_REASONS(REASON_CODE) };
extern const struct reason comparison_reasons[];
enum comparison_reason comparison_reason_of_ratio(enum ratio_reason reason);

/* An interval decides against any threshold; all other reasons are about whether it means anything. */
bool comparison_is_doubted(enum comparison_reason reason);

/* One side of a comparison. */
struct comparison_arm {
    const struct arm *arm;                  /* of its own run; NULL when that has none of this name */
    const struct timing_process *processes; /* that were timed (core/run/timing_arms.h), ascending; in the arena */
    size_t process_count;
    const double *measured[MEASURES]; /* of programs: what each of these processes takes; NULL of kernels */
    int64_t discarded_blocks;         /* in which the GPU throttled */
    double bytes, flops;              /* per launch, as the variant states them; NAN unknown */
    double bus_factor;                /* bytes on each link per byte of `bytes`; NAN on one GPU */
    double batch;           /* launches per sample (core/run/timing_arms.h): 1, or those of its graph; NAN unknown */
    const char *no_verdict; /* why its times say nothing of the variant, as it declares; "" when they do */
};

/* One comparison by one measure; NAN where there is none. */
struct measured_ratio {
    double ratio, low, high, baseline_ns, candidate_ns;
    enum comparison_verdict verdict;
};

/* Is it faster? ratio = t_candidate / t_baseline. */
struct comparison {
    const char *baseline, *candidate, *config;
    const char *cache; /* "hot", "rotated", "cold", of programs "program"; "" when neither arm was timed */
    double ratio, speedup, gain;
    double ci_low, ci_high, confidence; /* of the ratio */
    double margin;
    double mde; /* smallest gain that this many processes would have called */
    enum comparison_verdict verdict;
    enum comparison_reason reason;
    const char *detail;            /* the reason in one sentence, with its numbers */
    double p_value;                /* of "no more than the margin apart" (core/stats/ratio_decision.h); NAN no test */
    double p_holm;                 /* adjusted for the tests of the whole table */
    enum comparison_verdict alone; /* what this row would be called if it were the only one */
    int64_t n_processes, n_samples;
    double baseline_ns, candidate_ns; /* typical over the processes (core/stats/ratio_estimate.h) */
    double clock_ratio;               /* candidate's mean SM clock over the baseline's; NAN unknown */
    double cycles_ratio;              /* as `ratio`, in cycles of each block's own clock; NAN unknown */
    bool paired;                      /* the arms shared their processes */
    const char *measure;              /* "busy": what is compared of programs; "" of kernels */
    struct measured_ratio by[MEASURES];
    struct comparison_arm base, cand;
};

/* The verdict as a page says it: "nothing to compare with" where the baseline alone is wrong, else its name. */
const char *comparison_verdict_words(const struct comparison *c);

struct comparison_list {
    struct comparison *items;
    size_t count, capacity;
};

/* Timing of one arm on its own. */
struct timing_summary {
    const struct arm *arm;
    const char *variant, *config, *cache;
    double p50_ns, p90_ns, p99_ns, mean_ns, std_ns, min_ns;
    int64_t samples, processes;
    double batch;                    /* launches per sample: 1, or those of its graph; NAN unknown */
    double flops_per_s, bytes_per_s; /* from the variant's own counts; NAN when it states none */
};

#endif
