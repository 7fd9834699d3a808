/* truth_tensor.cu - kernels that fill the tensor cores, by the two instructions that reach them.
 *
 * D = rounds x A B, for small whole numbers: every product and sum is exact, and
 * one multiplication too few is an error.
 *
 *   tensor-mma    mma.sync m16n8k16, 8 accumulators beside each other in each of the 4 warps of a
 *                 scheduler; operands stay in registers: compute-bound tensor.
 *   tensor-wgmma  wgmma m64n256k16, 2 warpgroups on each SM, operands in shared memory: 10 KB of
 *                 them for 128 cycles of the tensor cores, where 16 KB could be read:
 *                 compute-bound tensor. Compute capability 9.0 alone has it.
 */
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "kernels/kernel_code.h"
#include "kernels/truth/truth.h"
#include "kernels/truth/truth_bench.h"

enum { WARP = 32, INPUT_MAX = 2 };

/* ---- D = rounds x A B of many small matrices, whatever computes it ---- */

/* A is stored row by row (m x k), B column by column (n x k), D row by row; the pairs follow each other. */
template <int M, int N, int K>
static __global__ void truth_product_reference(const float *in, double *out, double rounds)
{
    const float *a = in + blockIdx.x * (size_t)(M * K + N * K), *b = a + M * K;
    for (int i = threadIdx.x; i < M * N; i += blockDim.x) {
        double sum = 0;
        for (int k = 0; k < K; k++)
            sum += (double)a[i / N * K + k] * b[i % N * K + k];
        out[blockIdx.x * (size_t)(M * N) + i] = rounds * sum;
    }
}

/* ---- mma.sync ---- */

enum {
    MMA_THREADS = 256,
    MMA_BLOCKS = 2,
    MMA_M = 16,
    MMA_N = 64,
    MMA_K = 16,
    TILE_N = 8,
    MMA_TILES = MMA_N / TILE_N,
    MMA_IN = (MMA_M + MMA_N) * MMA_K,
    MMA_OUT = MMA_M * MMA_N
};

static __device__ unsigned pair(const float *two)
{
    __half2 halves = __floats2half2_rn(two[0], two[1]);
    return *reinterpret_cast<unsigned *>(&halves);
}

static __device__ void mma_m16n8k16(float d[4], const unsigned a[4], const unsigned b[2])
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/* A warp multiplies its own matrices. Lane l has, in row (or column) l / 4 of a fragment, the elements from 2 (l % 4)
 * on (PTX ISA, "Matrix Fragments for mma.m16n8k16"). */
__global__ void __launch_bounds__(MMA_THREADS, MMA_BLOCKS) truth_mma(const float *in, float *out, int rounds)
{
    const size_t warp = (blockIdx.x * (size_t)MMA_THREADS + threadIdx.x) / WARP;
    const int row = threadIdx.x % WARP / 4, first = threadIdx.x % 4 * 2;
    const float *a = in + warp * MMA_IN + row * MMA_K + first, *b = in + warp * MMA_IN + (MMA_M + row) * MMA_K + first;
    const unsigned left[4] = {pair(a), pair(a + 8 * MMA_K), pair(a + 8), pair(a + 8 * MMA_K + 8)};
    unsigned right[MMA_TILES][2];
    float d[MMA_TILES][4];
#pragma unroll
    for (int n = 0; n < MMA_TILES; n++) {
        right[n][0] = pair(b + n * TILE_N * MMA_K);
        right[n][1] = pair(b + n * TILE_N * MMA_K + 8);
        d[n][0] = d[n][1] = d[n][2] = d[n][3] = 0;
    }
#pragma unroll 4
    for (int round = 0; round < rounds; round++)
#pragma unroll
        for (int n = 0; n < MMA_TILES; n++)
            mma_m16n8k16(d[n], left, right[n]);
    float *to = out + warp * MMA_OUT + row * MMA_N + first;
#pragma unroll
    for (int n = 0; n < MMA_TILES; n++) {
        to[n * TILE_N] = d[n][0];
        to[n * TILE_N + 1] = d[n][1];
        to[n * TILE_N + 8 * MMA_N] = d[n][2];
        to[n * TILE_N + 8 * MMA_N + 1] = d[n][3];
    }
}

/* A sum is at most 65,536 x 16 x 4 = 4.2 million: exact. */
static int plan_mma(struct truth *t, struct CUstream_st *)
{
    t->threads = MMA_THREADS;
    t->grid = MMA_BLOCKS * t->sm_count;
    t->in_count = (size_t)t->grid * MMA_THREADS / WARP * MMA_IN;
    t->out_count = (size_t)t->grid * MMA_THREADS / WARP * MMA_OUT;
    t->whole_max = INPUT_MAX;
    return 0;
}

