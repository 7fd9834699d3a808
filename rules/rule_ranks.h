/* rule_ranks.h - what can a rule ask about all ranks together? */
#ifndef CPPROF_RULE_RANKS_H
#define CPPROF_RULE_RANKS_H

#include "analyzers/ranks/ranks_rows.h"
#include "trace/timeline.h"

/* The values of the functions; NAN: undefined. */
double rank_skew(const struct ranks *r, int rank);
double rank_late(const struct ranks *r, int rank); /* below 0: of the rank that costs most */
double rank_imbalance_of(const struct timeline *t, size_t set);

#endif
