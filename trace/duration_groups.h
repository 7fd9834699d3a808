/* duration_groups.h - exact quantiles of the durations of each of many groups.
 *
 * Durations go to a record spool, 16 bytes each, sorted by (group, duration):
 * quantiles are order statistics read from it, not estimates, and memory stays
 * bounded however long a trace is. What needs no order is summed on the way. */
#ifndef CPPROF_DURATION_GROUPS_H
#define CPPROF_DURATION_GROUPS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct duration_groups;

struct duration_summary {
    int64_t count;
    int64_t total_ns; /* INT64_MAX when it does not fit */
    int64_t min_ns, max_ns;
    double mean_ns;
    double std_ns;                 /* over n - 1; NAN below two */
    double p50_ns, p90_ns, p99_ns; /* Hyndman-Fan type 7, as in statistics.h */
};

int duration_groups_new(struct duration_groups **out, struct err *e);
void duration_groups_free(struct duration_groups *g);

/* Groups are numbered from 0 by the caller, densely. */
int duration_groups_add(struct duration_groups *g, uint32_t group, int64_t duration_ns, struct err *e);

/* Ends the adding. */
int duration_groups_finish(struct duration_groups *g, struct err *e);

/* A group to which nothing was added has count 0 and times of NAN or 0. Valid after
 * finish and until free. */
const struct duration_summary *duration_groups_get(const struct duration_groups *g, uint32_t group);

/* end - start; INT64_MAX or INT64_MIN for times so far apart that only damaged records have them. */
int64_t duration_ns(int64_t start_ns, int64_t end_ns);

#endif
