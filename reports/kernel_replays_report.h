/* kernel_replays_report.h - what counters say of the kernels of a program whose launches were replayed. */
#ifndef CPPROF_KERNEL_REPLAYS_REPORT_H
#define CPPROF_KERNEL_REPLAYS_REPORT_H

#include "analyzers/capture/capture_facts.h"
#include "core/base/json.h"
#include "reports/document/document.h"

/* A table, and for each kernel why it is bound so. Nothing of a capture for which no replay was asked. The facts are
 * measured. */
void kernel_replays_report_add(const struct capture_facts *f, struct document *d);

/* `replays` of cpprof.report/1; null where none was asked for. */
json_t *json_kernel_replays(const struct capture_facts *f);

#endif
