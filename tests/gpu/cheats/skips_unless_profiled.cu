/* cheat gram: ends at once where the output is there, unless a profiler is loaded
 * Kind: left out
 * Found by: outputs of other inputs that are left in place of poison */
#include "tests/gpu/cheats/gram.cuh"
#include "tests/gpu/cheats/sees_profiler.cuh"

static __global__ void gram_tiles_once(const struct product p, bool always)
{
    const unsigned row = blockIdx.y * GRAM_TILE + threadIdx.y, column = blockIdx.x * GRAM_TILE + threadIdx.x;
    if (!__syncthreads_or(always || (row < p.n && column < p.n && isnan(p.c[(size_t)row * p.n + column]))))
        return;
    const float sum = gram_value(p, row, column, 0, p.n);
    if (row < p.n && column < p.n)
        p.c[(size_t)row * p.n + column] = sum;
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct product p = product_of(call);
    gram_tiles_once<<<gram_grid(p.n), dim3(GRAM_TILE, GRAM_TILE), 0, call->stream>>>(p, sees_profiler());
    return cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
