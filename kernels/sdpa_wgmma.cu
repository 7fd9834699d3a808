/* sdpa_wgmma.cu - what compute capability 9.0 alone has: wgmma, bulk copies, clusters.
 *
 * A block is a warpgroup with 64 queries, and wgmma m64n64k16 multiplies them all at once. Each of its warps has 16 of
 * them, laid out as mma.sync lays them out, so the softmax in registers and weights as left operand are
 * those of stage 3b. The right operands come from shared memory, as halves: a tile of 64 keys comes as
 * codes by two bulk copies, one instruction of one thread each, and all threads decode it.
 *
 * 8 heads of 512 queries are 64 such blocks, half of what the chip has SMs. So four blocks, a cluster, share
 * the queries and take every fourth tile of keys; then each merges a quarter of the rows from the shared
 * memory of all four.
 */
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include "kernels/sdpa.h"
#include "kernels/sdpa_barrier.cuh"
#include "kernels/sdpa_registers.cuh"

using namespace sdpa;

enum { SPLITS = 4, TILE_KEYS = 64, GROUPS = TILE_KEYS / 8, STEPS = TILE_KEYS / 16, RING = 2, CORE = 8, CORE_BYTES = 128,
       MERGED_ROWS = BLOCK_QUERIES / SPLITS, VALUES = GROUPS * 4 };

struct code_tile {
    uint8_t k[TILE_KEYS * SDPA_D], v[TILE_KEYS * SDPA_D];
};

/* Right operands: 64 rows (keys for the first product, columns of V for the second) of 64 halves. */
struct operands {
    __half k[TILE_KEYS * SDPA_D], v[SDPA_D * TILE_KEYS];
};

struct wgmma_shared {
    __align__(128) code_tile codes[RING];
    union {
        operands tile;
        float sums[BLOCK_QUERIES * SDPA_D]; /* when all tiles are done: for the merge */
    };
    float top[BLOCK_QUERIES], total[BLOCK_QUERIES];
    uint64_t full[RING];
};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
/* Shared memory as wgmma reads it without swizzling: core matrices of 8 rows x 8 halves, 128 bytes each. Those
 * of the same columns follow each other; the next 8 columns come after all 64 rows. An index of halves. */
static __device__ __forceinline__ int core_index(int row, int column)
{
    return (column / CORE * (TILE_KEYS / CORE) + row / CORE) * (CORE_BYTES / 2) + row % CORE * CORE + column % CORE;
}

/* PTX ISA, "Matrix Descriptor Format": address, bytes from 8 columns to the next (leading dimension),
 * bytes from 8 rows to the next (stride), each without its lowest 4 bits; no swizzling is 0. */
static __device__ __forceinline__ uint64_t descriptor(const __half *matrix)
{
    const uint64_t address = shared_address(matrix) & 0x3ffff;
    const uint64_t leading = TILE_KEYS / CORE * CORE_BYTES, stride = CORE_BYTES;
    return address >> 4 | leading >> 4 << 16 | stride >> 4 << 32;
}

#define D4(i)  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define D16(i) D4(i), D4(i + 4), D4(i + 8), D4(i + 12)

/* D += A B, A in registers; `b` is the first of 64 rows of 16 halves. */
static __device__ __forceinline__ void wgmma_m64n64k16(float d[VALUES], const unsigned a[4], const __half *b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
                 "{%32, %33, %34, %35}, %36, 1, 1, 1, 0;"
                 : D16(0), D16(16)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(descriptor(b))
                 : "memory");
}

/* Around them. The accumulators are operands of both, so that no use of them moves in between. */
static __device__ __forceinline__ void wgmma_begin(float d[VALUES])
{
    asm volatile("wgmma.fence.sync.aligned;" : D16(0), D16(16)::"memory");
}

static __device__ __forceinline__ void wgmma_finish(float d[VALUES])
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" : D16(0), D16(16)::"memory");
}

/* What this thread did to shared memory comes before what bulk copies and wgmma do to it. */
static __device__ __forceinline__ void fence_async(void)
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* Arrives, and has the phase wait for so many bytes, too. */
static __device__ __forceinline__ void barrier_expect(uint64_t *barrier, unsigned bytes)
{
    asm volatile("{\n\t.reg .b64 state;\n\tmbarrier.arrive.expect_tx.shared.b64 state, [%0], %1;\n\t}" ::"r"(
                     shared_address(barrier)),
                 "r"(bytes)
                 : "memory");
}

static __device__ __forceinline__ void bulk_copy(void *to, const void *from, unsigned bytes, uint64_t *barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
}

/* The keys of a tile that there are: rows follow each other, so K and V are one copy each. */
static __device__ __forceinline__ void start_tile(wgmma_shared &mine, int place, const head &h, int first)
{
    const unsigned bytes = (unsigned)min(TILE_KEYS, h.s - first) * SDPA_D;
    barrier_expect(&mine.full[place], 2 * bytes);
    bulk_copy(mine.codes[place].k, h.k + (size_t)first * SDPA_D, bytes, &mine.full[place]);
    bulk_copy(mine.codes[place].v, h.v + (size_t)first * SDPA_D, bytes, &mine.full[place]);
}

