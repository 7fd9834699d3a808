/* trace_measure.h - what is measured of each of several traces on its own, so that whoever reads a trace need not hand
 * over its events. */
#ifndef CPPROF_TRACE_MEASURE_H
#define CPPROF_TRACE_MEASURE_H

#include <stdint.h>
#include <stdio.h>

#include "core/base/err.h"
#include "core/trace/event_stream.h"
#include "core/trace/parts/part_file.h"

struct trace_measure {
    void *context;
    /* In a process of its own, so that the context is no one else's: measures a trace, then writes the result. The
     * stream is in the scope. */
    int (*measure)(void *context, struct event_stream *stream, struct err *e);
    int (*write)(void *context, FILE *to, struct err *e);
    /* Where all results meet, traces in order: takes one. `stream` is that of all traces, and has all names so far. */
    int (*take)(void *context, struct part_reader *from, const struct event_stream *stream, struct err *e);
};

#endif
