/* measure_statistics.h - how often, how long, how much in a trace
 * (model/trace_statistics.h)? */
#ifndef CPPROF_MEASURE_STATISTICS_H
#define CPPROF_MEASURE_STATISTICS_H

#include "base/err.h"
#include "model/event_stream.h"
#include "model/short_names.h"
#include "model/trace_statistics.h"

enum { STATISTICS_ROWS_MAX = 512 * 1024 }; /* a bound for hostile input: with names and sums about 0.5 KB a row */

/* One pass from the stream's present position. Names go to `names`, which may
 * be shared between traces: demangled, or as recorded when the style is
 * NAMES_MANGLED. `out` need not be initialised; release it even after an error. */
int trace_statistics_measure(struct event_stream *stream, enum statistics_by by, enum name_style style,
                             struct short_names *names, struct trace_statistics *out, struct err *e);
void trace_statistics_release(struct trace_statistics *s);

/* Rows are the same when section, name, rank, device and stream are; both were
 * measured with the same names. Release even after an error. */
int statistics_pairs_make(struct statistics_pairs *out, const struct trace_statistics *a,
                          const struct trace_statistics *b, struct err *e);
void statistics_pairs_release(struct statistics_pairs *pairs);

#endif
