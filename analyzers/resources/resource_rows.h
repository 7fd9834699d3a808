/* resource_rows.h - code that several variants share. */
#ifndef CPPROF_RESOURCE_ROWS_H
#define CPPROF_RESOURCE_ROWS_H

#include <stdbool.h>

#include "core/run/resource.h"

/* Variants whose machine code is the same. */
struct identical_code {
    const struct arm *of_a, *of_b;
    const char *a, *b, *config;
    const char *code_hash;
    bool launched_alike; /* same grid, block and shared memory: one kernel under two names */
};

#endif
