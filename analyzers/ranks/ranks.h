/* ranks.h - whose lateness costs us, and was it a late arrival or a slow transfer? */
#ifndef CPPROF_RANKS_H
#define CPPROF_RANKS_H

#include "analyzers/ranks/ranks_rows.h"

/* Reads the stream twice; it must outlive `out`, which refers to its names. Open it with its notes
 * (event_stream_wish). Release even after an error; `out` need not be initialised. */
int ranks_measure(struct event_stream *stream, const char *comm_pattern, struct ranks *out, struct err *e);
void ranks_release(struct ranks *r);

/* What all ranks lose, as a mean of those that wait for one: the time that a step is longer. */
double ranks_cost(const struct ranks *r, int64_t sum_ns);
/* The same for each step; NAN where steps are unknown. */
double ranks_cost_per_step(const struct ranks *r, int64_t sum_ns);
/* What others wait for the ranks of this number, as a share of the job's time: 0 for a rank that costs nothing. NAN
 * when nothing could be judged, or when there is no such rank. */
double ranks_late_share(const struct ranks *r, int rank);

#endif
