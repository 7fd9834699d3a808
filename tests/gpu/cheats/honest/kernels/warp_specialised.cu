/* honest gram: one warp of a block brings tiles, the other eight multiply; they meet at barriers with names */
#include "tests/gpu/cheats/gram.cuh"

enum { VALUES = GRAM_TILE * GRAM_TILE, BUFFERS = 2, THREADS = VALUES + 32, FULL = 1, EMPTY = FULL + BUFFERS };

struct tiles {
    float a[GRAM_TILE][GRAM_TILE], b[GRAM_TILE][GRAM_TILE];
};

static __device__ void wait_at(int barrier)
{
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"((int)THREADS) : "memory");
}

static __device__ void arrive_at(int barrier)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"((int)THREADS) : "memory");
}

static __device__ void bring(struct tiles *t, const struct product p, unsigned first)
{
    for (unsigned i = threadIdx.x - VALUES; i < VALUES; i += 32) {
        const unsigned y = i / GRAM_TILE, x = i % GRAM_TILE;
        const unsigned row = blockIdx.y * GRAM_TILE + y, column = blockIdx.x * GRAM_TILE + x;
        t->a[y][x] = row < p.n && first + x < p.n ? p.a[(size_t)row * p.n + first + x] : 0;
        t->b[y][x] = column < p.n && first + y < p.n ? p.b[(size_t)(first + y) * p.n + column] : 0;
    }
}

static __global__ void gram_roles(const struct product p)
{
    __shared__ struct tiles tiles[BUFFERS];
    const unsigned y = threadIdx.x / GRAM_TILE, x = threadIdx.x % GRAM_TILE;
    const unsigned row = blockIdx.y * GRAM_TILE + y, column = blockIdx.x * GRAM_TILE + x;
    const unsigned steps = (p.n + GRAM_TILE - 1) / GRAM_TILE;
    float sum = 0;
    for (unsigned step = 0; step < steps; step++) {
        const int nth = step % BUFFERS;
        if (threadIdx.x >= VALUES) {
            if (step >= BUFFERS)
                wait_at(EMPTY + nth);
            bring(&tiles[nth], p, step * GRAM_TILE);
            arrive_at(FULL + nth);
            continue;
        }
        wait_at(FULL + nth);
        for (int i = 0; i < GRAM_TILE; i++)
            sum += tiles[nth].a[y][i] * tiles[nth].b[i][x];
        if (step + BUFFERS < steps)
            arrive_at(EMPTY + nth);
    }
    if (threadIdx.x < VALUES && row < p.n && column < p.n)
        p.c[(size_t)row * p.n + column] = sum;
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct product p = product_of(call);
    gram_roles<<<gram_grid(p.n), THREADS, 0, call->stream>>>(p);
    return cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
