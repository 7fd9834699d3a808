/* sdpa_stage3a.cu - the score tile is reused: a lane need not read back what it has in its accumulators.
 *
 * Stage 2 writes scores to shared memory, reads them for the largest, reads them again for the weights, writes the
 * weights and loads them as operand. Here the scores are written and read once, for the largest. The weights are
 * computed from the accumulators in place, where they already are the operand. */
#include <cuda_runtime.h>

#include "cpprof/record.cuh"
#include "kernels/sdpa/sdpa.h"
#include "kernels/sdpa/sdpa_registers.cuh"
#include "kernels/sdpa/sdpa_rows.cuh"
#include "kernels/sdpa/sdpa_tile.cuh"

using namespace sdpa;

/* Marks of a tile. All warps of a block do the same. */
CPPROF_NAMES(WAIT, REFILL, MATH, END);
CPPROF_PHASE_TABLE({"block", "wait", 0, WAIT, CPPROF_PHASE_WAIT, REFILL, 0, NULL},
                   {"block", "refill", 0, REFILL, CPPROF_PHASE_ISSUE, MATH, 1, NULL},
                   {"block", "compute", 0, MATH, CPPROF_PHASE_COMPUTE, END, 0, NULL});

static __device__ __forceinline__ void work(float sums[D_GROUPS][4], row_state &state, two_rows &total,
                                            const unsigned q[D_STEPS][4], const tile &in, score_tile &mine, float scale,
                                            int keys)
{
    const int row = (int)threadIdx.x % WARP / 4;
    float scores[KEY_GROUPS][4];
    multiply_keys<linear>(scores, q, in.k, scale, keys);
    put_scores(mine, scores);
    __syncwarp();
    const float keep = raise_top(state, mine);
    const two_rows factor = {of_row(keep, row), of_row(keep, row + 8)};
    const two_rows top = {of_row(state.top, row), of_row(state.top, row + 8)};
    const two_rows more = weigh_in_place(scores, top, library_exp());
    total = {total.low * factor.low + more.low, total.high * factor.high + more.high};
    scale_rows(sums, factor.low, factor.high);
    add_values<linear>(sums, scores, in.v);
}

__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM) sdpa_stage3a(struct sdpa_problem p CPPROF_PARAM)
{
    __shared__ tile ring[2];
    __shared__ score_tile scores[WARPS];
    const head h = head_of(p, (int)blockIdx.y);
    fill<true, linear>(ring[0], h, 0);
    __pipeline_commit();
    unsigned q[D_STEPS][4];
    load_queries(q, h, first_query());
    float sums[D_GROUPS][4] = {};
    row_state state = {-INFINITY, 0};
    two_rows total = {0, 0};
    int now = 0;
    CPPROF_RECORDER(r, 0);
    for (int first = 0; first < h.s; first += KEYS) {
        CPPROF_PHASE(r, WAIT);
        __pipeline_wait_prior(0);
        __syncthreads(); /* also: the warp has read its scores before the next ones overwrite them */
        CPPROF_PHASE(r, REFILL);
        if (first + KEYS < h.s)
            fill<true, linear>(ring[now ^ 1], h, first + KEYS);
        __pipeline_commit();
        CPPROF_PHASE(r, MATH);
        work(sums, state, total, q, ring[now], scores[threadIdx.x / WARP], h.score_scale, h.s - first);
        CPPROF_PHASE(r, END);
        CPPROF_TILE_END(r);
        now ^= 1;
    }
    CPPROF_RECORDER_END(r);
    finish_rows(sums, total, h, first_query());
}

static int launch(const struct sdpa_problem *p, struct CUstream_st *stream)
{
    sdpa_stage3a<<<grid_of(*p), THREADS, 0, stream>>>(*p CPPROF_ARG);
    return cudaGetLastError();
}

extern "C" const struct cpprof_variant sdpa_stage3a_variants[SDPA_STAGE3A_COUNT] = {
    SDPA_VARIANT("stage3a", "stage2 with weights computed and used in registers", "sdpa_stage3a", sdpa_expect_async,
                 NULL, 2 * sizeof(tile) + WARPS * sizeof(score_tile), launch, "instructions down; dram_bytes flat 3%",
                 "sdpa/stage2"),
};
