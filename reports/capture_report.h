/* capture_report.h - what can be written about a capture: its report, and the few lines at its end. */
#ifndef CPPROF_CAPTURE_REPORT_H
#define CPPROF_CAPTURE_REPORT_H

#include "analyzers/capture/capture_facts.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "reports/document/document.h"

/* The facts are measured (capture_facts_measure). `path` as the user gave it. */
int report_capture(const struct capture_facts *f, const char *path, struct document *out, struct err *e);
json_t *json_capture(const struct capture_facts *f, const char *path); /* cpprof.report/1, docs/json.md */

/* What the tables of the first screen say, for programs: members of cpprof.brief/1. Texts that are cut are in `d`. */
json_t *json_brief_capture(const struct capture_facts *f, struct document *d);

/* The lines at the end of a capture; needs only capture_facts_open. */
int report_capture_summary(const struct capture_facts *f, const char *path, struct document *out, struct err *e);

/* The lines at the end of a profile: the first screen of its report, and what capturing it cost. The facts are
 * measured. */
int report_profile_summary(const struct capture_facts *f, const char *path, struct document *out, struct err *e);

#endif
