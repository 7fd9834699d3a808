/* sdpa_stage1.cu - tensor cores for the scores; then: does prefetching K and V with cp.async pay?
 *
 *   stage1-sync  load a tile, barrier, work, barrier. The control: the same arithmetic, plain loads
 *   stage1       a ring of two tiles: the next one is under way while this one is worked on
 *
 * Both give the same bits. The second product is still scalar: a lane has two columns of the warp's 16
 * queries, reads their values once for each key and the 16 weights as four float4.
 */
#include <cuda_runtime.h>

#include "cpprof/record.cuh"
#include "kernels/sdpa/sdpa.h"
#include "kernels/sdpa/sdpa_rows.cuh"
#include "kernels/sdpa/sdpa_tile.cuh"

using namespace sdpa;

/* Marks of a tile. All warps of a block do the same. */
CPPROF_NAMES(WAIT, REFILL, MATH, END);
CPPROF_PHASE_TABLE({"block", "load and wait", 0, WAIT, CPPROF_PHASE_ISSUE, MATH, 0, "sdpa/stage1-sync"},
                   {"block", "load and wait", 0, WAIT, CPPROF_PHASE_WAIT, MATH, 0, "sdpa/stage1-sync"},
                   {"block", "wait", 0, WAIT, CPPROF_PHASE_WAIT, REFILL, 0, "sdpa/stage1"},
                   {"block", "refill", 0, REFILL, CPPROF_PHASE_ISSUE, MATH, 1, "sdpa/stage1"},
                   {"block", "compute", 0, MATH, CPPROF_PHASE_COMPUTE, END, 0, NULL});

/* The accumulating output of a warp: columns 2 lane and 2 lane + 1 of each query. */
struct columns {
    float2 of_query[WARP_QUERIES];
};

static __device__ __forceinline__ void add_key(columns &sums, const float4 weights[WARP_QUERIES / 4], float2 value)
{
#pragma unroll
    for (int i = 0; i < WARP_QUERIES; i++) {
        const float4 &four = weights[i / 4];
        const float weight = i % 4 == 0 ? four.x : i % 4 == 1 ? four.y : i % 4 == 2 ? four.z : four.w;
        sums.of_query[i].x = fmaf(weight, value.x, sums.of_query[i].x);
        sums.of_query[i].y = fmaf(weight, value.y, sums.of_query[i].y);
    }
}

/* All work on a tile, however it was loaded. */
static __device__ __forceinline__ void work(columns &sums, row_state &state, const unsigned q[D_STEPS][4],
                                            const tile &in, score_tile &mine, float scale, int keys)
{
    float scores[KEY_GROUPS][4];
    multiply_keys<linear>(scores, q, in.k, scale, keys);
    put_scores(mine, scores);
    __syncwarp();
    const float keep = raise_top(state, mine);
    weigh(state, mine, [&](int key, int row, float weight) { mine.at[key * SCORE_STRIDE + row] = weight; });
#pragma unroll
    for (int i = 0; i < WARP_QUERIES; i++) {
        const float factor = of_row(keep, i);
        sums.of_query[i].x *= factor;
        sums.of_query[i].y *= factor;
    }
    __syncwarp();
#pragma unroll 2
    for (int key = 0; key < KEYS; key++) {
        const float4 *weights = reinterpret_cast<const float4 *>(mine.at + key * SCORE_STRIDE);
        const float4 four[] = {weights[0], weights[1], weights[2], weights[3]};
        const unsigned pair = reinterpret_cast<const uint16_t *>(in.v + key * SDPA_D)[threadIdx.x % WARP];
        const unsigned halves = odd_halves(pair << 8 | pair << 16);
        add_key(sums, four, __half22float2(*reinterpret_cast<const __half2 *>(&halves)));
    }
    __syncwarp(); /* all lanes have read the weights before scores overwrite them */
}

