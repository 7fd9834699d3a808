/* sdpa_turns.cu - the tiles and products of sdpa_wgmma.cu, with turns that hold the exponentials and nothing else.
 *
 * Two warps share a scheduler, one of each warpgroup that multiplies. Left alone they seem to fall into step: both find
 * maxima, both ask the XU, both multiply, so that units which could work at the same time work one after the other.
 * Each pair of warps has a turn of its own, a barrier in shared memory.
 *
 * The compiler moves an instruction that waits up over arithmetic, but not over a loop that asks a barrier: such loops
 * keep the waits in their places. Arithmetic still moves down over them (docs/kernels.md).
 *
 * The sums of the weights are a product, too: V has a ninth group of columns, which are all one. */
#include "kernels/sdpa/sdpa_wgmma.cuh"

using namespace sdpa;

enum { TURNS_RING = 4, ONES = 16, ALL_SUMS = SUMS + 4, PAIRS = GROUP / WARP };

/* What a kernel of this file does besides. */
struct plan {
    bool loads_first; /* the codes of V are all loaded before the first is decoded */
    int polynomials;  /* of so many pairs of exponentials one is two polynomials; 0: none */
    bool early;       /* it starts while the kernel in front of it ends */
};

/* The ones are 16 rows of 64 halves, of which a product reads 8 columns. */
struct turns_shared {
    wgmma_shared<TURNS_RING> tiles;
    alignas(1024) __half ones[ONES * SDPA_D];
    uint64_t turn[GROUPS][PAIRS];
};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
/* ---- the products ---- */

/* d += A B, with the weights of 16 keys in registers and their rows of V, and the sums of the weights of a lane's two
 * rows in its last four. The descriptor of B is given in two words. */
static __device__ __forceinline__ void multiply_with_ones(float d[ALL_SUMS], const unsigned a[4], unsigned b,
                                                          unsigned high)
{
    asm volatile("{\n\t.reg .b64 b;\n\tmov.b64 b, {%40, %41};\n\t"
                 "wgmma.mma_async.sync.aligned.m64n72k16.f32.f16.f16 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35}, "
                 "{%36, %37, %38, %39}, b, 1, 1, 1, 1;\n\t}"
                 : D32(d, 0), D4(d, 32)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b), "r"(high));
}
static __device__ __forceinline__ void hold_all(float d[ALL_SUMS])
{
    asm volatile("" : D32(d, 0), D4(d, 32)::"memory");
}

/* Columns 64 to 71 of 16 rows lie as far behind the rows as the descriptor says in bits 16 to 29, so both move. */
enum { VALUE_STEP = 16 * SDPA_D * (int)sizeof(__half) >> 4, VALUE_MOVE = VALUE_STEP - (VALUE_STEP << 16) };

static __device__ __forceinline__ void start_sums(float sums[ALL_SUMS], const unsigned w[TILE_STEPS][4],
                                                  unsigned values, unsigned high)
{
#pragma unroll
    for (int i = 0; i < TILE_STEPS; i++)
        multiply_with_ones(sums, w[i], values + (unsigned)(i * VALUE_MOVE), high);
    products_commit();
}

static __device__ __forceinline__ void start_keys(float s[SCORES], uint64_t q, uint64_t keys)
{
    multiply_codes(s, q, keys, 0);
    multiply_codes(s, q + (32 >> 4), keys + (32 >> 4), 1);
    products_commit();
}

/* A loop over which the compiler moves no wait up. */
static __device__ __forceinline__ void wait_here(uint64_t *barrier, int parity)
{
    while (!barrier_passes_soon(barrier, parity))
        ;
}

/* ---- the warpgroup that brings tiles ---- */

/* The compiler leaves loads behind the stores before them, so all loads come first. */
static __device__ __forceinline__ void decode_loaded(ring_tile &tile)
{
    enum { MINE = TILE_KEYS * ROW_CHUNKS / GROUP };
    const int thread = (int)threadIdx.x % GROUP, chunk = thread % ROW_CHUNKS * 2;
    uint4 c[MINE];
#pragma unroll
    for (int i = 0; i < MINE; i++)
        c[i] = reinterpret_cast<const uint4 *>(tile.codes)[i * GROUP + thread];
#pragma unroll
    for (int i = 0; i < MINE; i++) {
        const int key = (i * GROUP + thread) / ROW_CHUNKS;
        uint4 *row = reinterpret_cast<uint4 *>(tile.v) + key * 8;
        row[chunk ^ key % 8] =
            make_uint4(lower_halves(c[i].x), upper_halves(c[i].x), lower_halves(c[i].y), upper_halves(c[i].y));
        row[(chunk + 1) ^ key % 8] =
            make_uint4(lower_halves(c[i].z), upper_halves(c[i].z), lower_halves(c[i].w), upper_halves(c[i].w));
    }
}

