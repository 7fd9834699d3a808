/* run_headline.h - the first line of a run's report. */
#ifndef CPPROF_RUN_HEADLINE_H
#define CPPROF_RUN_HEADLINE_H

#include "reports/run_report.h"

void run_headline_add(const struct analysis *a, struct document *d);

#endif
