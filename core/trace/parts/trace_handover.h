/* trace_handover.h - what one process read of a trace goes to another one, through a file: all of it, or what was
 * measured of it alone. */
#ifndef CPPROF_TRACE_HANDOVER_H
#define CPPROF_TRACE_HANDOVER_H

#include <stdbool.h>
#include <stdio.h>

#include "core/trace/parts/part_file.h"
#include "core/trace/rank_starts.h"
#include "core/trace/readers/reader.h"
#include "core/trace/stream_scope.h"

/* What became of reading a trace. */
struct handover {
    struct err why; /* its code is 0 when the trace was read */
    bool is_skipped;
    bool is_measured;          /* the result follows, and not what the sink has */
    struct err failed;         /* is_measured: its code is 0 when it was measured, and then a result follows */
    struct scope_counts scope; /* is_measured */
    int64_t events;
};

/* Writes what the sink has; its spools are rewound. When it is measured, `ranks` are written, and the caller writes the
 * result. */
int trace_handover_write(const struct reader_sink *sink, struct handover *about, const struct rank_starts *ranks,
                         FILE *to, struct err *e);

/* Reads it into another sink: its strings get ids there, and events, scopes and notes refer to those. Facts of the sink
 * are set. When it is measured, *ranks has those of the trace in the order in which they occur, the caller frees it,
 * and sets r->ranks[i].here of each before it reads the result. */
int trace_handover_read(struct part_reader *r, struct reader_sink *sink, struct handover *about,
                        struct rank_facts **ranks, struct err *e);

#endif
