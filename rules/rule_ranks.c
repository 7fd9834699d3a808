/* What can a rule ask about all ranks together? */
#include "rules/rule_ranks.h"

#include <math.h>

#include "analyzers/ranks/ranks.h"
#include "analyzers/ranks/ranks_words.h"
#include "core/base/units.h"

struct rank_value rank_skew(const struct ranks *r, int rank)
{
    (void)rank;
    return (struct rank_value){r->skew.ns, r->skew.low_ns, r->skew.high_ns, -1, -1};
}

const char *rank_skew_note(struct arena *arena, const struct ranks *r, int rank)
{
    const struct ranks_context c = {.arena = arena, .r = r};
    char size[UNITS_TEXT_BYTES];
    (void)rank;
    return r->skew.is_of_alike
               ? arena_printf(arena, "%zu collectives of %s on %s", r->skew.collectives,
                              r->skew.bytes < 0 ? "unknown size" : unit_format(size, UNIT_BYTES, (double)r->skew.bytes),
                              rank_communicator_name(&c, r->skew.communicator))
               : "";
}

struct rank_value rank_late(const struct ranks *r, int rank)
{
    const struct rank_share_of_time late = ranks_late(r, rank);
    return (struct rank_value){late.share, late.low, late.high, rank < 0 ? late.rank : rank, -1};
}

const char *rank_late_note(struct arena *arena, const struct ranks *r, int rank)
{
    const struct ranks_context c = {.arena = arena, .r = r};
    return rank_late_why(&c, rank);
}

struct rank_value rank_transfer(const struct ranks *r, int rank)
{
    const struct rank_share_of_time slow = ranks_slow_share(r);
    (void)rank;
    return (struct rank_value){slow.share, slow.low, slow.high, -1, -1};
}

const char *rank_transfer_note(struct arena *arena, const struct ranks *r, int rank)
{
    const struct ranks_context c = {.arena = arena, .r = r};
    (void)rank;
    return rank_slow_transfers(&c);
}

/* The most that a device has of a set, over the mean of the devices that have any. */
struct rank_value rank_imbalance_of(const struct timeline *t, size_t set)
{
    struct rank_value v = {NAN, NAN, NAN, -1, -1};
    double sum_ns = 0, most_ns = 0, devices = 0;
    for (size_t i = 0; i < t->device_count; i++) {
        const struct timeline_set *s = &t->devices[i].sets[set];
        if (s->count == s->unfinished)
            continue;
        sum_ns += (double)s->busy_ns;
        devices++;
        if ((double)s->busy_ns <= most_ns)
            continue;
        most_ns = (double)s->busy_ns;
        v.rank = t->devices[i].rank;
        v.device = t->devices[i].device;
    }
    if (devices > 1 && sum_ns > 0)
        v.value = v.low = v.high = most_ns * devices / sum_ns;
    return v;
}
