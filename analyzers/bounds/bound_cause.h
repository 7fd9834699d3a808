/* bound_cause.h - why a kernel has its bound, in one sentence with its numbers. */
#ifndef CPPROF_BOUND_CAUSE_H
#define CPPROF_BOUND_CAUSE_H

#include "analyzers/bounds/bound_inputs.h"

/* Appends the sentence, without a full stop. For every class but inconclusive
 * the inputs are those that bound_decide made it from. */
void bound_cause_add(struct str *out, const struct bound_inputs *in, enum bound_class class_);

#endif
