/* metric_sets.h - the sets of counters that `run` collects by name, and what
 * each chip makes of them: what it lacks and how many passes a set takes. A
 * ctest asks CUPTI, which knows the chips without having one. */
#ifndef CPPROF_METRIC_SETS_H
#define CPPROF_METRIC_SETS_H

#include <stdbool.h>
#include <stddef.h>

#include "gpu/metrics.h"

/* Rises when an id changes its meaning or leaves a set. */
enum { METRIC_SETS_VERSION = 1 };

struct metric_set {
    const char *name;
    const char *meaning;
};

const struct metric_set *metric_set(enum metric_set_id id);

/* The set that a name stands for ("default" is another word for bound);
 * METRIC_SET_COUNT when it stands for none. */
enum metric_set_id metric_set_by_name(const char *name);

static inline bool metric_in_set(const struct metric *metric, enum metric_set_id set)
{
    return (metric->sets >> set) & 1u;
}

struct metric_chip {
    const char *name;       /* as CUPTI says it: "GH100" */
    const char *cards;      /* some that carry it; "" */
    const char *capability; /* "9.0" */
    const char *missing;    /* ids that it lacks, a blank after each */
    int passes[METRIC_SET_COUNT];
};

const struct metric_chip *metric_chips(size_t *count);
const struct metric_chip *metric_chip_by_name(const char *name); /* case does not matter; NULL when not listed */
const struct metric_chip *metric_chip_by_capability(const char *capability); /* the first one that has it; NULL */
bool metric_chip_lacks(const struct metric_chip *chip, const char *id);

#endif
