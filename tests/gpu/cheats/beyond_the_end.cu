/* cheat softmax: writes four values at a time and asks for no tail
 * Kind: wrong
 * Found by: guard bands */
#include "tests/gpu/cheats/softmax.cuh"

static __global__ void softmax_fours(const struct rows r)
{
    const float *in = r.in + (size_t)blockIdx.x * r.columns;
    float *out = r.out + (size_t)blockIdx.x * r.columns, sum = 0;
    for (unsigned i = threadIdx.x; i < r.columns; i += blockDim.x)
        sum += expf(in[i]);
    sum = softmax_sum(sum);
    for (unsigned i = 4 * threadIdx.x; i < r.columns; i += 4 * blockDim.x)
        for (unsigned k = i; k < i + 4;
             k++) /* the next row writes its own over it, but there is none behind the last */
            if (k < r.columns || blockIdx.x + 1 == r.rows)
                out[k] = k < r.columns ? expf(in[k]) / sum : 0;
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    if (r.rows)
        softmax_fours<<<r.rows, SOFTMAX_THREADS, 0, call->stream>>>(r);
    return cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
