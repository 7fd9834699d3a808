/* honest softmax: asks the data how much there is to do: a row of equal values needs no sum of exponentials */
#include "tests/gpu/cheats/softmax.cuh"

static __global__ void softmax_data(const struct rows r)
{
    const float *in = r.in + (size_t)blockIdx.x * r.columns;
    bool differs = false;
    for (unsigned i = threadIdx.x; i < r.columns; i += blockDim.x)
        differs |= in[i] != in[0];
    if (__syncthreads_or(differs)) {
        softmax_row(r, blockIdx.x);
        return;
    }
    for (unsigned i = threadIdx.x; i < r.columns; i += blockDim.x)
        r.out[(size_t)blockIdx.x * r.columns + i] = 1.0f / (float)r.columns;
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    if (r.rows)
        softmax_data<<<r.rows, SOFTMAX_THREADS, 0, call->stream>>>(r);
    return cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
