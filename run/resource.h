/* resource.h - what a kernel occupies. */
#ifndef CPPROF_RESOURCE_H
#define CPPROF_RESOURCE_H

struct resource {
    const char *variant, *config, *kernel;
    double grid_blocks, block_threads, registers, shared_bytes, local_bytes, spill_bytes, blocks_per_sm, occupancy,
        waves;
    const char *code_hash; /* "" unknown */
};

#endif
