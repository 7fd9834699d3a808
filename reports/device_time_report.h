/* device_time_report.h - where the time of each device went, as a table that adds up, and what to do first. */
#ifndef CPPROF_DEVICE_TIME_REPORT_H
#define CPPROF_DEVICE_TIME_REPORT_H

#include "analyzers/capture/capture_facts.h"
#include "core/base/json.h"
#include "reports/document/document.h"

/* Of one device its parts below one another, of several a line for each; the last number is the sum of the others.
 * Nothing without GPU work. The facts are measured. */
void device_time_report_add(const struct capture_facts *f, struct document *d);

/* A bullet: one or two sentences, or why there is no advice. Nothing without GPU work. */
void device_time_report_first(const struct capture_facts *f, struct document *d);

/* `time` of cpprof.report/1. */
json_t *json_device_time(const struct capture_facts *f);

/* What is to be done about pages of managed memory. */
#define MOVE_PAGES "move them before they are needed (cudaMemPrefetchAsync), or say where they belong (cudaMemAdvise)"

#endif
