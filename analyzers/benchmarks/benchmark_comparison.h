/* benchmark_comparison.h - is a benchmark of another tool faster than it was? */
#ifndef CPPROF_BENCHMARK_COMPARISON_H
#define CPPROF_BENCHMARK_COMPARISON_H

#include "analyzers/benchmarks/benchmark_rows.h"
#include "core/base/err.h"
#include "core/run/benchmarks/benchmark_results.h"

/* Compares benchmarks of the same name. `across` names what differs on purpose: "device" is all of a machine here;
 * NULL: nothing. ERR_INPUT when the sides are of two tools, or have no name in common. `out` keeps no pointer into
 * them, except to constants. Release it even after an error. */
int benchmark_comparisons_make(struct benchmark_comparisons *out, const struct benchmark_results *before,
                               const struct benchmark_results *after, double margin, const char *across, struct err *e);
void benchmark_comparisons_release(struct benchmark_comparisons *c);

/* The status of the worst of them; equivalent and faster pass. */
enum exit_status benchmark_comparisons_status(const struct benchmark_comparisons *c);

#endif
