/* finding.h - claims with their evidence: what every question may add. */
#ifndef CPPROF_FINDING_H
#define CPPROF_FINDING_H

#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/units.h"
#include "core/run/arms.h"

struct evidence {
    const char *metric; /* CUPTI's or our name */
    double value;
    int unit; /* enum unit */
};

struct evidence_list {
    struct evidence *items; /* in the analysis' arena */
    size_t count, capacity;
};

/* Appends a number to the evidence of a claim; the name is copied. A value that is not finite is no evidence and is
 * left out. */
int evidence_add(struct arena *arena, struct evidence_list *list, const char *metric, double value, enum unit unit,
                 struct err *e);

enum severity { SEVERITY_INFO, SEVERITY_ADVICE, SEVERITY_WARNING, SEVERITY_FAILURE };

/* A claim with its evidence. */
struct finding {
    const char *id; /* "latency-hidden" */
    enum severity severity;
    const struct arm *arm;        /* NULL when about no one arm of the run */
    const char *variant, *config; /* "" when about the whole bundle */
    const char *claim;
    struct evidence_list evidence;
    const char *advice; /* "" when none */
};

#endif
