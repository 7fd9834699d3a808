/* kernel_windows_report.h - what bound the kernels of a profile, by samples of the GPU's units. */
#ifndef CPPROF_KERNEL_WINDOWS_REPORT_H
#define CPPROF_KERNEL_WINDOWS_REPORT_H

#include <stdbool.h>

#include "analyzers/capture/capture_facts.h"
#include "core/base/json.h"
#include "reports/document/document.h"

/* A paragraph with the answer, the kernels with most time, and what the samples are. Nothing of a capture that was not
 * to be sampled; of one without samples why there are none. The facts are measured. */
void kernel_windows_report_add(const struct capture_facts *f, size_t kernels_shown, struct document *d);

/* What bounds the `most` kernels with most headroom, then those of which it is not known with most time, in few
 * columns. Returns false, and adds nothing, without samples. */
bool kernel_windows_report_top(const struct capture_facts *f, size_t most, struct document *d);

/* Returns its short name, and where others share it grid and block; a long one without its middle. */
const char *kernel_windows_report_name(const struct capture_facts *f, const struct kernel_window *k,
                                       struct document *d);

/* `profile` of cpprof.report/1; null without samples. */
json_t *json_kernel_windows(const struct capture_facts *f);

#endif
