/* sdpa_wgmma.cu - what only compute capability 9.0 has: tensor maps, wgmma on e4m3, warpgroups with roles.
 *
 * A block has 128 queries, 64 for each of two warpgroups that multiply, and goes through the keys 128 at a time. A
 * third warpgroup loads the tiles: one of its threads starts the copies, which tensor maps describe, and all of it
 * decodes V. K is not decoded: the first product takes e4m3 from shared memory. The second product takes halves:
 * weights with three bits of mantissa would move an output by up to 2^-4 x 4.75, five times the tolerance.
 *
 * Exponentials are the bottleneck. So the two warpgroups take turns at them: while one computes its weights, the other
 * multiplies, packs and scales. Every eighth exponential is a polynomial on the FMA pipe (exp2poly). The products for
 * the scores of the next tile are started before those for the values of this one, so that they come first. */
#include "kernels/sdpa/sdpa_wgmma.cuh"

using namespace sdpa;

enum { RING = 4 };

/* Weights are computed for the next tile, while the products for the values of this one are
 * still under way. */
CPPROF_NAMES(PACK, TILES, PRODUCTS, MAXIMA, TURN, WEIGHTS, VALUES, SCALE);
CPPROF_PHASE_TABLE({"load", "refill", LOAD, REFILL, CPPROF_PHASE_ISSUE, ARRIVE, RING - LAG, NULL},
                   {"load", "wait for tile", LOAD, ARRIVE, CPPROF_PHASE_WAIT, DECODE, 0, NULL},
                   {"load", "decode", LOAD, DECODE, CPPROF_PHASE_TRANSFORM, HANDED, 0, NULL},
                   {"attend", "pack", ATTEND, PACK, CPPROF_PHASE_TRANSFORM, TILES, 0, NULL},
                   {"attend", "wait for tiles", ATTEND, TILES, CPPROF_PHASE_WAIT, PRODUCTS, 0, NULL},
                   {"attend", "QK", ATTEND, PRODUCTS, CPPROF_PHASE_COMPUTE, MAXIMA, 1, NULL},
                   {"attend", "PV", ATTEND, PRODUCTS, CPPROF_PHASE_COMPUTE, SCALE, 0, NULL},
                   {"attend", "maxima", ATTEND, MAXIMA, CPPROF_PHASE_COMPUTE, TURN, 1, NULL},
                   {"attend", "wait for turn", ATTEND, TURN, CPPROF_PHASE_OTHER, WEIGHTS, 1, NULL},
                   {"attend", "softmax", ATTEND, WEIGHTS, CPPROF_PHASE_COMPUTE, VALUES, 1, NULL},
                   {"attend", "wait for PV", ATTEND, VALUES, CPPROF_PHASE_OTHER, SCALE, 0, NULL},
                   {"attend", "scale", ATTEND, SCALE, CPPROF_PHASE_COMPUTE, 0, 0, NULL});

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
/* Turns: on barriers 1 and 2 a group waits for its own until the other group arrives there. */
static __device__ __forceinline__ void wait_for_turn(int group)
{
    asm volatile("bar.sync %0, %1;" ::"r"(1 + group), "n"(GROUPS * GROUP) : "memory");
}
static __device__ __forceinline__ void give_turn(int group)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(1 + group), "n"(GROUPS * GROUP) : "memory");
}

/* Turns scores into weights in place, alternating with the other group, which may begin when this one's are computed,
 * if it still has some. Returns this lane's part of their sums. */
static __device__ __forceinline__ two_rows weigh_scores(float s[SCORES], two_rows top, float scale, int group,
                                                        bool more CPPROF_TAKES(r, ATTEND))
{
    const two_rows shift = {top.low * scale, top.high * scale};
    CPPROF_PHASE(r, TURN);
    wait_for_turn(group);
    CPPROF_PHASE(r, WEIGHTS);
#pragma unroll
    for (int i = 0; i < SCORES; i++) {
        const float x = fmaf(s[i], scale, i % 4 < 2 ? -shift.low : -shift.high);
        s[i] = i % 16 < 2 ? exp2_polynomial(x) : exp2_fast(x);
    }
    hold_scores(s);
    if (group == 0 || more)
        give_turn(1 - group);
    two_rows total = {0, 0};
#pragma unroll
    for (int i = 0; i < SCORES; i += 4)
        total = {total.low + (s[i] + s[i + 1]), total.high + (s[i + 2] + s[i + 3])};
    return total;
}

/* In turn: pack the weights of a tile, start the products for the scores of the next tile and for the sums of this one,
 * and compute the next weights while the sums are still running. After the last tile one more product runs whose result
 * is not used: with products in a branch the compiler would wait for each of them. */
