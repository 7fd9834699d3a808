/* truth_memory.cu - kernels that fill one part of the way from memory to an SM.
 *
 *   dram-stream  out = 2 in, 1 GiB in and 1 GiB out. Nothing is used twice and 60 MB of L2 hold
 *                3% of it: all of it crosses device memory: memory-bound dram.
 *   tma-stream   the same copy. Its loads are bulk copies (cp.async.bulk) by the TMA engine into a ring
 *                in shared memory, which its threads double and store: memory-bound dram. 4 blocks on an
 *                SM with 4 slots of 8 KiB each ask for up to 128 KiB at a time, where 18 KB cover a latency
 *                of 1 us at the SM's share of 4.8 TB/s, half of which is read. The ways into and out of
 *                shared memory take less than 20 of 128 bytes a cycle. Compute capability 9.0 and newer.
 *   l2-stream    every SM reads all of 8 MiB again and again, past its L1 (ld.global.cg). The L2
 *                holds them and device memory idles; an SM could take more from it than its share
 *                of what L2 can give (128 bytes a cycle; 132 SMs together 46): memory-bound l2.
 *   l2-strided   the same, but each thread takes 4 of the 32 bytes of a sector: L2 delivers
 *                8 times what is used, and device memory idles: memory-bound l2.
 */
#include <cuda_runtime.h>

#include "kernels/kernel_code.h"
#include "kernels/mbarrier.cuh"
#include "kernels/truth/truth.h"
#include "kernels/truth/truth_bench.h"

enum { THREADS = 256, COPY_BLOCKS = 8, READ_BLOCKS = 4, READS = 4, INPUT_MAX = 100 };
enum { L2_FLOATS = 1 << 21, SECTOR_FLOATS = 8, CHUNK_FLOATS = 4 };
#define COPY_FLOATS ((size_t)1 << 28)

/* ---- device memory ---- */

