/* sdpa_late.cu - the tiles and products of sdpa_turns.cu, with maxima in the shadow of the exponentials.
 *
 * A weight may be taken of any number near the largest score of its row, as long as no half overflows. So the weights
 * of a tile are taken of the largest score of the tiles before, and need not wait for the maxima of their own: these
 * are found while the XU computes exponentials. Where a score is more than HIGHEST powers of two above, the tile is
 * weighed again, of its own maxima, and earlier sums are scaled: where scores rise by as much from each tile to the
 * next, each tile costs twice.
 *
 * The weights of two tiles are there at once, so those that multiply have more registers than the one that decodes. */
#include "kernels/sdpa/sdpa_turns.cuh"

using namespace sdpa;

enum { HIGHEST = 15, MULTIPLY_REGISTERS = 208, DECODE_REGISTERS = 88 };

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
static_assert(GROUPS * MULTIPLY_REGISTERS + DECODE_REGISTERS <= 65536 / GROUP, "a block has the registers of an SM");

static __device__ __forceinline__ void take_registers(void)
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"((int)MULTIPLY_REGISTERS));
}
static __device__ __forceinline__ void give_registers(void)
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"((int)DECODE_REGISTERS));
}

/* What weights are taken of: the largest scores of earlier tiles, also as exponents of two. */
struct tops {
    two_rows score, exponent;
};

static __device__ __forceinline__ tops tops_of(two_rows score, float scale)
{
    return {score, {score.low * scale, score.high * scale}};
}

/* Scores behind the last key get no weight. The tile has `keys` keys. */
static __device__ __forceinline__ void hide_rest(float s[SCORES], int keys)
{
    if (keys < TILE_KEYS)
#pragma unroll
        for (int i = 0; i < SCORES; i++)
            if (i / 4 * 8 + (int)threadIdx.x % 4 * 2 + i % 2 >= keys)
                s[i] = -INFINITY;
}

/* Computes weights, packed. Returns the largest scores of this lane's columns, none below the tops. */
static __device__ __forceinline__ two_rows weigh(unsigned w[TILE_STEPS][4], const float s[SCORES], const tops &of,
                                                 float scale)
{
    two_rows most[2] = {of.score, of.score};
#pragma unroll
    for (int i = 0; i < SCORES; i += 4) {
        two_rows &now = most[i / 4 % 2];
        w[i / 8][i / 2 % 4] = two_halves(exp2_fast(fmaf(s[i], scale, -of.exponent.low)),
                                         exp2_fast(fmaf(s[i + 1], scale, -of.exponent.low)));
        w[i / 8][i / 2 % 4 + 1] = two_halves(exp2_fast(fmaf(s[i + 2], scale, -of.exponent.high)),
                                             exp2_fast(fmaf(s[i + 3], scale, -of.exponent.high)));
        now = {fmaxf(now.low, fmaxf(s[i], s[i + 1])), fmaxf(now.high, fmaxf(s[i + 2], s[i + 3]))};
    }
    return {fmaxf(most[0].low, most[1].low), fmaxf(most[0].high, most[1].high)};
}

/* Of the whole warp, whose rows are scaled together. */
static __device__ __forceinline__ bool is_too_high(two_rows most, const tops &of, float scale)
{
    return __any_sync(~0u, fmaf(most.low, scale, -of.exponent.low) > HIGHEST ||
                               fmaf(most.high, scale, -of.exponent.high) > HIGHEST);
}

/* Takes the largest scores of a tile for tops. Returns the factor for earlier sums. */
static __device__ __forceinline__ two_rows raise(tops &to, two_rows most, float scale)
{
    const two_rows before = to.score;
    to = tops_of({max_of_four(most.low), max_of_four(most.high)}, scale);
    return {exp2_fast((before.low - to.score.low) * scale), exp2_fast((before.high - to.score.high) * scale)};
}

/* One of the two warpgroups that multiply. */
struct attending {
    turns_shared &mine;
    const places at;
    const float scale;
    const int group, pair, tiles, keys;
    const bool speaks; /* for its warp */
    tops of;
    int next; /* whose scores come next; the last tile again behind the last */
    float s[SCORES], sums[ALL_SUMS];
};

