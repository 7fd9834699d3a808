/* compare_traces.h - `compare` of two captures or traces, by their steps. */
#ifndef CPPROF_COMPARE_TRACES_H
#define CPPROF_COMPARE_TRACES_H

#include <stdbool.h>

#include "core/base/err.h"

struct compare_traces_options {
    const char *before, *after;
    const char *range; /* regex on names of NVTX ranges; NULL: the default of trace_steps_read */
    const char *comm;  /* regex of what communicates besides; NULL: nothing */
    const char *across;
    double margin;
    const char *format, *output;
    bool force;
};

/* Is this a capture or a trace, and no run? */
bool compare_traces_takes(const char *path);

/* Writes the report, and gives the exit status of the verdict. */
int compare_traces(const struct compare_traces_options *o, enum exit_status *status, struct err *e);

#endif
