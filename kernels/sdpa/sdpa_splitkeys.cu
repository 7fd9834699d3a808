/* sdpa_splitkeys.cu - few queries: each warp of a block has keys of its own.
 *
 * A block has 32 queries, and its 8 warps take 64 keys each, so that 8 heads of 512 queries are 128 blocks
 * that go through their keys in one step: no tile in shared memory, no barrier, no largest score that
 * changes. All of a warp's loads are on their way before it needs the first. What the warps have is merged
 * once, at the end. The price is registers: two bands of 16 queries, so that a key is decoded once for 32.
 *
 * Nothing is rearranged on the way from memory to the tensor cores, since two orders are free: that in
 * which a sum is taken, and that of the columns of an output. With r = lane / 4 and c = lane % 4:
 *
 *   Q, K   lane c takes bytes 16c to 16c + 15 of its row: one load
 *   V      the lane that has the weights of a key takes bytes 8r to 8r + 7 of its row: column r of the jth
 *          eight columns is then column 8r + j of V,
 *   out    and a lane ends with columns 16c to 16c + 15 of its rows: 64 bytes in a row
 *
 * Sums of weights come from the tensor cores, too: as those of a column of V that is one everywhere.
 */
#include <cuda_runtime.h>

#include "kernels/kernel_code.h"
#include "kernels/sdpa/sdpa.h"
#include "kernels/sdpa/sdpa_codes.cuh"
#include "kernels/sdpa/sdpa_early.cuh"

using namespace sdpa;