/* The number of rounds is how often the whole array is copied. */
__global__ void __launch_bounds__(THREADS) truth_dram(const float4 *in, float4 *out, size_t chunks, int rounds)
{
    size_t stride = (size_t)gridDim.x * THREADS;
#pragma unroll 1
    for (int round = 0; round < rounds; round++)
#pragma unroll 4
        for (size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x; i < chunks; i += stride) {
            float4 v = in[i];
            out[i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
        }
}

static __global__ void truth_dram_reference(const float *in, double *out, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * (double)in[i];
}

static int plan_dram(struct truth *t, struct CUstream_st *)
{
    t->threads = THREADS;
    t->grid = COPY_BLOCKS * t->sm_count;
    t->in_count = t->out_count = COPY_FLOATS;
    return 0;
}

static int prepare_dram(struct truth *t, struct CUstream_st *stream)
{
    truth_dram_reference<<<truth_blocks(t->out_count, THREADS), THREADS, 0, stream>>>(t->in, t->reference,
                                                                                      t->out_count);
    return cudaGetLastError();
}

static int launch_dram(void *opaque, struct CUstream_st *stream)
{
    struct truth *t = (struct truth *)opaque;
    truth_dram<<<t->grid, THREADS, 0, stream>>>((const float4 *)t->in, (float4 *)t->out, COPY_FLOATS / CHUNK_FLOATS,
                                                t->rounds);
    return cudaGetLastError();
}

static double dram_flops(const struct cpprof_config *config)
{
    return (double)COPY_FLOATS * (double)config->value[0];
}

static double dram_bytes(const struct cpprof_config *config)
{
    return 2.0 * (double)COPY_FLOATS * sizeof(float) * (double)config->value[0];
}

/* ---- device memory, by bulk copies ---- */

enum {
    TMA_BLOCKS = 4,
    TMA_STAGES = 4,
    TMA_READS = 2, /* chunks that a thread takes from a tile */
    TILE_CHUNKS = TMA_READS * THREADS,
    TILE_BYTES = TILE_CHUNKS * CHUNK_FLOATS * (int)sizeof(float),
    TMA_SHARED = TMA_STAGES * (TILE_BYTES + (int)sizeof(uint64_t)),
    TMA_TILES = (int)(COPY_FLOATS / CHUNK_FLOATS / TILE_CHUNKS),
    PATIENCE_NS = 2000000000
};

#if __CUDA_ARCH__ >= 900
static __device__ __forceinline__ uint64_t now_ns()
{
    uint64_t ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

/* Waits for the bytes of a phase. Fails the launch when they have not arrived after PATIENCE_NS. */
static __device__ __forceinline__ void wait_for_tile(uint64_t *barrier, unsigned parity)
{
    if (barrier_passes_soon(barrier, (int)parity))
        return;
    const uint64_t begin = now_ns();
    while (!barrier_passes_soon(barrier, (int)parity))
        if (now_ns() - begin > PATIENCE_NS)
            __trap();
}

/* Starts the copy of a tile. The phase of the barrier ends when all of its bytes have arrived. */
static __device__ __forceinline__ void ask_for_tile(float4 *to, const float4 *from, uint64_t *barrier)
{
    barrier_expect(barrier, TILE_BYTES);
    copy_bulk(to, from, TILE_BYTES, barrier);
}
#endif

/* Copies tile `turn` modulo TMA_TILES in each turn, TMA_TILES turns for a round. */
__global__ void __launch_bounds__(THREADS, TMA_BLOCKS) truth_tma(const float4 *in, float4 *out, int turns)
{
#if __CUDA_ARCH__ >= 900
    __shared__ __align__(128) float4 slots[TMA_STAGES][TILE_CHUNKS];
    __shared__ uint64_t full[TMA_STAGES];
    const int blocks = (int)gridDim.x;
    if (threadIdx.x == 0) {
        for (int slot = 0; slot < TMA_STAGES; slot++)
            barrier_init(&full[slot], 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); /* the TMA engine sees them, too */
        for (int slot = 0, turn = (int)blockIdx.x; slot < TMA_STAGES && turn < turns; slot++, turn += blocks)
            ask_for_tile(slots[slot], in + (size_t)(turn % TMA_TILES) * TILE_CHUNKS, &full[slot]);
    }
    __syncthreads(); /* all see the barriers */
    unsigned slot = 0, parity = 0;
    for (int turn = (int)blockIdx.x; turn < turns; turn += blocks) {
        wait_for_tile(&full[slot], parity);
        float4 *to = out + (size_t)(turn % TMA_TILES) * TILE_CHUNKS;
#pragma unroll
        for (int i = 0; i < TMA_READS; i++) {
            const float4 v = slots[slot][threadIdx.x + i * THREADS];
            to[threadIdx.x + i * THREADS] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
        }
        __syncthreads(); /* all have read the slot */
        const int next = turn + TMA_STAGES * blocks;
        if (threadIdx.x == 0 && next < turns)
            ask_for_tile(slots[slot], in + (size_t)(next % TMA_TILES) * TILE_CHUNKS, &full[slot]);
        slot = (slot + 1) % TMA_STAGES;
        parity ^= slot == 0;
    }
#else
    __trap(); /* never reached: setup refuses it */
#endif
}

static int plan_tma(struct truth *t, struct CUstream_st *stream)
{
    const int status = plan_dram(t, stream);
    t->grid = TMA_BLOCKS * t->sm_count;
    return status;
}

static int launch_tma(void *opaque, struct CUstream_st *stream)
{
    struct truth *t = (struct truth *)opaque;
    truth_tma<<<t->grid, THREADS, 0, stream>>>((const float4 *)t->in, (float4 *)t->out, t->rounds * TMA_TILES);
    return cudaGetLastError();
}

static int needs_bulk_copies(const struct cpprof_config *, char *why, size_t why_bytes)
{
    return kernel_code_needs(90, "bulk copies", why, why_bytes);
}

/* ---- L2 ---- */

static __device__ float4 add(float4 a, float4 b)
{
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

/* Read k of thread i is chunk (i + k x threads of the grid), round and round. */
__global__ void __launch_bounds__(THREADS) truth_l2(const float4 *in, float *out, int rounds)
{
    const unsigned threads = gridDim.x * THREADS, mask = L2_FLOATS / CHUNK_FLOATS - 1;
    unsigned i = blockIdx.x * THREADS + threadIdx.x, at = i;
    float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll 2
    for (int round = 0; round < rounds; round++) {
        float4 v[READS];
#pragma unroll
        for (int r = 0; r < READS; r++, at += threads)
            v[r] = __ldcg(&in[at & mask]);
#pragma unroll
        for (int r = 0; r < READS; r++)
            sum = add(sum, v[r]);
    }
    out[i] = sum.x + sum.y + sum.z + sum.w;
}

/* The same with a sector instead of a chunk. */
__global__ void __launch_bounds__(THREADS) truth_l2_strided(const float *in, float *out, int rounds)
{
    const unsigned threads = gridDim.x * THREADS, mask = L2_FLOATS / SECTOR_FLOATS - 1;
    unsigned i = blockIdx.x * THREADS + threadIdx.x, at = i;
    float sum = 0;
#pragma unroll 2
    for (int round = 0; round < rounds; round++) {
        float v[READS];
#pragma unroll
        for (int r = 0; r < READS; r++, at += threads)
            v[r] = __ldcg(&in[(at & mask) * SECTOR_FLOATS]);
#pragma unroll
        for (int r = 0; r < READS; r++)
            sum += v[r];
    }
    out[i] = sum;
}

/* Reads one after the other, in float64: `taken` of every `every` floats. */
static __global__ void truth_l2_reference(const float *in, double *out, size_t n, int reads, int every, int taken)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double sum = 0;
    for (int read = 0; read < reads; read++)
        for (int k = 0; k < taken; k++)
            sum += in[(i + read * n) % (L2_FLOATS / every) * every + k];
    out[i] = sum;
}

/* A sum is at most 4 x 4 x 2048 x 100 = 3.3 million: exact. */
static int plan_l2(struct truth *t, struct CUstream_st *)
{
    t->threads = THREADS;
    t->grid = READ_BLOCKS * t->sm_count;
    t->in_count = L2_FLOATS;
    t->out_count = (size_t)t->grid * THREADS;
    t->whole_max = INPUT_MAX;
    return 0;
}

template <int EVERY, int TAKEN> static int prepare_l2(struct truth *t, struct CUstream_st *stream)
{
    truth_l2_reference<<<t->grid, THREADS, 0, stream>>>(t->in, t->reference, t->out_count, READS * t->rounds, EVERY,
                                                        TAKEN);
    return cudaGetLastError();
}

static int launch_l2(void *opaque, struct CUstream_st *stream)
{
    struct truth *t = (struct truth *)opaque;
    truth_l2<<<t->grid, THREADS, 0, stream>>>((const float4 *)t->in, t->out, t->rounds);
    return cudaGetLastError();
}

static int launch_l2_strided(void *opaque, struct CUstream_st *stream)
{
    struct truth *t = (struct truth *)opaque;
    truth_l2_strided<<<t->grid, THREADS, 0, stream>>>(t->in, t->out, t->rounds);
    return cudaGetLastError();
}

/* One addition for each float that is used. */
template <int TAKEN> static double l2_flops(const struct cpprof_config *config)
{
    return truth_sm_count() * READ_BLOCKS * THREADS * (TAKEN * READS * (double)config->value[0] + TAKEN - 1);
}

static double l2_bytes(const struct cpprof_config *)
{
    return L2_FLOATS * sizeof(float) + truth_sm_count() * READ_BLOCKS * THREADS * sizeof(float);
}

/* ---- variants ---- */

/* At about 40 bytes per cycle and SM (of at most 46): 1024 threads x 4 reads x 16 or 32 bytes are 1,640 or 3,280 cycles
 * a round, 0.42 ms in all at 1980 MHz. */
static const struct cpprof_axis copy_axes[] = {
    {"rounds", "times round the kernel's loop", CPPROF_AXIS_SHAPE, 1, 16, 1}};
static const struct cpprof_axis stream_axes[] = {
    {"rounds", "times round the kernel's loop", CPPROF_AXIS_SHAPE, 1, 2048, 512}};
static const struct cpprof_axis strided_axes[] = {
    {"rounds", "times round the kernel's loop", CPPROF_AXIS_SHAPE, 1, 2048, 256}};
static const struct cpprof_shape copy_shapes[] = {TRUTH_SHAPES("2GiB", 1, 2)};
static const struct cpprof_shape stream_shapes[] = {TRUTH_SHAPES("8MiB", 512, 3)};
static const struct cpprof_shape strided_shapes[] = {TRUTH_SHAPES("sectors", 256, 3)};
static const struct cpprof_expect expect_copied[] = {{"dram__bytes_read.sum", (double)COPY_FLOATS, INFINITY}};
/* 1 to 2 GB are read, of which almost nothing comes from device memory. */
static const struct cpprof_expect expect_cached[] = {{"dram__bytes_read.sum", 0, 64 << 20}};

#define VARIANT(NAME, SUMMARY, KERNEL, AXES, SHAPES, EXPECT, REFUSE, SHARED, FLOPS, BYTES, SETUP, LAUNCH, BOUND)       \
    {                                                                                                                  \
        sizeof(struct cpprof_variant), "truth/" NAME, SUMMARY, "^" KERNEL "\\(", AXES, 1, SHAPES, 2, EXPECT, 1,        \
            REFUSE, truth_shared_bytes<SHARED>, FLOPS, BYTES, SETUP, truth_poison, LAUNCH, truth_verify,               \
            truth_teardown, NULL, NULL, BOUND                                                                          \
    }

extern "C" const struct cpprof_variant truth_memory_variants[TRUTH_MEMORY_COUNT] = {
    VARIANT("dram-stream", "a copy of 1 GiB, doubled", "truth_dram", copy_axes, copy_shapes, expect_copied, NULL, 0,
            dram_flops, dram_bytes, (truth_setup_as<plan_dram, prepare_dram>), launch_dram, "memory-bound dram"),
    VARIANT("tma-stream", "a copy of 1 GiB, doubled, loaded by bulk copies", "truth_tma", copy_axes, copy_shapes,
            expect_copied, needs_bulk_copies, TMA_SHARED, dram_flops, dram_bytes,
            (truth_setup_as<plan_tma, prepare_dram>), launch_tma, "memory-bound dram"),
    VARIANT("l2-stream", "8 MiB read by every SM again and again", "truth_l2", stream_axes, stream_shapes,
            expect_cached, NULL, 0, l2_flops<CHUNK_FLOATS>, l2_bytes,
            (truth_setup_as<plan_l2, prepare_l2<CHUNK_FLOATS, CHUNK_FLOATS>>), launch_l2, "memory-bound l2"),
    VARIANT("l2-strided", "4 bytes of each sector of 8 MiB, again and again", "truth_l2_strided", strided_axes,
            strided_shapes, expect_cached, NULL, 0, l2_flops<1>, l2_bytes,
            (truth_setup_as<plan_l2, prepare_l2<SECTOR_FLOATS, 1>>), launch_l2_strided, "memory-bound l2"),
};
