/* sdpa_baseline.cu - attention as its formula reads: one warp per query, one key after the other.
 *
 * A lane has two of the 64 columns. For each key the warp adds up the dot product by shuffles and
 * updates the online softmax: `top` is the largest score so far, and when a larger one comes, what
 * was summed under the old one is scaled down by exp(old - new).
 */
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include "kernels/sdpa.h"
#include "kernels/sdpa_bench.h"

enum { WARP = 32, THREADS = 128, BLOCK_QUERIES = THREADS / WARP };

static __device__ float2 decode_pair(const uint8_t *codes)
{
    const __nv_fp8x2_storage_t two = *reinterpret_cast<const __nv_fp8x2_storage_t *>(codes);
    return __half22float2(__half2(__nv_cvt_fp8x2_to_halfraw2(two, __NV_E4M3)));
}

static __device__ float sum_of_warp(float value)
{
    for (int step = WARP / 2; step > 0; step /= 2)
        value += __shfl_xor_sync(~0u, value, step);
    return value;
}

__global__ void __launch_bounds__(THREADS) sdpa_baseline(struct sdpa_problem p)
{
    const size_t head = blockIdx.y, first = head * (size_t)p.s;
    const int query = (int)(blockIdx.x * BLOCK_QUERIES + threadIdx.x / WARP), column = threadIdx.x % WARP * 2;
    if (query >= p.s)
        return;
    const float scale = p.q_scale[head] * p.k_scale[head] * 0.125f; /* 1 / sqrt(64) */
    const float2 q = decode_pair(p.q + (first + query) * SDPA_D + column);
    float top = -INFINITY, total = 0;
    float2 sum = {0, 0};
    for (int key = 0; key < p.s; key++) {
        const size_t at = (first + key) * SDPA_D + column;
        const float2 k = decode_pair(p.k + at), v = decode_pair(p.v + at);
        const float score = scale * sum_of_warp(q.x * k.x + q.y * k.y);
        const float new_top = fmaxf(top, score), keep = expf(top - new_top), weight = expf(score - new_top);
        total = total * keep + weight;
        sum.x = sum.x * keep + weight * v.x;
        sum.y = sum.y * keep + weight * v.y;
        top = new_top;
    }
    const float norm = p.v_scale[head] / total;
    reinterpret_cast<float2 *>(p.out)[((first + query) * SDPA_D + column) / 2] = make_float2(sum.x * norm, sum.y * norm);
}

static int launch(const struct sdpa_problem *p, struct CUstream_st *stream)
{
    const unsigned blocks = (unsigned)((p->s + BLOCK_QUERIES - 1) / BLOCK_QUERIES);
    sdpa_baseline<<<dim3(blocks, (unsigned)p->heads), THREADS, 0, stream>>>(*p);
    return cudaGetLastError();
}

extern "C" const struct cpprof_variant sdpa_baseline_variants[SDPA_BASELINE_COUNT] = {
    SDPA_VARIANT("baseline", "scalar: a warp per query, a key at a time", "sdpa_baseline", sdpa_expect_scalar, NULL, 0, launch,
                 NULL),
};
