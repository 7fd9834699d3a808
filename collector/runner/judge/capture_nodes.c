/* What has a stream captured so far? */
#include "collector/runner/judge/capture_nodes.h"

#include <cuda.h>
#include <string.h>

#include "kernels/cuda_versions.h"

/* Of 12.3, where edges have data: older functions fail on such edges. */
enum { WITH_EDGES = 12030 };

typedef CUresult (*info_function)(CUstream, CUstreamCaptureStatus *, cuuint64_t *, CUgraph *, const CUgraphNode **,
                                  const CUgraphEdgeData **, size_t *);
typedef CUresult (*before_function)(CUgraphNode, CUgraphNode *, CUgraphEdgeData *, size_t *);

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

int capture_nodes_before(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count)
{
    static before_function before;
    CUgraphEdgeData edges[CAPTURE_EDGES_MAX];
    int status = before ? 0 : find("cuGraphNodeGetDependencies", &before, sizeof before);
    if (!status)
        status = *count > CAPTURE_EDGES_MAX ? (int)cudaErrorInvalidValue : (int)before(node, nodes, edges, count);
    return status;
}
