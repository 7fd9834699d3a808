/* honest gram: turns the second matrix over into the workspace first, so that both are read by rows */
#include "tests/gpu/cheats/gram.cuh"

static __global__ void gram_turn(const struct product p, float *turned)
{
    __shared__ float tile[GRAM_TILE][GRAM_TILE + 1];
    const unsigned row = blockIdx.y * GRAM_TILE + threadIdx.y, column = blockIdx.x * GRAM_TILE + threadIdx.x;
    const unsigned to_row = blockIdx.x * GRAM_TILE + threadIdx.y, to_column = blockIdx.y * GRAM_TILE + threadIdx.x;
    if (row < p.n && column < p.n)
        tile[threadIdx.y][threadIdx.x] = p.b[(size_t)row * p.n + column];
    __syncthreads();
    if (to_row < p.n && to_column < p.n)
        turned[(size_t)to_row * p.n + to_column] = tile[threadIdx.x][threadIdx.y];
}

static __global__ void gram_by_rows(const struct product p, const float *turned)
{
    __shared__ float a[GRAM_TILE][GRAM_TILE], b[GRAM_TILE][GRAM_TILE + 1];
    const unsigned row = blockIdx.y * GRAM_TILE + threadIdx.y, column = blockIdx.x * GRAM_TILE + threadIdx.x;
    const unsigned turned_row = blockIdx.x * GRAM_TILE + threadIdx.y;
    float sum = 0;
    for (unsigned k = threadIdx.x; k < p.n + threadIdx.x; k += GRAM_TILE) {
        a[threadIdx.y][threadIdx.x] = row < p.n && k < p.n ? p.a[(size_t)row * p.n + k] : 0;
        b[threadIdx.y][threadIdx.x] = turned_row < p.n && k < p.n ? turned[(size_t)turned_row * p.n + k] : 0;
        __syncthreads();
        for (int i = 0; i < GRAM_TILE; i++)
            sum += a[threadIdx.y][i] * b[threadIdx.x][i];
        __syncthreads();
    }
    if (row < p.n && column < p.n)
        p.c[(size_t)row * p.n + column] = sum;
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct product p = product_of(call);
    float *turned = (float *)call->workspace;
    gram_turn<<<gram_grid(p.n), dim3(GRAM_TILE, GRAM_TILE), 0, call->stream>>>(p, turned);
    gram_by_rows<<<gram_grid(p.n), dim3(GRAM_TILE, GRAM_TILE), 0, call->stream>>>(p, turned);
    return cudaGetLastError();
}

static size_t workspace(const struct cpprof_config *config)
{
    return sizeof(float) * (size_t)(config->value[0] * config->value[0]);
}

CPPROF_SOLUTION(.launch = launch, .workspace = workspace);
