/* honest softmax: launches a block for an empty shape as well, which finds nothing to do */
#include "tests/gpu/cheats/softmax.cuh"

static __global__ void softmax_maybe_empty(const struct rows r)
{
    if (blockIdx.x < r.rows)
        softmax_row(r, blockIdx.x);
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    softmax_maybe_empty<<<r.rows ? r.rows : 1, SOFTMAX_THREADS, 0, call->stream>>>(r);
    return cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
