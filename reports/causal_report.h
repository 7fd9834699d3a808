/* causal_report.h - what a faster kernel would save, of a capture in which kernels were delayed. */
#ifndef CPPROF_CAUSAL_REPORT_H
#define CPPROF_CAUSAL_REPORT_H

#include "analyzers/capture/capture_facts.h"
#include "core/base/json.h"
#include "reports/document/document.h"

/* A table of the kernels, and a sentence for each. Nothing of a capture in which nothing was to be delayed. The facts
 * are measured. */
void causal_report_add(const struct capture_facts *f, struct document *d);

/* `causal` of cpprof.report/1; null where nothing was to be delayed. */
json_t *json_causal(const struct capture_facts *f);

#endif
