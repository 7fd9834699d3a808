/* driver_questions.h - what only the driver that the program has loaded can say
 * about a device and a launch. */
#ifndef CPPROF_DRIVER_QUESTIONS_H
#define CPPROF_DRIVER_QUESTIONS_H

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"

struct launch_shape {
    unsigned long long grid_blocks;
    unsigned block_threads;
    size_t shared_dynamic_bytes;
};

/* Ordinal of the device of the calling thread's context; -1 when it is unknown. */
int driver_current_device(void);

/* Is the stream recording a graph, so that a launch into it does not run? */
bool driver_is_capturing(CUstream stream);

/* As the member "gpu" of a report (docs/formats.md); null when it is unknown. */
json_t *driver_describe_gpu(int ordinal);

/* A new object: grid_blocks, block_threads, and where the driver says so
 * blocks_per_sm, occupancy and waves. */
json_t *driver_describe_launch(CUfunction function, const struct launch_shape *shape, int ordinal);

#endif