enum {
    SPLITS = 8,
    SPLIT_THREADS = SPLITS * WARP,
    BAND = 16,
    BANDS = 2,
    SPLIT_QUERIES = BANDS * BAND,
    SPLIT_KEYS = 64,
    SPLIT_GROUPS = SPLIT_KEYS / 8,
    SPLIT_STEPS = SPLIT_KEYS / 16,
    EIGHTS = SDPA_D / 8
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 890
#define SDPA_HAS_CODES
#endif

/* A warp's contribution to the merge: the outputs of its keys alone, as halves, and their weight: exponents of the
 * largest scores, and sums of weights in their units. */
struct __align__(16) split_parts
{
    uint4 out[SPLITS][SPLIT_QUERIES][EIGHTS];
    float top[SPLIT_QUERIES][SPLITS], total[SPLIT_QUERIES][SPLITS];
};

#if defined(SDPA_HAS_CODES)
/* Groups of eight of eight neighbouring rows are in different banks. */
static __device__ __forceinline__ int part_place(int row, int eight)
{
    return eight ^ row % EIGHTS;
}

/* After the last row the last one is read again: its scores are masked and its outputs are not written. */
static __device__ __forceinline__ uint4 load_chunk(const uint8_t *rows, int row, int s)
{
    return __ldg(reinterpret_cast<const uint4 *>(rows) + (size_t)min(row, s - 1) * ROW_CHUNKS + threadIdx.x % 4);
}
static __device__ __forceinline__ uint2 load_eight(const uint8_t *rows, int row, int s)
{
    return __ldg(reinterpret_cast<const uint2 *>(rows) + (size_t)min(row, s - 1) * EIGHTS + threadIdx.x % WARP / 4);
}

/* Like sdpa::mma, without adding to earlier sums. */
static __device__ __forceinline__ void mma_first(float c[4], const unsigned a[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%10, %10, %10, %10};"
                 : "=f"(c[0]), "=f"(c[1]), "=f"(c[2]), "=f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "f"(0.0f));
}

template <bool FIRST>
static __device__ __forceinline__ void mma_or_first(float c[4], const unsigned a[4], unsigned b0, unsigned b1)
{
    if (FIRST)
        mma_first(c, a, b0, b1);
    else
        mma(c, a, b0, b1);
}

/* A band of 16 queries, as this lane has it: the codes of two rows, and the softmax over the keys of its warp so
 * far. */
struct band {
    uint4 low, high;
    two_rows top;
    float total[4];          /* C of the column of ones: 0 and 1 of row r, 2 and 3 of row r + 8 */
    float sums[D_GROUPS][4]; /* of values */
};

static __device__ __forceinline__ void load_band(band &b, const head &h, int first)
{
    const int row = first + (int)threadIdx.x % WARP / 4;
    b.low = load_chunk(h.q, row, h.s);
    b.high = load_chunk(h.q, row + 8, h.s);
    b.top = {-INFINITY, -INFINITY};
}

/* Computes the dot products of the bands with 64 keys. */
static __device__ __forceinline__ void split_scores(float s[BANDS][SPLIT_GROUPS][4], const band bands[BANDS],
                                                    const uint4 k[SPLIT_GROUPS])
{
    unsigned a[BANDS][D_STEPS][4];
#pragma unroll
    for (int i = 0; i < BANDS * D_STEPS; i++) {
        const unsigned low = word(bands[i / D_STEPS].low, i % D_STEPS),
                       high = word(bands[i / D_STEPS].high, i % D_STEPS);
        unsigned *to = a[i / D_STEPS][i % D_STEPS];
        to[0] = lower_halves(low);
        to[1] = lower_halves(high);
        to[2] = upper_halves(low);
        to[3] = upper_halves(high);
    }
#pragma unroll
    for (int n = 0; n < SPLIT_GROUPS; n++)
#pragma unroll
        for (int i = 0; i < D_STEPS; i++) {
            const unsigned low = lower_halves(word(k[n], i)), high = upper_halves(word(k[n], i));
#pragma unroll
            for (int b = 0; b < BANDS; b++)
                if (i == 0)
                    mma_first(s[b][n], a[b][i], low, high);
                else
                    mma(s[b][n], a[b][i], low, high);
        }
}

/* Masks the keys from number `keys` on. */
static __device__ __forceinline__ void split_mask(float s[SPLIT_GROUPS][4], int keys)
{
#pragma unroll
    for (int i = 0; i < SPLIT_GROUPS * 4; i++)
        if (i / 4 * 8 + (int)threadIdx.x % 4 * 2 + i % 2 >= keys)
            s[i / 4][i % 4] = -INFINITY;
}

/* Raises the band's largest scores. Returns the factor for its earlier sums. */
static __device__ __forceinline__ two_rows split_raise(two_rows &top, const float s[SPLIT_GROUPS][4], float scale)
{
    two_rows now = top;
#pragma unroll
    for (int n = 0; n < SPLIT_GROUPS; n++) {
        now.low = fmaxf(now.low, fmaxf(s[n][0], s[n][1]));
        now.high = fmaxf(now.high, fmaxf(s[n][2], s[n][3]));
    }
    now = {max_of_four(now.low), max_of_four(now.high)};
    const two_rows keep = {exp2_fast((top.low - now.low) * scale), exp2_fast((top.high - now.high) * scale)};
    top = now;
    return keep;
}

/* Turns scores into weights, as halves in the layout of a left operand. All exponentials are issued before the first is
 * used: each takes tens of cycles, and waiting for one would serialise them. */
static __device__ __forceinline__ void split_weigh(unsigned w[SPLIT_STEPS][4], float s[SPLIT_GROUPS][4], two_rows top,
                                                   float scale)
{
    const two_rows shift = {top.low * scale, top.high * scale};
#pragma unroll
    for (int i = 0; i < SPLIT_GROUPS * 4; i++)
        s[i / 4][i % 4] = exp2_fast(fmaf(s[i / 4][i % 4], scale, i % 4 < 2 ? -shift.low : -shift.high));
#pragma unroll
    for (int i = 0; i < SPLIT_GROUPS * 2; i++)
        w[i / 4][i % 4] = two_halves(s[i / 2][i % 2 * 2], s[i / 2][i % 2 * 2 + 1]);
}

/* sums[j] += weights x column 8r + j of the values, 16 keys; v: keys 2c, 2c + 1, 2c + 8 and 2c + 9 of these. */
template <bool FIRST>
static __device__ __forceinline__ void split_values(band bands[BANDS], const unsigned w[BANDS][4], const uint2 v[4])
{
    const unsigned ones = 0x3c003c00;
#pragma unroll
    for (int b = 0; b < BANDS; b++)
        mma_or_first<FIRST>(bands[b].total, w[b], ones, ones);
#pragma unroll
    for (int j = 0; j < D_GROUPS; j += 2) {
        const unsigned places = j % 4 ? 0x7362 : 0x5140; /* bytes j and j + 1 of two keys, key after key */
        const unsigned low = __byte_perm(j < 4 ? v[0].x : v[0].y, j < 4 ? v[1].x : v[1].y, places);
        const unsigned high = __byte_perm(j < 4 ? v[2].x : v[2].y, j < 4 ? v[3].x : v[3].y, places);
#pragma unroll
        for (int b = 0; b < BANDS; b++) {
            mma_or_first<FIRST>(bands[b].sums[j], w[b], lower_halves(low), lower_halves(high));
            mma_or_first<FIRST>(bands[b].sums[j + 1], w[b], upper_halves(low), upper_halves(high));
        }
    }
}

/* Processes 64 keys from `key` on. The first ones of a warp have no earlier sums. */
template <bool FIRST>
static __device__ __forceinline__ void split_work(band bands[BANDS], const head &h, int key, float scale)
{
    const int r = (int)threadIdx.x % WARP / 4, c = (int)threadIdx.x % 4;
    uint4 k[SPLIT_GROUPS];
    uint2 v[SPLIT_STEPS][4];
    float s[BANDS][SPLIT_GROUPS][4];
    unsigned w[SPLIT_STEPS][BANDS][4];
#pragma unroll
    for (int n = 0; n < SPLIT_GROUPS; n++)
        k[n] = load_chunk(h.k, key + n * 8 + r, h.s);
#pragma unroll
    for (int i = 0; i < SPLIT_STEPS * 4; i++)
        v[i / 4][i % 4] = load_eight(h.v, key + i / 2 * 8 + 2 * c + i % 2, h.s);
    split_scores(s, bands, k);
#pragma unroll
    for (int b = 0; b < BANDS; b++) {
        unsigned mine[SPLIT_STEPS][4];
        if (h.s - key < SPLIT_KEYS)
            split_mask(s[b], h.s - key);
        const two_rows keep = split_raise(bands[b].top, s[b], scale);
        split_weigh(mine, s[b], bands[b].top, scale);
        if (!FIRST) {
            scale_rows(bands[b].sums, keep.low, keep.high);
            bands[b].total[0] *= keep.low;
            bands[b].total[2] *= keep.high;
        }
#pragma unroll
        for (int i = 0; i < SPLIT_STEPS * 4; i++)
            w[i / 4][b][i % 4] = mine[i / 4][i % 4];
    }
    split_values<FIRST>(bands, w[0], v[0]);
#pragma unroll
    for (int i = 1; i < SPLIT_STEPS; i++)
        split_values<false>(bands, w[i], v[i]);
}

/* Stores the warp's outputs, as if there were no other keys. */
static __device__ __forceinline__ void put_parts(split_parts &to, const band bands[BANDS], float scale)
{
    const int warp = (int)threadIdx.x / WARP, c = (int)threadIdx.x % 4;
#pragma unroll
    for (int i = 0; i < BANDS * 2; i++) {
        const band &b = bands[i / 2];
        const int high = i % 2 * 2, row = i * 8 + (int)threadIdx.x % WARP / 4;
        const float factor = __fdividef(1, b.total[high]);
#pragma unroll
        for (int half = 0; half < 2; half++) {
            unsigned packed[4];
#pragma unroll
            for (int j = 0; j < 4; j++)
                packed[j] = two_halves(b.sums[2 * j][high + half] * factor, b.sums[2 * j + 1][high + half] * factor);
            to.out[warp][row][part_place(row, 2 * c + half)] = make_uint4(packed[0], packed[1], packed[2], packed[3]);
        }
        if (c == 0) {
            to.top[row][warp] = (high ? b.top.high : b.top.low) * scale;
            to.total[row][warp] = b.total[high];
        }
    }
}

/* A warp without keys contributes nothing. */
static __device__ __forceinline__ void put_nothing(split_parts &to)
{
    const int warp = (int)threadIdx.x / WARP, row = (int)threadIdx.x % WARP;
    static_assert(SPLIT_QUERIES == WARP, "a row for each lane");
#pragma unroll
    for (int i = 0; i < EIGHTS; i++)
        to.out[warp][row][i] = make_uint4(0, 0, 0, 0);
    to.top[row][warp] = -INFINITY;
    to.total[row][warp] = 0;
}

/* A thread has eight columns of one query. Sums of eight halves, rounded each time, of parts that are halves, have an
 * error of at most 10 x 2^-11 of the largest value. */
static __device__ __forceinline__ void merge_parts(const split_parts &from, const head &h, int first)
{
    static_assert(SPLIT_THREADS == SPLIT_QUERIES * EIGHTS, "an eight for each thread");
    const int row = (int)threadIdx.x / EIGHTS, eight = (int)threadIdx.x % EIGHTS;
    float weight[SPLITS], top = -INFINITY, total = 0;
    __half2 sums[4] = {};
#pragma unroll
    for (int i = 0; i < SPLITS; i++)
        top = fmaxf(top, from.top[row][i]);
#pragma unroll
    for (int i = 0; i < SPLITS; i++)
        total += weight[i] = from.total[row][i] * exp2_fast(from.top[row][i] - top);
    const float share = __fdividef(1, total), factor = output_factor(h, 1);
#pragma unroll
    for (int i = 0; i < SPLITS; i++) {
        const uint4 part = from.out[i][row][part_place(row, eight)];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const unsigned two = word(part, j);
            sums[j] = __hfma2(*reinterpret_cast<const __half2 *>(&two), __float2half2_rn(weight[i] * share), sums[j]);
        }
    }
    float2 out[4];
#pragma unroll
    for (int j = 0; j < 4; j++)
        out[j] = __half22float2(sums[j]);
    float4 *to = reinterpret_cast<float4 *>(h.out + (size_t)(first + row) * SDPA_D + eight * 8);
    if (first + row < h.s) {
        to[0] = make_float4(out[0].x * factor, out[0].y * factor, out[1].x * factor, out[1].y * factor);
        to[1] = make_float4(out[2].x * factor, out[2].y * factor, out[3].x * factor, out[3].y * factor);
    }
}