static int prepare_mma(struct truth *t, struct CUstream_st *stream)
{
    truth_product_reference<MMA_M, MMA_N, MMA_K>
        <<<t->grid *(MMA_THREADS / WARP), MMA_THREADS, 0, stream>>>(t->in, t->reference, t->rounds);
    return cudaGetLastError();
}

static int launch_mma(void *opaque, struct CUstream_st *stream)
{
    struct truth *t = (struct truth *)opaque;
    truth_mma<<<t->grid, MMA_THREADS, 0, stream>>>(t->in, t->out, t->rounds);
    return cudaGetLastError();
}

static double mma_flops(const struct cpprof_config *config)
{
    return truth_sm_count() * MMA_BLOCKS * (MMA_THREADS / WARP) * 2.0 * MMA_M * MMA_N * MMA_K *
           (double)config->value[0];
}

static double mma_bytes(const struct cpprof_config *)
{
    return truth_sm_count() * MMA_BLOCKS * (MMA_THREADS / WARP) * sizeof(float) * (MMA_IN + MMA_OUT);
}

/* ---- wgmma ---- */

enum {
    GMMA_THREADS = 128,
    GMMA_BLOCKS = 2,
    GMMA_M = 64,
    GMMA_N = 256,
    GMMA_K = 64,
    STEP_K = 16,
    CORE_ROWS = 8,
    CORE_K = 8,
    CORE_BYTES = 128,
    GMMA_IN = (GMMA_M + GMMA_N) * GMMA_K,
    GMMA_OUT = GMMA_M * GMMA_N,
    GMMA_VALUES = GMMA_OUT / GMMA_THREADS,
    GMMA_SHARED = GMMA_IN * (int)sizeof(__half)
};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
/* Shared memory as wgmma reads it without swizzling: core matrices of 8 rows x 8 halves, 128 bytes each. Those
 * of the same columns follow each other; the next 8 columns come after all rows. Returns an index of halves. */
static __device__ int core_index(int rows, int row, int k)
{
    return (k / CORE_K * (rows / CORE_ROWS) + row / CORE_ROWS) * (CORE_BYTES / 2) + row % CORE_ROWS * CORE_K +
           k % CORE_K;
}

/* PTX ISA, "Matrix Descriptor Format": address, bytes from 8 columns to the next (leading dimension),
 * bytes from 8 rows to the next (stride), each without its lowest 4 bits; no swizzling is 0. */
static __device__ uint64_t descriptor(const __half *matrix, int rows)
{
    const uint64_t address = __cvta_generic_to_shared(matrix) & 0x3ffff;
    const uint64_t leading = (uint64_t)(rows / CORE_ROWS * CORE_BYTES), stride = CORE_BYTES;
    return address >> 4 | leading >> 4 << 16 | stride >> 4 << 32;
}

#define D4(i)  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define D16(i) D4(i), D4(i + 4), D4(i + 8), D4(i + 12)
#define D64(i) D16(i), D16(i + 16), D16(i + 32), D16(i + 48)

/* D += A B */
static __device__ void wgmma_m64n256k16(float d[GMMA_VALUES], uint64_t a, uint64_t b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
                 "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
                 "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
                 "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
                 "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
                 "%128, %129, 1, 1, 1, 0, 0;"
                 : D64(0), D64(64)
                 : "l"(a), "l"(b));
}
#endif

/* A block is a warpgroup that multiplies its own matrices. */
__global__ void __launch_bounds__(GMMA_THREADS, GMMA_BLOCKS) truth_wgmma(const float *in, float *out, int rounds)
{
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    __shared__ __align__(128) __half a[GMMA_M * GMMA_K], b[GMMA_N * GMMA_K];
    const float *own = in + blockIdx.x * (size_t)GMMA_IN;
    for (int i = threadIdx.x; i < GMMA_M * GMMA_K; i += GMMA_THREADS)
        a[core_index(GMMA_M, i / GMMA_K, i % GMMA_K)] = __float2half_rn(own[i]);
    for (int i = threadIdx.x; i < GMMA_N * GMMA_K; i += GMMA_THREADS)
        b[core_index(GMMA_N, i / GMMA_K, i % GMMA_K)] = __float2half_rn(own[GMMA_M * GMMA_K + i]);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); /* makes the threads' writes visible to wgmma */
    __syncthreads();
    float d[GMMA_VALUES];
