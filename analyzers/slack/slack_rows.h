/* slack_rows.h - how much later a phase may begin, and what a delay of it costs (docs/inside.md). */
#ifndef CPPROF_SLACK_ROWS_H
#define CPPROF_SLACK_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "analyzers/compare/sweep_rows.h"
#include "core/base/reason.h"
#include "core/run/arms.h"

/* Why is a slack inconclusive? A clause without a full stop each. */
#define SLACK_REASONS(X)                                                                                               \
    X(SLACK_NO_REASON, "", "")                                                                                         \
    X(SLACK_NO_OFF_ARM, "no_off_arm", "the run has no build of it without marks")                                      \
    X(SLACK_CONTRADICTED, "contradicted", "witnesses of one of its builds contradict each other")                      \
    X(SLACK_WRONG_RESULT, "wrong_result", "the results of one of its builds are wrong")                                \
    X(SLACK_NOT_SELECTED, "not_selected", "it was not shown of all its builds that the kernel ran that was meant")     \
    X(SLACK_NOT_VERIFIED, "not_verified", "the results of one of its builds were not verified")                        \
    X(SLACK_DELAYS_MISSING, "delays_missing", "how long its marks wait is not known of all arms")                      \
    X(SLACK_TOO_FEW_DOSES, "too_few_doses", "fewer than 3 delays were tried")                                          \
    X(SLACK_NOT_TIMED, "not_timed", "not all of its builds were timed")                                                \
    X(SLACK_MIXED_TIMING, "mixed_timing", "its builds were timed in different ways")                                   \
    X(SLACK_TOO_FEW_PROCESSES, "too_few_processes", "fewer than 3 processes timed its builds")                         \
    X(SLACK_TIMES_SAY_NOTHING, "times_say_nothing", "its times say nothing, as it declares")                           \
    X(SLACK_CLOCK_DIFFERENCE, "clock_difference", "the SM clock changed between its builds")                           \
    X(SLACK_OTHER_OCCUPANCY, "other_occupancy",                                                                        \
      "with the mark an SM has another number of blocks, so this is another kernel")                                   \
    X(SLACK_CONTROL_SLOWER, "control_slower",                                                                          \
      "the build whose mark does not wait is more than 2% slower, so this is another kernel")                          \
    X(SLACK_CONTROL_FASTER, "control_faster",                                                                          \
      "the build whose mark does not wait is more than 2% faster, so this is another kernel")                          \
    X(SLACK_CONTROL_UNCLEAR, "control_unclear", "the build whose mark does not wait may be more than 2% off")          \
    X(SLACK_NO_TILES, "no_tiles",                                                                                      \
      "how many tiles follow each other is not known without a build that records, so the slope is not")               \
    X(SLACK_NO_CLOCK, "no_clock", "the SM clock is not known, so the slope is not")                                    \
    X(SLACK_TOO_COARSE, "too_coarse", "its times are not precise enough for these delays")

enum slack_reason { SLACK_REASONS(REASON_CODE) };
extern const struct reason slack_reasons[];

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
    enum slack_reason reason;
    const char *why; /* no slack can be stated, as half a sentence; "" when one can */
};

#endif
