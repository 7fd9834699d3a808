/* arm_doubt.h - may measurements of an arm be used? */
#ifndef CPPROF_ARM_DOUBT_H
#define CPPROF_ARM_DOUBT_H

#include "analyzers/analysis.h"

/* Returns "contradicted", "wrong_result", "not_selected" or "not_verified"; "" when none of them holds. */
const char *arm_doubt(const struct analysis *a, const struct arm *arm);

#endif
