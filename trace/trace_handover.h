/* trace_handover.h - what one process read of a trace goes to another one, through a file. */
#ifndef CPPROF_TRACE_HANDOVER_H
#define CPPROF_TRACE_HANDOVER_H

#include <stdbool.h>
#include <stdio.h>

#include "trace/readers/reader.h"

/* What became of reading a trace. */
struct handover {
    struct err why; /* its code is 0 when the trace was read */
    bool is_skipped;
};

/* Writes what the sink has; its spools are rewound. */
int trace_handover_write(const struct reader_sink *sink, const struct handover *about, FILE *to, struct err *e);

/* Reads it into another sink: its strings get ids there, and events, scopes and notes refer to those. Facts of the sink
 * are set. */
int trace_handover_read(FILE *from, struct reader_sink *sink, struct handover *about, struct err *e);

#endif
