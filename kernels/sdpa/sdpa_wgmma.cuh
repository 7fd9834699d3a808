/* sdpa_wgmma.cuh - what the kernels for compute capability 9.0 share: tiles by tensor maps, products by wgmma, and the
 * warpgroup that brings tiles.
 *
 * A block has 128 queries, 64 for each of two warpgroups that multiply, and goes through the keys 128 at a time. A
 * third warpgroup loads the tiles: one of its threads starts the copies, which tensor maps describe, and all of it
 * decodes V. K is not decoded: the first product takes e4m3 from shared memory. The second product takes halves:
 * weights with three bits of mantissa would move an output by up to 2^-4 x 4.75, five times the tolerance. */
#ifndef CPPROF_SDPA_WGMMA_CUH
#define CPPROF_SDPA_WGMMA_CUH

#include <cuda.h>
#include <cuda_runtime.h>

#include "cpprof/record.cuh"
#include "kernels/cuda_versions.h"
#include "kernels/kernel_code.h"
#include "kernels/mbarrier.cuh"
#include "kernels/sdpa/sdpa.h"
#include "kernels/sdpa/sdpa_codes.cuh"
#include "kernels/sdpa/sdpa_early.cuh"

namespace sdpa
{

enum {
    GROUP = 4 * WARP,
    GROUPS = 2,
    GROUP_QUERIES = 64,
    TILE_QUERIES = GROUPS * GROUP_QUERIES,
    TILE_KEYS = 128,
    WGMMA_THREADS = (1 + GROUPS) * GROUP,
    LAG = 2,
    SCORES = TILE_KEYS / 2,
    SUMS = SDPA_D / 2,
    TILE_STEPS = TILE_KEYS / 16
};

/* Marks of a tile, by role. */
CPPROF_NAMES(LOAD, ATTEND);
CPPROF_NAMES(REFILL, ARRIVE, DECODE, HANDED);

/* Rows of 64 codes and of 64 halves, swizzled as the instructions read them; V's codes are not swizzled. */
struct ring_tile {
    uint8_t k[TILE_KEYS * SDPA_D], codes[TILE_KEYS * SDPA_D];
    __half v[TILE_KEYS * SDPA_D];
};

/* Begins at a multiple of 1024 bytes: the swizzle pattern repeats after 8 rows. */
template <int RING> struct wgmma_shared {
    ring_tile ring[RING];
    uint8_t q[TILE_QUERIES * SDPA_D];
    uint64_t queries; /* the queries have arrived */
    uint64_t full[RING], decoded[RING], empty[RING];
};

/* The descriptions of the copies. They must be constant kernel parameters. */
struct wgmma_maps {
    CUtensorMap q, k, v;
};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
/* ---- the products ---- */

enum { SWIZZLE_128 = 1, SWIZZLE_64 = 2 }; /* bytes of a row */

/* PTX ISA, "Matrix Descriptor Format": the address, and the bytes from 8 rows to the next 8, each without its lowest 4
 * bits, and the swizzling. The bytes between columns (bits 16 to 29) are ignored when a row is swizzled as a whole. */
static __device__ __forceinline__ uint64_t descriptor(const void *rows, int row_bytes, int swizzle)
{
    const uint64_t address = shared_address(rows) & 0x3ffff, stride = (uint64_t)(8 * row_bytes);
    return address >> 4 | (uint64_t)1 << 16 | stride >> 4 << 32 | (uint64_t)swizzle << 62;
}

#define D4(d, i)  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define D16(d, i) D4(d, i), D4(d, i + 4), D4(d, i + 8), D4(d, i + 12)
#define D32(d, i) D16(d, i), D16(d, i + 16)

/* s = or += A B, 32 codes of each of 64 queries and 128 keys. */
static __device__ __forceinline__ void multiply_codes(float s[SCORES], uint64_t a, uint64_t b, int add)
{
    asm volatile("{\n\t.reg .pred add;\n\tsetp.ne.b32 add, %66, 0;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
                 "%64, %65, add, 1, 1;\n\t}"
                 : D32(s, 0), D32(s, 32)
                 : "l"(a), "l"(b), "r"(add));
}

/* d += A B, with the weights of 16 keys in registers and their rows of V. */
static __device__ __forceinline__ void multiply_halves(float d[SUMS], const unsigned a[4], uint64_t b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
                 "{%32, %33, %34, %35}, %36, 1, 1, 1, 1;"
                 : D32(d, 0)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

static __device__ __forceinline__ void products_begin(void)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
static __device__ __forceinline__ void products_commit(void)
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
/* Waits until all committed products except the last LEFT are done. */
template <int LEFT> static __device__ __forceinline__ void products_wait(void)
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
}

/* Products run asynchronously, unknown to the compiler: uses of their operands must not move across these. */
static __device__ __forceinline__ void hold_scores(float s[SCORES])
{
    asm volatile("" : D32(s, 0), D32(s, 32)::"memory");
}
static __device__ __forceinline__ void hold_sums(float d[SUMS])
{
    asm volatile("" : D32(d, 0)::"memory");
}
static __device__ __forceinline__ void hold_weights(unsigned w[TILE_STEPS][4])
{
#pragma unroll
    for (int i = 0; i < TILE_STEPS; i++)
        asm volatile("" : "+r"(w[i][0]), "+r"(w[i][1]), "+r"(w[i][2]), "+r"(w[i][3])::"memory");
}

static __device__ __forceinline__ void start_scores(float s[SCORES], uint64_t q, const uint8_t *k)
{
    const uint64_t keys = descriptor(k, SDPA_D, SWIZZLE_64);
    multiply_codes(s, q, keys, 0);
    multiply_codes(s, q + (32 >> 4), keys + (32 >> 4), 1); /* 32 bytes further in the rows */
    products_commit();
}

static __device__ __forceinline__ void start_values(float sums[SUMS], const unsigned w[TILE_STEPS][4], const __half *v)
{
    const int row_bytes = SDPA_D * (int)sizeof *v;
    const uint64_t values = descriptor(v, row_bytes, SWIZZLE_128);
#pragma unroll
    for (int i = 0; i < TILE_STEPS; i++)
        multiply_halves(sums, w[i], values + (uint64_t)(i * 16 * row_bytes >> 4));
    products_commit();
}

/* ---- the warpgroup that brings tiles ---- */

/* Orders this thread's writes to shared memory before accesses by copies and products. */
static __device__ __forceinline__ void fence_async(void)
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* Copies a tile of the map from row `row` of a head on; rows after the last one are zero. */
static __device__ __forceinline__ void copy_tile(void *to, const CUtensorMap *map, int row, int head, uint64_t *barrier)
{
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], "
        "[%5];" ::"r"(shared_address(to)),
        "l"(map), "r"(0), "r"(row), "r"(head), "r"(shared_address(barrier))
        : "memory");
}

