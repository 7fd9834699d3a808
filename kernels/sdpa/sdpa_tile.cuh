/* sdpa_tile.cuh - the pieces that the tensor-core variants of `sdpa` are put together from.
 *
 * A block has 64 queries of one head, 16 for each of its 4 warps, and goes through the keys 32 at a
 * time: 32 rows of K and of V, still e4m3, are a tile in shared memory. Both products are
 * mma.sync m16n8k16 on halves with fp32 accumulators. What a lane holds (PTX ISA, "Matrix Fragments for
 * mma.m16n8k16"), with r = lane / 4 and c = lane % 4:
 *
 *   A (16 x 16)  a[0] row r, columns 2c and 2c + 1; a[1] row r + 8; a[2], a[3] the same 8 columns on
 *   B (16 x 8)   b[0] rows 2c and 2c + 1 of column r; b[1] 8 rows on
 *   C (16 x 8)   c[0], c[1] row r, columns 2c and 2c + 1; c[2], c[3] row r + 8
 *
 * Two facts save all rearranging. The order in which a dot product is summed is free, so lane c takes
 * 16 consecutive bytes of a query and of a key: one load. And C has the layout of A: weights become
 * the left operand of the second product where they are.
 */
#ifndef CPPROF_SDPA_TILE_CUH
#define CPPROF_SDPA_TILE_CUH

#include <cuda_fp16.h>
#include <cuda_pipeline_primitives.h>
#include <stdint.h>

#include "kernels/sdpa/sdpa_bench.h"

namespace sdpa
{

enum {
    WARP = 32,
    WARPS = 4,
    THREADS = WARPS * WARP,
    WARP_QUERIES = 16,
    BLOCK_QUERIES = WARPS * WARP_QUERIES,
    KEYS = 32,
    CHUNK = 16,
    ROW_CHUNKS = SDPA_D / CHUNK,
    KEY_GROUPS = KEYS / 8,
    KEY_STEPS = KEYS / 16,
    D_STEPS = SDPA_D / 16,
    D_GROUPS = SDPA_D / 8,
    BLOCKS_PER_SM = 4
};

/* ---- e4m3 to half ----
 *
 * The bits of a code, sEEEEMMM, are those of a half without the exponent's highest bit and the last 7 bits of the
 * mantissa. Moved there they are the value times 2^-8, also for subnormal ones. A factor that is applied to the result
 * anyway corrects the 2^8. */
#define SDPA_DECODE 256.0f /* for each operand */

/* Convert bytes 1 and 3 of four to two halves; bytes 0 and 2. */
static __device__ __forceinline__ unsigned odd_halves(unsigned codes)
{
    return (codes & 0x80008000u) | (codes >> 1 & 0x3f803f80u);
}
static __device__ __forceinline__ unsigned even_halves(unsigned codes)
{
    return odd_halves(codes << 8);
}

static __device__ __forceinline__ unsigned word(const uint4 &four, int i)
{
    return i == 0 ? four.x : i == 1 ? four.y : i == 2 ? four.z : four.w;
}

/* ---- one head, as its blocks see it ---- */

struct head {
    const uint8_t *q, *k, *v;
    float *out;
    int s;
    float score_scale; /* from sums of half products to scores: all scales and 1 / sqrt(64) */
    float value_scale; /* the same for the second product */
};

static __device__ __forceinline__ head head_of(const sdpa_problem &p, int index)
{
    const size_t first = (size_t)index * p.s * SDPA_D;
    return {p.q + first,
            p.k + first,
            p.v + first,
            p.out + first,
            p.s,
            p.q_scale[index] * p.k_scale[index] * (SDPA_DECODE * SDPA_DECODE * 0.125f),
            p.v_scale[index] * SDPA_DECODE};
}

/* The first of the warp's queries. */
static __device__ __forceinline__ int first_query()
{
    return (int)blockIdx.x * BLOCK_QUERIES + (int)threadIdx.x / WARP * WARP_QUERIES;
}

/* ---- a tile of keys and values ---- */

struct __align__(128) tile
{
    uint8_t k[KEYS * SDPA_D], v[KEYS * SDPA_D];
};

/* Where chunk `chunk` of row `row` is: row after row. */
struct linear {
    static __device__ __forceinline__ int at(int row, int chunk)
    {
        return row * SDPA_D + chunk * CHUNK;
    }
};

/* Copies 32 rows from `first` on. A thread copies one chunk of K and one of V; rows after the last key are zero. With
 * plain loads the thread waits here; with cp.async it waits at __pipeline_wait_prior. */
template <bool ASYNC, class LAYOUT> static __device__ __forceinline__ void fill(tile &to, const head &h, int first)
{
    static_assert(KEYS * ROW_CHUNKS == THREADS, "a chunk of each for each thread");
    const int row = (int)threadIdx.x / ROW_CHUNKS, chunk = (int)threadIdx.x % ROW_CHUNKS;
    const size_t from = (size_t)(first + row) * SDPA_D + chunk * CHUNK;
    uint4 *k = reinterpret_cast<uint4 *>(to.k + LAYOUT::at(row, chunk));
    uint4 *v = reinterpret_cast<uint4 *>(to.v + LAYOUT::at(row, chunk));
    if (first + row >= h.s) {
        *k = *v = make_uint4(0, 0, 0, 0);
    } else if (ASYNC) {
        __pipeline_memcpy_async(k, h.k + from, CHUNK);
        __pipeline_memcpy_async(v, h.v + from, CHUNK);
    } else {
        *k = *reinterpret_cast<const uint4 *>(h.k + from);
        *v = *reinterpret_cast<const uint4 *>(h.v + from);
    }
}

/* ---- the first product ---- */

static __device__ __forceinline__ void mma(float c[4], const unsigned a[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/* Loads the warp's 16 queries as left operand, once for all tiles. Queries after the last one are zero. */
static __device__ __forceinline__ void load_queries(unsigned q[D_STEPS][4], const head &h, int first)
{
    const int row = first + (int)threadIdx.x % WARP / 4, chunk = (int)threadIdx.x % 4;
    const uint4 none = make_uint4(0, 0, 0, 0), *rows = reinterpret_cast<const uint4 *>(h.q);
    const uint4 low = row < h.s ? rows[(size_t)row * ROW_CHUNKS + chunk] : none;
    const uint4 high = row + 8 < h.s ? rows[(size_t)(row + 8) * ROW_CHUNKS + chunk] : none;
#pragma unroll
    for (int i = 0; i < D_STEPS; i++) {
        q[i][0] = even_halves(word(low, i));
        q[i][1] = even_halves(word(high, i));
        q[i][2] = odd_halves(word(low, i));
        q[i][3] = odd_halves(word(high, i));
    }
}

/* scores[n] = queries x keys 8n to 8n + 7 of the tile, times `scale`. `keys` is how many keys are left from the tile's
 * first on; later ones get minus infinity. */
template <class LAYOUT>
static __device__ __forceinline__ void multiply_keys(float scores[KEY_GROUPS][4], const unsigned q[D_STEPS][4],
                                                     const uint8_t *k, float scale, int keys)
{
    const int row = (int)threadIdx.x % WARP / 4, chunk = (int)threadIdx.x % 4;
#pragma unroll
    for (int n = 0; n < KEY_GROUPS; n++) {
        const uint4 codes = *reinterpret_cast<const uint4 *>(k + LAYOUT::at(n * 8 + row, chunk));
        scores[n][0] = scores[n][1] = scores[n][2] = scores[n][3] = 0;
#pragma unroll
        for (int i = 0; i < D_STEPS; i++)
            mma(scores[n], q[i], even_halves(word(codes, i)), odd_halves(word(codes, i)));
#pragma unroll
        for (int i = 0; i < 4; i++)
            scores[n][i] = n * 8 + chunk * 2 + i % 2 < keys ? scores[n][i] * scale : -INFINITY;
    }
}

/* ---- the second product ---- */

static __device__ __forceinline__ unsigned two_halves(float low, float high)
{
    const __half2 two = __floats2half2_rn(low, high);
    return *reinterpret_cast<const unsigned *>(&two);
}

/* Loads four 8 x 8 matrices of 16-bit elements, transposed. Lane i gives the address of row i % 8 of matrix i / 8. */
static __device__ __forceinline__ void load_transposed(unsigned m[4], const uint8_t *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3])
                 : "r"((unsigned)__cvta_generic_to_shared(row))
                 : "memory");
}

