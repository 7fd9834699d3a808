/* sdpa_fused.cuh - the whole online softmax in the registers of the score tile (stage 3b), for variants that change one
 * aspect of it: where a tile's chunks are, or how weights are computed. */
#ifndef CPPROF_SDPA_FUSED_CUH
#define CPPROF_SDPA_FUSED_CUH

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

/* Computes a tile's scores and finds the largest, in the lane and then among the query's four lanes. Returns the
 * largest so far. The first tile has a key, so it is finite from then on. */
template <class LAYOUT, class EXP>
static __device__ __forceinline__ two_rows fused_score(float scores[KEY_GROUPS][4], const softmax &state,
                                                       const unsigned q[D_STEPS][4], const tile &in, float scale,
                                                       int keys)
{
    multiply_keys<LAYOUT>(scores, q, in.k, scale * EXP::SCALE, keys);
    two_rows top = state.top;
#pragma unroll
    for (int n = 0; n < KEY_GROUPS; n++) {
        top.low = fmaxf(top.low, fmaxf(scores[n][0], scores[n][1]));
        top.high = fmaxf(top.high, fmaxf(scores[n][2], scores[n][3]));
    }
    return {max_of_four(top.low), max_of_four(top.high)};
}

/* Turns scores into weights in place. Returns the factors by which earlier sums shrink: before the first tile,
 * exact(-infinity) = 0 scales sums that are 0. */
template <class EXP>
static __device__ __forceinline__ two_rows fused_weigh(float scores[KEY_GROUPS][4], softmax &state, two_rows top,
                                                       const EXP &exponential)
{
    const two_rows keep = {EXP::exact(state.top.low - top.low), EXP::exact(state.top.high - top.high)};
    const two_rows more = weigh_in_place(scores, top, exponential);
    state.top = top;
    state.total = {state.total.low * keep.low + more.low, state.total.high * keep.high + more.high};
    return keep;
}

template <class LAYOUT>
static __device__ __forceinline__ void fused_add(float sums[D_GROUPS][4], const float weights[KEY_GROUPS][4],
                                                 two_rows keep, const tile &in)
{
    scale_rows(sums, keep.low, keep.high);
    add_values<LAYOUT>(sums, weights, in.v);
}

/* All work on a tile. */
template <class LAYOUT, class EXP>
static __device__ __forceinline__ void fused_work(float sums[D_GROUPS][4], softmax &state, const unsigned q[D_STEPS][4],
                                                  const tile &in, float scale, int keys, const EXP &exponential)
{
    float scores[KEY_GROUPS][4];
    const two_rows top = fused_score<LAYOUT, EXP>(scores, state, q, in, scale, keys);
    const two_rows keep = fused_weigh(scores, state, top, exponential);
    fused_add<LAYOUT>(sums, scores, keep, in);
}

} // namespace sdpa

#endif
