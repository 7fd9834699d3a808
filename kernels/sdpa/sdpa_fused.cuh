/* sdpa_fused.cuh - the whole online softmax in the registers of the score tile (stage 3b), for variants that change one
 * aspect of it: where a tile's chunks are, or how weights are computed. */
#ifndef CPPROF_SDPA_FUSED_CUH
#define CPPROF_SDPA_FUSED_CUH

#include "cpprof/record.cuh"
#include "kernels/sdpa/sdpa_registers.cuh"

namespace sdpa
{

/* What a lane keeps of its two queries: the largest scores, and its part of the sums of weights. */
struct softmax {
    two_rows top, total;
};

static __device__ __forceinline__ softmax softmax_begin()
{
    return {{-INFINITY, -INFINITY}, {0, 0}};
}

/* Finds the largest of the tile's scores, in the lane and then among the query's four lanes. The first tile has a key,
 * so the largest is finite from then on; before it, exact(-infinity) = 0 scales sums that are 0. */
template <class LAYOUT, class EXP>
static __device__ __forceinline__ void fused_work(float sums[D_GROUPS][4], softmax &state, const unsigned q[D_STEPS][4],
                                                  const tile &in, float scale, int keys, const EXP &exponential)
{
    float scores[KEY_GROUPS][4];
    multiply_keys<LAYOUT>(scores, q, in.k, scale * EXP::SCALE, keys);
    two_rows top = state.top;
#pragma unroll
    for (int n = 0; n < KEY_GROUPS; n++) {
        top.low = fmaxf(top.low, fmaxf(scores[n][0], scores[n][1]));
        top.high = fmaxf(top.high, fmaxf(scores[n][2], scores[n][3]));
    }
    top = {max_of_four(top.low), max_of_four(top.high)};
    const two_rows keep = {EXP::exact(state.top.low - top.low), EXP::exact(state.top.high - top.high)};
    const two_rows more = weigh_in_place(scores, top, exponential);
    state.top = top;
    state.total = {state.total.low * keep.low + more.low, state.total.high * keep.high + more.high};
    scale_rows(sums, keep.low, keep.high);
    add_values<LAYOUT>(sums, scores, in.v);
}

/* Runs it over all tiles with a ring of two, as in stage 2. All warps of a block do the same. */
template <class LAYOUT, class EXP>
static __device__ __forceinline__ void attend_fused(tile ring[2], const sdpa_problem &p,
                                                    const EXP &exponential CPPROF_TAKES(r, 0))
{
    CPPROF_NAMES(WAIT, REFILL, MATH, END);
    const head h = head_of(p, (int)blockIdx.y);
    fill<true, LAYOUT>(ring[0], h, 0);
    __pipeline_commit();
    unsigned q[D_STEPS][4];
    load_queries(q, h, first_query());
    float sums[D_GROUPS][4] = {};
    softmax state = softmax_begin();
    int now = 0;
    for (int first = 0; first < h.s; first += KEYS) {
        CPPROF_PHASE(r, WAIT);
        __pipeline_wait_prior(0);
        __syncthreads();
        CPPROF_PHASE(r, REFILL);
        if (first + KEYS < h.s)
            fill<true, LAYOUT>(ring[now ^ 1], h, first + KEYS);
        __pipeline_commit();
        CPPROF_PHASE(r, MATH);
        fused_work<LAYOUT>(sums, state, q, ring[now], h.score_scale, h.s - first, exponential);
        CPPROF_PHASE(r, END);
        CPPROF_TILE_END(r);
        now ^= 1;
    }
    finish_rows(sums, state.total, h, first_query());
}

} // namespace sdpa

#endif
