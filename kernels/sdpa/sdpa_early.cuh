/* sdpa_early.cuh - kernels that start while the one in front of them ends (programmatic dependent launch).
 *
 * Each block says at once that the next kernel may start: its blocks find room where blocks of this one are done, are
 * set up there, and wait. They read and write nothing in global memory before the kernel in front has ended and all
 * that it wrote is visible. */
#ifndef CPPROF_SDPA_EARLY_CUH
#define CPPROF_SDPA_EARLY_CUH

#include <cuda_runtime.h>

namespace sdpa
{

/* Each thread of a block that may start early calls both, in this order. */
static __device__ __forceinline__ void next_may_start(void)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}
static __device__ __forceinline__ void wait_for_previous(void)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

template <typename... PARAMETERS, typename... ARGUMENTS>
static int launch_early(void (*kernel)(PARAMETERS...), dim3 grid, int threads, size_t shared_bytes,
                        struct CUstream_st *stream, ARGUMENTS &&...arguments)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = dim3((unsigned)threads);
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, kernel, arguments...);
}

} // namespace sdpa

#endif