/* K as it lies, in the order of columns in which load_queries has Q: a lane's 16 bytes give two halves to each
 * half of each step of 16. Rows behind the last key are zero. */
static __device__ __forceinline__ void decode_keys(__half *to, const uint8_t *from, int keys)
{
    for (int i = (int)threadIdx.x; i < TILE_KEYS * ROW_CHUNKS; i += THREADS) {
        const int row = i / ROW_CHUNKS, chunk = i % ROW_CHUNKS;
        const uint4 codes = row < keys ? reinterpret_cast<const uint4 *>(from)[i] : make_uint4(0, 0, 0, 0);
#pragma unroll
        for (int step = 0; step < D_STEPS; step++) {
            const int column = step * 16 + chunk * 2;
            *reinterpret_cast<unsigned *>(to + core_index(row, column)) = even_halves(word(codes, step));
            *reinterpret_cast<unsigned *>(to + core_index(row, column + 8)) = odd_halves(word(codes, step));
        }
    }
}

/* V transposed: a thread takes four columns of two keys, and writes a pair of keys for each column. */
static __device__ __forceinline__ void decode_values(__half *to, const uint8_t *from, int keys)
{
    enum { WORDS = SDPA_D / 4 };
    for (int i = (int)threadIdx.x; i < TILE_KEYS / 2 * WORDS; i += THREADS) {
        const int key = i / WORDS * 2, column = i % WORDS * 4;
        const unsigned *rows = reinterpret_cast<const unsigned *>(from) + key * WORDS + i % WORDS;
        const unsigned one = key < keys ? rows[0] : 0, other = key + 1 < keys ? rows[WORDS] : 0;
#pragma unroll
        for (int j = 0; j < 4; j++)
            *reinterpret_cast<unsigned *>(to + core_index(column + j, key)) =
                odd_halves(__byte_perm(one, other, (unsigned)(j << 4 | (4 + j) << 12)));
    }
}