/* Brings the descriptions near, so that the first copies need not wait for them. They are no inputs. */
static __device__ __forceinline__ void prefetch_maps(const wgmma_maps &maps)
{
    asm volatile("prefetch.tensormap [%0];\n\tprefetch.tensormap [%1];\n\tprefetch.tensormap [%2];" ::"l"(&maps.q),
                 "l"(&maps.k), "l"(&maps.v)
                 : "memory");
}

template <int RING>
static __device__ __forceinline__ void start_tile(wgmma_shared<RING> &mine, const wgmma_maps &maps, int tile)
{
    ring_tile &to = mine.ring[tile % RING];
    uint64_t *full = &mine.full[tile % RING];
    barrier_expect(full, sizeof to.k + sizeof to.codes);
    copy_tile(to.k, &maps.k, tile * TILE_KEYS, (int)blockIdx.y, full);
    copy_tile(to.codes, &maps.v, tile * TILE_KEYS, (int)blockIdx.y, full);
}

/* Called by one thread before the others run. A tile's room is given back by the warps of this many warpgroups. */
template <int RING> static __device__ __forceinline__ void start_barriers(wgmma_shared<RING> &mine, int attending)
{
    barrier_init(&mine.queries, 1);
    for (int i = 0; i < RING; i++) {
        barrier_init(&mine.full[i], 1);
        barrier_init(&mine.decoded[i], GROUP);
        barrier_init(&mine.empty[i], (unsigned)attending * GROUP / WARP);
    }
    fence_async();
}

