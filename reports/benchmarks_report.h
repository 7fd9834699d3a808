/* benchmarks_report.h - what `compare` prints of two results of Google Benchmark or nvbench. */
#ifndef CPPROF_BENCHMARKS_REPORT_H
#define CPPROF_BENCHMARKS_REPORT_H

#include "analyzers/benchmarks/benchmark_comparison.h"
#include "reports/trace_words.h"

struct benchmarks_report {
    struct trace_side sides[TRACE_SIDES];            /* before, after */
    const struct benchmark_comparisons *comparisons; /* not owned */
};

int report_benchmarks(const struct benchmarks_report *r, struct document *out, struct err *e);
json_t *json_benchmarks(const struct benchmarks_report *r); /* cpprof.benchmarks/1, docs/json.md */
int csv_benchmarks(const struct benchmarks_report *r, struct str *out, struct err *e);

#endif
