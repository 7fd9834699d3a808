/* rule_ranks.h - what can a rule ask about all ranks together? */
#ifndef CPPROF_RULE_RANKS_H
#define CPPROF_RULE_RANKS_H

#include "analyzers/ranks/ranks_rows.h"
#include "core/base/arena.h"
#include "core/trace/timeline.h"

struct rank_value {
    double value, low, high; /* `value` NAN: undefined; a bound: not known */
    int rank, device;        /* whose value it is; -1: not of one */
};

/* The values of the functions. */
struct rank_value rank_skew(const struct ranks *r, int rank);
struct rank_value rank_late(const struct ranks *r, int rank); /* below 0: of the rank that costs most */
struct rank_value rank_transfer(const struct ranks *r, int rank);
struct rank_value rank_imbalance_of(const struct timeline *t, size_t set);

/* What is behind a value that breaks a rule; "" when nothing more is known. */
const char *rank_skew_note(struct arena *arena, const struct ranks *r, int rank);
const char *rank_late_note(struct arena *arena, const struct ranks *r, int rank);
const char *rank_transfer_note(struct arena *arena, const struct ranks *r, int rank);

#endif
