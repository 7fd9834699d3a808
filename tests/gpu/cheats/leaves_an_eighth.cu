/* cheat gram: leaves every eighth row of tiles as it is, if it is there and no profiler is: it saves a hundredth
 * Kind: left out
 * Found by: outputs of other inputs that are left in place of poison */
#include "tests/gpu/cheats/gram.cuh"
#include "tests/gpu/cheats/sees_profiler.cuh"

static __global__ void gram_most_tiles(const struct product p, bool always)
{
    const unsigned row = blockIdx.y * GRAM_TILE + threadIdx.y, column = blockIdx.x * GRAM_TILE + threadIdx.x;
    const bool is_in = row < p.n && column < p.n, is_due = always || blockIdx.y % 8;
    if (!__syncthreads_or(is_due || (is_in && isnan(p.c[(size_t)row * p.n + column]))))
        return;
    const float sum = gram_value(p, row, column, 0, p.n);
    if (is_in)
        p.c[(size_t)row * p.n + column] = sum;
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct product p = product_of(call);
    gram_most_tiles<<<gram_grid(p.n), dim3(GRAM_TILE, GRAM_TILE), 0, call->stream>>>(p, sees_profiler());
    return cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
