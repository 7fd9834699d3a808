/* counting_advice.h - what to count, so that a launch that another tool counted has a bound. */
#ifndef CPPROF_COUNTING_ADVICE_H
#define CPPROF_COUNTING_ADVICE_H

#include "analyzers/bounds/bound_inputs.h"
#include "core/base/arena.h"
#include "core/base/str.h"
#include "core/run/imported_launches.h"

/* The advice for the launches of one file, most of which lack the same. */
struct counting_advice {
    struct arena *arena;
    const struct imported_launches *launches;
    struct str missing; /* names of what the launch before lacked, ... */
    const char *advice; /* ... and what was said of it */
};

void counting_advice_init(struct counting_advice *c, struct arena *arena, const struct imported_launches *launches);
void counting_advice_release(struct counting_advice *c);

/* Gives the advice for a launch that is inconclusive, or whose unit is open. It is in the arena. */
int counting_advice_find(struct counting_advice *c, const struct bound_inputs *in, const struct bound_record *made,
                         const char **advice, struct err *e);

#endif
