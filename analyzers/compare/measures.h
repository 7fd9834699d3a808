/* measures.h - by what the time of a sample of a program is measured, and what its other measures say of a comparison
 * (docs/programs.md). */
#ifndef CPPROF_MEASURES_H
#define CPPROF_MEASURES_H

#include "analyzers/arm_differences.h"
#include "analyzers/compare/compare_rows.h"
#include "core/base/err.h"

/* Fills `by` of a comparison of programs: busy from its own interval, the others from the iterations of both arms,
 * process by process. Else none has a ratio. */
int measures_compare(struct analysis *out, struct comparison *c, const struct arm_place *base,
                     const struct arm_place *cand, struct err *e);

/* "busy", "span", "interval". */
const char *measure_name(enum measure m);

/* Among the comparisons with the baseline and the case of `of`: the fastest by a measure. NULL: the baseline is. */
const struct comparison *measure_fastest(const struct comparison_list *list, const struct comparison *of,
                                         enum measure m);

/* Do two measures name another fastest one, each beyond doubt? */
bool measures_disagree(const struct comparison_list *list, const struct comparison *of);

#endif
