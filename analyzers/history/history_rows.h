/* history_rows.h - the times of arms over the bundles that were saved under one name. */
#ifndef CPPROF_HISTORY_ROWS_H
#define CPPROF_HISTORY_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzers/arm_doubt.h"
#include "core/run/arms.h"

/* One arm of a reference compared with the same arm of an earlier one. */
struct history_comparison {
    double speedup, low, high; /* earlier time / this time, and its 95% interval; NAN where there is no ratio */
    const char *verdict;       /* "" where nothing was compared: the arm's first reference */
    const char *reason;
};

/* One arm of one reference. */
struct history_row {
    int64_t number;         /* of the reference: NAME@3 */
    int64_t created_unix_s; /* below 0: unknown */
    const char *commit;     /* of the measured repository, else of cpprof; "" unknown */
    const struct arm *arm;  /* of the history */
    const char *variant, *config, *cache;
    int64_t processes;
    double time_ns, low_ns, high_ns; /* typical over the processes; NAN without samples, open ends infinite */
    enum arm_doubt doubt;
    struct history_comparison first, previous;
    bool repeats;    /* the recording of the reference before: no other point of its level */
    int64_t machine; /* counts from 0; grows where GPU, driver, clocks or power differ from the reference before */
};

/* A place where the level of an arm's time changed for good. */
struct history_change {
    const char *variant, *config, *cache;
    int64_t before, after; /* the last reference at the old level, the first one at the new level */
    const char *commit_before, *commit_after;
    int64_t before_count, after_count; /* references at the two levels */
    double ratio, low, high;           /* new level / old level, and its 95% interval over references */
    double p_value, p_holm;            /* of the place, alone and among all tests of the history */
    const char *verdict;               /* "faster" or "slower" */
};

/* Has the level of an arm's time changed? */
struct history_arm {
    const char *variant, *config, *cache;
    int64_t references; /* on the machine that has the most of them in a row */
    const char *status; /* "changed", "steady", "not decided" */
    const char *reason; /* one sentence */
};

#endif