template <const plan &P>
static __device__ __forceinline__ void bring_tiles(wgmma_shared<TURNS_RING> &mine, const wgmma_maps &maps, int tiles)
{
    for (int tile = 0; tile < tiles; tile++) {
        const int done = tile - LAG;
        if (threadIdx.x == 0 && done >= 0 && done + TURNS_RING < tiles) {
            wait_here(&mine.empty[done % TURNS_RING], done / TURNS_RING % 2);
            start_tile(mine, maps, done + TURNS_RING);
        }
        wait_here(&mine.full[tile % TURNS_RING], tile / TURNS_RING % 2);
        if (P.loads_first)
            decode_loaded(mine.ring[tile % TURNS_RING]);
        else
            decode_values(mine.ring[tile % TURNS_RING]);
        fence_async();
        barrier_arrive(&mine.decoded[tile % TURNS_RING]);
    }
}

/* ---- the two that multiply ---- */

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

static __device__ __forceinline__ void keep_sums(float sums[ALL_SUMS], two_rows keep)
{
#pragma unroll
    for (int i = 0; i < ALL_SUMS; i++)
        sums[i] *= i % 4 < 2 ? keep.low : keep.high;
}

template <const plan &P>
static __device__ __forceinline__ void attend(turns_shared &mine, const head &h, int group, int tiles)
{
    wgmma_shared<TURNS_RING> &of = mine.tiles;
    const float scale = exponent_scale(h);
    const uint64_t q = descriptor(of.q + group * GROUP_QUERIES * SDPA_D, SDPA_D, SWIZZLE_64),
                   keys = descriptor(of.ring[0].k, SDPA_D, SWIZZLE_64),
                   plain = descriptor(of.ring[0].v, SDPA_D * (int)sizeof of.ring[0].v[0], SWIZZLE_128);
    const unsigned behind = (shared_address(mine.ones) - shared_address(of.ring[0].v)) >> 4,
                   values = (unsigned)(plain & 0x3fff) | behind << 16, high = (unsigned)(plain >> 32),
                   slot_step = sizeof(ring_tile) >> 4, slot_move = slot_step - (slot_step << 16);
    const int pair = (int)threadIdx.x % GROUP / WARP;
    const bool speaks = threadIdx.x % WARP == 0; /* for its warp */
    float s[SCORES], sums[ALL_SUMS] = {};
    unsigned w[TILE_STEPS][4];
    two_rows top = {-INFINITY, -INFINITY};
    wait_here(&of.queries, 0);
    wait_here(&of.full[0], 0);
    products_begin();
    start_keys(s, q, keys);
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
        start_keys(s, q, keys + (uint64_t)((unsigned)(next % TURNS_RING) * slot_step));
        start_sums(sums, w, values + (unsigned)slot * slot_move, high);
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
    start_sums(sums, w, values + (unsigned)((tiles - 1) % TURNS_RING) * slot_move, high);
    products_wait<0>();
    hold_all(sums);
    /* every lane has the sums of whole rows, and write_group adds those of four */
    write_group(sums, {sums[SUMS] * 0.25f, sums[SUMS + 2] * 0.25f}, h,
                (int)blockIdx.x * TILE_QUERIES + group * GROUP_QUERIES);
}
#endif

template <const plan &P>
static __device__ __forceinline__ void attend_block(const sdpa_problem &p, const wgmma_maps &maps)
{
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    extern __shared__ __align__(1024) char shared[];
    turns_shared &mine = *reinterpret_cast<turns_shared *>(shared);
    const int tiles = (p.s + TILE_KEYS - 1) / TILE_KEYS, role = __shfl_sync(~0u, (int)threadIdx.x / GROUP, 0);
    if (P.early)
        next_may_start();
    if (threadIdx.x == 0) {
        if (P.early)
            prefetch_maps(maps);
        for (int i = 0; i < GROUPS * PAIRS; i++)
            barrier_init(&mine.turn[i / PAIRS][i % PAIRS], 1);
        start_barriers(mine.tiles, GROUPS);
        if (P.early)
            wait_for_previous();
        start_copies(mine.tiles, maps, tiles);
    }
    for (int i = (int)threadIdx.x; i < ONES * SDPA_D / 2; i += WGMMA_THREADS)
        reinterpret_cast<unsigned *>(mine.ones)[i] = 0x3c003c00; /* 1, 1 */
    fence_async();
    if (P.early)
        wait_for_previous();
    __syncthreads();
    if (role == 0)
        bring_tiles<P>(mine.tiles, maps, tiles);
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
