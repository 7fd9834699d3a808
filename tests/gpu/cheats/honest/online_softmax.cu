/* honest softmax: largest value and sum in one pass, which scales the sum whenever a larger value comes */
#include "tests/gpu/cheats/softmax.cuh"

static __device__ float largest(float value)
{
    __shared__ float parts[SOFTMAX_THREADS / 32];
    for (int away = 16; away; away /= 2)
        value = fmaxf(value, __shfl_xor_sync(~0u, value, away));
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = value;
    __syncthreads();
    for (unsigned i = 0; i < SOFTMAX_THREADS / 32; i++)
        value = fmaxf(value, parts[i]);
    return value;
}

static __global__ void softmax_online(const struct rows r)
{
    const float *in = r.in + (size_t)blockIdx.x * r.columns;
    float *out = r.out + (size_t)blockIdx.x * r.columns, most = -INFINITY, sum = 0;
    for (unsigned i = threadIdx.x; i < r.columns; i += blockDim.x) {
        const float before = most;
        most = fmaxf(most, in[i]);
        sum = sum * expf(before - most) + expf(in[i] - most);
    }
    const float all = largest(most);
    sum = softmax_sum(sum > 0 ? sum * expf(most - all) : 0); /* a thread may have no value */
    for (unsigned i = threadIdx.x; i < r.columns; i += blockDim.x)
        out[i] = expf(in[i] - all) / sum;
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    if (r.rows)
        softmax_online<<<r.rows, SOFTMAX_THREADS, 0, call->stream>>>(r);
    return cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
