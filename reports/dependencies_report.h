/* dependencies_report.h - which kernels does the program wait for, by the recorded graph? */
#ifndef CPPROF_DEPENDENCIES_REPORT_H
#define CPPROF_DEPENDENCIES_REPORT_H

#include "analyzers/capture/capture_facts.h"
#include "core/base/json.h"
#include "reports/document/document.h"

/* A paragraph and a table; nothing where nothing follows from the graph, or gains are given (program_gains_report.h).
 */
void dependencies_report_add(const struct capture_facts *f, size_t most, struct document *d);

/* `dependencies` of cpprof.report/1. */
/* What a tenth less of the host's time would save; nothing where that is not known. */
void dependencies_report_host(const struct dependencies *graph, struct document *d);

/* `what` is gained, and of which steps; nothing without steps. */
void dependencies_report_steps(const struct dependencies *graph, const char *what, struct document *d);
json_t *json_dependencies(const struct capture_facts *f);

#endif
