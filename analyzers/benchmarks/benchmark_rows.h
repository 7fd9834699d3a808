/* benchmark_rows.h - benchmarks of another tool, compared by their names. */
#ifndef CPPROF_BENCHMARK_ROWS_H
#define CPPROF_BENCHMARK_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/stats/ratio_decision.h"

/* A benchmark that the first side has. The time of a side is typical over the values that the ratio is of
 * (core/stats/ratio_estimate.h). */
struct benchmark_comparison {
    const char *name;
    enum comparison_verdict verdict;
    const char *reason; /* docs/compare.md has all */
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
