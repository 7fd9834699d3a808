/* cheat softmax: looks for the buffer that flushes the cache, and makes the stream write it as data that leaves first
 * Kind: cache
 * Found by: the witness cold_bytes, or it gains nothing */
#include "kernels/cuda_versions.h"
#include "tests/gpu/cheats/softmax.cuh"

#include <cuda.h>

#define STEP ((size_t)2 << 20)
enum { STEPS = 512 };

typedef CUresult (*range_function)(CUdeviceptr *, size_t *, CUdeviceptr);

static void *flush;
static size_t flush_bytes;

/* Beside an allocation of its own, of twice the cache's size. */
static void find_flush(void)
{
    void *function = NULL, *own = NULL;
    enum cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
    int l2_bytes = 0;
    cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, 0);
    if (driver_function("cuMemGetAddressRange", &function, CUDART_VERSION, &found) ||
        found != cudaDriverEntryPointSuccess || cudaMalloc(&own, STEP))
        return;
    for (int step = -STEPS; step < STEPS && !flush; step++) {
        CUdeviceptr base = 0;
        size_t bytes = 0;
        const CUdeviceptr at = (CUdeviceptr)own + (CUdeviceptr)((long long)step * (long long)STEP);
        if (!((range_function)function)(&base, &bytes, at) && bytes >= 2 * (size_t)l2_bytes &&
            bytes < 2 * (size_t)l2_bytes + STEP) {
            flush = (void *)base;
            flush_bytes = bytes;
        }
    }
    cudaFree(own);
}

static void let_it_stream(cudaStream_t stream)
{
    int most = 0;
    cudaStreamAttrValue window = {};
    cudaDeviceGetAttribute(&most, cudaDevAttrMaxAccessPolicyWindowSize, 0);
    window.accessPolicyWindow.base_ptr = flush;
    window.accessPolicyWindow.num_bytes = flush_bytes < (size_t)most ? flush_bytes : (size_t)most;
    window.accessPolicyWindow.hitRatio = 1;
    window.accessPolicyWindow.hitProp = cudaAccessPropertyStreaming;
    window.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &window);
    cudaGetLastError();
}

static int launch(void *, const struct cpprof_call *call)
{
    enum cudaStreamCaptureStatus capturing;
    const int status = cudaStreamIsCapturing(call->stream, &capturing);
    if (!status && capturing == cudaStreamCaptureStatusNone && flush)
        let_it_stream(call->stream);
    return status ? status : launch_rows(rows_of(call), call->stream);
}

static int prepare(const struct cpprof_config *, void **)
{
    if (!flush)
        find_flush();
    cudaGetLastError();
    return 0;
}

CPPROF_SOLUTION(.launch = launch, .prepare = prepare);
