/* duration_groups.h - exact quantiles of the durations of many groups.
 *
 * Durations go to a record spool, 16 bytes each, sorted by (group, duration). Quantiles are order statistics read from
 * it, not estimates, and memory stays bounded for a trace of any length. Sums are computed on the way. */
#ifndef CPPROF_DURATION_GROUPS_H
#define CPPROF_DURATION_GROUPS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/base/err.h"

struct duration_groups;
struct part_reader;

struct duration_summary {
    int64_t count;
    int64_t total_ns; /* INT64_MAX when it does not fit */
    int64_t min_ns, max_ns;
    double mean_ns;
    double std_ns;                 /* divides by n - 1; NAN below two, or where sums do not fit */
    double p50_ns, p90_ns, p99_ns; /* Hyndman-Fan type 7, as in statistics.h */
};

int duration_groups_new(struct duration_groups **out, struct err *e);
void duration_groups_free(struct duration_groups *g);

/* Adds a duration. The caller numbers groups from 0, without gaps. */
int duration_groups_add(struct duration_groups *g, uint32_t group, int64_t duration_ns, struct err *e);

/* Ends adding and computes the summaries. */
int duration_groups_finish(struct duration_groups *g, struct err *e);

/* Returns the summary of a group. An empty group has count 0, and times of NAN or 0. Valid after finish and until
 * free. */
const struct duration_summary *duration_groups_get(const struct duration_groups *g, uint32_t group);

/* Writes the samples of groups 0 to count - 1, and adds them to groups of another object: group i to numbers[i]. The
 * summaries are exact, so they are those of all samples. Nothing may be added after writing, or where anything is
 * taken. */
int duration_groups_write(struct duration_groups *g, uint32_t count, FILE *to, struct err *e);
int duration_groups_take(struct duration_groups *g, const uint32_t *numbers, uint32_t count, struct part_reader *from,
                         struct err *e);

/* Returns end - start; INT64_MAX or INT64_MIN when they are so far apart that the record must be damaged. */
int64_t duration_ns(int64_t start_ns, int64_t end_ns);

#endif