#endif

template <bool EARLY> static __device__ __forceinline__ void attend_block(const sdpa_problem &p)
{
#if defined(SDPA_HAS_CODES)
    if (EARLY) {
        next_may_start();
        wait_for_previous();
    }
    __shared__ split_parts parts;
    const head h = head_of(p, (int)blockIdx.y);
    const int first = (int)blockIdx.x * SPLIT_QUERIES;
    const float scale = exponent_scale(h);
    int key = (int)threadIdx.x / WARP * SPLIT_KEYS;
    if (key < h.s) {
        band bands[BANDS];
#pragma unroll
        for (int b = 0; b < BANDS; b++)
            load_band(bands[b], h, first + b * BAND);
        split_work<true>(bands, h, key, scale);
        for (key += SPLITS * SPLIT_KEYS; key < h.s; key += SPLITS * SPLIT_KEYS)
            split_work<false>(bands, h, key, scale);
        put_parts(parts, bands, scale);
    } else {
        put_nothing(parts);
    }
    __syncthreads();
    merge_parts(parts, h, first);
#else
    __trap(); /* never reached: setup refuses it */
#endif
}

__global__ void __launch_bounds__(SPLIT_THREADS, 1) sdpa_splitkeys(struct sdpa_problem p)
{
    attend_block<false>(p);
}

