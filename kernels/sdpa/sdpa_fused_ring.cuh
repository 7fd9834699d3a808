/* sdpa_fused_ring.cuh - a block that goes through all tiles with the softmax in registers and a ring of two (stage 3b
 * and what changes one aspect of it), with its marks (docs/inside.md). */
#ifndef CPPROF_SDPA_FUSED_RING_CUH
#define CPPROF_SDPA_FUSED_RING_CUH

#include "cpprof/record.cuh"
#include "kernels/sdpa/sdpa_fused.cuh"

namespace sdpa
{

/* Marks of a tile. All warps of a block do the same. */
CPPROF_NAMES(WAIT, REFILL, SCORES, WEIGHTS, VALUES, END);

/* fused_work with its marks. */
template <class LAYOUT, class EXP>
static __device__ __forceinline__ void marked_work(float sums[D_GROUPS][4], softmax &state,
                                                   const unsigned q[D_STEPS][4], const tile &in, float scale, int keys,
                                                   const EXP &exponential CPPROF_TAKES(r, 0))
{
    float scores[KEY_GROUPS][4];
    CPPROF_PHASE(r, SCORES);
    two_rows top = fused_score<LAYOUT, EXP>(scores, state, q, in, scale, keys);
    CPPROF_HOLD_F(top.low);
    CPPROF_HOLD_F(top.high);
    CPPROF_PHASE(r, WEIGHTS);
    const two_rows keep = fused_weigh(scores, state, top, exponential);
    CPPROF_HOLD_F(state.total.low);
    CPPROF_HOLD_F(state.total.high);
    CPPROF_PHASE(r, VALUES);
    fused_add<LAYOUT>(sums, scores, keep, in);
    CPPROF_PHASE(r, END);
}

/* Runs it over all tiles with a ring of two, as in stage 2. */
template <class LAYOUT, class EXP>
static __device__ __forceinline__ void attend_fused(tile ring[2], const sdpa_problem &p,
                                                    const EXP &exponential CPPROF_TAKES(r, 0))
{
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
        marked_work<LAYOUT>(sums, state, q, ring[now], h.score_scale, h.s - first, exponential CPPROF_GIVES(r));
        CPPROF_TILE_END(r);
        now ^= 1;
    }
    finish_rows(sums, state.total, h, first_query());
}

} // namespace sdpa

#endif
