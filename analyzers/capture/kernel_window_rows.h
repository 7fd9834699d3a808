/* kernel_window_rows.h - what the units of the GPU did while a kernel ran, by samples, and what bounds it. */
#ifndef CPPROF_KERNEL_WINDOW_ROWS_H
#define CPPROF_KERNEL_WINDOW_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzers/bounds/bound_rows.h"
#include "core/base/reason.h"
#include "core/gpu/sampled_units.h"

/* Samples from which a share is given, and from which its error is that of many. Samples of fewer bursts say nothing of
 * the rest of a program, unless they cover half of the kernel's time. */
enum { WINDOW_SAMPLES_MIN = 20, WINDOW_SAMPLES_MANY = 64, WINDOW_BURSTS_MIN = 5 };

struct window_unit {
    const char *unit;      /* "tensor" */
    double share;          /* of its peak; NAN when it is not known */
    double standard_error; /* from the spread between samples, launches and bursts: the largest; NAN below two */
    double error;          /* what the share may be off (docs/profile.md) */
};

/* Why has a kernel its class, or none (docs/profile.md)? In few words, for the cell of a table. */
#define KERNEL_WINDOW_REASONS(X)                                                                                       \
    X(WINDOW_NO_REASON, "", "")                                                                                        \
    X(WINDOW_UNIT_BUSY, "unit_busy", "inconclusive")                                                                   \
    X(WINDOW_ALL_UNITS, "all_units", "inconclusive")                                                                   \
    X(WINDOW_SMS_IDLE, "sms_idle", "inconclusive")                                                                     \
    X(WINDOW_REPLAYED, "replayed", "inconclusive")                                                                     \
    X(WINDOW_NEAR_BOUNDARY, "near_boundary", "between two")                                                            \
    X(WINDOW_TOO_FEW_SAMPLES, "too_few_samples", "too few samples")                                                    \
    X(WINDOW_NOT_ALONE, "not_alone", "not alone")                                                                      \
    X(WINDOW_UNITS_NOT_SAMPLED, "units_not_sampled", "unit not sampled")                                               \
    X(WINDOW_NOT_CREDIBLE, "not_credible", "not credible")                                                             \
    X(WINDOW_OTHER_WORK, "other_work", "other work")                                                                   \
    X(WINDOW_CLOCKS_DISAGREE, "clocks_disagree", "clocks disagree")                                                    \
    X(WINDOW_RECORDS_MISSING, "records_missing", "records missing")                                                    \
    X(WINDOW_DEVICE_NOT_SAMPLED, "device_not_sampled", "not sampled")

enum kernel_window_reason { KERNEL_WINDOW_REASONS(REASON_CODE) };
extern const struct reason kernel_window_reasons[];

/* A distinct kernel: its name, grid and block on one device. */
struct kernel_window {
    int device;
    uint32_t symbol; /* in the strings of the stream */
    uint32_t name;   /* in the short names */
    int64_t grid[3], block[3];
    bool shares_name;        /* another kernel has it, with another grid or block or on another device */
    bool communicates;       /* by its name: then its limit may be a link */
    int64_t launches, alone; /* alone: nothing else ran during nine tenths of it and more */
    int64_t finished;        /* launches that ended in the trace: `total_ns` is theirs */
    int64_t total_ns;
    double device_share; /* of the device's time from its first work to its last */
    int64_t samples;     /* in which it is the only work */
    int64_t sampled_launches, bursts;
    double covered_ns;                 /* of its time */
    double sent_bytes, received_bytes; /* data over links, of a launch; NAN where they are not sampled */
    struct window_unit units[SAMPLED_UNIT_COUNT];
    enum bound_class class_;
    enum bound_class seen, other; /* of `near_boundary`: without the error, and another one within it */
    enum kernel_window_reason reason;
    const char *lean; /* "compute", "memory"; "": not known */
    const char *unit; /* the busiest of the units that can bound; "" */
    double unit_share, unit_error;
    double busiest_share;    /* of the busiest of all; NAN where a unit is not known */
    double headroom_ns;      /* of its time, what would go if its busiest unit were busy all the time; NAN: not known */
    double headroom_most_ns; /* no more can go, whatever the units do that are not known; NAN: nothing is known */
};

#endif
