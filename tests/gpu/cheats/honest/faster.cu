/* honest softmax: really faster: exponentials are computed once and stay in registers */
#include "tests/gpu/cheats/softmax.cuh"

enum { HELD = 4, COLUMNS_MAX = 4 * 128 };

static __global__ void softmax_registers(const struct rows r)
{
    const float *in = r.in + (size_t)blockIdx.x * r.columns;
    float *out = r.out + (size_t)blockIdx.x * r.columns, held[HELD], sum = 0;
    for (unsigned k = 0; k < HELD; k++) {
        const unsigned i = k * blockDim.x + threadIdx.x;
        held[k] = i < r.columns ? expf(in[i]) : 0;
        sum += held[k];
    }
    sum = 1.0f / softmax_sum(sum);
    for (unsigned k = 0; k < HELD; k++) {
        const unsigned i = k * blockDim.x + threadIdx.x;
        if (i < r.columns)
            out[i] = held[k] * sum;
    }
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    if (r.columns > COLUMNS_MAX)
        return launch_rows(r, call->stream);
    if (r.rows)
        softmax_registers<<<r.rows, SOFTMAX_THREADS, 0, call->stream>>>(r);
    return cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