static __device__ __forceinline__ void attend(wgmma_shared<RING> &mine, const head &h, int group,
                                              int tiles CPPROF_TAKES(r, ATTEND))
{
    const float scale = exponent_scale(h);
    const uint64_t q = descriptor(mine.q + group * GROUP_QUERIES * SDPA_D, SDPA_D, SWIZZLE_64);
    float s[SCORES], sums[SUMS] = {};
    unsigned w[TILE_STEPS][4];
    two_rows top = {-INFINITY, -INFINITY};
    barrier_wait(&mine.queries, 0);
    barrier_wait(&mine.full[0], 0);
    products_begin();
    start_scores(s, q, mine.ring[0].k);
    products_wait<0>();
    hold_scores(s);
    raise_tops(top, s, scale, h.s);
    if (group == 1)
        give_turn(0);
    two_rows total = weigh_scores(s, top, scale, group, tiles > 1 CPPROF_GIVES(r));
    for (int tile = 0; tile < tiles; tile++) {
        const int next = min(tile + 1, tiles - 1);
        CPPROF_PHASE(r, PACK);
#pragma unroll
        for (int i = 0; i < SCORES; i += 2)
            w[i / 8][i / 2 % 4] = two_halves(s[i], s[i + 1]);
        CPPROF_PHASE(r, TILES);
        barrier_wait(&mine.full[next % RING], next / RING % 2);
        barrier_wait(&mine.decoded[tile % RING], tile / RING % 2);
        hold_scores(s);
        hold_sums(sums);
        hold_weights(w);
        CPPROF_PHASE(r, PRODUCTS);
        products_begin();
        start_scores(s, q, mine.ring[next % RING].k);
        start_values(sums, w, mine.ring[tile % RING].v);
        products_wait<1>();
        hold_scores(s);
        CPPROF_PHASE(r, MAXIMA);
        two_rows keep = {1, 1};
        if (tile + 1 < tiles) {
            keep = raise_tops(top, s, scale, h.s - next * TILE_KEYS);
            const two_rows more = weigh_scores(s, top, scale, group, tile + 2 < tiles CPPROF_GIVES(r));
            total = {total.low * keep.low + more.low, total.high * keep.high + more.high};
        }
        CPPROF_PHASE(r, VALUES);
        products_wait<0>();
        hold_sums(sums);
        hold_weights(w);
        CPPROF_PHASE(r, SCALE);
        if (threadIdx.x % WARP == 0)
            barrier_arrive(&mine.empty[tile % RING]);
#pragma unroll
        for (int i = 0; i < SUMS; i++)
            sums[i] *= i % 4 < 2 ? keep.low : keep.high;
        CPPROF_TILE_END(r);
    }
    write_group(sums, total, h, (int)blockIdx.x * TILE_QUERIES + group * GROUP_QUERIES);
}
#endif

__global__ void __launch_bounds__(WGMMA_THREADS, 1)
    sdpa_wgmma(struct sdpa_problem p, const __grid_constant__ wgmma_maps maps CPPROF_PARAM)
{
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    extern __shared__ __align__(1024) char shared[];
    wgmma_shared<RING> &mine = *reinterpret_cast<wgmma_shared<RING> *>(shared);
    const int tiles = (p.s + TILE_KEYS - 1) / TILE_KEYS, role = __shfl_sync(~0u, (int)threadIdx.x / GROUP, 0);
    if (threadIdx.x == 0) {
        start_barriers(mine, GROUPS);
        start_copies(mine, maps, tiles);
    }
    __syncthreads();
    if (role == 0) {
        CPPROF_RECORDER(r, LOAD);
        bring(mine, maps, tiles CPPROF_GIVES(r));
        CPPROF_RECORDER_END(r);
    } else {
        CPPROF_RECORDER(r, ATTEND);
        attend(mine, head_of(p, (int)blockIdx.y), role - 1, tiles CPPROF_GIVES(r));
        CPPROF_RECORDER_END(r);
    }
#else
    __trap(); /* never reached: setup refuses it */
#endif
}

extern "C" const struct cpprof_variant sdpa_wgmma_variants[SDPA_WGMMA_COUNT] = {
    SDPA_VARIANT("wgmma", "wgmma on e4m3, tiles by tensor maps, two warpgroups that take turns", "sdpa_wgmma",
                 sdpa_expect_plain, refuse, sizeof(wgmma_shared<RING>),
                 (launch_tiles<sdpa_wgmma, WGMMA_THREADS, sizeof(wgmma_shared<RING>)>),
                 "instructions down; dram_bytes flat 3%", "sdpa/ex2approx"),
};
