/* compare_rows.h - times of arms, and of one arm beside another. */
#ifndef CPPROF_COMPARE_ROWS_H
#define CPPROF_COMPARE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/run/arms.h"
#include "core/stats/ratio_decision.h"

/* What the time of a sample of a program is: while work of it keeps a GPU busy; from its first start to its last end;
 * until the next sample begins. */
enum measure { MEASURE_BUSY, MEASURE_SPAN, MEASURE_INTERVAL, MEASURES };

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
    const char *reason;            /* a code of analyzers/compare/comparison_reason.h */
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
