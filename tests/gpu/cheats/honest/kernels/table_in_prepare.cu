/* honest softmax: takes rows in an order that prepare computed on the host and keeps on the device, one table a shape
 */
#include <stdlib.h>

#include "tests/gpu/cheats/softmax.cuh"

static __global__ void softmax_in_order(const struct rows r, const unsigned *order)
{
    softmax_row(r, order[blockIdx.x]);
}

static int launch(void *order, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    if (r.rows)
        softmax_in_order<<<r.rows, SOFTMAX_THREADS, 0, call->stream>>>(r, (const unsigned *)order);
    return cudaGetLastError();
}

/* Even rows, then odd ones. */
static int prepare(const struct cpprof_config *config, void **state)
{
    const size_t rows = (size_t)config->value[0], even = (rows + 1) / 2;
    unsigned *order = (unsigned *)malloc((rows + 1) * sizeof *order);
    if (!order)
        return cudaErrorMemoryAllocation;
    for (size_t i = 0; i < rows; i++)
        order[i] = (unsigned)(i < even ? 2 * i : 2 * (i - even) + 1);
    int status = cudaMalloc(state, (rows + 1) * sizeof *order);
    if (!status)
        status = cudaMemcpy(*state, order, rows * sizeof *order, cudaMemcpyHostToDevice);
    free(order);
    if (!status)
        return 0;
    cudaFree(*state);
    *state = NULL;
    return status;
}

static void release(void *order)
{
    cudaFree(order);
}

CPPROF_SOLUTION(.launch = launch, .prepare = prepare, .release = release);
