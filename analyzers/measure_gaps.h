/* measure_gaps.h - when does each device of a trace run no kernel, and who is to
 * blame (model/idle_gaps.h)? One sweep over work sorted by start; memory for
 * what is concurrent and for the last calls of each thread. */
#ifndef CPPROF_MEASURE_GAPS_H
#define CPPROF_MEASURE_GAPS_H

#include "base/err.h"
#include "model/event_stream.h"
#include "model/idle_gaps.h"

enum { GAPS_DEVICES_MAX = 1024, GAPS_RUNNING_MAX = 1 << 20 /* operations at once */ };

/* Reads the stream from its start. ERR_INPUT when it holds launches only: copies
 * would look like idle time. `out` need not be initialised; release it
 * even after an error. */
int idle_gaps_measure(struct event_stream *stream, struct idle_gaps *out, struct err *e);
void idle_gaps_release(struct idle_gaps *g);

#endif