/* The same thread starts all copies that need not wait for room. */
template <int RING>
static __device__ __forceinline__ void start_copies(wgmma_shared<RING> &mine, const wgmma_maps &maps, int tiles)
{
    barrier_expect(&mine.queries, sizeof mine.q);
    copy_tile(mine.q, &maps.q, (int)blockIdx.x * TILE_QUERIES, (int)blockIdx.y, &mine.queries);
    for (int i = 0; i < RING && i < tiles; i++)
        start_tile(mine, maps, i);
}

/* Decodes 16 columns of a key at a time: two chunks of its row of eight, placed as the swizzle demands. */
static __device__ __forceinline__ void decode_values(ring_tile &tile)
{
    const uint4 *codes = reinterpret_cast<const uint4 *>(tile.codes);
#pragma unroll
    for (int i = (int)threadIdx.x % GROUP; i < TILE_KEYS * ROW_CHUNKS; i += GROUP) {
        const int key = i / ROW_CHUNKS, chunk = i % ROW_CHUNKS * 2;
        const uint4 c = codes[i];
        uint4 *row = reinterpret_cast<uint4 *>(tile.v) + key * 8;
        row[chunk ^ key % 8] = make_uint4(lower_halves(c.x), upper_halves(c.x), lower_halves(c.y), upper_halves(c.y));
        row[(chunk + 1) ^ key % 8] =
            make_uint4(lower_halves(c.z), upper_halves(c.z), lower_halves(c.w), upper_halves(c.w));
    }
}

template <int RING>
static __device__ __forceinline__ void bring(wgmma_shared<RING> &mine, const wgmma_maps &maps,
                                             int tiles CPPROF_TAKES(r, LOAD))
{
    for (int tile = 0; tile < tiles; tile++) {
        const int done = tile - LAG;
        CPPROF_PHASE(r, REFILL);
        if (threadIdx.x == 0 && done >= 0 && done + RING < tiles) {
            barrier_wait(&mine.empty[done % RING], done / RING % 2);
            start_tile(mine, maps, done + RING);
        }
        CPPROF_PHASE(r, ARRIVE);
        barrier_wait(&mine.full[tile % RING], tile / RING % 2);
        CPPROF_PHASE(r, DECODE);
        decode_values(mine.ring[tile % RING]);
        fence_async();
        barrier_arrive(&mine.decoded[tile % RING]);
        CPPROF_PHASE(r, HANDED);
        CPPROF_TILE_END(r);
    }
}

/* ---- the two that multiply ---- */

/* Raises the largest scores. Returns the factor for earlier sums. The tile has `keys` keys. */
static __device__ __forceinline__ two_rows raise_tops(two_rows &top, float s[SCORES], float scale, int keys)
{
    if (keys < TILE_KEYS)
#pragma unroll
        for (int i = 0; i < SCORES; i++)
            if (i / 4 * 8 + (int)threadIdx.x % 4 * 2 + i % 2 >= keys)
                s[i] = -INFINITY;
    two_rows now = top;
#pragma unroll
    for (int i = 0; i < SCORES; i += 4) {
        now.low = fmaxf(now.low, fmaxf(s[i], s[i + 1]));
        now.high = fmaxf(now.high, fmaxf(s[i + 2], s[i + 3]));
    }
    now = {max_of_four(now.low), max_of_four(now.high)};
    const two_rows keep = {exp2_fast((top.low - now.low) * scale), exp2_fast((top.high - now.high) * scale)};
    top = now;
    return keep;
}

