/* rule_ranks.h - what can a rule ask about all ranks together? */
#ifndef CPPROF_RULE_RANKS_H
#define CPPROF_RULE_RANKS_H

#include "analyzers/ranks/ranks_rows.h"
#include "trace/timeline.h"

struct rank_value {
    double value, low, high; /* `value` NAN: undefined; a bound: not known */
};

/* The values of the functions. */
struct rank_value rank_skew(const struct ranks *r, int rank);
struct rank_value rank_late(const struct ranks *r, int rank); /* below 0: of the rank that costs most */
double rank_imbalance_of(const struct timeline *t, size_t set);

#endif
