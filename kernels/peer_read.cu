/* peer_read.cu - how fast can loads read another GPU's memory? */
#include <cuda_runtime.h>

#include "kernels/peer_read.h"

enum { THREADS = 512, BLOCKS_PER_SM = 4 };

/* Each thread has four loads in flight, because the latency is long. */
static __global__ void __launch_bounds__(THREADS) peer_read_chunks(const float4 *from, float4 *to, size_t chunks)
{
    size_t stride = (size_t)gridDim.x * THREADS;
#pragma unroll 4
    for (size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x; i < chunks; i += stride)
        to[i] = from[i];
}

int peer_read(const void *from, void *to, size_t bytes, struct CUstream_st *stream)
{
    int device, sm_count;
    cudaError_t status = cudaGetDevice(&device);
    if (!status)
        status = cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device);
    if (status)
        return status;
    peer_read_chunks<<<BLOCKS_PER_SM * sm_count, THREADS, 0, stream>>>((const float4 *)from, (float4 *)to,
                                                                       bytes / sizeof(float4));
    return cudaGetLastError();
}
