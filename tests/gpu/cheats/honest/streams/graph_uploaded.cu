/* uncounted softmax: one graph, which gets new buffers, is uploaded and launched in each call; plain where captured */
#include "tests/gpu/cheats/softmax.cuh"

static cudaGraph_t graph;
static cudaGraphNode_t node;
static cudaGraphExec_t executable;

static int update(struct rows r)
{
    void *arguments[] = {&r};
    cudaKernelNodeParams params = {};
    params.func = (void *)softmax_rows;
    params.gridDim = dim3(r.rows), params.blockDim = dim3(SOFTMAX_THREADS);
    params.kernelParams = arguments;
    if (executable)
        return cudaGraphExecKernelNodeSetParams(executable, node, &params);
    int status = cudaGraphCreate(&graph, 0);
    if (!status)
        status = cudaGraphAddKernelNode(&node, graph, NULL, 0, &params);
    return status ? status : cudaGraphInstantiate(&executable, graph, 0);
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    enum cudaStreamCaptureStatus capturing;
    int status = cudaStreamIsCapturing(call->stream, &capturing);
    if (status || capturing || !r.rows)
        return status ? status : launch_rows(r, call->stream);
    status = update(r);
    if (!status)
        status = cudaGraphUpload(executable, call->stream);
    return status ? status : cudaGraphLaunch(executable, call->stream);
}

CPPROF_SOLUTION(.launch = launch);
