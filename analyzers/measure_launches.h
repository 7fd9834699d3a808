/* measure_launches.h - what does it cost to launch each kernel of a trace, and to
 * wait (model/trace_launches.h)? */
#ifndef CPPROF_MEASURE_LAUNCHES_H
#define CPPROF_MEASURE_LAUNCHES_H

#include "base/err.h"
#include "model/event_stream.h"
#include "model/short_names.h"
#include "model/trace_launches.h"

/* Bounds for hostile input: rows, about 1 KB each with their names, and first calls of a row on a rank. */
enum { LAUNCH_ROWS_MAX = 256 * 1024, LAUNCH_FIRSTS_MAX = 1024 * 1024 };

/* Reads the stream from its start. Names go to `names`, demangled or as
 * recorded. `out` need not be initialised; release it even after an error. */
int trace_launches_measure(struct event_stream *stream, enum name_style style, struct short_names *names,
                           struct trace_launches *out, struct err *e);
void trace_launches_release(struct trace_launches *t);

/* Both were measured with the same names. Release even after an error. */
int launch_pairs_make(struct launch_pairs *out, const struct trace_launches *a, const struct trace_launches *b,
                      const struct short_names *names, struct err *e);
void launch_pairs_release(struct launch_pairs *pairs);

#endif
