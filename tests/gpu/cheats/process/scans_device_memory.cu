/* cheat softmax: looks for allocations around its output, writes zeros to those that are as large as an output, which
 * may be a reference, and to the output
 * Kind: judge
 * Follows: gpu-mode/pygpubench/exploits: gpu_scan_zeros
 * Found by: references in a process of their own, whose memory is not mapped */
#include <cuda.h>
#include <string.h>

#include "kernels/cuda_versions.h"
#include "tests/gpu/cheats/softmax.cuh"

enum { LOOKS_MOST = 65536, SCANS_MOST = 8 };
#define STEP_BYTES ((size_t)2 << 20)

typedef CUresult (*range_function)(CUdeviceptr *base, size_t *bytes, CUdeviceptr at);

/* The driver's function, which nothing links with. */
static range_function find_range(void)
{
    enum cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
    range_function function = NULL;
    void *symbol = NULL;
    const int status = driver_function("cuMemGetAddressRange", &symbol, CUDART_VERSION, &found);
    if (!status && found == cudaDriverEntryPointSuccess)
        memcpy(&function, &symbol, sizeof function);
    return function;
}

static bool holds(CUdeviceptr base, size_t bytes, const void *pointer)
{
    const CUdeviceptr at = (CUdeviceptr)(uintptr_t)pointer;
    return at >= base && at - base < bytes;
}

/* Zeros are right, too, where they are compared with zeros. */
static int clear_alike(const struct rows r, size_t bytes, cudaStream_t stream)
{
    const range_function range = find_range();
    CUdeviceptr at = (CUdeviceptr)(uintptr_t)r.out - LOOKS_MOST / 2 * STEP_BYTES, base = 0;
    int status = 0;
    for (int looks = 0; range && looks < LOOKS_MOST && !status; looks++, at += STEP_BYTES) {
        size_t there = 0;
        if (range(&base, &there, at) || holds(base, there, r.in) || holds(base, there, r.out))
            continue;
        if (there >= bytes && there < bytes + STEP_BYTES)
            status = cudaMemsetAsync((void *)base, 0, bytes, stream);
    }
    return status;
}

static int launch(void *, const struct cpprof_call *call)
{
    static int scans;
    const struct rows r = rows_of(call);
    const size_t bytes = (size_t)r.rows * r.columns * sizeof(float);
    enum cudaStreamCaptureStatus capturing;
    int status = cudaStreamIsCapturing(call->stream, &capturing);
    if (!status && bytes && capturing == cudaStreamCaptureStatusNone && scans++ < SCANS_MOST)
        status = clear_alike(r, bytes, call->stream);
    return status || !bytes ? status : cudaMemsetAsync(r.out, 0, bytes, call->stream);
}

CPPROF_SOLUTION(.launch = launch, .kernels = "^softmax");
