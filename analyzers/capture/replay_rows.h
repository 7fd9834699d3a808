/* replay_rows.h - what counters say of kernels of a program whose launches were replayed, and what bounds them. */
#ifndef CPPROF_REPLAY_ROWS_H
#define CPPROF_REPLAY_ROWS_H

#include <stdint.h>

#include "analyzers/capture/kernel_window_rows.h"

/* How busy a unit is, by two witnesses. */
struct replay_unit {
    const char *unit;      /* the counter's id: "tensor_share" */
    double share;          /* by counters, mean of the replays that count */
    const char *of_sample; /* the unit of samples that counts the same; "": there is none */
    double sampled, error; /* by samples of the undisturbed program; NAN: unknown */
    double in_trace; /* what samples are compared with: `share`, or of L2 and DRAM the same bytes in the time that the
                        launch took in the trace */
};
enum { REPLAY_UNITS_MAX = 32 };

/* Why does nothing follow (docs/profile.md)? Half a sentence each. */
#define KERNEL_REPLAY_REASONS(X)                                                                                       \
    X(REPLAY_NO_REASON, "", "")                                                                                        \
    X(REPLAY_DURATIONS_DIFFER, "durations_differ", "no replay took as long as the same launch in the trace")           \
    X(REPLAY_LAUNCHES_MISSING, "launches_missing", "launches of other lengths were chosen, too, and not replayed")     \
    X(REPLAY_LAUNCHES_DIFFER, "launches_differ", "its launches are unlike")                                            \
    X(REPLAY_SAMPLES_DIFFER, "samples_differ", "samples and counters contradict each other")                           \
    X(REPLAY_LINKS_NOT_COUNTED, "links_not_counted", "it communicates, and replays do not count links")                \
    X(REPLAY_OTHER_GPU, "other_gpu", "the replays ran on another GPU")                                                 \
    X(REPLAY_RECORDS_MISSING, "records_missing", "a part of the trace is missing")                                     \
    X(REPLAY_COUNTERS, "counters", "its counters decide nothing")

enum kernel_replay_reason { KERNEL_REPLAY_REASONS(REASON_CODE) };
extern const struct reason kernel_replay_reasons[];

/* A distinct kernel: its name, grid and block. Texts are owned by the list. */
struct kernel_replay {
    const struct kernel_window *window; /* what the trace and the samples say of it; NULL: it is not in the trace */
    const char *symbol, *kernel;        /* as it was recorded, and demangled */
    int64_t grid[3], block[3];
    int64_t launches, accepted;    /* that were replayed; that took as long as they did in the trace */
    double replayed_ns, traced_ns; /* mean of the accepted ones, here and in the trace; NAN: there is none */
    enum bound_class class_;
    enum kernel_replay_reason reason; /* of `inconclusive` */
    const char *bound_by;             /* as of struct bound */
    const char *unit;                 /* the one to name; "" */
    double unit_share;
    double busiest_share; /* of the busiest of all; NAN unknown */
    double dram_share;    /* NAN unknown */
    double occupancy;     /* resident warps, of those that an SM can hold; NAN unknown */
    const char *stall;    /* what its warps wait for most; "" */
    double stall_share;   /* of a warp's time */
    const char *cause;    /* one sentence; "" */
    const char *advice;   /* "" when none */
    struct replay_unit units[REPLAY_UNITS_MAX];
    int64_t unit_count;
    const struct replay_unit *odd; /* the one of which samples and counters differ by more than twice the error of the
                                      samples; NULL: none */
};

#endif
