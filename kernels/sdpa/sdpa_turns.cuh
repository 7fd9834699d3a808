/* sdpa_turns.cuh - what the kernels share whose sums of weights are a product, too: V has a ninth group of columns,
 * which are all one. Each pair of warps that shares a scheduler has turns, a barrier in shared memory.
 *
 * The compiler moves an instruction that waits up over arithmetic, but not over a loop that asks a barrier: such loops
 * keep the waits in their places. Arithmetic still moves down over them (docs/kernels.md). */
#ifndef CPPROF_SDPA_TURNS_CUH
#define CPPROF_SDPA_TURNS_CUH

#include "kernels/sdpa/sdpa_wgmma.cuh"

namespace sdpa
{

enum { TURNS_RING = 4, ONES = 16, ALL_SUMS = SUMS + 4, PAIRS = GROUP / WARP };

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

template <bool LOADS_FIRST>
static __device__ __forceinline__ void bring_tiles(wgmma_shared<TURNS_RING> &mine, const wgmma_maps &maps, int tiles)
{
    for (int tile = 0; tile < tiles; tile++) {
        const int done = tile - LAG;
        if (threadIdx.x == 0 && done >= 0 && done + TURNS_RING < tiles) {
            wait_here(&mine.empty[done % TURNS_RING], done / TURNS_RING % 2);
            start_tile(mine, maps, done + TURNS_RING);
        }
        wait_here(&mine.full[tile % TURNS_RING], tile / TURNS_RING % 2);
        if (LOADS_FIRST)
            decode_loaded(mine.ring[tile % TURNS_RING]);
        else
            decode_values(mine.ring[tile % TURNS_RING]);
        fence_async();
        barrier_arrive(&mine.decoded[tile % TURNS_RING]);
    }
}

/* Starts copies and sets barriers. EARLY: while the kernel in front ends. */
template <bool EARLY>
static __device__ __forceinline__ void start_block(turns_shared &mine, const wgmma_maps &maps, int tiles)
{
    if (EARLY)
        next_may_start();
    if (threadIdx.x == 0) {
        if (EARLY)
            prefetch_maps(maps);
        for (int i = 0; i < GROUPS * PAIRS; i++)
            barrier_init(&mine.turn[i / PAIRS][i % PAIRS], 1);
        start_barriers(mine.tiles, GROUPS);
        if (EARLY)
            wait_for_previous();
        start_copies(mine.tiles, maps, tiles);
    }
    for (int i = (int)threadIdx.x; i < ONES * SDPA_D / 2; i += WGMMA_THREADS)
        reinterpret_cast<unsigned *>(mine.ones)[i] = 0x3c003c00; /* 1, 1 */
    fence_async();
    if (EARLY)
        wait_for_previous();
    __syncthreads();
}

/* ---- the two that multiply ---- */

/* Where the products of a group begin in shared memory. The descriptor of values is given in two words. */
struct places {
    uint64_t q, keys;
    unsigned values, high, slot_step, slot_move;
};

static __device__ __forceinline__ places places_of(const turns_shared &mine, int group)
{
    const wgmma_shared<TURNS_RING> &of = mine.tiles;
    const uint64_t plain = descriptor(of.ring[0].v, SDPA_D * (int)sizeof of.ring[0].v[0], SWIZZLE_128);
    const unsigned behind = (shared_address(mine.ones) - shared_address(of.ring[0].v)) >> 4,
                   slot_step = sizeof(ring_tile) >> 4;
    return {descriptor(of.q + group * GROUP_QUERIES * SDPA_D, SDPA_D, SWIZZLE_64),
            descriptor(of.ring[0].k, SDPA_D, SWIZZLE_64),
            (unsigned)(plain & 0x3fff) | behind << 16,
            (unsigned)(plain >> 32),
            slot_step,
            slot_step - (slot_step << 16)};
}

static __device__ __forceinline__ void keep_sums(float sums[ALL_SUMS], two_rows keep)
{
#pragma unroll
    for (int i = 0; i < ALL_SUMS; i++)
        sums[i] *= i % 4 < 2 ? keep.low : keep.high;
}

/* Every lane has the sums of whole rows, and write_group adds those of four. */
static __device__ __forceinline__ void write_sums(const float sums[ALL_SUMS], const head &h, int group)
{
    write_group(sums, {sums[SUMS] * 0.25f, sums[SUMS + 2] * 0.25f}, h,
                (int)blockIdx.x * TILE_QUERIES + group * GROUP_QUERIES);
}
#endif

} // namespace sdpa

#endif
