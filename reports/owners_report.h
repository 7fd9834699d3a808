/* owners_report.h - who launched the work, and how long does a step take? Sections of the page of a capture or trace.
 */
#ifndef CPPROF_OWNERS_REPORT_H
#define CPPROF_OWNERS_REPORT_H

#include "analyzers/capture/capture_facts.h"
#include "core/base/json.h"
#include "reports/document/document.h"

/* Tables by operator, module, frame and range, of those that are there. */
void owners_report_add(const struct capture_facts *f, const char *path, struct document *d);

/* The first step, the median one and the slowest; nothing without steps. */
void program_steps_report_add(const struct capture_facts *f, struct document *d);

/* `owners` and `steps` of cpprof.report/1. */
json_t *json_owners(const struct capture_facts *f);
json_t *json_program_steps(const struct capture_facts *f);

#endif
