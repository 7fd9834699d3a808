/* dependent.cuh - launches a kernel that may begin before the one in front of it has ended. */
#ifndef CPPROF_DEPENDENT_CUH
#define CPPROF_DEPENDENT_CUH

#include <cuda_runtime.h>

template <typename... ARGUMENTS>
static int launch_dependent(void (*kernel)(ARGUMENTS...), unsigned blocks, unsigned threads, cudaStream_t stream,
                            ARGUMENTS... arguments)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    struct cudaLaunchConfig_st config = {};
    config.gridDim = dim3(blocks), config.blockDim = dim3(threads), config.stream = stream;
    config.attrs = &attribute, config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, kernel, arguments...);
}

#endif
