/* draw_device.h - draws the inputs of a task where they are needed, in device memory: new ones for every launch cost
 * little then. Bit for bit those that the host draws (cpprof_drawn). Only the judge in a process of its own does this.
 */
#ifndef CPPROF_DRAW_DEVICE_H
#define CPPROF_DRAW_DEVICE_H

#include <stddef.h>

#include "cpprof/task.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Puts the work into the stream; returns a cudaError_t. `values` is device memory for `count` values of the type. */
int draw_values(const struct cpprof_draw *draw, enum cpprof_type type, void *values, size_t count,
                struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif

#endif
