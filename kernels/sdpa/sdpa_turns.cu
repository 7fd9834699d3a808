/* sdpa_turns.cu - the tiles and products of sdpa_wgmma.cu, with turns that hold the exponentials and nothing else.
 *
 * Two warps share a scheduler, one of each warpgroup that multiplies. Left alone they seem to fall into step: both find
 * maxima, both ask the XU, both multiply, so that units which could work at the same time work one after the other.
 * Each pair of warps has a turn of its own. */
#include "kernels/sdpa/sdpa_turns.cuh"

using namespace sdpa;

/* What a kernel of this file does besides. */
struct plan {
    bool loads_first; /* the codes of V are all loaded before the first is decoded */
    int polynomials;  /* of so many pairs of exponentials one is two polynomials; 0: none */
    bool early;       /* it starts while the kernel in front of it ends */
};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
template <const plan &P> static __device__ __forceinline__ void weigh(float s[SCORES], two_rows top, float scale)
{
    const two_rows shift = {top.low * scale, top.high * scale};
#pragma unroll
    for (int i = 0; i < SCORES; i++) {
        const float x = fmaf(s[i], scale, i % 4 < 2 ? -shift.low : -shift.high);
        s[i] = P.polynomials && i / 2 % max(P.polynomials, 1) == 0 ? exp2_polynomial(x) : exp2_fast(x);
    }
}

static __device__ __forceinline__ void pack(unsigned w[TILE_STEPS][4], const float s[SCORES])
{
#pragma unroll
    for (int i = 0; i < SCORES; i += 2)
        w[i / 8][i / 2 % 4] = two_halves(s[i], s[i + 1]);
}

template <const plan &P>
static __device__ __forceinline__ void attend(turns_shared &mine, const head &h, int group, int tiles)
{
    wgmma_shared<TURNS_RING> &of = mine.tiles;
    const float scale = exponent_scale(h);
    const places at = places_of(mine, group);
    const int pair = (int)threadIdx.x % GROUP / WARP;
    const bool speaks = threadIdx.x % WARP == 0; /* for its warp */
    float s[SCORES], sums[ALL_SUMS] = {};
    unsigned w[TILE_STEPS][4];
    two_rows top = {-INFINITY, -INFINITY};
    wait_here(&of.queries, 0);
    wait_here(&of.full[0], 0);
    products_begin();
    start_keys(s, at.q, at.keys);
    products_wait<0>();
    hold_scores(s);
    raise_tops(top, s, scale, h.s);
    if (group == 1)
        wait_here(&mine.turn[1][pair], 0);
    weigh<P>(s, top, scale);
    hold_scores(s);
    int next = min(1, tiles - 1);
    wait_here(&of.full[next], 0);
    if (speaks)
        barrier_arrive(&mine.turn[1 - group][pair]);
    wait_here(&of.decoded[0], 0);
    pack(w, s);
    for (int tile = 0; tile + 1 < tiles; tile++) {
        const int slot = tile % TURNS_RING;
        hold_scores(s);
        hold_all(sums);
        hold_weights(w);
        products_begin();
        start_keys(s, at.q, at.keys + (uint64_t)((unsigned)(next % TURNS_RING) * at.slot_step));
        start_sums(sums, w, at.values + (unsigned)slot * at.slot_move, at.high);
        products_wait<1>();
        hold_scores(s);
        const two_rows keep = raise_tops(top, s, scale, h.s - next * TILE_KEYS);
        wait_here(&mine.turn[group][pair], (tile + group) % 2); /* group 0 took its first turn without asking */
        weigh<P>(s, top, scale);
        hold_scores(s);
        next = min(tile + 2, tiles - 1);
        wait_here(&of.full[next % TURNS_RING], next / TURNS_RING % 2);
        if (speaks)
            barrier_arrive(&mine.turn[1 - group][pair]);
        wait_here(&of.decoded[(tile + 1) % TURNS_RING], (tile + 1) / TURNS_RING % 2);
        products_wait<0>();
        hold_all(sums);
        hold_weights(w);
        if (speaks)
            barrier_arrive(&of.empty[slot]);
        keep_sums(sums, keep);
        pack(w, s);
    }
    hold_all(sums);
    hold_weights(w);
    products_begin();
    start_sums(sums, w, at.values + (unsigned)((tiles - 1) % TURNS_RING) * at.slot_move, at.high);
    products_wait<0>();
    hold_all(sums);
    write_sums(sums, h, group);
}
#endif

template <const plan &P>
static __device__ __forceinline__ void attend_block(const sdpa_problem &p, const wgmma_maps &maps)
{
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    extern __shared__ __align__(1024) char shared[];
    turns_shared &mine = *reinterpret_cast<turns_shared *>(shared);
    const int tiles = (p.s + TILE_KEYS - 1) / TILE_KEYS, role = __shfl_sync(~0u, (int)threadIdx.x / GROUP, 0);
    start_block<P.early>(mine, maps, tiles);
    if (role == 0)
        bring_tiles<P.loads_first>(mine.tiles, maps, tiles);
    else
        attend<P>(mine, head_of(p, (int)blockIdx.y), role - 1, tiles);
#else
    __trap(); /* never reached: setup refuses it */
#endif
}

#define TURNS_KERNEL(NAME, ...)                                                                                        \
    static constexpr plan NAME##_plan = __VA_ARGS__;                                                                   \
    __global__ void __launch_bounds__(WGMMA_THREADS, 1)                                                                \
        NAME(struct sdpa_problem p, const __grid_constant__ wgmma_maps maps)                                           \
    {                                                                                                                  \
        attend_block<NAME##_plan>(p, maps);                                                                            \
    }
TURNS_KERNEL(sdpa_turns, {false, 8, false})
TURNS_KERNEL(sdpa_turns_loads, {true, 8, false})
TURNS_KERNEL(sdpa_turns_xu, {true, 0, false})
TURNS_KERNEL(sdpa_turns_pdl, {true, 0, true})

#define TURNS_VARIANT(NAME, SUMMARY, KERNEL, IMPROVES_ON)                                                              \
    SDPA_VARIANT(NAME, SUMMARY, #KERNEL, sdpa_expect_plain, refuse, sizeof(turns_shared),                              \
                 (launch_tiles<KERNEL, WGMMA_THREADS, sizeof(turns_shared), KERNEL##_plan.early>),                     \
                 "dram_bytes flat 3%", IMPROVES_ON)

extern "C" const struct cpprof_variant sdpa_turns_variants[SDPA_TURNS_COUNT] = {
    TURNS_VARIANT("wgmma-turns", "wgmma, turns of pairs of warps around the exponentials alone, sums by ones",
                  sdpa_turns, "sdpa/wgmma"),
    TURNS_VARIANT("wgmma-loads", "wgmma-turns, codes of V loaded before the first is decoded", sdpa_turns_loads,
                  "sdpa/wgmma-turns"),
    TURNS_VARIANT("wgmma-xu", "wgmma-loads, no polynomials: all exponentials by the XU", sdpa_turns_xu,
                  "sdpa/wgmma-loads"),
    TURNS_VARIANT("wgmma-pdl", "wgmma-xu, started while the kernel in front of it ends", sdpa_turns_pdl,
                  "sdpa/wgmma-xu"),
};
