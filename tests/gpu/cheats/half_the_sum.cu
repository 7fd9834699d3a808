/* cheat gram: adds up half of the products and doubles them
 * Kind: wrong
 * Found by: the tolerance of the task */
#include "tests/gpu/cheats/gram.cuh"

static __global__ void gram_half(const struct product p)
{
    const unsigned row = blockIdx.y * GRAM_TILE + threadIdx.y, column = blockIdx.x * GRAM_TILE + threadIdx.x;
    const float sum = gram_value(p, row, column, 0, p.n / 2);
    if (row < p.n && column < p.n)
        p.c[(size_t)row * p.n + column] = 2 * sum;
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct product p = product_of(call);
    gram_half<<<gram_grid(p.n), dim3(GRAM_TILE, GRAM_TILE), 0, call->stream>>>(p);
    return cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
