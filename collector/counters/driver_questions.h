/* driver_questions.h - facts about a device and a launch that only the driver loaded by the program knows. */
#ifndef CPPROF_DRIVER_QUESTIONS_H
#define CPPROF_DRIVER_QUESTIONS_H

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/base/json.h"

struct launch_shape {
    unsigned long long grid_blocks;
    unsigned block_threads;
    size_t shared_dynamic_bytes;
};

/* Returns the ordinal of the device of the calling thread's context; -1 when it is unknown. */
int driver_current_device(void);

/* Returns how many GPUs the process sees; 0 when it is unknown. */
int driver_device_count(void);

/* Is the stream capturing a graph, so that a launch into it does not run? */
bool driver_is_capturing(CUstream stream);

/* Returns the member "gpu" of a report (docs/formats.md); null when it is unknown. */
json_t *driver_describe_gpu(int ordinal);

/* Returns a new object: grid_blocks, block_threads and, where the driver knows them, blocks_per_sm, occupancy and
 * waves. */
json_t *driver_describe_launch(CUfunction function, const struct launch_shape *shape, int ordinal);

#endif
