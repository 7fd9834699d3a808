/* span_statistics.h - how often and how long was each NVTX range open, and what
 * did the collector and the driver say they spent on themselves? */
#ifndef CPPROF_SPAN_STATISTICS_H
#define CPPROF_SPAN_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/trace/duration_groups.h"
#include "core/trace/event_stream.h"

enum { SPANS_MAX = 65536 }; /* distinct names, a bound for hostile input */

struct span_row {
    uint16_t kind;   /* CPPROF_EVENT_RANGE or CPPROF_EVENT_OVERHEAD */
    uint32_t name;   /* string ids of the stream */
    uint32_t domain; /* of a range; 0: the default one */
    struct duration_summary durations;
};

struct span_statistics {
    struct span_row *items; /* ranges, then overhead; the largest total first */
    size_t count, capacity;
    int64_t left_out; /* spans of names beyond SPANS_MAX */
};

/* Reads the stream from its start. `out` need not be initialised; release it even after an error. */
int span_statistics_measure(struct event_stream *stream, struct span_statistics *out, struct err *e);
void span_statistics_release(struct span_statistics *s);

#endif
