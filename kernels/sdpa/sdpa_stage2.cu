/* sdpa_stage2.cu - tensor cores for the second product as well; then: does a third tile in the ring help?
 *
 *   stage2  weights as halves in shared memory are the left operand of weights x values, the output
 *           grows in accumulators; a ring of 2 tiles
 *   stage4  a ring of 3 tiles, two of them under way: the same bits
 *
 * One more tile hides one more tile's work of latency. It can only help when a tile takes longer to
 * come than another takes to be worked on.
 */
#include <cuda_runtime.h>

#include "cpprof/record.cuh"
#include "kernels/sdpa/sdpa.h"
#include "kernels/sdpa/sdpa_rows.cuh"
#include "kernels/sdpa/sdpa_tile.cuh"

using namespace sdpa;

/* Marks of a tile. All warps of a block do the same. */
CPPROF_NAMES(WAIT, REFILL, MATH, END);
CPPROF_PHASE_TABLE({"block", "wait", 0, WAIT, CPPROF_PHASE_WAIT, REFILL, 0, NULL},
                   {"block", "refill", 0, REFILL, CPPROF_PHASE_ISSUE, MATH, 1, "sdpa/stage2"},
                   {"block", "refill", 0, REFILL, CPPROF_PHASE_ISSUE, MATH, 2, "sdpa/stage4"},
                   {"block", "compute", 0, MATH, CPPROF_PHASE_COMPUTE, END, 0, NULL});

/* The warp's weights, query by query, with 8 halves more than keys, so that the 32 lanes of a load (8 rows, 4 pairs of
 * halves) use 32 banks. */
enum { WEIGHT_STRIDE = KEYS + 8 };
struct weight_tile {
    __half at[WARP_QUERIES * WEIGHT_STRIDE];
};

/* Loads 16 queries x 16 keys from `first` on as left operand. */
static __device__ __forceinline__ void load_weights(unsigned a[4], const weight_tile &weights, int first)
{
    const int row = (int)threadIdx.x % WARP / 4, key = first + (int)threadIdx.x % 4 * 2;
    const __half *low = weights.at + row * WEIGHT_STRIDE + key, *high = low + 8 * WEIGHT_STRIDE;
    a[0] = *reinterpret_cast<const unsigned *>(low);
    a[1] = *reinterpret_cast<const unsigned *>(high);
    a[2] = *reinterpret_cast<const unsigned *>(low + 8);
    a[3] = *reinterpret_cast<const unsigned *>(high + 8);
}

static __device__ __forceinline__ void work(float sums[D_GROUPS][4], row_state &state, const unsigned q[D_STEPS][4],
                                            const tile &in, score_tile &my_scores, weight_tile &my_weights, float scale,
                                            int keys)
{
    const int row = (int)threadIdx.x % WARP / 4;
    float scores[KEY_GROUPS][4];
    multiply_keys<linear>(scores, q, in.k, scale, keys);
    put_scores(my_scores, scores);
    __syncwarp();
    const float keep = raise_top(state, my_scores);
    weigh(state, my_scores, [&](int key, int query, float weight) {
        my_weights.at[query * WEIGHT_STRIDE + key] = __float2half_rn(weight);
    });
    scale_rows(sums, of_row(keep, row), of_row(keep, row + 8));
    __syncwarp(); /* also: all lanes have read the scores before the next ones overwrite them */
#pragma unroll
    for (int i = 0; i < KEY_STEPS; i++) {
        unsigned weights[4];
        load_weights(weights, my_weights, i * 16);
        multiply_values<linear>(sums, weights, in.v, i * 16);
    }
}

template <int STAGES> static __device__ __forceinline__ void attend(const sdpa_problem &p CPPROF_TAKES(r, 0))
{
    __shared__ tile ring[STAGES];
    __shared__ score_tile scores[WARPS];
    __shared__ __align__(4) weight_tile weights[WARPS];
    const int warp = (int)threadIdx.x / WARP, row = (int)threadIdx.x % WARP / 4;
    const head h = head_of(p, (int)blockIdx.y);
    for (int i = 0; i < STAGES - 1; i++) {
        if (i * KEYS < h.s)
            fill<true, linear>(ring[i], h, i * KEYS);
        __pipeline_commit();
    }
    unsigned q[D_STEPS][4];
    load_queries(q, h, first_query());
    float sums[D_GROUPS][4] = {};
    row_state state = {-INFINITY, 0};
    int now = 0, next = STAGES - 1;
    for (int first = 0; first < h.s; first += KEYS) {
        CPPROF_PHASE(r, WAIT);
        __pipeline_wait_prior(STAGES - 2); /* this thread's chunks of the tile have landed */
        __syncthreads(); /* so have all other threads', and all are done with the tile refilled next */
        CPPROF_PHASE(r, REFILL);
        if (first + (STAGES - 1) * KEYS < h.s)
            fill<true, linear>(ring[next], h, first + (STAGES - 1) * KEYS);
        __pipeline_commit(); /* an empty group at the end keeps the count of groups right */
        CPPROF_PHASE(r, MATH);
        work(sums, state, q, ring[now], scores[warp], weights[warp], h.score_scale, h.s - first);
        CPPROF_PHASE(r, END);
        CPPROF_TILE_END(r);
        now = now + 1 == STAGES ? 0 : now + 1;
        next = next + 1 == STAGES ? 0 : next + 1;
    }
    const float norm = h.value_scale / state.total;
    scale_rows(sums, of_row(norm, row), of_row(norm, row + 8));
    store_rows(sums, h, first_query());
}

__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM) sdpa_stage2(struct sdpa_problem p CPPROF_PARAM)
{
    CPPROF_RECORDER(r, 0);
    attend<2>(p CPPROF_GIVES(r));
    CPPROF_RECORDER_END(r);
}

__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM) sdpa_stage4(struct sdpa_problem p CPPROF_PARAM)
{
    CPPROF_RECORDER(r, 0);
    attend<3>(p CPPROF_GIVES(r));
    CPPROF_RECORDER_END(r);
}

static int launch_two(const struct sdpa_problem *p, struct CUstream_st *stream)
{
    sdpa_stage2<<<grid_of(*p), THREADS, 0, stream>>>(*p CPPROF_ARG);
    return cudaGetLastError();
}

static int launch_three(const struct sdpa_problem *p, struct CUstream_st *stream)
{
    sdpa_stage4<<<grid_of(*p), THREADS, 0, stream>>>(*p CPPROF_ARG);
    return cudaGetLastError();
}

#define SHARED(STAGES) ((STAGES) * sizeof(tile) + WARPS * (sizeof(score_tile) + sizeof(weight_tile)))

extern "C" const struct cpprof_variant sdpa_stage2_variants[SDPA_STAGE2_COUNT] = {
    SDPA_VARIANT("stage2", "tensor cores for both products, a ring of 2 tiles", "sdpa_stage2", sdpa_expect_async, NULL,
                 SHARED(2), launch_two, "tensor_cycles up; fma_share down; dram_bytes flat 3%", "sdpa/stage1"),
    SDPA_VARIANT("stage4", "stage2 with a ring of 3 tiles", "sdpa_stage4", sdpa_expect_async, NULL, SHARED(3),
                 launch_three, "stall_long_scoreboard down; dram_bytes flat 3%", "sdpa/stage2"),
};