#pragma unroll
    for (int i = 0; i < GMMA_VALUES; i++)
        d[i] = 0;
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int k = 0; k < GMMA_K; k += STEP_K)
            wgmma_m64n256k16(d, descriptor(a + k * GMMA_M, GMMA_M), descriptor(b + k * GMMA_N, GMMA_N));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    }
    /* Warp w has the rows from 16 w on. Its lane l has rows l / 4 and l / 4 + 8, and of every 8 columns 2 (l % 4) and
     * the next. */
    const int row = threadIdx.x / WARP * 16 + threadIdx.x % WARP / 4, column = threadIdx.x % 4 * 2;
    float *to = out + blockIdx.x * (size_t)GMMA_OUT + row * GMMA_N + column;
#pragma unroll
    for (int i = 0; i < GMMA_VALUES; i++)
        to[i / 4 * 8 + i % 2 + i % 4 / 2 * 8 * GMMA_N] = d[i];
#else
    __trap(); /* never reached: setup refuses it */
#endif
}

/* A sum is at most 16,384 x 64 x 4 = 4.2 million: exact. */
static int plan_wgmma(struct truth *t, struct CUstream_st *)
{
    t->threads = GMMA_THREADS;
    t->grid = GMMA_BLOCKS * t->sm_count;
    t->in_count = (size_t)t->grid * GMMA_IN;
    t->out_count = (size_t)t->grid * GMMA_OUT;
    t->whole_max = INPUT_MAX;
    return 0;
}

static int prepare_wgmma(struct truth *t, struct CUstream_st *stream)
{
    truth_product_reference<GMMA_M, GMMA_N, GMMA_K><<<t->grid, 512, 0, stream>>>(t->in, t->reference, t->rounds);
    return cudaGetLastError();
}

static int launch_wgmma(void *opaque, struct CUstream_st *stream)
{
    struct truth *t = (struct truth *)opaque;
    truth_wgmma<<<t->grid, GMMA_THREADS, 0, stream>>>(t->in, t->out, t->rounds);
    return cudaGetLastError();
}

static double wgmma_flops(const struct cpprof_config *config)
{
    return truth_sm_count() * GMMA_BLOCKS * 2.0 * GMMA_M * GMMA_N * GMMA_K * (double)config->value[0];
}

static double wgmma_bytes(const struct cpprof_config *)
{
    return truth_sm_count() * GMMA_BLOCKS * sizeof(float) * (GMMA_IN + GMMA_OUT);
}

static int needs_wgmma(const struct cpprof_config *, char *why, size_t why_bytes)
{
    return kernel_code_needs_only(90, "wgmma", why, why_bytes);
}

/* ---- variants ---- */

/* Cycles of an SM in a round: 16 warps x 8 products of 2048 FMAs, 2048 (by mma.sync rather 1024) a cycle: 128 to
 * 256; 2 blocks x 4 products of 262,144: 1024. At 1980 MHz 0.27 to 0.53 ms, 0.53 ms; clocks are lower at this power. */
static const struct cpprof_axis mma_axes[] = {TRUTH_AXIS(4096)};
static const struct cpprof_axis wgmma_axes[] = {
    {"rounds", "times round the kernel's loop", CPPROF_AXIS_SHAPE, 1, 16384, 1024}};
static const struct cpprof_shape mma_shapes[] = {TRUTH_SHAPES("mma", 4096, 3)};
static const struct cpprof_shape wgmma_shapes[] = {TRUTH_SHAPES("wgmma", 1024, 3)};
static const struct cpprof_expect expect[] = {
    {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", 0.01, INFINITY}};

#define VARIANT(NAME, SUMMARY, KERNEL, AXES, SHAPES, REFUSE, SHARED, FLOPS, BYTES, PLAN, PREPARE, LAUNCH)              \
    {                                                                                                                  \
        sizeof(struct cpprof_variant), "truth/" NAME, SUMMARY, "^" KERNEL "\\(", AXES, 1, SHAPES, 2, expect, 1,        \
            REFUSE, truth_shared_bytes<SHARED>, FLOPS, BYTES, (truth_setup_as<PLAN, PREPARE>), truth_poison, LAUNCH,   \
            truth_verify, truth_teardown, NULL, NULL, "compute-bound tensor"                                           \
    }

extern "C" const struct cpprof_variant truth_tensor_variants[TRUTH_TENSOR_COUNT] = {
    VARIANT("tensor-mma", "independent matrix products by mma.sync", "truth_mma", mma_axes, mma_shapes, NULL, 0,
            mma_flops, mma_bytes, plan_mma, prepare_mma, launch_mma),
    VARIANT("tensor-wgmma", "matrix products by wgmma, operands in shared memory", "truth_wgmma", wgmma_axes,
            wgmma_shapes, needs_wgmma, GMMA_SHARED, wgmma_flops, wgmma_bytes, plan_wgmma, prepare_wgmma, launch_wgmma),
};
