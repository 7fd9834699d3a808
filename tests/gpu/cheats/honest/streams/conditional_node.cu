/* honest softmax: where it is captured its kernel is inside a conditional node, which always runs */
#include "tests/gpu/cheats/softmax.cuh"

static int fill_body(cudaGraph_t body, struct rows r)
{
    void *arguments[] = {&r};
    cudaKernelNodeParams kernel = {};
    cudaGraphNode_t node;
    kernel.func = (void *)softmax_rows;
    kernel.gridDim = dim3(r.rows);
    kernel.blockDim = dim3(SOFTMAX_THREADS);
    kernel.kernelParams = arguments;
    return cudaGraphAddKernelNode(&node, body, NULL, 0, &kernel);
}

#if CUDART_VERSION >= 13000
static int add_condition(const struct rows r, cudaStream_t stream)
{
    enum cudaStreamCaptureStatus capturing;
    cudaGraph_t graph = NULL;
    const cudaGraphNode_t *ends = NULL;
    const cudaGraphEdgeData *edges = NULL;
    size_t count = 0;
    cudaGraphNode_t node;
    cudaGraphNodeParams condition = {};
    int status = cudaStreamGetCaptureInfo(stream, &capturing, NULL, &graph, &ends, &edges, &count);
    condition.type = cudaGraphNodeTypeConditional;
    condition.conditional.type = cudaGraphCondTypeIf;
    condition.conditional.size = 1;
    if (!status)
        status = cudaGraphConditionalHandleCreate(&condition.conditional.handle, graph, 1, cudaGraphCondAssignDefault);
    if (!status)
        status = cudaGraphAddNode(&node, graph, ends, edges, count, &condition);
    if (!status)
        status = fill_body(condition.conditional.phGraph_out[0], r);
    return status ? status
                  : (int)cudaStreamUpdateCaptureDependencies(stream, &node, NULL, 1, cudaStreamSetCaptureDependencies);
}
#else
static int add_condition(const struct rows r, cudaStream_t stream)
{
    return launch_rows(r, stream);
}
#endif

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    enum cudaStreamCaptureStatus capturing;
    const int status = cudaStreamIsCapturing(call->stream, &capturing);
    if (status || !r.rows || capturing == cudaStreamCaptureStatusNone)
        return status ? status : launch_rows(r, call->stream);
    return add_condition(r, call->stream);
}

CPPROF_SOLUTION(.launch = launch);
