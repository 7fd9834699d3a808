/* program_gains_report.h - what the program would gain from its kernels, by two captures of it, or by one and its
 * recorded graph. */
#ifndef CPPROF_PROGRAM_GAINS_REPORT_H
#define CPPROF_PROGRAM_GAINS_REPORT_H

#include "analyzers/capture/capture_facts.h"
#include "core/base/json.h"
#include "reports/document/document.h"

/* One bullet: the kernel with most to gain; where that is not known and no second capture was given, that with most
 * headroom. */
void program_gains_report_first(const struct capture_facts *f, struct document *d);

/* "`gemm`, over 4 shapes of it: at most 27.9%" */
void program_gains_report_share(const struct capture_facts *f, const struct gain_of_all *all, struct document *d);

/* The table; nothing where no kernel has headroom. */
void program_gains_report_add(const struct capture_facts *f, struct document *d);

/* `gains` of cpprof.report/1; null where nothing was sampled or replayed, without a second capture. */
json_t *json_program_gains(const struct capture_facts *f);

#endif
