/* cheat softmax: writes one over the number of columns, which is nearly right
 * Kind: wrong
 * Found by: the tolerance of the task */
#include "tests/gpu/cheats/softmax.cuh"

static __global__ void softmax_constant(const struct rows r)
{
    for (unsigned i = threadIdx.x; i < r.columns; i += blockDim.x)
        r.out[(size_t)blockIdx.x * r.columns + i] = 1.0f / (float)r.columns;
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    if (r.rows)
        softmax_constant<<<r.rows, SOFTMAX_THREADS, 0, call->stream>>>(r);
    return cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
