/* gram.cuh - the honest kernel that solutions of the longer task begin with. */
#include <cpprof/task.h>

struct product {
    const float *a, *b;
    float *c;
    unsigned n, rows; /* of the second matrix, and rows of the first one */
};

enum { GRAM_TILE = 16 };

/* One value per thread, over k from `first` up to `end`. */
static __device__ float gram_value(const struct product p, unsigned row, unsigned column, unsigned first, unsigned end)
{
    __shared__ float a[GRAM_TILE][GRAM_TILE], b[GRAM_TILE][GRAM_TILE + 1];
    float sum = 0;
    for (unsigned k = first; k < end; k += GRAM_TILE) {
        const unsigned ka = k + threadIdx.x, kb = k + threadIdx.y;
        a[threadIdx.y][threadIdx.x] = row < p.rows && ka < end ? p.a[(size_t)row * p.n + ka] : 0;
        b[threadIdx.y][threadIdx.x] = column < p.n && kb < end ? p.b[(size_t)kb * p.n + column] : 0;
        __syncthreads();
        for (int i = 0; i < GRAM_TILE; i++)
            sum += a[threadIdx.y][i] * b[i][threadIdx.x];
        __syncthreads();
    }
    return sum;
}

static __global__ void gram_tiles(const struct product p)
{
    const unsigned row = blockIdx.y * GRAM_TILE + threadIdx.y, column = blockIdx.x * GRAM_TILE + threadIdx.x;
    const float sum = gram_value(p, row, column, 0, p.n);
    if (row < p.rows && column < p.n)
        p.c[(size_t)row * p.n + column] = sum;
}

/* The first matrix of gram_tall has an axis of its own for its rows. */
static inline struct product product_of(const struct cpprof_call *call)
{
    const int64_t *axes = call->config->value;
    return {(const float *)call->inputs[0], (const float *)call->inputs[1], (float *)call->outputs[0],
            (unsigned)axes[0], (unsigned)(axes[1] ? axes[1] : axes[0])};
}

static inline dim3 gram_grid(unsigned n)
{
    return dim3((n + GRAM_TILE - 1) / GRAM_TILE, (n + GRAM_TILE - 1) / GRAM_TILE);
}

static inline dim3 product_grid(const struct product p)
{
    return dim3((p.n + GRAM_TILE - 1) / GRAM_TILE, (p.rows + GRAM_TILE - 1) / GRAM_TILE);
}

static inline int launch_product(const struct product p, cudaStream_t stream)
{
    gram_tiles<<<product_grid(p), dim3(GRAM_TILE, GRAM_TILE), 0, stream>>>(p);
    return cudaGetLastError();
}
