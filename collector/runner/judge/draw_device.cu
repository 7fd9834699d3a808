/* draw_device.cu - what are the inputs of one draw, without a copy from the host? */
#include <cuda_runtime.h>

#include "collector/runner/judge/draw_device.h"

enum { THREADS = 256, BLOCKS_MOST = 1024 };

static __global__ void __launch_bounds__(THREADS)
    judge_draws(struct cpprof_draw draw, enum cpprof_type type, void *values, size_t count)
{
    for (size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x; i < count; i += gridDim.x * (size_t)THREADS)
        cpprof_set_value(type, values, i, cpprof_drawn(&draw, type, i, count));
}

extern "C" int draw_values(const struct cpprof_draw *draw, enum cpprof_type type, void *values, size_t count,
                           struct CUstream_st *stream)
{
    const size_t wanted = (count + THREADS - 1) / THREADS;
    if (!count)
        return cudaSuccess;
    judge_draws<<<(unsigned)(wanted < BLOCKS_MOST ? wanted : BLOCKS_MOST), THREADS, 0, stream>>>(*draw, type, values,
                                                                                                 count);
    return cudaGetLastError();
}
