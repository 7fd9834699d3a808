/* What can a rule ask about all ranks together? */
#include "rules/rule_ranks.h"

#include <math.h>

#include "analyzers/ranks/ranks.h"

struct rank_value rank_skew(const struct ranks *r, int rank)
{
    (void)rank;
    return (struct rank_value){r->skew_ns, r->skew_low_ns, r->skew_high_ns};
}

struct rank_value rank_late(const struct ranks *r, int rank)
{
    const struct rank_late late = ranks_late(r, rank);
    return (struct rank_value){late.share, late.low, late.high};
}

/* The most that a device has of a set, over the mean of the devices that have any. */
double rank_imbalance_of(const struct timeline *t, size_t set)
{
    double sum_ns = 0, most_ns = 0, devices = 0;
    for (size_t i = 0; i < t->device_count; i++) {
        const struct timeline_set *s = &t->devices[i].sets[set];
        if (s->count == s->unfinished)
            continue;
        sum_ns += (double)s->busy_ns;
        most_ns = fmax(most_ns, (double)s->busy_ns);
        devices++;
    }
    return devices > 1 && sum_ns > 0 ? most_ns * devices / sum_ns : NAN;
}