/* Has the weights of a tile in `w`: multiplies them by its values, and weighs the next tile into `ahead` meanwhile. */
static __device__ __forceinline__ void step(attending &a, unsigned w[TILE_STEPS][4], unsigned ahead[TILE_STEPS][4],
                                            int tile)
{
    wgmma_shared<TURNS_RING> &tiles = a.mine.tiles;
    const int slot = tile % TURNS_RING, next = a.next, after = min(tile + 2, a.tiles - 1);
    a.next = after;
    hold_scores(a.s);
    hold_all(a.sums);
    hold_weights(w);
    products_begin();
    start_keys(a.s, a.at.q, a.at.keys + (uint64_t)((unsigned)(next % TURNS_RING) * a.at.slot_step));
    start_sums(a.sums, w, a.at.values + (unsigned)slot * a.at.slot_move, a.at.high);
    products_wait<1>();
    hold_scores(a.s);
    hide_rest(a.s, a.keys - next * TILE_KEYS);
    wait_here(&a.mine.turn[a.group][a.pair], (tile + a.group) % 2); /* group 0 took its first turn without asking */
    const two_rows most = weigh(ahead, a.s, a.of, a.scale);
    wait_here(&tiles.full[after % TURNS_RING], after / TURNS_RING % 2);
    if (a.speaks)
        barrier_arrive(&a.mine.turn[1 - a.group][a.pair]);
    two_rows keep = {1, 1};
    const bool again = is_too_high(most, a.of, a.scale);
    if (again) {
        keep = raise(a.of, most, a.scale);
        weigh(ahead, a.s, a.of, a.scale);
    }
    wait_here(&tiles.decoded[(tile + 1) % TURNS_RING], (tile + 1) / TURNS_RING % 2);
    products_wait<0>();
    hold_all(a.sums);
    hold_weights(w);
    if (a.speaks)
        barrier_arrive(&tiles.empty[slot]);
    if (again)
        keep_sums(a.sums, keep);
}

static __device__ __forceinline__ void finish(attending &a, unsigned w[TILE_STEPS][4], const head &h)
{
    hold_all(a.sums);
    hold_weights(w);
    products_begin();
    start_sums(a.sums, w, a.at.values + (unsigned)((a.tiles - 1) % TURNS_RING) * a.at.slot_move, a.at.high);
    products_wait<0>();
    hold_all(a.sums);
    write_sums(a.sums, h, a.group);
}

static __device__ __forceinline__ void attend(turns_shared &mine, const head &h, int group, int tiles)
{
    attending a = {mine,
                   places_of(mine, group),
                   exponent_scale(h),
                   group,
                   (int)threadIdx.x % GROUP / WARP,
                   tiles,
                   h.s,
                   threadIdx.x % WARP == 0,
                   {},
                   min(1, tiles - 1),
                   {},
                   {}};
    unsigned even[TILE_STEPS][4], odd[TILE_STEPS][4];
    two_rows top = {-INFINITY, -INFINITY};
    wait_here(&mine.tiles.queries, 0);
    wait_here(&mine.tiles.full[0], 0);
    products_begin();
    start_keys(a.s, a.at.q, a.at.keys);
    products_wait<0>();
    hold_scores(a.s);
    raise_tops(top, a.s, a.scale, h.s);
    a.of = tops_of(top, a.scale);
    if (group == 1)
        wait_here(&mine.turn[1][a.pair], 0);
    weigh(even, a.s, a.of, a.scale);
    wait_here(&mine.tiles.full[min(1, tiles - 1)], 0);
    if (a.speaks)
        barrier_arrive(&mine.turn[1 - group][a.pair]);
    wait_here(&mine.tiles.decoded[0], 0);
    int tile = 0;
    for (; tile + 2 < tiles; tile += 2) {
        step(a, even, odd, tile);
        step(a, odd, even, tile + 1);
    }
    if (tile + 1 < tiles) {
        step(a, even, odd, tile);
        finish(a, odd, h);
    } else
        finish(a, even, h);
}
#endif

__global__ void __launch_bounds__(WGMMA_THREADS, 1)
    sdpa_late(struct sdpa_problem p, const __grid_constant__ wgmma_maps maps)
{
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    extern __shared__ __align__(1024) char shared[];
    turns_shared &mine = *reinterpret_cast<turns_shared *>(shared);
    const int tiles = (p.s + TILE_KEYS - 1) / TILE_KEYS, role = __shfl_sync(~0u, (int)threadIdx.x / GROUP, 0);
    start_block<true>(mine, maps, tiles);
    if (role == 0) {
        give_registers();
        bring_tiles<true>(mine.tiles, maps, tiles);
    } else {
        take_registers();
        attend(mine, head_of(p, (int)blockIdx.y), role - 1, tiles);
    }
#else
    __trap(); /* never reached: setup refuses it */
#endif
}

extern "C" const struct cpprof_variant sdpa_late_variants[SDPA_LATE_COUNT] = {
    SDPA_VARIANT("wgmma-late", "wgmma-pdl, weights of the largest score of earlier tiles, maxima behind them",
                 "sdpa_late", sdpa_expect_plain, refuse, sizeof(turns_shared),
                 (launch_tiles<sdpa_late, WGMMA_THREADS, sizeof(turns_shared), true>), "dram_bytes flat 3%",
                 "sdpa/wgmma-pdl"),
};
