/* finding.h - claims with their evidence: what every question may add. */
#ifndef CPPROF_FINDING_H
#define CPPROF_FINDING_H

#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/units.h"

struct evidence {
    const char *metric; /* CUPTI's or our name */
    double value;
    int unit; /* enum unit */
};

struct evidence_list {
    struct evidence *items; /* in the analysis' arena */
    size_t count, capacity;
};

enum severity { SEVERITY_INFO, SEVERITY_ADVICE, SEVERITY_WARNING, SEVERITY_FAILURE };

/* A claim with its evidence. */
struct finding {
    const char *id; /* "latency-hidden" */
    enum severity severity;
    const char *variant, *shape; /* "" when about the whole bundle */
    const char *claim;
    struct evidence_list evidence;
    const char *advice; /* "" when none */
};

#endif
