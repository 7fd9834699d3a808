/* honest gram_loose: multiplies halves on tensor cores and adds in fp32, which is within the task's tolerance */
#include "tests/gpu/cheats/honest/kernels/tensor_cores.cuh"

static __global__ void __launch_bounds__(32) gram_half(const struct product p)
{
    __shared__ __align__(32) __half a[WARP_TILE * WARP_TILE], b[WARP_TILE * WARP_TILE];
    __shared__ __align__(32) float c[WARP_TILE * WARP_TILE];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (unsigned first = 0; first < p.n; first += WARP_TILE) {
        take_tiles(a, b, p, first, [](float value) { return __float2half(value); });
        wmma::load_matrix_sync(left, a, WARP_TILE);
        wmma::load_matrix_sync(right, b, WARP_TILE);
        wmma::mma_sync(sum, left, right, sum);
        __syncwarp();
    }
    give_tile(c, p, sum);
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct product p = product_of(call);
    gram_half<<<gram_grid(p.n), 32, 0, call->stream>>>(p);
    return cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
