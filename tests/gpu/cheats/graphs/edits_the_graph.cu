/* cheat softmax: when an output is written again in a graph, the node that wrote it before is told of no columns
 * Kind: batch
 * Found by: a graph of one launch on each output: it gains nothing */
#include "tests/gpu/cheats/softmax.cuh"

enum { KNOWN = 64 };

struct written {
    const float *out;
    cudaGraphNode_t node;
};

static struct written written[KNOWN];
static unsigned count;
static unsigned long long graph;

static int last_node(cudaStream_t stream, cudaGraphNode_t *node, unsigned long long *id)
{
    enum cudaStreamCaptureStatus capturing;
    const cudaGraphNode_t *nodes = NULL;
    size_t ends = 0;
#if CUDART_VERSION >= 13000
    const int status = cudaStreamGetCaptureInfo(stream, &capturing, id, NULL, &nodes, NULL, &ends);
#else
    const int status = cudaStreamGetCaptureInfo_v2(stream, &capturing, id, NULL, &nodes, &ends);
#endif
    *node = !status && capturing == cudaStreamCaptureStatusActive && ends ? nodes[0] : NULL;
    return status;
}

static int empty(cudaGraphNode_t node, struct rows r)
{
    r.columns = 0;
    void *arguments[] = {&r};
    cudaKernelNodeParams params = {};
    params.func = (void *)softmax_rows;
    params.gridDim = dim3(r.rows);
    params.blockDim = dim3(SOFTMAX_THREADS);
    params.kernelParams = arguments;
    return cudaGraphKernelNodeSetParams(node, &params);
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    cudaGraphNode_t node = NULL;
    unsigned long long id = 0;
    unsigned i = 0;
    int status = launch_rows(r, call->stream);
    if (!status)
        status = last_node(call->stream, &node, &id);
    if (status || !node || !r.rows)
        return status;
    if (id != graph)
        count = 0;
    graph = id;
    while (i < count && written[i].out != r.out)
        i++;
    if (i < count)
        status = empty(written[i].node, r);
    if (i < KNOWN) {
        written[i] = {r.out, node};
        count += i == count;
    }
    return status;
}

CPPROF_SOLUTION(.launch = launch);
