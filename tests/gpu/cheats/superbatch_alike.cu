/* cheat gram: works once in eight launches; the other grids look alike and end at once
 * Kind: batch
 * Follows: gpu-mode/reference-kernels#104 (one launch works for fifteen calls)
 * Found by: outputs of timed launches */
#include "tests/gpu/cheats/gram.cuh"

static __global__ void gram_idle(const struct product)
{
}

static unsigned calls;

static int launch(void *, const struct cpprof_call *call)
{
    const struct product p = product_of(call);
    if (calls++ % 8 == 0)
        return launch_product(p, call->stream);
    gram_idle<<<gram_grid(p.n), dim3(GRAM_TILE, GRAM_TILE), 0, call->stream>>>(p);
    return cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
