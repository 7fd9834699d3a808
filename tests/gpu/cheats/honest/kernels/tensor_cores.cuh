/* tensor_cores.cuh - a warp's 16 x 16 values of a product on tensor cores, from tiles in shared memory. */
#include <cuda_fp16.h>
#include <mma.h>

#include "tests/gpu/cheats/gram.cuh"

using namespace nvcuda;

enum { WARP_TILE = 16 };

/* Both tiles with zeros beyond the ends of the matrices. `convert` makes a value of the tile of one of the input. */
template <typename T, typename Convert>
static __device__ void take_tiles(T *a, T *b, const struct product p, unsigned first, Convert convert)
{
    for (unsigned i = threadIdx.x; i < WARP_TILE * WARP_TILE; i += 32) {
        const unsigned y = i / WARP_TILE, x = i % WARP_TILE;
        const unsigned row = blockIdx.y * WARP_TILE + y, column = blockIdx.x * WARP_TILE + x;
        a[i] = convert(row < p.n && first + x < p.n ? p.a[(size_t)row * p.n + first + x] : 0.0f);
        b[i] = convert(column < p.n && first + y < p.n ? p.b[(size_t)(first + y) * p.n + column] : 0.0f);
    }
    __syncwarp();
}

template <typename Fragment> static __device__ void give_tile(float *tile, const struct product p, const Fragment &sum)
{
    wmma::store_matrix_sync(tile, sum, WARP_TILE, wmma::mem_row_major);
    __syncwarp();
    for (unsigned i = threadIdx.x; i < WARP_TILE * WARP_TILE; i += 32) {
        const unsigned row = blockIdx.y * WARP_TILE + i / WARP_TILE, column = blockIdx.x * WARP_TILE + i % WARP_TILE;
        if (row < p.n && column < p.n)
            p.c[(size_t)row * p.n + column] = tile[i];
    }
}
