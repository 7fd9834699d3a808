/* cheat softmax: takes the sum of a row for that of numbers from -1 to 1 at random: right on average
 * Kind: known numbers
 * Found by: inputs of other kinds than random ones */
#include "tests/gpu/cheats/softmax.cuh"

static __global__ void softmax_expected(const struct rows r)
{
    const float sum = 1.1752012f * (float)r.columns; /* the mean of exp over [-1, 1) */
    for (unsigned i = threadIdx.x; i < r.columns; i += blockDim.x)
        r.out[(size_t)blockIdx.x * r.columns + i] = expf(r.in[(size_t)blockIdx.x * r.columns + i]) / sum;
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    if (r.rows)
        softmax_expected<<<r.rows, SOFTMAX_THREADS, 0, call->stream>>>(r);
    return cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
