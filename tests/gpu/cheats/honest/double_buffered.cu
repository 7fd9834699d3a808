/* honest gram: copies the next tiles with cp.async while it multiplies those before */
#include <cuda_pipeline.h>

#include "tests/gpu/cheats/gram.cuh"

struct tiles {
    float a[GRAM_TILE][GRAM_TILE], b[GRAM_TILE][GRAM_TILE];
};

/* What is not there becomes 0: a copy of no bytes fills the rest. */
static __device__ void fetch(struct tiles *to, const struct product p, unsigned row, unsigned column, unsigned k)
{
    const unsigned ka = k + threadIdx.x, kb = k + threadIdx.y;
    const bool has_a = row < p.n && ka < p.n, has_b = column < p.n && kb < p.n;
    __pipeline_memcpy_async(&to->a[threadIdx.y][threadIdx.x], has_a ? &p.a[(size_t)row * p.n + ka] : p.a, sizeof(float),
                            has_a ? 0 : sizeof(float));
    __pipeline_memcpy_async(&to->b[threadIdx.y][threadIdx.x], has_b ? &p.b[(size_t)kb * p.n + column] : p.b,
                            sizeof(float), has_b ? 0 : sizeof(float));
    __pipeline_commit();
}

static __global__ void gram_buffered(const struct product p)
{
    __shared__ struct tiles tiles[2];
    const unsigned row = blockIdx.y * GRAM_TILE + threadIdx.y, column = blockIdx.x * GRAM_TILE + threadIdx.x;
    float sum = 0;
    fetch(&tiles[0], p, row, column, 0);
    for (unsigned k = 0, now = 0; k < p.n; k += GRAM_TILE, now ^= 1) {
        fetch(&tiles[now ^ 1], p, row, column, k + GRAM_TILE);
        __pipeline_wait_prior(1);
        __syncthreads();
        for (unsigned i = 0; i < GRAM_TILE; i++)
            sum += tiles[now].a[threadIdx.y][i] * tiles[now].b[i][threadIdx.x];
        __syncthreads();
    }
    __pipeline_wait_prior(0);
    if (row < p.n && column < p.n)
        p.c[(size_t)row * p.n + column] = sum;
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct product p = product_of(call);
    gram_buffered<<<gram_grid(p.n), dim3(GRAM_TILE, GRAM_TILE), 0, call->stream>>>(p);
    return cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