static __device__ __forceinline__ void write_group(const float sums[SUMS], two_rows total, const head &h, int first)
{
    const two_rows factor = {output_factor(h, sum_of_four(total.low)), output_factor(h, sum_of_four(total.high))};
    const int thread = (int)threadIdx.x % GROUP;
    const int row = first + thread / WARP * WARP_QUERIES + thread % WARP / 4, column = thread % 4 * 2;
#pragma unroll
    for (int i = 0; i < SUMS; i += 4) {
        float *to = h.out + (size_t)row * SDPA_D + i * 2 + column;
        if (row < h.s)
            *reinterpret_cast<float2 *>(to) = make_float2(sums[i] * factor.low, sums[i + 1] * factor.low);
        if (row + 8 < h.s)
            *reinterpret_cast<float2 *>(to + 8 * SDPA_D) =
                make_float2(sums[i + 2] * factor.high, sums[i + 3] * factor.high);
    }
}

#endif

/* ---- launch ---- */

typedef CUresult (*encode_map)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                               const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                               CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

/* Done once, so that no launch waits for it: gets the driver's function, and permission to use this much shared
 * memory. */
template <auto KERNEL> static int prepare(encode_map *encode, int shared_bytes)
{
    static encode_map found;
    if (!found) {
        void *function = NULL;
        cudaDriverEntryPointQueryResult answer;
        cudaError_t status = driver_function("cuTensorMapEncodeTiled", &function, 12000, &answer);
        if (!status)
            status = cudaFuncSetAttribute(KERNEL, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
        if (status || answer != cudaDriverEntryPointSuccess)
            return status ? status : cudaErrorSymbolNotFound;
        found = (encode_map)function;
    }
    *encode = found;
    return 0;
}

/* Describes heads of rows of 64 codes, of which a copy takes 128 rows. */
static int describe(encode_map encode, CUtensorMap *map, const uint8_t *codes, const struct sdpa_problem *p,
                    CUtensorMapSwizzle swizzle)
{
    const cuuint64_t sizes[] = {SDPA_D, (cuuint64_t)p->s, (cuuint64_t)p->heads},
                     strides[] = {SDPA_D, sizes[1] * SDPA_D};
    const cuuint32_t box[] = {SDPA_D, TILE_KEYS, 1}, steps[] = {1, 1, 1};
    static_assert(TILE_KEYS == TILE_QUERIES, "one box for all");
    return encode(map, CU_TENSOR_MAP_DATA_TYPE_UINT8, 3, (void *)codes, sizes, strides, box, steps,
                  CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
               ? cudaErrorInvalidValue
               : cudaSuccess;
}

/* Launches a kernel that needs this much shared memory. EARLY: it may start while the kernel in front of it ends, and
 * waits for that itself. */
template <auto KERNEL, int THREADS, int SHARED_BYTES, bool EARLY = false>
static int launch_tiles(const struct sdpa_problem *p, struct CUstream_st *stream)
{
    encode_map encode;
    wgmma_maps maps;
    int status;
    if ((status = prepare<KERNEL>(&encode, SHARED_BYTES)) ||
        (status = describe(encode, &maps.q, p->q, p, CU_TENSOR_MAP_SWIZZLE_64B)) ||
        (status = describe(encode, &maps.k, p->k, p, CU_TENSOR_MAP_SWIZZLE_64B)) ||
        (status = describe(encode, &maps.v, p->v, p, CU_TENSOR_MAP_SWIZZLE_NONE)))
        return status;
    const dim3 grid((unsigned)((p->s + TILE_QUERIES - 1) / TILE_QUERIES), (unsigned)p->heads);
    if constexpr (EARLY)
        return launch_early(KERNEL, grid, THREADS, SHARED_BYTES, stream, *p, maps);
    KERNEL<<<grid, THREADS, SHARED_BYTES, stream>>>(*p, maps CPPROF_ARG);
    return cudaGetLastError();
}

static int refuse(const struct cpprof_config *, char *why, size_t why_bytes)
{
    return kernel_code_needs_only(90, "wgmma", why, why_bytes);
}

} // namespace sdpa

#endif
