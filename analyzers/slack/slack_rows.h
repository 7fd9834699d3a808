/* slack_rows.h - how much later may a phase of a kernel end for free? (docs/inside.md) */
#ifndef CPPROF_SLACK_ROWS_H
#define CPPROF_SLACK_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzers/compare/sweep_rows.h"
#include "run/arms.h"

/* One arm in which the mark waits. */
struct slack_dose {
    int64_t asked_cycles;
    double delay_cycles;   /* that the mark really waits longer than the control's */
    struct bounded ns;     /* that a launch becomes longer */
    struct bounded cycles; /* that a tile becomes longer; NAN: how many tiles there are is not known */
};

/* One mark of a variant. */
struct slack {
    const struct arm *off;
    const char *variant, *config;
    int64_t role, mark;
    const char *role_name, *name; /* as the kernel says; "role 1", "mark 2" where it does not */
    struct slack_dose *doses;     /* by delay; in the arena of the analysis */
    size_t dose_count;
    struct bounded control; /* of the build whose mark does not wait, against the one without marks: a share */
    int64_t tiles;          /* that a launch goes through one after the other; 0: not known */
    double cycles_per_ns;
    struct bounded ns;       /* the slack: "low" is free for certain, "high" is the latest that the doses allow */
    struct bounded slope;    /* beyond it: cycles of a tile for each cycle of delay */
    struct bounded critical; /* the same at the smallest dose */
    const char *status;      /* hidden, critical, partly, unsteady, inconclusive */
    const char *reason;      /* why it is inconclusive; "" when it is not */
    const char *why;         /* nothing may be concluded, in words; "" when something may */
    bool is_ok;              /* neither unsteady nor inconclusive */
};

#endif
