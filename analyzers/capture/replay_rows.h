/* replay_rows.h - what counters say of kernels of a program whose launches were replayed, and what bounds them. */
#ifndef CPPROF_REPLAY_ROWS_H
#define CPPROF_REPLAY_ROWS_H

#include <stdint.h>

#include "analyzers/capture/kernel_window_rows.h"

/* How busy a unit is, by two witnesses. */
struct replay_unit {
    const char *unit;      /* of the samples: "tensor"; else the counter's id: "l1_share" */
    double share;          /* by counters, mean of the replays that count */
    double sampled, error; /* by samples of the undisturbed program; NAN where they have none that counts the same */
};
enum { REPLAY_UNITS_MAX = 32 };

/* A distinct kernel: its name, grid and block. Texts are owned by the list. */
struct kernel_replay {
    const struct kernel_window *window; /* what the trace and the samples say of it; NULL: it is not in the trace */
    const char *kernel;                 /* demangled */
    int64_t grid[3], block[3];
    int64_t launches, accepted; /* that were replayed; that took as long as in the trace */
    double replayed_ns;         /* mean of them; NAN unknown */
    enum bound_class class_;
    const char *reason;   /* of `inconclusive`: "durations_differ", "launches_differ", "counters"; else "" */
    const char *bound_by; /* as of struct bound */
    const char *unit;     /* the busiest; "" */
    double unit_share;
    double occupancy;   /* resident warps, of those that an SM can hold; NAN unknown */
    const char *stall;  /* what its warps wait for most; "" */
    double stall_share; /* of a warp's time */
    const char *cause;  /* one sentence; "" */
    const char *advice; /* "" when none */
    struct replay_unit units[REPLAY_UNITS_MAX];
    int64_t unit_count;
    double largest_off;   /* of the shares that samples and counters have both, the largest difference beyond the error
                             of the samples; 0: none is; NAN: none is known to both */
    const char *off_unit; /* the unit with it; "" */
};

#endif
