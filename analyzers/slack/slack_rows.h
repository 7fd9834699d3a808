/* slack_rows.h - how much later a phase may begin, and what a delay of it costs (docs/inside.md). */
#ifndef CPPROF_SLACK_ROWS_H
#define CPPROF_SLACK_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "analyzers/compare/sweep_rows.h"
#include "core/run/arms.h"

enum slack_status {
    SLACK_INCONCLUSIVE,
    SLACK_HIDDEN,   /* no delay that was tried costs anything */
    SLACK_PARTLY,   /* a delay is free at first, or is paid in part */
    SLACK_CRITICAL, /* the smallest delay is paid at once */
    SLACK_UNSTEADY  /* a larger delay costs less than a smaller one */
};
const char *slack_status_name(enum slack_status s);

/* One arm whose mark waits, compared with the same build whose mark does not. */
struct slack_dose {
    const struct arm *arm;
    int64_t asked_cycles;
    double delay_cycles;        /* by which the mark really waits longer */
    struct bounded cost_ns;     /* of a launch */
    struct bounded cost_cycles; /* of a tile; NAN: how many tiles follow each other is not known */
};

/* One mark of one variant at one config. NAN: unknown. */
struct slack {
    const struct arm *off,
        *control;                 /* without marks (NULL: the run does not have it), and with one that does not wait */
    const char *variant, *config; /* of the arm without marks */
    int64_t role, mark;
    const char *role_name, *name; /* of the phases that begin there, as the kernel says */
    const char *const *names;     /* each by itself */
    size_t name_count;
    struct slack_dose *doses; /* ascending; in the arena of the analysis */
    size_t dose_count;
    struct bounded control_change; /* time of the control over that without marks, minus 1 */
    double control_ns;
    double tiles; /* that follow each other in a launch */
    int64_t ring; /* tiles that may be under way at once, as the build that records says; 0 unknown */
    double cycles_per_ns;
    const char *clock;          /* how that is known: "record", "counter" or "timing"; "" when it is not */
    struct bounded slope;       /* behind the slack: cycles that a tile takes longer for each cycle of delay */
    struct bounded criticality; /* the same of the smallest delay, from 0 */
    struct bounded slack_cycles, slack_ns;
    double free_up_to_cycles, free_up_to_ns;
    enum slack_status status;
    const char *reason; /* why it is inconclusive; "" when it is not */
    const char *why;    /* no slack can be stated, as half a sentence; "" when one can */
};

#endif
