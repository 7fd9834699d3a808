/* counted_thresholds.h - which thresholds hold for launches that another tool counted? Its file names no chip, only a
 * compute capability. */
#ifndef CPPROF_COUNTED_THRESHOLDS_H
#define CPPROF_COUNTED_THRESHOLDS_H

#include "analyzers/analysis.h"
#include "core/run/imported_launches.h"

/* Fills a->by_capability and a->thresholds, which are those of the first launch. Adds a caveat for each row that is not
 * used because the file does not say for which chip it is. `overrides` may be NULL. */
int counted_thresholds_resolve(struct analysis *a, struct imported_launches *launches,
                               const struct threshold_overrides *overrides, struct err *e);

const struct thresholds *counted_thresholds_of(const struct analysis *a, const struct imported_launch *launch);

/* Does a threshold have different values for launches of the same file? */
bool counted_thresholds_differ(const struct analysis *a, enum threshold_id id);

/* Returns the file whose rows are used for any launch, or for a bundle; NULL when none is. */
const char *counted_thresholds_path(const struct analysis *a);

#endif
