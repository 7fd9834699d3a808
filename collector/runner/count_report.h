/* count_report.h - writes the result of reading counters: rows of metrics.csv, and in the report what was asked for. */
#ifndef CPPROF_COUNT_REPORT_H
#define CPPROF_COUNT_REPORT_H

#include "collector/runner/runner.h"
#include "core/gpu/metric_choice.h"

/* Adds a row for each name with its value. `kernel` is "" for a variant with one kernel, else the kernel's place in the
 * launch, or its GPU. */
int count_add_rows(struct runner *r, const struct run_case *c, const struct text_list *names, const char *kernel,
                   int64_t repeat, const double *values, struct err *e);

/* Notes which of the requested names this chip does not know. */
void count_report_names(struct runner *r, const struct metric_choice *choice, const struct text_list *names,
                        const bool *accepted);

/* Adds to the number of counters read and of passes. */
void count_report_passes(struct runner *r, const struct text_list *names, const bool *accepted, size_t passes);

#endif
