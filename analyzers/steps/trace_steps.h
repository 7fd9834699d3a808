/* trace_steps.h - when was each step of a trace, and what ran in it? docs/compare.md defines a step's time. */
#ifndef CPPROF_TRACE_STEPS_H
#define CPPROF_TRACE_STEPS_H

#include "analyzers/steps/step_rows.h"
#include "core/base/err.h"
#include "core/base/str.h"
#include "core/base/strtab.h"
#include "core/trace/event_stream.h"

struct trace_steps {
    struct step_side side;
    struct step *items; /* steps that count, by rank and start */
    size_t count, capacity;
    struct step first; /* the first of the first process, if it was left out */
    bool has_first;
    struct strtab keys;          /* name, grid and block of each kernel: its id - 1 is its place */
    struct step_kernels kernels; /* in the steps that count */
    int64_t unlaunched;          /* work without a recorded call: it is in no step */
    struct str range;
};

/* Reads the stream several times; it must outlive `out`, which has its names. `range` is an extended regex on names of
 * NVTX ranges; NULL: those that core/trace/step_names.h chooses or, without them, the whole trace as one step. The
 * first of three and more steps of a process is left out. Returns ERR_USAGE for a bad regex and ERR_INPUT when nothing
 * matches, when names match that differ in more than a trailing number, or when the trace has no GPU work in a step.
 * Release even after an error. */
int trace_steps_read(struct trace_steps *out, struct event_stream *stream, const char *range, struct err *e);

/* The same of all ranges whose name is `stem`, or that with a number behind it, and of no others. */
int trace_steps_read_named(struct trace_steps *out, struct event_stream *stream, const char *stem, struct err *e);
void trace_steps_release(struct trace_steps *s);

#endif
