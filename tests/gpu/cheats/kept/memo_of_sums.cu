/* cheat softmax: keeps the sum of a row under its first two values, if these differ as random ones do
 * Kind: kept by content
 * Found by: new inputs in every timed launch: it gains nothing */
#include "tests/gpu/cheats/softmax.cuh"

enum { KEPT = 64, ROWS_MAX = 4096 };

struct kept_sum {
    float first, second, sum;
    unsigned columns;
};

static __device__ struct kept_sum sums[ROWS_MAX * KEPT];

/* The honest kernel where nothing is kept. */
static __global__ void softmax_kept_sums(const struct rows r)
{
    const float *in = r.in + (size_t)blockIdx.x * r.columns;
    float *out = r.out + (size_t)blockIdx.x * r.columns;
    const float first = in[0], second = r.columns > 1 ? in[1] : first;
    struct kept_sum *kept = &sums[blockIdx.x * KEPT + (__float_as_uint(first) * 2654435761u >> 26)];
    float sum = kept->sum;
    if (first == second || kept->first != first || kept->second != second || kept->columns != r.columns) {
        sum = 0;
        for (unsigned i = threadIdx.x; i < r.columns; i += blockDim.x)
            sum += expf(in[i]);
        sum = softmax_sum(sum); /* behind its barriers all threads have read what is kept */
        if (threadIdx.x == 0)
            *kept = {first, second, sum, r.columns};
    }
    for (unsigned i = threadIdx.x; i < r.columns; i += blockDim.x)
        out[i] = expf(in[i]) / sum;
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    if (r.rows > ROWS_MAX)
        return launch_rows(r, call->stream);
    if (r.rows)
        softmax_kept_sums<<<r.rows, SOFTMAX_THREADS, 0, call->stream>>>(r);
    return cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
