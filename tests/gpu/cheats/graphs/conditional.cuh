/* conditional.cuh - a kernel inside a conditional node of the graph that a stream captures (CUDA 13). */
#include <cuda_runtime.h>

#if CUDART_VERSION >= 13000
struct captured {
    cudaGraph_t graph;
    const cudaGraphNode_t *ends;
    const cudaGraphEdgeData *edges;
    size_t count;
};

static int captured_by(cudaStream_t stream, struct captured *c)
{
    enum cudaStreamCaptureStatus capturing;
    return cudaStreamGetCaptureInfo(stream, &capturing, NULL, &c->graph, &c->ends, &c->edges, &c->count);
}

static int make_condition(cudaStream_t stream, unsigned value, unsigned flags, cudaGraphConditionalHandle *handle)
{
    struct captured c;
    const int status = captured_by(stream, &c);
    return status ? status : (int)cudaGraphConditionalHandleCreate(handle, c.graph, value, flags);
}

static int add_conditional_kernel(cudaStream_t stream, cudaGraphConditionalHandle handle,
                                  const cudaKernelNodeParams *kernel)
{
    struct captured c;
    cudaGraphNode_t node, inside;
    cudaGraphNodeParams condition = {};
    condition.type = cudaGraphNodeTypeConditional;
    condition.conditional.handle = handle;
    condition.conditional.type = cudaGraphCondTypeIf;
    condition.conditional.size = 1;
    int status = captured_by(stream, &c);
    if (!status)
        status = cudaGraphAddNode(&node, c.graph, c.ends, c.edges, c.count, &condition);
    if (!status)
        status = cudaGraphAddKernelNode(&inside, condition.conditional.phGraph_out[0], NULL, 0, kernel);
    return status ? status
                  : (int)cudaStreamUpdateCaptureDependencies(stream, &node, NULL, 1, cudaStreamSetCaptureDependencies);
}
#else
static int make_condition(cudaStream_t, unsigned, unsigned, cudaGraphConditionalHandle *)
{
    return cudaErrorNotSupported;
}

static int add_conditional_kernel(cudaStream_t, cudaGraphConditionalHandle, const cudaKernelNodeParams *)
{
    return cudaErrorNotSupported;
}
#endif

/* Is there a graph, and can it have such a node? */
static int can_be_conditional(cudaStream_t stream, bool *can)
{
    enum cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
    const int status = cudaStreamIsCapturing(stream, &capturing);
    *can = CUDART_VERSION >= 13000 && capturing != cudaStreamCaptureStatusNone;
    return status;
}
