/* inside_build.h - what an instrumented build of a variant is (docs/inside.md). */
#ifndef CPPROF_INSIDE_BUILD_H
#define CPPROF_INSIDE_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "cpprof/inside.h"
#include "cpprof/variant.h"

struct inside_build {
    const struct cpprof_variant *of; /* the same variant without marks */
    const struct cpprof_inside *inside;
    int32_t delay_cycles; /* of a delay build; below 0: its mark does not wait */
};

static inline bool inside_build_records(const struct inside_build *build)
{
    return build && build->inside->build == CPPROF_INSIDE_RECORD;
}

static inline bool inside_build_waits(const struct inside_build *build)
{
    return build && build->inside->build == CPPROF_INSIDE_DELAY;
}

/* Its progress can be read while it runs. */
static inline bool inside_build_progresses(const struct inside_build *build)
{
    return build && build->inside->build == CPPROF_INSIDE_PROGRESS;
}

#endif
