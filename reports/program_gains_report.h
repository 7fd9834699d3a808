/* program_gains_report.h - what the program would gain from its kernels, by two captures of it. */
#ifndef CPPROF_PROGRAM_GAINS_REPORT_H
#define CPPROF_PROGRAM_GAINS_REPORT_H

#include "analyzers/capture/capture_facts.h"
#include "base/json.h"
#include "reports/document/document.h"

/* One bullet: the kernel with most to gain, without a second capture that with most headroom. */
void program_gains_report_first(const struct capture_facts *f, struct document *d);

/* The table; nothing without a second capture. */
void program_gains_report_add(const struct capture_facts *f, struct document *d);

/* `gains` of cpprof.report/1; null without a second capture. */
json_t *json_program_gains(const struct capture_facts *f);

#endif
