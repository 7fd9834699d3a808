/* bound_repeats.h - does every launch that was counted come to the same bound? */
#ifndef CPPROF_BOUND_REPEATS_H
#define CPPROF_BOUND_REPEATS_H

#include "analyzers/analysis.h"
#include "core/run/counters.h"

/* Judges each repeat of `of` for itself and fills repeats, agreeing and tallies of a
 * bound whose class and limit are decided. `of` may be NULL: no counters. */
int bound_judge_repeats(struct analysis *a, struct bound *b, const struct counters_list *list,
                        const struct counters *of, struct err *e);

/* Is it what the variant states of itself? False when it states nothing. */
bool bound_is_as_stated(const struct bound *b);

#endif
