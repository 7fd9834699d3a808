/* correctness_rows.h - what the verification of an arm came to. */
#ifndef CPPROF_CORRECTNESS_ROWS_H
#define CPPROF_CORRECTNESS_ROWS_H

#include <stdint.h>

#include "core/base/verdict.h"
#include "core/run/arms.h"

/* Is it right? One row per variant and config, over all seeds and phases. */
struct correctness {
    const struct arm *arm;
    const char *variant, *config;
    enum verdict_status status;
    int64_t checks, failed;
    double max_abs_err, bad_ratio; /* worst */
    int bitwise_equal;             /* to the baseline: 1, 0, or -1 unknown */
    const char *hint;
    /* Kinds of input ("constant, sorted"): those with which a check failed, and those with which all passed. "" where
     * the checks are not of several kinds. */
    const char *wrong_inputs, *right_inputs;
};

#endif
