/* honest gram: half of the columns on a stream of high priority, forked and joined */
#include "tests/gpu/cheats/gram.cuh"
#include "tests/gpu/cheats/honest/sides.cuh"

static __global__ void gram_half(const struct product p, unsigned first_tile)
{
    const unsigned row = blockIdx.y * GRAM_TILE + threadIdx.y;
    const unsigned column = (first_tile + blockIdx.x) * GRAM_TILE + threadIdx.x;
    const float sum = gram_value(p, row, column, 0, p.n);
    if (row < p.n && column < p.n)
        p.c[(size_t)row * p.n + column] = sum;
}

static int launch(void *state, const struct cpprof_call *call)
{
    const struct side *s = (const struct side *)state;
    const struct product p = product_of(call);
    const dim3 all = gram_grid(p.n), block(GRAM_TILE, GRAM_TILE);
    const unsigned half = all.x / 2;
    const int status = side_fork(s, call->stream);
    if (status)
        return status;
    if (half)
        gram_half<<<dim3(half, all.y), block, 0, s->stream>>>(p, 0);
    gram_half<<<dim3(all.x - half, all.y), block, 0, call->stream>>>(p, half);
    return side_join(s, call->stream);
}

static int prepare(const struct cpprof_config *config, void **state)
{
    int least, greatest;
    int status = cudaDeviceGetStreamPriorityRange(&least, &greatest);
    if (!status)
        status = side_open(config, state);
    if (status)
        return status;
    struct side *s = (struct side *)*state;
    cudaStreamDestroy(s->stream);
    return cudaStreamCreateWithPriority(&s->stream, cudaStreamNonBlocking, greatest);
}

CPPROF_SOLUTION(.launch = launch, .prepare = prepare, .release = side_close);
