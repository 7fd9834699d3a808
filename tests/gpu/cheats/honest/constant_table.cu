/* honest softmax: exponentials from a table of powers of two in constant memory and a short polynomial */
#include "tests/gpu/cheats/softmax.cuh"

enum { POWERS = 32 };
#define TO_STEPS  46.16624131f    /* POWERS / ln 2 */
#define STEP_HIGH 0.021659851074f /* ln 2 / POWERS, its first bits ... */
#define STEP_LOW  9.98318280e-07f /* ... and the rest */

static __constant__ float powers[POWERS]; /* 2^(i / POWERS) */

/* |rest| is at most ln 2 / 64: the next term of the series would be below 2^-30 of the value. */
static __device__ float power_of_e(float x)
{
    const float steps = rintf(x * TO_STEPS), rest = fmaf(-steps, STEP_LOW, fmaf(-steps, STEP_HIGH, x));
    const int whole = (int)steps;
    const float series = fmaf(rest, fmaf(rest, fmaf(rest, 1.0f / 6, 0.5f), 1.0f), 1.0f);
    return ldexpf(powers[whole & (POWERS - 1)] * series, whole >> 5);
}

static __global__ void softmax_by_table(const struct rows r)
{
    const float *in = r.in + (size_t)blockIdx.x * r.columns;
    float *out = r.out + (size_t)blockIdx.x * r.columns, sum = 0;
    for (unsigned i = threadIdx.x; i < r.columns; i += blockDim.x)
        sum += power_of_e(in[i]);
    sum = softmax_sum(sum);
    for (unsigned i = threadIdx.x; i < r.columns; i += blockDim.x)
        out[i] = power_of_e(in[i]) / sum;
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    if (r.rows)
        softmax_by_table<<<r.rows, SOFTMAX_THREADS, 0, call->stream>>>(r);
    return cudaGetLastError();
}

static int prepare(const struct cpprof_config *, void **)
{
    float table[POWERS];
    for (int i = 0; i < POWERS; i++)
        table[i] = (float)exp2((double)i / (int)POWERS);
    return cudaMemcpyToSymbol(powers, table, sizeof table);
}

CPPROF_SOLUTION(.launch = launch, .prepare = prepare);
