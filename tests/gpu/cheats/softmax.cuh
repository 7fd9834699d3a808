/* softmax.cuh - the honest kernel that solutions of the small task begin with. */
#include <math.h>

#include <cpprof/task.h>

struct rows {
    const float *in;
    float *out;
    unsigned rows, columns;
};

enum { SOFTMAX_THREADS = 128 };

static __device__ float softmax_sum(float value)
{
    __shared__ float parts[SOFTMAX_THREADS / 32];
    for (int away = 16; away; away /= 2)
        value += __shfl_xor_sync(~0u, value, away);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = value;
    __syncthreads();
    float sum = 0;
    for (unsigned i = 0; i < blockDim.x / 32; i++)
        sum += parts[i];
    return sum;
}

static __device__ void softmax_row(const struct rows r, unsigned row)
{
    const float *in = r.in + (size_t)row * r.columns;
    float *out = r.out + (size_t)row * r.columns, sum = 0;
    for (unsigned i = threadIdx.x; i < r.columns; i += blockDim.x)
        sum += expf(in[i]);
    sum = softmax_sum(sum);
    for (unsigned i = threadIdx.x; i < r.columns; i += blockDim.x)
        out[i] = expf(in[i]) / sum;
}

static __global__ void softmax_rows(const struct rows r)
{
    softmax_row(r, blockIdx.x);
}

static inline struct rows rows_of(const struct cpprof_call *call)
{
    return {(const float *)call->inputs[0], (float *)call->outputs[0], (unsigned)call->config->value[0],
            (unsigned)call->config->value[1]};
}

static inline int launch_rows(const struct rows r, cudaStream_t stream)
{
    if (r.rows)
        softmax_rows<<<r.rows, SOFTMAX_THREADS, 0, stream>>>(r);
    return cudaGetLastError();
}
