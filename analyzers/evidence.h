/* evidence.h - the numbers that stand behind a claim. */
#ifndef CPPROF_EVIDENCE_H
#define CPPROF_EVIDENCE_H

#include "analyzers/analysis.h"
#include "base/arena.h"
#include "base/err.h"

/* Appends to the evidence of a bound or a finding; both lists live in the
 * analysis' arena. A value that is not finite is no evidence and is left out.
 * The name is copied. */
int bound_add_evidence(struct analysis *a, struct bound *b, const char *metric, double value, enum unit unit,
                       struct err *e);
int finding_add_evidence(struct analysis *a, struct finding *f, const char *metric, double value, enum unit unit,
                         struct err *e);

#endif
