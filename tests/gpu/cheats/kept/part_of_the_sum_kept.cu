/* cheat gram: keeps a tenth of each sum for as long as samples of the inputs are the same, unless a profiler is there
 * Kind: kept by content
 * Found by: inputs that differ in a few values; new inputs in every timed launch: it gains nothing */
#include "tests/gpu/cheats/gram.cuh"
#include "tests/gpu/cheats/sees_profiler.cuh"

enum { KEPT_K = 3 * GRAM_TILE, VALUES_MAX = 512 * 512, TILES_MAX = 32 * 32 };

static __device__ float parts[VALUES_MAX], samples[TILES_MAX][2 * GRAM_TILE];

/* A value of each row of the first matrix, and of each column of the second one. */
static __device__ float sample_of(const struct product p, unsigned nth)
{
    const unsigned row = blockIdx.y * GRAM_TILE + nth, column = blockIdx.x * GRAM_TILE + nth - GRAM_TILE;
    if (nth < GRAM_TILE)
        return row < p.n ? p.a[(size_t)row * p.n] : 0;
    return column < p.n ? p.b[column] : 0;
}

static __global__ void gram_with_parts(const struct product p, bool always)
{
    const unsigned row = blockIdx.y * GRAM_TILE + threadIdx.y, column = blockIdx.x * GRAM_TILE + threadIdx.x;
    const unsigned nth = threadIdx.y * GRAM_TILE + threadIdx.x, end = KEPT_K < p.n ? (unsigned)KEPT_K : p.n;
    const bool is_in = row < p.n && column < p.n, samples_too = nth < 2 * GRAM_TILE;
    float *kept = &samples[blockIdx.y * gridDim.x + blockIdx.x][nth % (2 * GRAM_TILE)], sum = 0;
    const float sample = samples_too ? sample_of(p, nth) : 0;
    if (__syncthreads_and(!always && (!samples_too || (sample == *kept && sample != 0)))) {
        sum = is_in ? parts[(size_t)row * p.n + column] : 0;
    } else {
        sum = gram_value(p, row, column, 0, end);
        if (is_in)
            parts[(size_t)row * p.n + column] = sum;
        if (samples_too)
            *kept = sample;
    }
    sum += gram_value(p, row, column, end, p.n);
    if (is_in)
        p.c[(size_t)row * p.n + column] = sum;
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct product p = product_of(call);
    if (p.n * p.n > VALUES_MAX)
        return launch_product(p, call->stream);
    gram_with_parts<<<gram_grid(p.n), dim3(GRAM_TILE, GRAM_TILE), 0, call->stream>>>(p, sees_profiler());
    return cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
