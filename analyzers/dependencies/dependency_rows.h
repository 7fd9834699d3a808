/* dependency_rows.h - how much of a saving in a kernel would reach the program, by the recorded graph of what waited
 * for what? The graph is run again with the kernel a tenth shorter (docs/profile.md). */
#ifndef CPPROF_DEPENDENCY_ROWS_H
#define CPPROF_DEPENDENCY_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzers/causal/causal_rows.h"
#include "analyzers/compare/sweep_rows.h"
#include "core/base/err.h"
#include "core/base/reason.h"

struct event_stream;
struct short_names;
struct graph_steps;
struct recorded_graph;
struct rerun_times;

enum { DEPENDENCY_KERNELS_MAX = 20 };
#define DEPENDENCY_COPY_MIN 0.005 /* of the program's time: copies of a kind that take less have no row */

/* What goes of a step's time: of the median step, and of the one of which least goes. NAN: there are no steps. */
struct step_gain {
    struct bounded median, least;
};

/* Why does the recorded graph not say what a program would gain? */
#define DEPENDENCY_REASONS(X)                                                                                          \
    X(DEPENDENCY_NO_REASON, "", "")                                                                                    \
    X(DEPENDENCY_RECORDS_MISSING, "records_missing", "a part of the trace is missing or false")                        \
    X(DEPENDENCY_SHARED_GPU, "shared_gpu", "several processes share a GPU, and work of one waits for that of others")  \
    X(DEPENDENCY_NO_WORK, "no_work", "the trace holds no GPU work")                                                    \
    X(DEPENDENCY_CALLS_MISSING, "calls_missing", "the trace holds GPU work without the calls that launched it")        \
    X(DEPENDENCY_WAITS_MISSING, "waits_missing", "the trace does not say in which calls the host waited")              \
    X(DEPENDENCY_PAUSED, "paused", "nothing was recorded for a part of the time")                                      \
    X(DEPENDENCY_TIMES_ROUNDED, "times_rounded", "the trace has rounded times")                                        \
    X(DEPENDENCY_TOO_LONG, "too_long", "the trace has more than a million calls and operations")                       \
    X(DEPENDENCY_SEVERAL_CLOCKS, "several_clocks", "ranks of several traces have clocks of their own")                 \
    X(DEPENDENCY_NOT_EXPLAINED, "not_explained", "more than 1% of the time is waits whose cause is not in the trace")  \
    X(DEPENDENCY_NO_LAUNCHES, "no_launches", "no launch of it is in the trace")                                        \
    X(DEPENDENCY_BELOW_ERROR, "below_error", "the saving is smaller than what the trace does not explain")             \
    X(DEPENDENCY_UNSEEN_WAITS, "unseen_waits", "it depends on waits that the trace does not show")

enum dependency_reason { DEPENDENCY_REASONS(REASON_CODE) };
extern const struct reason dependency_reasons[];

/* A kernel by name, or copies of one kind, on all devices. */
struct dependency_row {
    uint32_t symbol; /* in the strings of the stream */
    uint32_t name;   /* in the short names */
    int64_t launches, total_ns;
    double share;               /* its time, of the program's */
    struct bounded criticality; /* of a tenth; NAN: not known */
    struct step_gain step;      /* by that tenth */
    enum causal_status status;
    enum dependency_reason reason;
};

/* What kernels of one name, or copies of one kind, took of the program's time, and what devices were idle right before
 * them, also where nothing else follows from the graph. */
struct work_total {
    uint32_t symbol, name; /* as above */
    bool is_copy;
    uint32_t copies; /* enum cpprof_copy_kind */
    int64_t launches, total_ns, idle_ns;
    double time_share, idle_share; /* of the time from the first work to the end of the last, times the devices */
};
/* The host between its calls: the time of threads that launch work, from the end of a call to the next one. */
struct host_dependency {
    double share;               /* of the program's time, of one process on average; above 1 with several threads */
    struct bounded gain;        /* what the program gains from a tenth less of it, as a share; NAN: not known */
    struct bounded criticality; /* that, of what went; NAN: not known */
    struct step_gain step;
    enum causal_status status;
    enum dependency_reason reason;
};

struct dependencies {            /* starts zeroed */
    struct dependency_row *rows; /* most time first */
    size_t count;
    int64_t works, calls;
    int64_t sure, unsure;          /* operations that waited for another stream, and those that may have */
    int64_t recorded;              /* those of the sure ones of which the trace says it */
    int64_t unexplained;           /* operations and calls that waited, and it is not known for what */
    double program_ns;             /* from the first work to the end of the last */
    double error;                  /* what of it the graph does not explain, as a share; NAN: there is no graph */
    enum dependency_reason reason; /* why nothing follows from the graph */
    struct host_dependency host;
    struct work_total *totals; /* most time first */
    size_t total_count;
    struct recorded_graph *graph;
    struct rerun_times *times;
    struct graph_steps *steps;
    double *step_ns[3]; /* lengths of steps: as recorded, and two that are re-run */
};

/* Reads the stream, which it rewinds before. `is_whole`: nothing of it is known to be missing. Adds the kernels' names.
 * Release it even after an error. */
int dependencies_measure(struct dependencies *d, struct event_stream *stream, bool is_whole, struct short_names *names,
                         struct err *e);
void dependencies_release(struct dependencies *d);

/* What the program would gain, as a share of its time, if launches of a kernel with so many blocks (0: with any) took
 * `saving_ns` less in all, each in proportion to its time. Returns why that is not known. */
enum dependency_reason dependencies_gain(const struct dependencies *d, uint32_t symbol, uint64_t grid_blocks,
                                         double saving_ns, struct bounded *gain, struct step_gain *step);

/* Returns the name of the range whose occurrences are steps; NULL: none is. `count`: of those that have a length. */
const char *dependencies_steps(const struct dependencies *d, size_t *count);

#endif
