/* graph_work.h - what a CUDA graph launches, as its nodes say it: a witness beside the trace of single launches. */
#ifndef CPPROF_GRAPH_WORK_H
#define CPPROF_GRAPH_WORK_H

#include <cuda_runtime_api.h>

struct graph_work {
    double kernels; /* kernel nodes, those of graphs inside it included; NAN unknown */
    double blocks;  /* of all their grids; NAN unknown */
};

void graph_work_count(cudaGraph_t graph, struct graph_work *out);

#endif
