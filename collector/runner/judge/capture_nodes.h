/* capture_nodes.h - what has a stream captured so far? The driver's functions, in the version that knows edges with
 * data, such as those of programmatic dependent launch. They return 0, or a number of CUDA. */
#ifndef CPPROF_CAPTURE_NODES_H
#define CPPROF_CAPTURE_NODES_H

#include <stdbool.h>

#include <cuda_runtime_api.h>

/* A node with so many edges or more is an error. Launches that work on side streams alone leave the ends of these in
 * the stream, and over a series of 100 launches they add up. */
enum { CAPTURE_EDGES_MAX = 4096 };

/* What a node depends on, and whether it may begin before that has ended: programmatic dependent launch. */
struct capture_edges {
    cudaGraphNode_t before[CAPTURE_EDGES_MAX];
    bool is_early[CAPTURE_EDGES_MAX];
    size_t count;
};

/* The nodes that the next one on the stream will depend on; they stay as long as the stream captures nothing more. */
int capture_nodes_ends(cudaStream_t stream, cudaGraph_t *graph, const cudaGraphNode_t **ends, size_t *count);
/* How many nodes does the graph have? With `nodes` that many of them are set. */
int capture_nodes_all(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
/* Does a node use the device or the host? It does not if it is empty, or only records an event or waits for one. */
bool capture_nodes_works(cudaGraphNode_t node);
/* What does a node depend on? */
int capture_nodes_before(cudaGraphNode_t node, struct capture_edges *edges);
/* From now on the node begins when `before` has ended, whether it depended on it or not. */
int capture_nodes_wait(cudaGraph_t graph, cudaGraphNode_t before, cudaGraphNode_t node);

#endif