__global__ void __launch_bounds__(SPLIT_THREADS, 1) sdpa_splitkeys_pdl(struct sdpa_problem p)
{
    attend_block<true>(p);
}

static dim3 grid_of(const struct sdpa_problem *p)
{
    return dim3((unsigned)((p->s + SPLIT_QUERIES - 1) / SPLIT_QUERIES), (unsigned)p->heads);
}

static int launch(const struct sdpa_problem *p, struct CUstream_st *stream)
{
    sdpa_splitkeys<<<grid_of(p), SPLIT_THREADS, 0, stream>>>(*p);
    return cudaGetLastError();
}

static int launch_pdl(const struct sdpa_problem *p, struct CUstream_st *stream)
{
    return launch_early(sdpa_splitkeys_pdl, grid_of(p), SPLIT_THREADS, 0, stream, *p);
}

static int refuse(const struct cpprof_config *, char *why, size_t why_bytes)
{
    return kernel_code_needs(89, "the instruction that decodes e4m3", why, why_bytes);
}

static int refuse_early(const struct cpprof_config *, char *why, size_t why_bytes)
{
    return kernel_code_needs(90, "programmatic dependent launch", why, why_bytes);
}

extern "C" const struct cpprof_variant sdpa_splitkeys_variants[SDPA_SPLITKEYS_COUNT] = {
    SDPA_VARIANT("splitkeys",
                 "few queries: each warp of a block has keys of its own, straight from memory to registers",
                 "sdpa_splitkeys", sdpa_expect_plain, refuse, sizeof(split_parts), launch,
                 "instructions down; dram_bytes flat 3%", "sdpa/ex2approx"),
    SDPA_VARIANT("splitkeys-pdl", "splitkeys, started while the kernel in front of it ends", "sdpa_splitkeys_pdl",
                 sdpa_expect_plain, refuse_early, sizeof(split_parts), launch_pdl, "dram_bytes flat 3%",
                 "sdpa/splitkeys"),
};
