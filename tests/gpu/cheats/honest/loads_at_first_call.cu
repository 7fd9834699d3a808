/* honest softmax: allocates and fills a table in its first call, as what compiles late does */
#include "tests/gpu/cheats/softmax.cuh"

static float *table;

static __global__ void softmax_table(float *out)
{
    out[threadIdx.x] = 1.0f;
}

static __global__ void softmax_scaled(const struct rows r, const float *ones)
{
    const float *in = r.in + (size_t)blockIdx.x * r.columns;
    float *out = r.out + (size_t)blockIdx.x * r.columns, sum = 0;
    for (unsigned i = threadIdx.x; i < r.columns; i += blockDim.x)
        sum += expf(in[i]) * ones[threadIdx.x];
    sum = softmax_sum(sum);
    for (unsigned i = threadIdx.x; i < r.columns; i += blockDim.x)
        out[i] = expf(in[i]) / sum;
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    int status = table ? 0 : cudaMalloc((void **)&table, SOFTMAX_THREADS * sizeof *table);
    static bool filled;
    if (!status && !filled)
        softmax_table<<<1, SOFTMAX_THREADS, 0, call->stream>>>(table);
    filled = true;
    if (!status && r.rows)
        softmax_scaled<<<r.rows, SOFTMAX_THREADS, 0, call->stream>>>(r, table);
    return status ? status : cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