static __device__ __forceinline__ void finish(const columns &sums, const row_state &state, const head &h)
{
    const int first = first_query(), column = (int)threadIdx.x % WARP;
    const float norm = h.value_scale / state.total;
#pragma unroll
    for (int i = 0; i < WARP_QUERIES; i++) {
        const float factor = of_row(norm, i);
        if (first + i < h.s)
            reinterpret_cast<float2 *>(h.out + (size_t)(first + i) * SDPA_D)[column] =
                make_float2(sums.of_query[i].x * factor, sums.of_query[i].y * factor);
    }
}

__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM) sdpa_stage1_sync(struct sdpa_problem p CPPROF_PARAM)
{
    __shared__ tile one;
    __shared__ __align__(16) score_tile scores[WARPS];
    const head h = head_of(p, (int)blockIdx.y);
    unsigned q[D_STEPS][4];
    load_queries(q, h, first_query());
    columns sums = {};
    row_state state = {-INFINITY, 0};
    CPPROF_RECORDER(r, 0);
    for (int first = 0; first < h.s; first += KEYS) {
        CPPROF_PHASE(r, WAIT);
        fill<false, linear>(one, h, first);
        __syncthreads();
        CPPROF_PHASE(r, MATH);
        work(sums, state, q, one, scores[threadIdx.x / WARP], h.score_scale, h.s - first);
        CPPROF_PHASE(r, END);
        CPPROF_TILE_END(r);
        __syncthreads(); /* all threads have read the tile before it is overwritten */
    }
    CPPROF_RECORDER_END(r);
    finish(sums, state, h);
}

__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM) sdpa_stage1(struct sdpa_problem p CPPROF_PARAM)
{
    __shared__ tile ring[2];
    __shared__ __align__(16) score_tile scores[WARPS];
    const head h = head_of(p, (int)blockIdx.y);
    fill<true, linear>(ring[0], h, 0);
    __pipeline_commit();
    unsigned q[D_STEPS][4];
    load_queries(q, h, first_query());
    columns sums = {};
    row_state state = {-INFINITY, 0};
    int now = 0;
    CPPROF_RECORDER(r, 0);
    for (int first = 0; first < h.s; first += KEYS) {
        CPPROF_PHASE(r, WAIT);
        __pipeline_wait_prior(0); /* this thread's chunks of the tile have landed */
        __syncthreads();          /* so have all other threads', and all are done with the other tile */
        CPPROF_PHASE(r, REFILL);
        if (first + KEYS < h.s)
            fill<true, linear>(ring[now ^ 1], h, first + KEYS);
        __pipeline_commit();
        CPPROF_PHASE(r, MATH);
        work(sums, state, q, ring[now], scores[threadIdx.x / WARP], h.score_scale, h.s - first);
        CPPROF_PHASE(r, END);
        CPPROF_TILE_END(r);
        now ^= 1;
    }
    CPPROF_RECORDER_END(r);
    finish(sums, state, h);
}

static int launch_sync(const struct sdpa_problem *p, struct CUstream_st *stream)
{
    sdpa_stage1_sync<<<grid_of(*p), THREADS, 0, stream>>>(*p CPPROF_ARG);
    return cudaGetLastError();
}

static int launch_async(const struct sdpa_problem *p, struct CUstream_st *stream)
{
    sdpa_stage1<<<grid_of(*p), THREADS, 0, stream>>>(*p CPPROF_ARG);
    return cudaGetLastError();
}

extern "C" const struct cpprof_variant sdpa_stage1_variants[SDPA_STAGE1_COUNT] = {
    SDPA_VARIANT("stage1-sync", "tensor cores for the scores, plain loads: the control of stage1", "sdpa_stage1_sync",
                 sdpa_expect_plain, NULL, sizeof(tile) + WARPS * sizeof(score_tile), launch_sync,
                 "tensor_cycles up; dram_bytes flat 3%", "sdpa/baseline"),
    SDPA_VARIANT("stage1", "the same, K and V prefetched by cp.async into a ring of 2 tiles", "sdpa_stage1",
                 sdpa_expect_async, NULL, 2 * sizeof(tile) + WARPS * sizeof(score_tile), launch_async,
                 "stall_long_scoreboard down; tensor_cycles up; dram_bytes flat 3%", "sdpa/stage1-sync"),
};
