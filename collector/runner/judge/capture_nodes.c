/* What has a stream captured so far? */
#include "collector/runner/judge/capture_nodes.h"

#include <cuda.h>
#include <string.h>

#include "kernels/cuda_versions.h"

/* From CUDA 12.3 on edges have data, and older functions fail on such edges. */
enum { WITH_EDGES = 12030 };

typedef CUresult (*info_function)(CUstream, CUstreamCaptureStatus *, cuuint64_t *, CUgraph *, const CUgraphNode **,
                                  const CUgraphEdgeData **, size_t *);
typedef CUresult (*before_function)(CUgraphNode, CUgraphNode *, CUgraphEdgeData *, size_t *);
typedef CUresult (*edge_function)(CUgraph, const CUgraphNode *, const CUgraphNode *, const CUgraphEdgeData *, size_t);

/* Returns 0 and sets *function, which is a pointer to a function. */
static int find(const char *name, void *function, size_t bytes)
{
    enum cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
    void *symbol = NULL;
    const int status = driver_function(name, &symbol, WITH_EDGES, &found);
    if (status || found != cudaDriverEntryPointSuccess) {
        cudaGetLastError();
        return cudaErrorNotSupported;
    }
    memcpy(function, &symbol, bytes);
    return 0;
}

int capture_nodes_ends(cudaStream_t stream, cudaGraph_t *graph, const cudaGraphNode_t **ends, size_t *count)
{
    static info_function info;
    CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
    const CUgraphEdgeData *edges = NULL;
    int status = info ? 0 : find("cuStreamGetCaptureInfo", &info, sizeof info);
    if (!status)
        status = (int)info(stream, &capture, NULL, graph, ends, &edges, count);
    return status || capture == CU_STREAM_CAPTURE_STATUS_ACTIVE ? status : (int)cudaErrorNotSupported;
}

int capture_nodes_all(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    return cudaGraphGetNodes(graph, nodes, count);
}

bool capture_nodes_works(cudaGraphNode_t node)
{
    enum cudaGraphNodeType type = cudaGraphNodeTypeKernel;
    const bool is_known = !cudaGraphNodeGetType(node, &type);
    return !is_known || (type != cudaGraphNodeTypeEmpty && type != cudaGraphNodeTypeWaitEvent &&
                         type != cudaGraphNodeTypeEventRecord);
}

/* *count is the room before, and how many there are afterwards. Of a list that fills its room nobody knows whether it
 * is whole. */
static int edges_of(cudaGraphNode_t node, cudaGraphNode_t *before, CUgraphEdgeData *data, size_t *count)
{
    static before_function ask;
    const size_t room = *count;
    int status = ask ? 0 : find("cuGraphNodeGetDependencies", &ask, sizeof ask);
    if (!status)
        status = (int)ask(node, before, data, count);
    return status || *count < room ? status : (int)cudaErrorInvalidValue;
}

static bool is_early(const CUgraphEdgeData *edge)
{
    return edge->from_port || edge->type;
}

int capture_nodes_before(cudaGraphNode_t node, struct capture_edges *edges)
{
    CUgraphEdgeData data[CAPTURE_EDGES_MAX];
    edges->count = CAPTURE_EDGES_MAX;
    const int status = edges_of(node, edges->before, data, &edges->count);
    for (size_t i = 0; i < edges->count && !status; i++)
        edges->is_early[i] = is_early(&data[i]);
    return status;
}

/* Changes an edge, if there is one, into one that has no data. */
int capture_nodes_wait(cudaGraph_t graph, cudaGraphNode_t before, cudaGraphNode_t node)
{
    static edge_function add, take;
    static const CUgraphEdgeData whole;
    cudaGraphNode_t all[CAPTURE_EDGES_MAX];
    CUgraphEdgeData data[CAPTURE_EDGES_MAX];
    size_t count = CAPTURE_EDGES_MAX, i = 0;
    int status = add ? 0 : find("cuGraphAddDependencies", &add, sizeof add);
    if (!status && !take)
        status = find("cuGraphRemoveDependencies", &take, sizeof take);
    if (!status)
        status = edges_of(node, all, data, &count);
    while (!status && i < count && all[i] != before)
        i++;
    if (status || (i < count && !is_early(&data[i])))
        return status;
    if (i < count && (status = (int)take(graph, &before, &node, &data[i], 1)))
        return status;
    status = (int)add(graph, &before, &node, &whole, 1);
    if (status && i < count)
        add(graph, &before, &node, &data[i], 1);
    return status;
}
