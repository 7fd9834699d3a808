/* trace_measures.h - what was measured of a trace, for its pictures. */
#ifndef CPPROF_TRACE_MEASURES_H
#define CPPROF_TRACE_MEASURES_H

#include "analyzers/capture/idle_gaps.h"
#include "core/trace/class_sets.h"
#include "core/trace/event_stream.h"
#include "core/trace/timeline.h"

/* Nothing is owned. All is of the same stream and scope. */
struct trace_measures {
    struct event_stream *stream;
    const struct idle_gaps *gaps;
    /* All three, and measured; or NULL: then kernels that communicate are kernels like others. */
    const struct class_sets *sets;
    const struct timeline_query *query;
    const struct timeline *timeline;
};

#endif
