/* bound_cause.h - why a kernel has its bound, in one sentence with its numbers. */
#ifndef CPPROF_BOUND_CAUSE_H
#define CPPROF_BOUND_CAUSE_H

#include "analyzers/bounds/bound_inputs.h"

/* Appends the sentence, without a full stop; `made` is of these inputs. */
void bound_cause_add(struct str *out, const struct bound_inputs *in, const struct bound_record *made);

#endif
