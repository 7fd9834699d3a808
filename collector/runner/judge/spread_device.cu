/* spread_device.cu - how does data that was just written come near to every SM? SMs of both halves read it. */
#include <cuda_runtime.h>

#include "collector/runner/judge/spread_device.h"

/* Blocks that follow each other are on different GPCs. Of READERS of them, STEP apart, some are on either half. */
enum { THREADS = 512, BLOCKS = 128, READERS = 16, STEP = 33 };

/* `nowhere` is NULL: the loads are kept for a store that never happens. */
static __global__ void __launch_bounds__(THREADS) judge_spreads(const uint4 *values, size_t chunks, unsigned *nowhere)
{
    unsigned bits = 0;
    for (unsigned reader = 0; reader < READERS; reader++) {
        const size_t block = (blockIdx.x + reader * STEP) % gridDim.x;
#pragma unroll 4
        for (size_t i = block * THREADS + threadIdx.x; i < chunks; i += gridDim.x * (size_t)THREADS) {
            const uint4 chunk = __ldcg(&values[i]);
            bits |= chunk.x | chunk.y | chunk.z | chunk.w;
        }
    }
    if (nowhere)
        atomicOr(nowhere, bits);
}

extern "C" int spread_values(const void *values, size_t bytes, struct CUstream_st *stream)
{
    const size_t chunks = bytes / sizeof(uint4);
    if (!chunks)
        return cudaSuccess;
    judge_spreads<<<BLOCKS, THREADS, 0, stream>>>((const uint4 *)values, chunks, NULL);
    return cudaGetLastError();
}
