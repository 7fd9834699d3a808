/* selection_rows.h - what was launched of what was meant, by arm. */
#ifndef CPPROF_SELECTION_ROWS_H
#define CPPROF_SELECTION_ROWS_H

#include <stdint.h>

#include "core/base/reason.h"
#include "core/base/verdict.h"
#include "core/run/arms.h"

/* Those of programs and of solutions stand last. `detail` of the row is the sentence. */
#define SELECTION_REASONS(X)                                                                                           \
    X(SELECTION_NO_TRACE, "no_trace", "")                                                                              \
    X(SELECTION_KERNEL_MATCHES, "kernel_matches", "")                                                                  \
    X(SELECTION_KERNEL_DIFFERS, "kernel_differs", "")                                                                  \
    X(SELECTION_VERIFIED_DIFFERS, "verified_differs", "")                                                              \
    X(SELECTION_EXPECTATION_MISSED, "expectation_missed", "")                                                          \
    X(SELECTION_NOT_LAUNCHED, "not_launched", "")                                                                      \
    X(SELECTION_TRACE_INCOMPLETE, "trace_incomplete", "")                                                              \
    X(SELECTION_BUNDLE_DAMAGED, "bundle_damaged", "")                                                                  \
    X(SELECTION_NO_COUNTERS, "no_counters", "")                                                                        \
    X(SELECTION_NO_PATTERN, "no_pattern", "")                                                                          \
    X(SELECTION_PROGRAM_FAILED, "program_failed", "")                                                                  \
    X(SELECTION_NOTHING_MATCHED, "nothing_matched", "")                                                                \
    X(SELECTION_NO_SAMPLES, "no_samples", "")                                                                          \
    X(SELECTION_UNCOUNTED, "uncounted", "")                                                                            \
    X(SELECTION_NO_OPERATIONS, "no_operations", "")

enum selection_reason { SELECTION_REASONS(REASON_CODE) };
extern const struct reason selection_reasons[];

/* Did the kernel that was meant really run? */
struct selection_check {
    const struct arm *arm;
    const char *variant, *config;
    enum verdict_status status;
    enum selection_reason reason;
    const char *meant;  /* the declared pattern */
    const char *chosen; /* of a variant that chooses a kernel, which and for what; else "" */
    const char *ran;    /* demangled name(s) of what was launched */
    int64_t launches;
    int64_t kernels_per_call; /* that one call of the variant launches; 0 unknown */
    const char *detail;       /* one sentence with the numbers (LDGSTS executed 0, expected >= 1) */
};

#endif
