/* idle_gaps_part.h - the gaps that were measured in one trace become a part of those of all traces. */
#ifndef CPPROF_IDLE_GAPS_PART_H
#define CPPROF_IDLE_GAPS_PART_H

#include "analyzers/capture/idle_gaps.h"
#include "core/base/err.h"
#include "core/trace/parts/trace_measure.h"

/* Returns what event_stream_wish needs to measure each trace where it is read. Results are added up in `g`, which
 * starts as zeros. */
struct trace_measure idle_gaps_parts(struct idle_gaps *g);

/* Makes of all parts in `g` what idle_gaps_measure makes of all traces, or measures a stream whose traces were not. */
int idle_gaps_finish(struct event_stream *stream, struct idle_gaps *g, struct err *e);

/* The same steps for a measure of which the gaps are only one half. */
int idle_gaps_part_write(const struct idle_gaps *g, FILE *to, struct err *e);
int idle_gaps_part_take(struct idle_gaps *g, struct part_reader *from, struct err *e);

#endif
