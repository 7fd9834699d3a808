/* honest gram: three strips of rows, two of them on a side stream one after the other; both joins use the same event */
#include "tests/gpu/cheats/gram.cuh"
#include "tests/gpu/cheats/honest/sides.cuh"

static __global__ void gram_strip(const struct product p, unsigned first, unsigned end)
{
    const unsigned row = first + blockIdx.y * GRAM_TILE + threadIdx.y, column = blockIdx.x * GRAM_TILE + threadIdx.x;
    struct product strip = p;
    const float sum = gram_value(strip, row, column, 0, p.n);
    if (row < end && column < p.n)
        p.c[(size_t)row * p.n + column] = sum;
}

static int launch_strip(const struct product p, unsigned part, cudaStream_t stream)
{
    const unsigned each = (p.n + 2) / 3, first = part * each, end = first + each < p.n ? first + each : p.n;
    if (first < end)
        gram_strip<<<dim3(gram_grid(p.n).x, (end - first + GRAM_TILE - 1) / GRAM_TILE), dim3(GRAM_TILE, GRAM_TILE), 0,
                     stream>>>(p, first, end);
    return cudaGetLastError();
}

static int launch(void *state, const struct cpprof_call *call)
{
    const struct side *s = (const struct side *)state;
    const struct product p = product_of(call);
    int status = 0;
    for (unsigned part = 0; part < 2 && !status; part++) {
        status = side_fork(s, call->stream);
        if (!status)
            status = launch_strip(p, part, s->stream);
        if (!status && part == 1)
            status = launch_strip(p, 2, call->stream);
        if (!status)
            status = side_join(s, call->stream);
    }
    return status;
}

CPPROF_SOLUTION(.launch = launch, .prepare = side_open, .release = side_close);
