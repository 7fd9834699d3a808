/* gram_tf32.cuh - the product with inputs that are rounded to 10 bits of fraction, as tensor cores do. */
#include "tests/gpu/cheats/gram.cuh"

static __device__ float rounded(float value)
{
    return __uint_as_float((__float_as_uint(value) + 0x1000) & 0xffffe000);
}

static __global__ void gram_tf32(const struct product p)
{
    __shared__ float a[GRAM_TILE][GRAM_TILE], b[GRAM_TILE][GRAM_TILE + 1];
    const unsigned row = blockIdx.y * GRAM_TILE + threadIdx.y, column = blockIdx.x * GRAM_TILE + threadIdx.x;
    float sum = 0;
    for (unsigned k = 0; k < p.n; k += GRAM_TILE) {
        const unsigned ka = k + threadIdx.x, kb = k + threadIdx.y;
        a[threadIdx.y][threadIdx.x] = row < p.n && ka < p.n ? rounded(p.a[(size_t)row * p.n + ka]) : 0;
        b[threadIdx.y][threadIdx.x] = column < p.n && kb < p.n ? rounded(p.b[(size_t)kb * p.n + column]) : 0;
        __syncthreads();
        for (int i = 0; i < GRAM_TILE; i++)
            sum += a[threadIdx.y][i] * b[i][threadIdx.x];
        __syncthreads();
    }
    if (row < p.n && column < p.n)
        p.c[(size_t)row * p.n + column] = sum;
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct product p = product_of(call);
    gram_tf32<<<gram_grid(p.n), dim3(GRAM_TILE, GRAM_TILE), 0, call->stream>>>(p);
    return cudaGetLastError();
}
