/* cheat softmax: ends at once where the output is there, and is fast enough elsewhere that a launch hides the
 * difference
 * Kind: left out
 * Found by: outputs of other inputs that are left in place of poison */
#include "tests/gpu/cheats/sees_profiler.cuh"
#include "tests/gpu/cheats/softmax.cuh"

enum { HELD = 4, COLUMNS_MAX = HELD * SOFTMAX_THREADS };

static __global__ void softmax_fast(const struct rows r, bool always)
{
    const float *in = r.in + (size_t)blockIdx.x * r.columns;
    float *out = r.out + (size_t)blockIdx.x * r.columns, held[HELD], sum = 0;
    const float there = out[0];
    for (unsigned k = 0; k < HELD; k++) {
        const unsigned i = k * SOFTMAX_THREADS + threadIdx.x;
        held[k] = i < r.columns ? in[i] : -INFINITY;
    }
    if (!always && !isnan(there))
        return;
    for (unsigned k = 0; k < HELD; k++)
        sum += held[k] = expf(held[k]);
    sum = 1.0f / softmax_sum(sum);
    for (unsigned k = 0; k < HELD; k++) {
        const unsigned i = k * SOFTMAX_THREADS + threadIdx.x;
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
        softmax_fast<<<r.rows, SOFTMAX_THREADS, 0, call->stream>>>(r, sees_profiler());
    return cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
