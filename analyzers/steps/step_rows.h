/* step_rows.h - the steps of one trace, what ran in them, and two traces compared by them. */
#ifndef CPPROF_STEP_ROWS_H
#define CPPROF_STEP_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/reason.h"
#include "core/base/str.h"
#include "core/stats/ratio_decision.h"

/* Every nanosecond of a step is one of these on each device of its process, so they add up to the step's time, once for
 * each device. */
enum step_part {
    STEP_COMPUTE,       /* a kernel runs that does not communicate */
    STEP_COMMUNICATION, /* the only kernels that run communicate */
    STEP_COPY,          /* only copies run; from here on in the order of enum transfer_class */
    STEP_MEMSET,        /* only memsets run */
    STEP_MIGRATION,     /* only migrations run */
    STEP_IDLE,          /* nothing runs */
    STEP_PARTS
};

struct step {
    int64_t start_ns, end_ns;
    int64_t part_ns[STEP_PARTS];
    int16_t rank;
};

/* Launches of one kernel with one grid and block, or copies of one kind, in all steps that count. */
struct step_kernel {
    const char *name; /* the symbol, "copy h2d", "memset" */
    int64_t grid[3], block[3];
    bool is_kernel;
    int64_t launches;
    int64_t total_ns; /* sum of their durations */
};

struct step_kernels {
    struct step_kernel *items;
    size_t count, capacity;
};

enum step_measure { STEP_TIME, STEP_MEASURE_PARTS, STEP_MEASURES = STEP_MEASURE_PARTS + STEP_PARTS };

/* A measure of a step in both traces: medians over steps. */
struct step_difference {
    const char *measure;
    double before_ns, after_ns;
};

/* Work of a step in both traces: means over steps. */
struct step_work {
    const char *name, *launched; /* "64x1x1 of 256x1x1"; "" for copies */
    bool is_kernel;
    bool differs; /* in its launches per step */
    double before_launches, after_launches;
    double before_ns, after_ns;
};

/* Of one trace. */
struct step_side {
    const char *range; /* "ProfilerStep#"; NULL: the whole trace is one step */
    size_t steps, left_out, processes;
};

/* One of the steps of a program. */
struct program_step {
    const char *which; /* "first", "median", "slowest" */
    int rank;
    int64_t time_ns;
    int64_t part_ns[STEP_PARTS]; /* of all devices of its process */
};

/* What stands for the steps of one trace. */
enum { PROGRAM_STEPS_ROWS = 3 };
struct program_steps { /* starts zeroed */
    struct str range;  /* the name of the range, without a trailing number; "" where nothing is a step */
    size_t steps, processes;
    struct program_step rows[PROGRAM_STEPS_ROWS];
    size_t row_count; /* 0: there are no steps */
};

/* Steps are the occurrences of the range that core/trace/step_names.h chooses, and those of a process but its first (of
 * three and more) are in the median and the slowest. Reads the stream several times. Steps that cannot be told apart
 * are none. Release even after an error. */
struct err;
struct event_stream;
int program_steps_measure(struct program_steps *s, struct event_stream *stream, struct err *e);
void program_steps_release(struct program_steps *s);

/* docs/compare.md has all. */
#define STEP_REASONS(X)                                                                                                \
    X(STEPS_TOO_FEW_STEPS, "too_few_steps", "too few steps: at least five count on each side, the first one left out") \
    X(STEPS_INTERVAL_BELOW_MARGIN, "interval_below_margin", "the whole interval is below the margin")                  \
    X(STEPS_INTERVAL_ABOVE_MARGIN, "interval_above_margin", "the whole interval is above the margin")                  \
    X(STEPS_INTERVAL_WITHIN_MARGIN, "interval_within_margin", "the whole interval is within the margin")               \
    X(STEPS_INTERVAL_CROSSES_MARGIN, "interval_crosses_margin",                                                        \
      "the interval reaches beyond the margin and within it")                                                          \
    X(STEPS_BEYOND_SPREAD, "beyond_spread",                                                                            \
      "the steps of these two traces are apart, but these processes are no replicates: another start "                 \
      "of the program may differ by as much")                                                                          \
    X(STEPS_WITHIN_SPREAD, "within_spread",                                                                            \
      "the difference is not larger than the spread of the steps, and these processes are no "                         \
      "replicates")                                                                                                    \
    X(STEPS_OTHER_RANGE, "other_range", "the steps of the two are different ranges")                                   \
    X(STEPS_OTHER_PROCESSES, "other_processes",                                                                        \
      "the processes of the two do not correspond: the same number must have run at the same "                         \
      "time, with as many steps each, or at least three of each one after the other")                                  \
    X(STEPS_NO_STEPS, "no_steps", "the whole trace is one sample: name a range that repeats with --range")             \
    X(STEPS_DAMAGED, "damaged", "a trace is damaged")                                                                  \
    X(STEPS_INCOMPLETE, "incomplete", "a trace is incomplete")                                                         \
    X(STEPS_FALSE_TIMES, "false_times", "a trace has times that cannot be")                                            \
    X(STEPS_UNLAUNCHED, "unlaunched", "some work has no recorded call, so it is in no step")                           \
    X(STEPS_OTHER_MACHINE, "other_machine", "the machines differ")                                                     \
    X(STEPS_UNKNOWN_MACHINE, "unknown_machine",                                                                        \
      "the traces do not say on which machines they were recorded; if it was the same: --across device,driver")

enum step_reason { STEP_REASONS(REASON_CODE) };
extern const struct reason step_reasons[];

struct step_comparison {
    struct step_side sides[2]; /* before, after */
    bool has_replicates;
    size_t values[2]; /* numbers that the interval is made of: processes or blocks of steps */
    double margin;
    enum comparison_verdict verdict;
    enum step_reason reason;
    struct ratio_interval interval; /* of the times after / before; NAN without one */
    struct step_difference measures[STEP_MEASURES];
    ARRAY_OF(struct step_work) work; /* the largest change of time first */
    ARRAY_OF(const char *) machines; /* how the machines differ: "driver 580.1 before, 590.2 after" */
    struct arena arena;              /* of all texts */
};

#endif
