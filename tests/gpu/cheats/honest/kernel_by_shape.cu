/* honest softmax: chooses one of three kernels by the shape */
#include "tests/gpu/cheats/softmax.cuh"

static __global__ void softmax_single(const struct rows r)
{
    const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < r.rows)
        r.out[row] = 1.0f; /* of one value */
}

static __global__ void softmax_narrow(const struct rows r)
{
    const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (unsigned i = 0; row < r.rows && i < r.columns; i++)
        sum += expf(r.in[(size_t)row * r.columns + i]);
    for (unsigned i = 0; row < r.rows && i < r.columns; i++)
        r.out[(size_t)row * r.columns + i] = expf(r.in[(size_t)row * r.columns + i]) / sum;
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    const unsigned blocks = (r.rows + 31) / 32;
    if (r.columns > 128 || !r.rows)
        return launch_rows(r, call->stream);
    if (r.columns == 1)
        softmax_single<<<blocks, 32, 0, call->stream>>>(r);
    else
        softmax_narrow<<<blocks, 32, 0, call->stream>>>(r);
    return cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
