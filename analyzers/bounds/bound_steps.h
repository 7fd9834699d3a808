/* bound_steps.h - how was a bound decided? Each step in its order with its numbers,
 * its threshold and its answer, as `classify --explain` shows it. */
#ifndef CPPROF_BOUND_STEPS_H
#define CPPROF_BOUND_STEPS_H

#include "analyzers/bounds/bound_inputs.h"

enum { BOUND_STEPS_MAX = 15 };

/* Fills `steps` with sentences that live in `arena`; returns how many. `made` is of these inputs, `b` has its cause. */
size_t bound_steps(const struct bound_inputs *in, const struct bound_record *made, const struct bound *b,
                   struct arena *arena, const char *steps[BOUND_STEPS_MAX]);

#endif
