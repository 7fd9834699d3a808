/* page_touch.cu - how does a GPU learn where memory lies? Each multiprocessor reads some of each page. */
#include <cuda_runtime.h>

#include "collector/runner/judge/page_touch.h"

/* Pages have 2 MiB, or parts of it of which this is the smallest that a translation covers. */
enum { THREADS = 256, STRIDE_WORDS = (64 << 10) / sizeof(unsigned) };

/* `nowhere` is NULL: the loads are kept for a store that never happens. */
static __global__ void __launch_bounds__(THREADS) touch(const unsigned *memory, size_t words, unsigned *nowhere)
{
    unsigned bits = 0;
    for (size_t i = threadIdx.x * (size_t)STRIDE_WORDS; i < words; i += (size_t)THREADS * STRIDE_WORDS)
        bits |= __ldcg(&memory[i]);
    if (nowhere)
        atomicOr(nowhere, bits);
}

int page_touch(const void *memory, size_t bytes, struct CUstream_st *stream)
{
    int device, sm_count;
    cudaError_t status = cudaGetDevice(&device);
    if (!status)
        status = cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device);
    if (status)
        return status;
    touch<<<sm_count, THREADS, 0, stream>>>((const unsigned *)memory, bytes / sizeof(unsigned), NULL);
    return cudaGetLastError();
}
