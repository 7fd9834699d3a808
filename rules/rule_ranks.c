/* What can a rule ask about all ranks together? */
#include "rules/rule_ranks.h"

#include <math.h>

#include "analyzers/ranks/ranks.h"

double rank_skew(const struct ranks *r, int rank)
{
    (void)rank;
    return r->skew_ns;
}

double rank_late(const struct ranks *r, int rank)
{
    double most = NAN;
    if (rank >= 0)
        return ranks_late_share(r, rank);
    for (size_t i = 0; i < r->arrivals.places.count; i++)
        if (!i || r->arrivals.places.items[i].rank != r->arrivals.places.items[i - 1].rank)
            most = fmax(most, r->rows.items[i].caused_ns > 0 || isnan(most)
                                  ? ranks_late_share(r, r->arrivals.places.items[i].rank)
                                  : 0);
    return most;
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
