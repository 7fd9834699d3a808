/* uncounted softmax: asks the data on the host how many rows begin below zero, and launches another grid for those */
#include "tests/gpu/cheats/softmax.cuh"

/* Row numbers from the front and from the back, and how many of both. */
static __global__ void softmax_sort(const struct rows r, unsigned *counts, unsigned *order)
{
    const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= r.rows)
        return;
    const bool is_below = r.in[(size_t)row * r.columns] < 0;
    const unsigned place = atomicAdd(&counts[is_below], 1);
    order[is_below ? r.rows - 1 - place : place] = row;
}

static __global__ void softmax_some(const struct rows r, const unsigned *order, unsigned count)
{
    for (unsigned i = blockIdx.x; i < count; i += gridDim.x)
        softmax_row(r, order[i]);
}

/* It cannot be part of a graph, since it waits for its stream. */
static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    unsigned *counts = (unsigned *)call->workspace, *order = counts + 2, found[2] = {0, 0};
    int status = cudaMemsetAsync(counts, 0, sizeof found, call->stream);
    if (status || !r.rows)
        return status;
    softmax_sort<<<(r.rows + 127) / 128, 128, 0, call->stream>>>(r, counts, order);
    status = cudaMemcpyAsync(found, counts, sizeof found, cudaMemcpyDeviceToHost, call->stream);
    if (!status)
        status = cudaStreamSynchronize(call->stream);
    if (!status && found[0])
        softmax_some<<<found[0], SOFTMAX_THREADS, 0, call->stream>>>(r, order, found[0]);
    if (!status && found[1])
        softmax_some<<<(found[1] + 1) / 2, SOFTMAX_THREADS, 0, call->stream>>>(r, order + found[0], found[1]);
    return status ? status : cudaGetLastError();
}

static size_t workspace(const struct cpprof_config *config)
{
    return sizeof(unsigned) * ((size_t)config->value[0] + 2);
}

CPPROF_SOLUTION(.launch = launch, .workspace = workspace);
