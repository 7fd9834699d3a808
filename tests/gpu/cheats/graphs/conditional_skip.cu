/* cheat gram: in a graph the work is a conditional node, whose inside nobody counts: it runs if the output is not there
 */
#include "tests/gpu/cheats/gram.cuh"

static __global__ void gram_asks(const struct product p, cudaGraphConditionalHandle handle)
{
    cudaGraphSetConditional(handle, isnan(p.c[0]) || isnan(p.c[(size_t)p.n * p.n - 1]));
}

static int fill_body(cudaGraph_t body, struct product p)
{
    void *arguments[] = {&p};
    cudaKernelNodeParams kernel = {};
    cudaGraphNode_t node;
    kernel.func = (void *)gram_tiles;
    kernel.gridDim = gram_grid(p.n);
    kernel.blockDim = dim3(GRAM_TILE, GRAM_TILE);
    kernel.kernelParams = arguments;
    return cudaGraphAddKernelNode(&node, body, NULL, 0, &kernel);
}

#if CUDART_VERSION >= 13000
static int add_condition(const struct product p, cudaStream_t stream)
{
    enum cudaStreamCaptureStatus capturing;
    cudaGraph_t graph = NULL;
    const cudaGraphNode_t *ends = NULL;
    const cudaGraphEdgeData *edges = NULL;
    size_t count = 0;
    cudaGraphNode_t node;
    cudaGraphNodeParams condition = {};
    cudaGraphConditionalHandle handle;
    int status = cudaStreamGetCaptureInfo(stream, &capturing, NULL, &graph, &ends, &edges, &count);
    if (!status)
        status = cudaGraphConditionalHandleCreate(&handle, graph, 0, 0);
    if (status)
        return status;
    gram_asks<<<1, 1, 0, stream>>>(p, handle);
    status = cudaStreamGetCaptureInfo(stream, &capturing, NULL, &graph, &ends, &edges, &count);
    condition.type = cudaGraphNodeTypeConditional;
    condition.conditional.handle = handle;
    condition.conditional.type = cudaGraphCondTypeIf;
    condition.conditional.size = 1;
    if (!status)
        status = cudaGraphAddNode(&node, graph, ends, edges, count, &condition);
    if (!status)
        status = fill_body(condition.conditional.phGraph_out[0], p);
    return status ? status
                  : (int)cudaStreamUpdateCaptureDependencies(stream, &node, NULL, 1, cudaStreamSetCaptureDependencies);
}
#else
static int add_condition(const struct product p, cudaStream_t stream)
{
    return launch_product(p, stream);
}
#endif

static int launch(void *, const struct cpprof_call *call)
{
    enum cudaStreamCaptureStatus capturing;
    const int status = cudaStreamIsCapturing(call->stream, &capturing);
    if (status || capturing == cudaStreamCaptureStatusNone)
        return status ? status : launch_product(product_of(call), call->stream);
    return add_condition(product_of(call), call->stream);
}

CPPROF_SOLUTION(.launch = launch);
