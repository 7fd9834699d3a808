/* compare_benchmarks.h - `compare` of two results of Google Benchmark or nvbench. */
#ifndef CPPROF_COMPARE_BENCHMARKS_H
#define CPPROF_COMPARE_BENCHMARKS_H

#include <stdbool.h>

#include "core/base/err.h"

struct compare_benchmarks_options {
    const char *before, *after;
    const char *across;
    double margin;
    const char *format, *output;
    bool force;
};

/* Is this such a file, or a folder of them? */
bool compare_benchmarks_takes(const char *path);

/* Writes the report, and gives the exit status of the worst verdict. */
int compare_benchmarks(const struct compare_benchmarks_options *o, enum exit_status *status, struct err *e);

#endif
