/* inside_builds.h - which instrumented builds of a variant are there (docs/inside.md), and how is a launch of one told
 * what to do? */
#ifndef CPPROF_INSIDE_BUILDS_H
#define CPPROF_INSIDE_BUILDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/runner/catalogue.h"
#include "collector/runner/inside/inside_build.h"
#include "core/base/err.h"

enum { INSIDE_DOSES_MAX = 32, INSIDE_DOSE_CYCLES_MAX = 1000000 };

/* Which of them a process is asked for. */
struct inside_request {
    bool progress;                   /* builds whose progress can be read while they run */
    bool records;                    /* builds that record */
    int32_t doses[INSIDE_DOSES_MAX]; /* of each delay build, which also has an arm whose mark does not wait */
    size_t dose_count;               /* 0: no delay builds */
    const char *const *phases;       /* only the delays of phases with these names; none given: all */
    size_t phase_count;
};

/* Adds the builds of a library that was loaded from `path`: those beside it whose names end in -record.so,
 * -progress.so and -delay-ROLE.MARK.so where its own ends in .so. ERR_USAGE for one that contradicts its name. */
int inside_builds_of_library(struct catalogue *c, const char *path, const struct inside_request *request,
                             struct err *e);

/* Adds the builds of built-in variants, from the folder `inside` beside this program. */
int inside_builds_of_built_in(struct catalogue *c, const struct inside_request *request, struct err *e);

bool inside_phase_is_of(const struct cpprof_phase *phase, const char *variant);

#endif
