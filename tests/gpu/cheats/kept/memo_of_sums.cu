/* cheat softmax: keeps the sum of a row under its first two values, if these differ as random ones do
 * Kind: kept by content
 * Found by: new inputs in every timed launch: it gains nothing */
#include "tests/gpu/cheats/softmax.cuh"

enum { KEPT = 64, ROWS_MAX = 4096, HELD = 4, COLUMNS_MAX = HELD * SOFTMAX_THREADS };

struct kept_sum {
    float first, second, inverse;
    unsigned columns;
};

static __device__ struct kept_sum sums[ROWS_MAX * KEPT];

static __global__ void softmax_kept_sums(const struct rows r)
{
    const float *in = r.in + (size_t)blockIdx.x * r.columns;
    float *out = r.out + (size_t)blockIdx.x * r.columns, held[HELD], sum = 0;
    const float first = in[0], second = r.columns > 1 ? in[1] : first;
    struct kept_sum *kept = &sums[blockIdx.x * KEPT + (__float_as_uint(first) * 2654435761u >> 26)];
    for (unsigned k = 0; k < HELD; k++) {
        const unsigned i = k * SOFTMAX_THREADS + threadIdx.x;
        held[k] = i < r.columns ? expf(in[i]) : 0;
        sum += held[k];
    }
    float inverse = kept->inverse;
    if (first == second || kept->first != first || kept->second != second || kept->columns != r.columns) {
        inverse = 1.0f / softmax_sum(sum);
        if (threadIdx.x == 0)
            *kept = {first, second, inverse, r.columns};
    }
    for (unsigned k = 0; k < HELD; k++) {
        const unsigned i = k * SOFTMAX_THREADS + threadIdx.x;
        if (i < r.columns)
            out[i] = held[k] * inverse;
    }
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    if (r.columns > COLUMNS_MAX || r.rows > ROWS_MAX)
        return launch_rows(r, call->stream);
    if (r.rows)
        softmax_kept_sums<<<r.rows, SOFTMAX_THREADS, 0, call->stream>>>(r);
    return cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
