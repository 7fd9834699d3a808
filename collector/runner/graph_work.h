/* graph_work.h - what does a CUDA graph do, according to its nodes? This is a witness besides the trace of single
 * launches. */
#ifndef CPPROF_GRAPH_WORK_H
#define CPPROF_GRAPH_WORK_H

#include <cuda_runtime_api.h>

struct graph_work {
    double kernels; /* kernel nodes, including those of graphs inside it; NAN: unknown */
    double blocks;  /* sum over all their grids; NAN: unknown */
    double copies, memsets;
    double moved_bytes; /* by both, each byte once; NAN: unknown */
};

void graph_work_count(cudaGraph_t graph, struct graph_work *out);

#endif
