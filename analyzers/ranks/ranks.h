/* ranks.h - whose lateness costs us, and was it a late arrival or a slow transfer? */
#ifndef CPPROF_RANKS_H
#define CPPROF_RANKS_H

#include "analyzers/ranks/ranks_rows.h"

/* Reads the stream twice; it must outlive `out`, which refers to its names and to the pattern. Open it with its notes
 * (event_stream_wish). Release even after an error; `out` need not be initialised. */
int ranks_measure(struct event_stream *stream, struct ranks *out, struct err *e);
void ranks_release(struct ranks *r);

/* What all ranks lose to late ones, as a mean of those that wait for one: by how much the job is longer. */
double ranks_cost(const struct ranks *r, int64_t sum_ns);
/* What late ranks cost in all, and what slow transfers cost, as a mean; NAN where no collective has a verdict, or no
 * transfer is compared. */
double ranks_late_cost(const struct ranks *r);
double ranks_slow(const struct ranks *r);
/* What all ranks lose otherwise, as a mean. */
double ranks_mean(const struct ranks *r, int64_t sum_ns);
/* A part of the job's time: of the mean span of the devices. */
double ranks_part(const struct ranks *r, double ns);
/* A time of the job for each step; NAN where steps are unknown. */
double ranks_per_step(const struct ranks *r, double ns);

/* A share of the job's time, and between which values it lies. */
struct rank_share_of_time {
    double share, low, high; /* NAN: not known */
    int rank;                /* whose it is */
};

/* What slow transfers cost. Clocks are off, and what is not compared may be slow. The share is NAN when no transfer is
 * compared. */
struct rank_share_of_time ranks_slow_share(const struct ranks *r);

/* What others wait for a rank, on all of its devices: clocks are off, and waits without an origin may be for any rank.
 */
/* Of the rank with this number; below 0: of the one that costs most. The share is NAN when the rank has no collective
 * with a verdict, or is not there. `high` of any rank is NAN where one of them is not known. */
struct rank_share_of_time ranks_late(const struct ranks *r, int rank);

/* Has the rank a collective? Below 0: has any? */
bool ranks_has(const struct ranks *r, int rank);

#endif
