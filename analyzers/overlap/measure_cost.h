/* measure_cost.h - what did it bring to run A beside B, and what did it cost each
 * (analyzers/overlap/overlap_cost.h)? */
#ifndef CPPROF_MEASURE_COST_H
#define CPPROF_MEASURE_COST_H

#include "analyzers/overlap/overlap_cost.h"
#include "core/base/err.h"
#include "core/trace/event_stream.h"

enum { COST_DEVICES_MAX = 1024 /* pairs of rank and device in a trace */ };

/* Reads each stream, rewound before. A stream without GPU work, and a third one with nothing of A or nothing of B, are
 * ERR_INPUT. */
int overlap_cost_measure(struct event_stream *a, struct event_stream *b, struct event_stream *both,
                         struct overlap_cost *out, struct err *e);

#endif
