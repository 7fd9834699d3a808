/* resource.h - the resources that a kernel uses. */
#ifndef CPPROF_RESOURCE_H
#define CPPROF_RESOURCE_H

#include "core/run/arms.h"

struct resource {
    const struct arm *arm; /* NULL for a launch that another tool counted */
    const char *variant, *config, *kernel;
    double grid_blocks, block_threads, registers, shared_bytes, local_bytes, spill_bytes, blocks_per_sm, occupancy,
        waves;
    const char *code_hash; /* "": unknown */
};

#endif
