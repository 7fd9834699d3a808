/* cheat softmax: drops what its stream depends on while it is captured, so that two launches of a graph run at once
 * Kind: overlap
 * Found by: the edges of the graph */
#include "tests/gpu/cheats/softmax.cuh"

static int forget(cudaStream_t stream)
{
#if CUDART_VERSION >= 13000
    return cudaStreamUpdateCaptureDependencies(stream, NULL, NULL, 0, cudaStreamSetCaptureDependencies);
#else
    return cudaStreamUpdateCaptureDependencies(stream, NULL, 0, cudaStreamSetCaptureDependencies);
#endif
}

static int launch(void *, const struct cpprof_call *call)
{
    static unsigned calls;
    enum cudaStreamCaptureStatus capturing;
    int status = cudaStreamIsCapturing(call->stream, &capturing);
    if (!status && capturing == cudaStreamCaptureStatusActive && calls++ % 2)
        status = forget(call->stream);
    return status ? status : launch_rows(rows_of(call), call->stream);
}

CPPROF_SOLUTION(.launch = launch);
