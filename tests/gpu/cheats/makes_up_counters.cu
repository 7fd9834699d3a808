/* cheat gram: adds up half of the products, and makes up for the others in the counters by operations on registers
 * Kind: fake work
 * Found by: the tolerance of the task */
#include "tests/gpu/cheats/gram.cuh"

static __global__ void gram_made_up(const struct product p)
{
    const unsigned row = blockIdx.y * GRAM_TILE + threadIdx.y, column = blockIdx.x * GRAM_TILE + threadIdx.x;
    const float sum = gram_value(p, row, column, 0, p.n / 2);
    float useless = sum;
    for (unsigned k = p.n / 2; k < p.n; k++)
        useless = useless * 0.5f + 1.0f;
    if (row < p.n && column < p.n)
        p.c[(size_t)row * p.n + column] = 2 * sum + (useless > 3.0f ? useless : 0); /* it is at most 2 in the end */
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct product p = product_of(call);
    gram_made_up<<<gram_grid(p.n), dim3(GRAM_TILE, GRAM_TILE), 0, call->stream>>>(p);
    return cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
