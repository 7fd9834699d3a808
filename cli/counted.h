/* counted.h - a table of another tool's counters, opened and classified, for
 * every command that shows one. */
#ifndef CPPROF_COUNTED_H
#define CPPROF_COUNTED_H

#include "analyzers/analysis.h"
#include "core/run/imported_launches.h"

/* `analysis` points at `launches`: not to be copied or moved. */
struct counted {
    struct imported_launches launches;
    struct analysis analysis;
};

/* On an error there is nothing to release. */
int counted_open(struct counted *out, const char *path, const struct threshold_overrides *thresholds, struct err *e);
void counted_release(struct counted *c);

/* Says the caveats on standard error. EXIT_UNUSABLE_INPUT when a part could not
 * be read, EXIT_INCONCLUSIVE when something may be missing or a bound is
 * inconclusive. */
int counted_status(const struct counted *c);

#endif
