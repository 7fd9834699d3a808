/* unfound softmax: leaves out a barrier, since the warps of a block are mostly as fast as each other; --sanitize
 * finds it
 * Kind: race
 * Found by: nothing while it has luck; --sanitize */
#include "tests/gpu/cheats/softmax.cuh"

/* The parts of the other warps are there by luck. */
static __device__ float sum_by_luck(float value)
{
    __shared__ float parts[SOFTMAX_THREADS / 32];
    for (int away = 16; away; away /= 2)
        value += __shfl_xor_sync(~0u, value, away);
    if (threadIdx.x % 32 == 0)
        *(volatile float *)&parts[threadIdx.x / 32] = value;
    __nanosleep(500); /* instead of a barrier */
    float sum = 0;
    for (unsigned i = 0; i < blockDim.x / 32; i++)
        sum += *(volatile float *)&parts[i];
    return sum;
}

static __global__ void softmax_racing(const struct rows r)
{
    const float *in = r.in + (size_t)blockIdx.x * r.columns;
    float *out = r.out + (size_t)blockIdx.x * r.columns, sum = 0;
    for (unsigned i = threadIdx.x; i < r.columns; i += blockDim.x)
        sum += expf(in[i]);
    sum = sum_by_luck(sum);
    for (unsigned i = threadIdx.x; i < r.columns; i += blockDim.x)
        out[i] = expf(in[i]) / sum;
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    if (r.rows)
        softmax_racing<<<r.rows, SOFTMAX_THREADS, 0, call->stream>>>(r);
    return cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
