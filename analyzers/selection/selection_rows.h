/* selection_rows.h - what was launched of what was meant, by arm. */
#ifndef CPPROF_SELECTION_ROWS_H
#define CPPROF_SELECTION_ROWS_H

#include <stdint.h>

#include "core/base/verdict.h"
#include "core/run/arms.h"

/* Did the kernel that was meant really run? */
struct selection_check {
    const struct arm *arm;
    const char *variant, *config;
    enum verdict_status status;
    const char *reason; /* code: kernel_matches, kernel_differs, verified_differs, expectation_missed, not_launched,
                         no_trace, trace_incomplete, bundle_damaged, no_counters, no_pattern; of solutions also
                         uncounted, no_operations; of programs also program_failed, nothing_matched, no_samples */
    const char *meant;  /* the declared pattern */
    const char *chosen; /* of a variant that chooses a kernel, which and for what; else "" */
    const char *ran;    /* demangled name(s) of what was launched */
    int64_t launches;
    int64_t kernels_per_call; /* that one call of the variant launches; 0 unknown */
    const char *detail;       /* one sentence with the numbers (LDGSTS executed 0, expected >= 1) */
};

#endif
