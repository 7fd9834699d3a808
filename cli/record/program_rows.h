/* program_rows.h - what a process of a program did, as rows of the tables of the
 * run and as facts of its manifest. */
#ifndef CPPROF_PROGRAM_ROWS_H
#define CPPROF_PROGRAM_ROWS_H

#include <stddef.h>

#include "analyzers/capture/program_samples.h"
#include "cli/record/program_request.h"
#include "core/base/err.h"
#include "core/base/json.h"

/* Names of work in work.csv and kernels in resources.csv, per process; what is shorter is summed up. */
enum { PROGRAM_WORK_ROWS = 64, PROGRAM_KERNEL_ROWS = 16 };

/* Where the rows belong. */
struct program_place {
    const char *directory; /* of the run */
    const char *variant;
    long process, order;
};

/* variants.csv: one row for each arm. */
int program_rows_variants(const char *directory, const struct program_request *q, struct err *e);

/* timing.csv and iterations.csv: the samples behind the warm-up; work.csv: all that ran. */
int program_rows_samples(const struct program_place *p, const struct program_samples *s, struct err *e);

/* resources.csv: the chosen kernels, as the trace and, where it could be asked,
 * the device (`kernels` of the counting process; may be NULL) know them. */
int program_rows_resources(const struct program_place *p, const struct program_samples *s, const json_t *kernels,
                           struct err *e);

/* The new object that stands in "processes" of the program in the manifest. */
json_t *program_process_facts(const struct program_place *p, const struct program_samples *s);

#endif
