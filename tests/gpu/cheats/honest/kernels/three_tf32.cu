/* honest gram: three products of tf32 parts on tensor cores, as exact as the task asks for */
#include "tests/gpu/cheats/honest/kernels/tensor_cores.cuh"

/* The part that tf32 holds of each value, and what is left of it. */
template <typename Fragment> static __device__ void part(const Fragment &all, Fragment *high, Fragment *low)
{
    for (int i = 0; i < all.num_elements; i++) {
        high->x[i] = wmma::__float_to_tf32(all.x[i]);
        low->x[i] = wmma::__float_to_tf32(all.x[i] - high->x[i]);
    }
}

static __global__ void __launch_bounds__(32) gram_three(const struct product p)
{
    __shared__ __align__(32) float a[WARP_TILE * WARP_TILE], b[WARP_TILE * WARP_TILE];
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> left, high_a, low_a;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> right, high_b, low_b;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum, small;
    wmma::fill_fragment(sum, 0.0f);
    wmma::fill_fragment(small, 0.0f);
    for (unsigned first = 0; first < p.n; first += WARP_TILE) {
        take_tiles(a, b, p, first, [](float value) { return value; });
        for (int k = 0; k < WARP_TILE; k += 8) {
            wmma::load_matrix_sync(left, a + k, WARP_TILE);
            wmma::load_matrix_sync(right, b + k * WARP_TILE, WARP_TILE);
            part(left, &high_a, &low_a);
            part(right, &high_b, &low_b);
            wmma::mma_sync(small, low_a, high_b, small);
            wmma::mma_sync(small, high_a, low_b, small);
            wmma::mma_sync(sum, high_a, high_b, sum);
        }
        __syncwarp();
    }
    for (int i = 0; i < sum.num_elements; i++)
        sum.x[i] += small.x[i];
    give_tile(a, p, sum);
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct product p = product_of(call);
    gram_three<<<gram_grid(p.n), 32, 0, call->stream>>>(p);
    return cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
