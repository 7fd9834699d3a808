/* device.h - the GPU that this process uses, and its properties. */
#ifndef CPPROF_DEVICE_H
#define CPPROF_DEVICE_H

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdbool.h>

#include "collector/dynload/nvml_api.h"
#include "core/base/err.h"
#include "core/base/json.h"

struct device {
    int ordinal;
    bool is_found;
    struct cudaDeviceProp properties;
    cudaStream_t stream;
    struct nvml_api nvml; /* gives -1 where NVML is missing */
    struct nvml_state before;
};

/* Return ERR_ENVIRONMENT when there is no usable GPU, with what to do instead. device_find only loads the driver.
 * device_open does that if needed, makes the context and loads NVML. */
int device_find(struct device *d, int ordinal, struct err *e);
int device_open(struct device *d, int ordinal, struct err *e);

/* Returns ERR_ENVIRONMENT with CUDA's description. */
int device_error(int cuda_status, const char *doing, struct err *e);

/* Sets the members gpu, driver, cuda and clocks of a process report. */
int device_describe(const struct device *d, json_t *report, struct err *e);

/* Adds the GPU's ordinal, name and uuid to an array; does nothing when CUDA does not know it. */
void device_describe_other(int ordinal, json_t *gpus);

/* Gives the current context of the driver API. */
int device_context(CUcontext *context, struct err *e);

/* Returns how many blocks of this launch fit on one SM at once (cuda_occupancy.h). */
int device_blocks_per_sm(const struct device *d, int block_threads, int registers, size_t shared_static,
                         size_t shared_dynamic);

#endif
