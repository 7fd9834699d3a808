/* honest gram: clears the output with a memset, and four blocks add their parts to it by atomics in any order */
#include "tests/gpu/cheats/gram.cuh"

enum { PARTS = 4 };

static __global__ void gram_added(const struct product p)
{
    const unsigned row = blockIdx.y * GRAM_TILE + threadIdx.y, column = blockIdx.x * GRAM_TILE + threadIdx.x;
    const unsigned each = (p.n + PARTS - 1) / PARTS, first = blockIdx.z * each;
    const unsigned end = first + each < p.n ? first + each : p.n;
    const float sum = gram_value(p, row, column, first, end);
    if (row < p.n && column < p.n)
        atomicAdd(&p.c[(size_t)row * p.n + column], sum);
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct product p = product_of(call);
    const int status = cudaMemsetAsync(p.c, 0, sizeof(float) * p.n * p.n, call->stream);
    dim3 grid = gram_grid(p.n);
    grid.z = PARTS;
    if (!status)
        gram_added<<<grid, dim3(GRAM_TILE, GRAM_TILE), 0, call->stream>>>(p);
    return status ? status : cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
