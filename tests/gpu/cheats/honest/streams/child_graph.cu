/* honest softmax: where it is captured its work is a child graph; else it launches plainly */
#include "tests/gpu/cheats/softmax.cuh"

static int make_child(cudaGraph_t *child, struct rows r)
{
    void *arguments[] = {&r};
    cudaKernelNodeParams kernel = {};
    cudaGraphNode_t node;
    const int status = cudaGraphCreate(child, 0);
    if (status)
        return status;
    kernel.func = (void *)softmax_rows;
    kernel.gridDim = dim3(r.rows);
    kernel.blockDim = dim3(SOFTMAX_THREADS);
    kernel.kernelParams = arguments;
    return cudaGraphAddKernelNode(&node, *child, NULL, 0, &kernel);
}

/* The child is copied into the graph. */
static int add_child(cudaGraph_t child, cudaStream_t stream)
{
#if CUDART_VERSION >= 13000
    enum cudaStreamCaptureStatus capturing;
    cudaGraph_t graph = NULL;
    const cudaGraphNode_t *ends = NULL;
    cudaGraphNode_t node;
    size_t count = 0;
    int status = cudaStreamGetCaptureInfo(stream, &capturing, NULL, &graph, &ends, NULL, &count);
    if (!status)
        status = cudaGraphAddChildGraphNode(&node, graph, ends, count, child);
    return status ? status
                  : (int)cudaStreamUpdateCaptureDependencies(stream, &node, NULL, 1, cudaStreamSetCaptureDependencies);
#else
    (void)child, (void)stream;
    return cudaErrorNotSupported;
#endif
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    enum cudaStreamCaptureStatus capturing;
    cudaGraph_t child = NULL;
    int status = cudaStreamIsCapturing(call->stream, &capturing);
    if (status || capturing == cudaStreamCaptureStatusNone || !r.rows)
        return status ? status : launch_rows(r, call->stream);
    status = make_child(&child, r);
    if (!status)
        status = add_child(child, call->stream);
    if (child)
        cudaGraphDestroy(child);
    return status;
}

CPPROF_SOLUTION(.launch = launch);
