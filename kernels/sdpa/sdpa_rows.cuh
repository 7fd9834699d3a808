/* sdpa_rows.cuh - the online softmax of a warp whose scores lie in shared memory (stages 1 to 4).
 *
 * The warp's tile of scores is 32 keys x 16 queries. Lanes q and q + 16 look after query q, one takes the
 * even keys, one the odd ones.
 */
#ifndef CPPROF_SDPA_ROWS_CUH
#define CPPROF_SDPA_ROWS_CUH

#include "kernels/sdpa/sdpa_tile.cuh"

namespace sdpa
{

/* Stored key by key, with 4 floats more than queries, so that the 32 lanes of a store (8 queries of 4 keys, each two
 * keys apart) use 32 banks. */
enum { SCORE_STRIDE = WARP_QUERIES + 4 };
struct score_tile {
    float at[KEYS * SCORE_STRIDE];
};

/* The state of a query, in both of its lanes. */
struct row_state {
    float top;   /* the largest score */
    float total; /* sum of the weights */
};

static __device__ __forceinline__ void put_scores(score_tile &to, const float scores[KEY_GROUPS][4])
{
    const int row = (int)threadIdx.x % WARP / 4, key = (int)threadIdx.x % 4 * 2;
#pragma unroll
    for (int n = 0; n < KEY_GROUPS; n++)
#pragma unroll
        for (int i = 0; i < 4; i++)
            to.at[(n * 8 + key + i % 2) * SCORE_STRIDE + row + i / 2 * 8] = scores[n][i];
}

/* Raises `top` to the largest of the tile's scores. Returns the factor for earlier weights and sums. */
static __device__ __forceinline__ float raise_top(row_state &state, const score_tile &scores)
{
    const int row = (int)threadIdx.x % WARP_QUERIES, odd = (int)threadIdx.x % WARP / WARP_QUERIES;
    float top = state.top;
#pragma unroll
    for (int key = odd; key < KEYS; key += 2)
        top = fmaxf(top, scores.at[key * SCORE_STRIDE + row]);
    top = fmaxf(top, __shfl_xor_sync(~0u, top, WARP_QUERIES));
    const float keep = expf(state.top - top);
    state.top = top;
    state.total *= keep;
    return keep;
}

/* Computes the weights of this lane's keys for put(key, query, weight), and adds them to the total of both lanes. */
template <class PUT> static __device__ __forceinline__ void weigh(row_state &state, const score_tile &scores, PUT put)
{
    const int row = (int)threadIdx.x % WARP_QUERIES, odd = (int)threadIdx.x % WARP / WARP_QUERIES;
    float total = 0;
#pragma unroll
    for (int key = odd; key < KEYS; key += 2) {
        const float weight = expf(scores.at[key * SCORE_STRIDE + row] - state.top);
        total += weight;
        put(key, row, weight);
    }
    state.total += total + __shfl_xor_sync(~0u, total, WARP_QUERIES);
}

/* Returns the value that the lanes of query `row` have. */
static __device__ __forceinline__ float of_row(float value, int row)
{
    return __shfl_sync(~0u, value, row);
}

} // namespace sdpa

#endif
