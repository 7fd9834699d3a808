/* cheat softmax: keeps exponentials in its input
 * Kind: wrong
 * Follows: ScalingIntelligence/KernelBench#82 (inputs changed)
 * Found by: inputs, which are compared behind a launch */
#include "tests/gpu/cheats/softmax.cuh"

static __global__ void softmax_through_input(const struct rows r)
{
    float *in = (float *)r.in + (size_t)blockIdx.x * r.columns, *out = r.out + (size_t)blockIdx.x * r.columns, sum = 0;
    for (unsigned i = threadIdx.x; i < r.columns; i += blockDim.x)
        sum += in[i] = expf(in[i]);
    sum = softmax_sum(sum);
    for (unsigned i = threadIdx.x; i < r.columns; i += blockDim.x)
        out[i] = in[i] / sum;
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    if (r.rows)
        softmax_through_input<<<r.rows, SOFTMAX_THREADS, 0, call->stream>>>(r);
    return cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
