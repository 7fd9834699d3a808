/* honest softmax: the last thread of each launch counts it in memory of the host, which nobody reads */
#include "tests/gpu/cheats/softmax.cuh"

static unsigned *told;

static __global__ void softmax_and_tell(const struct rows r, unsigned *count)
{
    softmax_row(r, blockIdx.x);
    if (blockIdx.x + 1 == gridDim.x && threadIdx.x + 1 == blockDim.x)
        *(volatile unsigned *)count += 1;
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    if (r.rows)
        softmax_and_tell<<<r.rows, SOFTMAX_THREADS, 0, call->stream>>>(r, told);
    return cudaGetLastError();
}

static int prepare(const struct cpprof_config *, void **)
{
    return told ? 0 : cudaHostAlloc((void **)&told, sizeof *told, cudaHostAllocMapped);
}

CPPROF_SOLUTION(.launch = launch, .prepare = prepare);
