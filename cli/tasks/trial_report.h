/* trial_report.h - `run --stress` and `run --sanitize`: runs, prints what came out, and leaves no bundle. */
#ifndef CPPROF_TRIAL_REPORT_H
#define CPPROF_TRIAL_REPORT_H

#include "cli/record/run_session.h"
#include "core/base/err.h"

enum { STRESS_LAUNCHES = 1000 };

/* Prints to standard output, as text. *status: 0, 1 when a result was wrong or a tool found something, 3 when something
 * could not be told. */
int trial_report_stress(const struct run_request *request, enum exit_status *status, struct err *e);
int trial_report_sanitize(const struct run_request *request, enum exit_status *status, struct err *e);

#endif
