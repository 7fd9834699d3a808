/* series_order.h - is each launch of a series that is captured behind the one before? A launch that does not wait for
 * what its stream did, or that the stream does not wait for, runs beside others when the graph is replayed. Then no
 * time is that of a launch, though all outputs are right. Programmatic dependent launch is for kernels of one launch:
 * the first ones of the next launch are made to wait for their ends. */
#ifndef CPPROF_SERIES_ORDER_H
#define CPPROF_SERIES_ORDER_H

#include <stdbool.h>

#include "collector/runner/judge/capture_nodes.h"

struct series_order {
    cudaGraphNode_t *known; /* of the launches so far */
    size_t count, capacity;
    cudaGraphNode_t ends[CAPTURE_EDGES_MAX]; /* what the next launch has to be behind */
    size_t end_count;
    cudaGraphNode_t
        passed[CAPTURE_EDGES_MAX]; /* of the last launch, which another one of its kernels did not wait for */
    size_t passed_count;
    bool is_open;      /* false: nothing is captured, or what is cannot be told */
    const char *fault; /* what the first launch did that was not behind; NULL: none */
};

/* The stream is captured from now on. A fault of an earlier series stays. */
void series_order_begin(struct series_order *s, cudaStream_t stream);
/* A launch was captured. */
void series_order_launched(struct series_order *s, cudaStream_t stream);
void series_order_end(struct series_order *s);

#endif
