/* sdpa_baseline.cu - attention as its formula is written: a thread per query, one key after the other.
 *
 * For each key the thread adds up the dot product and updates the online softmax: `top` is the largest score so far.
 * When a larger one comes, the earlier sums are scaled down by exp(old - new). All threads of a warp read the same key
 * and the same value. */
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include "kernels/sdpa/sdpa.h"
#include "kernels/sdpa/sdpa_bench.h"

enum { THREADS = 64, PAIRS = SDPA_D / 2 };

static __device__ float2 load_pair(const uint8_t *row, int pair)
{
    const __nv_fp8x2_storage_t two = reinterpret_cast<const __nv_fp8x2_storage_t *>(row)[pair];
    return __half22float2(__half2(__nv_cvt_fp8x2_to_halfraw2(two, __NV_E4M3)));
}

/* The output accumulates in registers; the query is read again for each key. */
__global__ void __launch_bounds__(THREADS) sdpa_baseline(struct sdpa_problem p)
{
    const size_t head = blockIdx.y, first = head * (size_t)p.s;
    const int query = (int)(blockIdx.x * THREADS + threadIdx.x);
    if (query >= p.s)
        return;
    const uint8_t *q = p.q + (first + query) * SDPA_D, *k = p.k + first * SDPA_D, *v = p.v + first * SDPA_D;
    const float scale = p.q_scale[head] * p.k_scale[head] * 0.125f; /* 1 / sqrt(64) */
    float2 sum[PAIRS] = {};
    float top = -INFINITY, total = 0;
    for (int key = 0; key < p.s; key++, k += SDPA_D, v += SDPA_D) {
        float score = 0;
#pragma unroll 4
        for (int i = 0; i < PAIRS; i++) {
            const float2 left = load_pair(q, i), right = load_pair(k, i);
            score += left.x * right.x + left.y * right.y;
        }
        score *= scale;
        const float new_top = fmaxf(top, score), keep = expf(top - new_top), weight = expf(score - new_top);
#pragma unroll
        for (int i = 0; i < PAIRS; i++) {
            const float2 value = load_pair(v, i);
            sum[i].x = sum[i].x * keep + weight * value.x;
            sum[i].y = sum[i].y * keep + weight * value.y;
        }
        total = total * keep + weight;
        top = new_top;
    }
    const float norm = p.v_scale[head] / total;
    float2 *out = reinterpret_cast<float2 *>(p.out + (first + query) * SDPA_D);
#pragma unroll
    for (int i = 0; i < PAIRS; i++)
        out[i] = make_float2(sum[i].x * norm, sum[i].y * norm);
}

static int launch(const struct sdpa_problem *p, struct CUstream_st *stream)
{
    const unsigned blocks = (unsigned)((p->s + THREADS - 1) / THREADS);
    sdpa_baseline<<<dim3(blocks, (unsigned)p->heads), THREADS, 0, stream>>>(*p);
    return cudaGetLastError();
}

extern "C" const struct cpprof_variant sdpa_baseline_variants[SDPA_BASELINE_COUNT] = {
    SDPA_VARIANT("baseline", "scalar: a thread per query, a key at a time", "sdpa_baseline", sdpa_expect_scalar, NULL,
                 0, launch, NULL, NULL),
};
