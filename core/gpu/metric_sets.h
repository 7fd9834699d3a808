/* metric_sets.h - the sets of counters that `run` collects by name. core/gpu/chips.h has the counters and passes of
 * each set on each chip. */
#ifndef CPPROF_METRIC_SETS_H
#define CPPROF_METRIC_SETS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/gpu/metrics.h"

/* Increases when an id changes its meaning or leaves a set. */
enum { METRIC_SETS_VERSION = 1 };

struct metric_set {
    const char *name;
    const char *meaning;
};

const struct metric_set *metric_set(enum metric_set_id id);

/* Returns the set of that name ("default" is another name of bound); METRIC_SET_COUNT when there is none. */
enum metric_set_id metric_set_by_name(const char *name);

static inline bool metric_in_set(const struct metric *metric, enum metric_set_id set)
{
    return (metric->sets >> set) & 1u;
}

#endif
