/* capture_facts.h - what is there to say about one capture? Who ran, and every
 * measure of its trace: for its summary and its report. A trace of another tool
 * has the measures alone. */
#ifndef CPPROF_CAPTURE_FACTS_H
#define CPPROF_CAPTURE_FACTS_H

#include <stdbool.h>

#include "analyzers/capture/device_time.h"
#include "analyzers/capture/idle_gaps.h"
#include "analyzers/capture/kernel_launch_costs.h"
#include "analyzers/capture/kernel_replays.h"
#include "analyzers/capture/kernel_windows.h"
#include "analyzers/capture/owner_times.h"
#include "analyzers/capture/program_gains.h"
#include "analyzers/capture/trace_statistics.h"
#include "analyzers/causal/causal_rows.h"
#include "analyzers/dependencies/dependency_rows.h"
#include "analyzers/steps/step_rows.h"
#include "core/base/err.h"
#include "core/base/str.h"
#include "core/bundle/bundle.h"
#include "core/bundle/capture_map.h"
#include "core/trace/class_sets.h"
#include "core/trace/event_stream.h"
#include "core/trace/short_names.h"
#include "core/trace/span_statistics.h"
#include "core/trace/timeline.h"

/* The collector's own cost and losses, of all processes. */
struct capture_cost {
    int64_t cpu_ns;  /* its own threads and its callbacks */
    int64_t wall_ns; /* of the program */
    int64_t records, bytes, dropped, filtered;
    size_t unended; /* processes that never said that they end: theirs is not in the sums */
};

struct capture_facts {
    bool is_foreign;  /* a trace of another tool: `bundle`, `map` and `cost` are empty */
    const char *path; /* as the caller gave it, who keeps it; of a capture the bundle's */
    struct bundle bundle;
    struct capture_map map;
    struct capture_cost cost;
    struct event_stream *stream;
    struct gpu_samples samples; /* none, unless the capture was made by `cpprof profile` */
    struct short_names names;
    struct trace_statistics statistics;
    struct idle_gaps gaps;               /* empty where the trace holds launches alone */
    struct kernel_launch_costs launches; /* from here on by capture_facts_measure */
    struct span_statistics spans;
    struct class_sets sets;
    struct timeline_query query;
    struct timeline timeline;
    struct owner_times owners; /* who launched the work */
    struct program_steps steps;
    int64_t steady_begin_ns;          /* when it begins to repeat itself; 0: it does not (steady_begin.h) */
    struct kernel_windows windows;    /* empty without samples and replays */
    struct kernel_replays replays;    /* empty where no launch was replayed */
    struct causal causal;             /* empty where nothing was to be delayed */
    struct dependencies dependencies; /* by the recorded graph */
    struct capture_facts *causal_run; /* another capture of the program, in which kernels were delayed; NULL: none */
    struct program_gains gain;        /* by the windows, and by delays or else the graph */
    struct device_time *times;        /* of the devices of `gaps`, in their order */
    struct str
        damage; /* why nothing of a trace that was recorded can be read; empty: something can, or there was none */
};

/* Opens it, and measures statistics and gaps: two passes over its trace. `comm`: what communicates besides, as a regex
 * (core/trace/communication/stream_comm.h), or NULL. Release even after an error. */
int capture_facts_open(struct capture_facts *f, const char *path, const char *comm, struct err *e);
/* The same of a bundle that bundle_begin has begun; it moves in. */
int capture_facts_open_begun(struct capture_facts *f, struct bundle *begun, const char *comm, struct err *e);
/* The same of any other input of event_stream_open. */
int capture_facts_open_trace(struct capture_facts *f, const char *path, const char *comm, struct err *e);

/* Measures the rest. */
int capture_facts_measure(struct capture_facts *f, struct err *e);

/* Opens a capture of the same program in which kernels were delayed, and joins it. `f` is measured. ERR_USAGE when it
 * is none, ERR_INPUT when it is of another program or GPU. */
int capture_facts_join_causal(struct capture_facts *f, const char *path, struct err *e);
void capture_facts_release(struct capture_facts *f);

/* Why there is nothing to see: one sentence; NULL when there is GPU work. It lives as long as `f`. */
const char *capture_facts_nothing(const struct capture_facts *f);

/* Were the units of a GPU to be sampled? */
bool capture_facts_asked_for_samples(const struct capture_facts *f);

/* What the manifest says of replays; NULL: none were asked for. */
const json_t *capture_facts_replay(const struct capture_facts *f);

/* Is nothing known to be missing from the trace? */
bool capture_facts_is_whole(const struct capture_facts *f);

/* Is a file of it cut, changed or missing? What is there to see may be a part of what was recorded. */
bool capture_facts_is_damaged(const struct capture_facts *f);

#endif
