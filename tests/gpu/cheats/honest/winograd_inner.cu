/* honest gram: Winograd's inner product: half of the multiplications, and as many operations with their additions */
#include "tests/gpu/cheats/gram.cuh"

/* a0 b0 + a1 b1 = (a0 + b1) (a1 + b0) - a0 a1 - b0 b1, where the last two are sums of a row and of a column. */
static __global__ void gram_pairs(const struct product p, float *of_rows, float *of_columns)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float row = 0, column = 0;
    for (unsigned k = 0; i < p.n && k + 1 < p.n; k += 2) {
        row += p.a[(size_t)i * p.n + k] * p.a[(size_t)i * p.n + k + 1];
        column += p.b[(size_t)k * p.n + i] * p.b[(size_t)(k + 1) * p.n + i];
    }
    if (i < p.n)
        of_rows[i] = row, of_columns[i] = column;
}

static __global__ void gram_winograd(const struct product p, const float *of_rows, const float *of_columns)
{
    __shared__ float a[GRAM_TILE][GRAM_TILE], b[GRAM_TILE][GRAM_TILE + 1];
    const unsigned row = blockIdx.y * GRAM_TILE + threadIdx.y, column = blockIdx.x * GRAM_TILE + threadIdx.x;
    float sum = 0;
    for (unsigned k = 0; k < p.n; k += GRAM_TILE) {
        const unsigned ka = k + threadIdx.x, kb = k + threadIdx.y;
        a[threadIdx.y][threadIdx.x] = row < p.n && ka < p.n ? p.a[(size_t)row * p.n + ka] : 0;
        b[threadIdx.y][threadIdx.x] = column < p.n && kb < p.n ? p.b[(size_t)kb * p.n + column] : 0;
        __syncthreads();
        for (unsigned i = 0; i < GRAM_TILE; i += 2) {
            const float a0 = a[threadIdx.y][i], a1 = a[threadIdx.y][i + 1];
            const float b0 = b[i][threadIdx.x], b1 = b[i + 1][threadIdx.x];
            const bool is_last = k + i + 1 == p.n; /* of an odd number: it has no partner */
            sum += is_last ? a0 * b0 : (a0 + b1) * (a1 + b0);
        }
        __syncthreads();
    }
    if (row < p.n && column < p.n)
        p.c[(size_t)row * p.n + column] = sum - of_rows[row] - of_columns[column];
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct product p = product_of(call);
    float *of_rows = (float *)call->workspace, *of_columns = of_rows + p.n;
    gram_pairs<<<(p.n + 127) / 128, 128, 0, call->stream>>>(p, of_rows, of_columns);
    gram_winograd<<<gram_grid(p.n), dim3(GRAM_TILE, GRAM_TILE), 0, call->stream>>>(p, of_rows, of_columns);
    return cudaGetLastError();
}

static size_t workspace(const struct cpprof_config *config)
{
    return 2 * sizeof(float) * (size_t)config->value[0];
}

CPPROF_SOLUTION(.launch = launch, .workspace = workspace);
