/* change_rows.h - what became different between two arms, and whether it was expected. */
#ifndef CPPROF_CHANGE_ROWS_H
#define CPPROF_CHANGE_ROWS_H

#include "core/base/verdict.h"
#include "core/run/arms.h"

/* What a variant expected of a counter beside that of what it improves on, or of its baseline, and what that did. */
struct expected_change_result {
    const char *variant, *config;
    const char *baseline;        /* the one that it was held against */
    const char *expected_change; /* "dram_bytes flat 3%" */
    enum verdict_status status;  /* VERDICT_PASS confirmed, VERDICT_FAIL refuted, VERDICT_INCONCLUSIVE not known */
    double baseline_value, value;
    int unit;           /* enum unit of both */
    const char *change; /* "up 60.1%"; of one that is not known the reason */
};

/* In one sentence, what became different between the arms of a comparison. */
struct transition {
    const struct arm *base, *cand; /* each of its own run; NULL as in struct comparison_arm */
    const char *baseline, *candidate, *config;
    const char *text;
};

#endif
