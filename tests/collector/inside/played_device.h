/* played_device.h - memory of a device that is memory of the host, and what a warp of a kernel that records does in it.
 * The linker puts the calls of played_device.c in the place of CUDA's. */
#ifndef CPPROF_PLAYED_DEVICE_H
#define CPPROF_PLAYED_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpprof/inside.h"

struct played_memory {
    size_t there; /* blocks that are not freed */
    size_t limit; /* a block of more bytes is refused; 0: none is */
    int device;   /* that is current */
    bool hangs;   /* a kernel runs that does not end: ... */
    size_t late;  /* ... calls that would never return */
};
extern struct played_memory played_memory;

/* On which device does a block of memory lie? */
int played_device_of(const void *block);

/* A warp of a kernel: `role` counts from 0. */
struct played_warp {
    uint32_t block, warp, sm, role, tiles;
    uint32_t begin_cycle, end_cycle;
    uint64_t begin_ns, end_ns;
};

/* Does what record.cuh does with these settings. `mark` gives the cycle of each mark, 0 where it is not passed. */
void played_warp_run(const struct cpprof_inside_settings *settings, const struct played_warp *warp,
                     uint32_t (*mark)(const struct played_warp *warp, uint32_t tile, int mark));

#endif