/* sums += weights x values, for 16 of the tile's keys, from `first` on. An element of the matrices is a pair of codes,
 * so its even and its odd columns are separated: sums[2n] are columns 16n, 16n + 2 ..., sums[2n + 1] are 16n + 1, 16n +
 * 3 .... */
template <class LAYOUT>
static __device__ __forceinline__ void multiply_values(float sums[D_GROUPS][4], const unsigned weights[4],
                                                       const uint8_t *v, int first)
{
    const int row = first + (int)threadIdx.x % 16, half = (int)threadIdx.x % WARP / 16;
#pragma unroll
    for (int chunk = 0; chunk < ROW_CHUNKS; chunk += 2) {
        unsigned m[4];
        load_transposed(m, v + LAYOUT::at(row, chunk + half));
#pragma unroll
        for (int i = 0; i < 2; i++) {
            mma(sums[2 * (chunk + i)], weights, even_halves(m[2 * i]), even_halves(m[2 * i + 1]));
            mma(sums[2 * (chunk + i) + 1], weights, odd_halves(m[2 * i]), odd_halves(m[2 * i + 1]));
        }
    }
}

/* Multiplies the sums of row r by `low`, those of row r + 8 by `high`. */
static __device__ __forceinline__ void scale_rows(float sums[D_GROUPS][4], float low, float high)
{
#pragma unroll
    for (int n = 0; n < D_GROUPS; n++) {
        sums[n][0] *= low;
        sums[n][1] *= low;
        sums[n][2] *= high;
        sums[n][3] *= high;
    }
}

/* Writes the sums unchanged: four neighbouring columns from each two groups. */
static __device__ __forceinline__ void store_rows(const float sums[D_GROUPS][4], const head &h, int first)
{
    const int row = first + (int)threadIdx.x % WARP / 4, column = (int)threadIdx.x % 4 * 4;
#pragma unroll
    for (int n = 0; n < ROW_CHUNKS; n++) {
        const float *even = sums[2 * n], *odd = sums[2 * n + 1];
        float4 *to = reinterpret_cast<float4 *>(h.out + (size_t)row * SDPA_D + n * CHUNK + column);
        if (row < h.s)
            to[0] = make_float4(even[0], odd[0], even[1], odd[1]);
        if (row + 8 < h.s)
            to[8 * SDPA_D / 4] = make_float4(even[2], odd[2], even[3], odd[3]);
    }
}

/* ---- launch ---- */

static inline dim3 grid_of(const sdpa_problem &p)
{
    return dim3((unsigned)((p.s + BLOCK_QUERIES - 1) / BLOCK_QUERIES), (unsigned)p.heads);
}

} // namespace sdpa

#endif
