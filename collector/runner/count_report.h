/* count_report.h - what is left of a reading of counters: rows of metrics.csv, and in the report what was asked for. */
#ifndef CPPROF_COUNT_REPORT_H
#define CPPROF_COUNT_REPORT_H

#include "collector/runner/runner.h"
#include "gpu/metric_choice.h"

/* One value for each name. `kernel` is "" for a variant of one kernel, else its place in the launch or its GPU. */
int count_add_rows(struct runner *r, const struct run_case *c, const struct text_list *names, const char *kernel,
                   int64_t repeat, const double *values, struct err *e);

/* Which of the names that were asked for this chip does not know. */
void count_report_names(struct runner *r, const struct metric_choice *choice, const struct text_list *names,
                        const bool *accepted);

/* Adds to how many counters were read in how many passes. */
void count_report_passes(struct runner *r, const struct text_list *names, const bool *accepted, size_t passes);

#endif
