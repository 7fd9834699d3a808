/* How many kernels and blocks does a graph launch, and what does it copy and set? */
#include "collector/runner/graph_work.h"

#include "kernels/cuda_versions.h"

#include <cuda.h>
#include <math.h>
#include <stdlib.h>

enum { DEPTH_MAX = 8 };

static const struct graph_work unknown = {NAN, NAN, NAN, NAN, NAN};

/* The driver knows every kernel. The runtime knows only those of programs linked with it, and libraries of variants
 * have a runtime of their own. */
typedef CUresult (*params_function)(CUgraphNode, CUDA_KERNEL_NODE_PARAMS *);

static params_function find_params(void)
{
    params_function function = NULL;
    enum cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
    if (driver_function("cuGraphKernelNodeGetParams", (void **)&function, CUDART_VERSION, &found) ||
        found != cudaDriverEntryPointSuccess)
        return NULL;
    return function;
}

static double blocks_of(params_function params_of, cudaGraphNode_t node)
{
    CUDA_KERNEL_NODE_PARAMS params;
    if (!params_of || params_of(node, &params))
        return NAN;
    return (double)params.gridDimX * params.gridDimY * params.gridDimZ;
}

/* With an array of textures the width counts its elements, whose size is not asked for. */
static double copied_by(cudaGraphNode_t node)
{
    struct cudaMemcpy3DParms p;
    if (cudaGraphMemcpyNodeGetParams(node, &p) || p.srcArray || p.dstArray)
        return NAN;
    return (double)p.extent.width * (double)p.extent.height * (double)p.extent.depth;
}

static double set_by(cudaGraphNode_t node)
{
    struct cudaMemsetParams p;
    return cudaGraphMemsetNodeGetParams(node, &p) ? NAN : (double)p.elementSize * (double)p.width * (double)p.height;
}

static struct graph_work work_of(params_function params_of, cudaGraph_t graph, int depth);

static struct graph_work work_of_node(params_function params_of, cudaGraphNode_t node, int depth)
{
    enum cudaGraphNodeType type;
    cudaGraph_t inside = NULL;
    if (cudaGraphNodeGetType(node, &type))
        return unknown;
    if (type == cudaGraphNodeTypeKernel)
        return (struct graph_work){.kernels = 1, .blocks = blocks_of(params_of, node)};
    if (type == cudaGraphNodeTypeMemcpy)
        return (struct graph_work){.copies = 1, .moved_bytes = copied_by(node)};
    if (type == cudaGraphNodeTypeMemset)
        return (struct graph_work){.memsets = 1, .moved_bytes = set_by(node)};
    if (type == cudaGraphNodeTypeConditional) /* its work is decided only when it runs */
        return unknown;
    if (type != cudaGraphNodeTypeGraph)
        return (struct graph_work){0};
    return cudaGraphChildGraphNodeGetGraph(node, &inside) ? unknown : work_of(params_of, inside, depth + 1);
}

static struct graph_work work_of(params_function params_of, cudaGraph_t graph, int depth)
{
    size_t count = 0;
    if (depth > DEPTH_MAX || cudaGraphGetNodes(graph, NULL, &count))
        return unknown;
    struct graph_work sum = {0};
    cudaGraphNode_t *nodes = count ? calloc(count, sizeof(cudaGraphNode_t)) : NULL;
    if (count && (!nodes || cudaGraphGetNodes(graph, nodes, &count)))
        sum = unknown;
    for (size_t i = 0; nodes && i < count; i++) {
        const struct graph_work work = work_of_node(params_of, nodes[i], depth);
        sum.kernels += work.kernels;
        sum.blocks += work.blocks;
        sum.copies += work.copies;
        sum.memsets += work.memsets;
        sum.moved_bytes += work.moved_bytes;
    }
    free(nodes);
    return sum;
}

void graph_work_count(cudaGraph_t graph, struct graph_work *out)
{
    *out = work_of(find_params(), graph, 0);
    cudaGetLastError(); /* a failed query must not look like an error of a launch */
}
