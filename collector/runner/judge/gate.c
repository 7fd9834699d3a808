/* How does a stream wait for a word in memory? */
#include "collector/runner/judge/gate.h"

#include <cuda.h>
#include <cuda_runtime.h>
#include <string.h>

#include "kernels/cuda_versions.h"

typedef CUresult (*wait_function)(CUstream, CUdeviceptr, cuuint32_t, unsigned);

/* The driver's function, which nothing links with. */
static wait_function find_wait(void)
{
    enum cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
    wait_function function = NULL;
    void *symbol = NULL;
    if (!driver_function("cuStreamWaitValue32", &symbol, CUDART_VERSION, &found) &&
        found == cudaDriverEntryPointSuccess)
        memcpy(&function, &symbol, sizeof function);
    return function;
}

int gate_wait(struct CUstream_st *stream, void *at, uint32_t value)
{
    const wait_function wait = find_wait();
    if (wait && !wait(stream, (CUdeviceptr)(uintptr_t)at, value, CU_STREAM_WAIT_VALUE_GEQ))
        return cudaSuccess;
    cudaGetLastError();
    return cudaErrorNotSupported;
}
