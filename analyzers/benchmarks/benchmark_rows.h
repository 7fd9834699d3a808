/* benchmark_rows.h - benchmarks of another tool, compared by their names. */
#ifndef CPPROF_BENCHMARK_ROWS_H
#define CPPROF_BENCHMARK_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/reason.h"
#include "core/stats/ratio_decision.h"

/* docs/compare.md has all. */
#define BENCHMARK_REASONS(X)                                                                                           \
    X(BENCHMARK_NO_REASON, "", "")                                                                                     \
    X(BENCHMARK_NOT_IN_CANDIDATE, "not_in_candidate", "the second side lacks it")                                      \
    X(BENCHMARK_INTERVAL_BELOW_MARGIN, "interval_below_margin", "the whole interval is below the margin")              \
    X(BENCHMARK_INTERVAL_ABOVE_MARGIN, "interval_above_margin", "the whole interval is above the margin")              \
    X(BENCHMARK_INTERVAL_WITHIN_MARGIN, "interval_within_margin", "the whole interval is within the margin")           \
    X(BENCHMARK_INTERVAL_CROSSES_MARGIN, "interval_crosses_margin",                                                    \
      "the interval reaches beyond the margin and within it")                                                          \
    X(BENCHMARK_BEYOND_SPREAD, "beyond_spread",                                                                        \
      "the times of the two processes are apart, but one process each is no replicate: another "                       \
      "start may differ by as much")                                                                                   \
    X(BENCHMARK_WITHIN_SPREAD, "within_spread",                                                                        \
      "the difference is not larger than the spread inside the processes, and one process each is "                    \
      "no replicate")                                                                                                  \
    X(BENCHMARK_TOO_FEW_VALUES, "too_few_values", "fewer than five times on a side")                                   \
    X(BENCHMARK_NO_VALUES, "no_values", "a file has a mean and no single times")                                       \
    X(BENCHMARK_HOLM, "holm", "among so many comparisons such a difference comes by chance")                           \
    X(BENCHMARK_TOO_FEW_PROCESSES, "too_few_processes",                                                                \
      "two processes of a side are neither one nor replicates: three files of each side are")                          \
    X(BENCHMARK_SAME_RECORDING, "same_recording", "a file is on both sides: it can only agree with itself")            \
    X(BENCHMARK_FAILED, "failed", "it has no time")                                                                    \
    X(BENCHMARK_SAME_NAME, "same_name", "two benchmarks of one file have this name")                                   \
    X(BENCHMARK_OTHER_MACHINE, "other_machine", "the machines differ; on purpose: --across device")                    \
    X(BENCHMARK_UNKNOWN_MACHINE, "unknown_machine",                                                                    \
      "the files do not name the machine; if it was the same: --across device")

enum benchmark_reason { BENCHMARK_REASONS(REASON_CODE) };
extern const struct reason benchmark_reasons[];

/* A benchmark that the first side has. The time of a side is typical over the values that the ratio is of
 * (core/stats/ratio_estimate.h). */
struct benchmark_comparison {
    const char *name;
    enum comparison_verdict verdict;
    enum benchmark_reason reason;
    const char *detail; /* in the tool's words: why it has no time; "" */
    double before_ns, after_ns;
    struct ratio_interval interval; /* of the times after / before; NAN without one */
    bool has_replicates;            /* processes are the values; else repetitions or samples of one process */
    size_t before_processes, after_processes;
    size_t before_values, after_values; /* repetitions or samples of all processes */
    double p_value, p_adjusted;         /* NAN without replicates */
};

struct benchmark_side {
    const char *tool, *values, *more; /* "Google Benchmark", "repetitions", "--benchmark_repetitions=10" */
    size_t processes;
};

struct benchmark_comparisons {
    struct benchmark_side sides[2]; /* before, after */
    double margin;
    ARRAY_OF(struct benchmark_comparison) rows;
    ARRAY_OF(const char *) only_after; /* names that the first side lacks */
    const char *machines;              /* how the machines differ; "" */
    struct arena arena;                /* of all texts */
};

#endif