/* One tile: as fused_work, with 64 keys. */
static __device__ __forceinline__ void work(float sums[VALUES], two_rows &top, two_rows &total,
                                            const unsigned q[D_STEPS][4], const operands &in, float scale, int keys)
{
    float s[VALUES];
#pragma unroll
    for (int i = 0; i < VALUES; i++)
        s[i] = 0;
    wgmma_begin(s);
#pragma unroll
    for (int i = 0; i < D_STEPS; i++)
        wgmma_m64n64k16(s, q[i], in.k + i * 16 * TILE_KEYS);
    wgmma_finish(s);
    two_rows new_top = top;
#pragma unroll
    for (int i = 0; i < VALUES; i++) {
        s[i] = i / 4 * 8 + (int)threadIdx.x % 4 * 2 + i % 2 < keys ? s[i] * scale : -INFINITY;
        float &mine = i % 4 < 2 ? new_top.low : new_top.high;
        mine = fmaxf(mine, s[i]);
    }
    new_top = {max_of_four(new_top.low), max_of_four(new_top.high)};
    const two_rows keep = {exp2_fast(top.low - new_top.low), exp2_fast(top.high - new_top.high)};
    top = new_top;
    total = {total.low * keep.low, total.high * keep.high};
#pragma unroll
    for (int i = 0; i < VALUES; i++) {
        s[i] = exp2_fast(s[i] - (i % 4 < 2 ? top.low : top.high));
        (i % 4 < 2 ? total.low : total.high) += s[i];
        sums[i] *= i % 4 < 2 ? keep.low : keep.high;
    }
    unsigned weights[STEPS][4];
#pragma unroll
    for (int i = 0; i < STEPS; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            weights[i][j] = two_halves(s[8 * i + 2 * j], s[8 * i + 2 * j + 1]);
    wgmma_begin(sums);
#pragma unroll
    for (int i = 0; i < STEPS; i++)
        wgmma_m64n64k16(sums, weights[i], in.v + i * 16 * SDPA_D);
    wgmma_finish(sums);
}

/* This block's part of the sums goes to its shared memory, by row and column. */
static __device__ __forceinline__ void put_part(wgmma_shared &mine, const float sums[VALUES], two_rows top, two_rows total)
{
    const int row = (int)threadIdx.x / WARP * WARP_QUERIES + (int)threadIdx.x % WARP / 4, column = (int)threadIdx.x % 4 * 2;
#pragma unroll
    for (int i = 0; i < VALUES; i++)
        mine.sums[(row + i % 4 / 2 * 8) * SDPA_D + i / 4 * 8 + column + i % 2] = sums[i];
    total = {sum_of_four(total.low), sum_of_four(total.high)};
    if (column == 0) {
        mine.top[row] = top.low;
        mine.top[row + 8] = top.high;
        mine.total[row] = total.low;
        mine.total[row + 8] = total.high;
    }
}

/* A quarter of the rows, from all four blocks. A block without keys has minus infinity as its largest score:
 * its factor is 0. The first has keys. */
static __device__ __forceinline__ void merge(wgmma_shared &mine, const head &h, int rank, int first)
{
    namespace cg = cooperative_groups;
    for (int i = (int)threadIdx.x; i < MERGED_ROWS * SDPA_D; i += THREADS) {
        const int row = rank * MERGED_ROWS + i / SDPA_D, column = i % SDPA_D;
        float tops[SPLITS], top = -INFINITY, total = 0, sum = 0;
#pragma unroll
        for (int r = 0; r < SPLITS; r++) {
            tops[r] = cg::this_cluster().map_shared_rank(&mine, r)->top[row];
            top = fmaxf(top, tops[r]);
        }
#pragma unroll
        for (int r = 0; r < SPLITS; r++) {
            const wgmma_shared *theirs = cg::this_cluster().map_shared_rank(&mine, r);
            const float factor = exp2_fast(tops[r] - top);
            total += factor * theirs->total[row];
            sum += factor * theirs->sums[row * SDPA_D + column];
        }
        if (first + row < h.s)
            h.out[(size_t)(first + row) * SDPA_D + column] = sum * h.value_scale / total;
    }
}

static __device__ __forceinline__ void attend(wgmma_shared &mine, const sdpa_problem &p)
{
    const int rank = (int)blockIdx.x % SPLITS, first = (int)blockIdx.x / SPLITS * BLOCK_QUERIES;
    const head h = head_of(p, (int)blockIdx.y);
    if (threadIdx.x == 0) {
        for (int i = 0; i < RING; i++)
            barrier_init(&mine.full[i], 1);
        fence_async();
        for (int i = 0; i < RING; i++)
            if ((i * SPLITS + rank) * TILE_KEYS < h.s)
                start_tile(mine, i, h, (i * SPLITS + rank) * TILE_KEYS);
    }
    unsigned q[D_STEPS][4];
    load_queries(q, h, first + (int)threadIdx.x / WARP * WARP_QUERIES);
    __syncthreads();
    float sums[VALUES];
#pragma unroll
    for (int i = 0; i < VALUES; i++)
        sums[i] = 0;
    two_rows top = {-INFINITY, -INFINITY}, total = {0, 0};
    int place = 0, round = 0;
    for (int key = rank * TILE_KEYS; key < h.s; key += SPLITS * TILE_KEYS) {
        barrier_wait(&mine.full[place], round % 2);
        decode_keys(mine.tile.k, mine.codes[place].k, h.s - key);
        decode_values(mine.tile.v, mine.codes[place].v, h.s - key);
        fence_async();
        __syncthreads(); /* the operands are there, and the codes are free */
        if (threadIdx.x == 0 && key + RING * SPLITS * TILE_KEYS < h.s)
            start_tile(mine, place, h, key + RING * SPLITS * TILE_KEYS);
        work(sums, top, total, q, mine.tile, h.score_scale * SDPA_LOG2_E, h.s - key);
        __syncthreads(); /* all warps have multiplied before the next operands, or the sums, take their place */
        place = (place + 1) % RING;
        round += place == 0;
    }
    put_part(mine, sums, top, total);
    cooperative_groups::this_cluster().sync();
    merge(mine, h, rank, first);
    cooperative_groups::this_cluster().sync(); /* nobody leaves while another reads its shared memory */
}
#endif

__global__ void __launch_bounds__(THREADS, 4) sdpa_wgmma(struct sdpa_problem p)
{
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    __shared__ wgmma_shared mine;
    attend(mine, p);
#else
    __trap(); /* refused before it comes to that */
#endif
}

static int launch(const struct sdpa_problem *p, struct CUstream_st *stream)
{
    cudaLaunchAttribute cluster;
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = SPLITS;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid_of(*p);
    config.gridDim.x *= SPLITS;
    config.blockDim = THREADS;
    config.stream = stream;
    config.attrs = &cluster;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, sdpa_wgmma, *p);
}

static int refuse(const struct cpprof_config *, char *why, size_t why_bytes)
{
    return sdpa_needs(9, 0, 0, "wgmma, bulk copies and clusters", why, why_bytes);
}

extern "C" const struct cpprof_variant sdpa_wgmma_variants[SDPA_WGMMA_COUNT] = {
    SDPA_VARIANT("wgmma", "wgmma on bulk copies, the keys shared out among a cluster of 4 blocks", "sdpa_wgmma",
                 sdpa_expect_plain, refuse, sizeof(wgmma_shared), launch, "tensor_cycles up; instructions down; dram_bytes flat 3%"),
};
