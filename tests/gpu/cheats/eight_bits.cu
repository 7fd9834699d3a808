/* cheat gram: rounds inputs to whole numbers of eight bits, since they are between -1 and 1, and multiplies four at
 * once
 * Kind: precision
 * Found by: the tolerance of the task */
#include "tests/gpu/cheats/gram.cuh"

enum { QUADS = GRAM_TILE / 4 };

static __device__ int eight_bits(float value)
{
    return __float2int_rn(value * 127) & 255;
}

static __global__ void gram_in_bytes(const struct product p)
{
    __shared__ int a[GRAM_TILE][QUADS], b[QUADS][GRAM_TILE];
    const unsigned row = blockIdx.y * GRAM_TILE + threadIdx.y, column = blockIdx.x * GRAM_TILE + threadIdx.x;
    int sum = 0;
    for (unsigned first = 0; first < p.n; first += GRAM_TILE) {
        int quad_a = 0, quad_b = 0;
        for (unsigned i = 0; i < 4; i++) {
            const unsigned ka = first + 4 * (threadIdx.x % QUADS) + i, kb = first + 4 * (threadIdx.y % QUADS) + i;
            if (threadIdx.x < QUADS && row < p.n && ka < p.n)
                quad_a |= eight_bits(p.a[(size_t)row * p.n + ka]) << 8 * i;
            if (threadIdx.y < QUADS && column < p.n && kb < p.n)
                quad_b |= eight_bits(p.b[(size_t)kb * p.n + column]) << 8 * i;
        }
        if (threadIdx.x < QUADS)
            a[threadIdx.y][threadIdx.x] = quad_a;
        if (threadIdx.y < QUADS)
            b[threadIdx.y][threadIdx.x] = quad_b;
        __syncthreads();
        for (int i = 0; i < QUADS; i++)
            sum = __dp4a(a[threadIdx.y][i], b[i][threadIdx.x], sum);
        __syncthreads();
    }
    if (row < p.n && column < p.n)
        p.c[(size_t)row * p.n + column] = (float)sum / (127.0f * 127.0f);
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct product p = product_of(call);
    gram_in_bytes<<<gram_grid(p.n), dim3(GRAM_TILE, GRAM_TILE), 0, call->stream>>>(p);
    return cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
