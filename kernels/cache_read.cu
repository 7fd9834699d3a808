/* cache_read.cu - how does the L2 cache get rid of written data? By reading other data. */
#include <cuda_runtime.h>

#include "kernels/cache_read.h"

enum { THREADS = 512, BLOCKS_PER_SM = 4 };

/* `nowhere` is NULL: the loads are kept for a store that never happens. */
static __global__ void __launch_bounds__(THREADS)
    cache_read_chunks(const uint4 *buffer, size_t chunks, unsigned *nowhere)
{
    const size_t stride = (size_t)gridDim.x * THREADS;
    unsigned bits = 0;
#pragma unroll 4
    for (size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x; i < chunks; i += stride) {
        const uint4 chunk = __ldcg(&buffer[i]);
        bits |= chunk.x | chunk.y | chunk.z | chunk.w;
    }
    if (nowhere)
        atomicOr(nowhere, bits);
}

int cache_read(const void *buffer, size_t bytes, struct CUstream_st *stream)
{
    int device, sm_count;
    cudaError_t status = cudaGetDevice(&device);
    if (!status)
        status = cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device);
    if (status)
        return status;
    cache_read_chunks<<<BLOCKS_PER_SM * sm_count, THREADS, 0, stream>>>((const uint4 *)buffer, bytes / sizeof(uint4),
                                                                        NULL);
    return cudaGetLastError();
}
