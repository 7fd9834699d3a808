/* truth_pipes.cu - kernels that fill one execution pipe.
 *
 * Chains beside each other, 8 of them in each of the 32 or 64 warps of an SM, so that
 * no instruction waits for another. What a chain comes to is known without running it.
 *
 *   fp64-peak  x = 1 x + 1 in float64. A scheduler starts a DFMA every 2 cycles (of compute
 *              capability 8.0 and 9.0) and has 64 to choose from: compute-bound fp64.
 *   xu-peak    sum += 2^x; x += 0. A scheduler starts an ex2 every 8 cycles, and two
 *              additions beside it: the XU is full, the FMA pipe a quarter: compute-bound xu.
 *   alu-peak   x = rotate(x, 1) ^ key, the key counted up each round. A shift and a logic
 *              operation, each on the ALU for 2 cycles: it is full, nothing else is used:
 *              compute-bound alu.
 */
#include <cuda_runtime.h>

#include "kernels/truth/truth.h"
#include "kernels/truth/truth_bench.h"

enum { THREADS = 512, CHAINS = 8, STEPS = 8, XU_STEPS = 4, INPUT_MAX = 1000 };

/* ---- fp64 ---- */

/* Both are 1. nvcc does not know that, so it keeps the FMA. */
struct step64 {
    double factor, summand;
};

__global__ void __launch_bounds__(THREADS) truth_fp64(const float *in, float *out, int rounds, struct step64 step)
{
    size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x;
    double x[CHAINS], sum = 0;
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
        x[c] = in[i] + (float)c;
#pragma unroll 1
    for (int round = 0; round < rounds; round++)
#pragma unroll
        for (int k = 0; k < STEPS; k++)
#pragma unroll
            for (int c = 0; c < CHAINS; c++)
                x[c] = fma(x[c], step.factor, step.summand);
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
        sum += x[c];
    out[i] = (float)sum; /* below 8 x (1007 + 8 x 65,536), 4.2 million: exact */
}

static __global__ void truth_fp64_reference(const float *in, double *out, size_t n, double added)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = CHAINS * ((double)in[i] + added) + CHAINS * (CHAINS - 1) / 2;
}

static int prepare_fp64(struct truth *t, struct CUstream_st *stream)
{
    truth_fp64_reference<<<t->grid, THREADS, 0, stream>>>(t->in, t->reference, t->out_count, (double)STEPS * t->rounds);
    return cudaGetLastError();
}

static int launch_fp64(void *opaque, struct CUstream_st *stream)
{
    struct truth *t = (struct truth *)opaque;
    struct step64 step = {1, 1};
    truth_fp64<<<t->grid, THREADS, 0, stream>>>(t->in, t->out, t->rounds, step);
    return cudaGetLastError();
}

/* ---- XU ---- */

/* One MUFU.EX2: ex2.approx without .ftz takes two more instructions for denormal numbers. */
static __device__ float power_of_two(float x)
{
    float y;
    asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/* The exponent, -1 or 0. `nothing` is 0; nvcc does not know that, so it treats every x[c] as a new number. */
static __device__ float exponent_of(float in)
{
    return in < 0 ? -1.f : 0.f;
}

__global__ void __launch_bounds__(THREADS) truth_xu(const float *in, float *out, int rounds, float nothing)
{
    size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x;
    float x[CHAINS], sum[CHAINS], all = 0;
#pragma unroll
    for (int c = 0; c < CHAINS; c++) {
        x[c] = fmaf((float)c, nothing, exponent_of(in[i]));
        sum[c] = 0;
    }
#pragma unroll 1
    for (int round = 0; round < rounds; round++)
#pragma unroll
        for (int k = 0; k < XU_STEPS; k++)
#pragma unroll
            for (int c = 0; c < CHAINS; c++) {
                sum[c] += power_of_two(x[c]);
                x[c] += nothing;
            }
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
        all += sum[c];
    out[i] = all;
}

static __global__ void truth_xu_reference(const float *in, double *out, size_t n, double terms)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] < 0 ? terms / 2 : terms;
}

static int prepare_xu(struct truth *t, struct CUstream_st *stream)
{
    truth_xu_reference<<<t->grid, THREADS, 0, stream>>>(t->in, t->reference, t->out_count,
                                                        (double)CHAINS * XU_STEPS * t->rounds);
    return cudaGetLastError();
}

static int launch_xu(void *opaque, struct CUstream_st *stream)
{
    struct truth *t = (struct truth *)opaque;
    truth_xu<<<t->grid, THREADS, 0, stream>>>(t->in, t->out, t->rounds, 0);
    return cudaGetLastError();
}

/* ---- ALU ---- */

static __host__ __device__ uint32_t rotate(uint32_t x, unsigned by)
{
    by &= 31;
    return by ? x << by | x >> (32 - by) : x;
}

static __device__ uint32_t start_of(float in, int chain)
{
    return __float_as_uint(in) + (uint32_t)chain * 0x9e3779b9u;
}

__global__ void __launch_bounds__(THREADS) truth_alu(const float *in, float *out, int rounds, uint32_t key)
{
    size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x;
    uint32_t x[CHAINS], sum = 0;
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
        x[c] = start_of(in[i], c);
#pragma unroll 1
    for (int round = 0; round < rounds; round++, key++)
#pragma unroll
        for (int k = 0; k < STEPS; k++)
#pragma unroll
            for (int c = 0; c < CHAINS; c++)
                x[c] = __funnelshift_l(x[c], x[c], 1) ^ key;
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
        sum += x[c];
    out[i] = (float)(sum >> 8); /* 24 bits: exact */
}

/* A step is linear over bits: x becomes x rotated by all steps at once, xor the result for 0. */
static __global__ void truth_alu_reference(const float *in, double *out, size_t n, unsigned steps,
                                           uint32_t zero_becomes)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint32_t sum = 0;
    for (int c = 0; c < CHAINS; c++)
        sum += rotate(start_of(in[i], c), steps) ^ zero_becomes;
    out[i] = sum >> 8;
}

/* The lowest 8 bits are the same for every seed, and chosen to be odd: from a multiple of 4 on, the keys of every 32
 * rounds cancel out, and a kernel that did nothing would be right. From this value on, no smaller number of rounds up
 * to 256 has the same result. */
static uint32_t key_of(const struct truth *t)
{
    return 0x85ebca6bu ^ (uint32_t)t->seed << 8;
}

static int prepare_alu(struct truth *t, struct CUstream_st *stream)
{
    uint32_t zero_becomes = 0;
    const unsigned steps = STEPS * (unsigned)t->rounds;
    for (unsigned step = 0; step < steps; step++)
        zero_becomes ^= rotate(key_of(t) + step / STEPS, steps - 1 - step);
    truth_alu_reference<<<t->grid, THREADS, 0, stream>>>(t->in, t->reference, t->out_count, steps, zero_becomes);
    return cudaGetLastError();
}

static int launch_alu(void *opaque, struct CUstream_st *stream)
{
    struct truth *t = (struct truth *)opaque;
    truth_alu<<<t->grid, THREADS, 0, stream>>>(t->in, t->out, t->rounds, key_of(t));
    return cudaGetLastError();
}

/* ---- variants ---- */

enum pipe { PIPE_FP64, PIPE_XU, PIPE_ALU };

/* As many as fit: 4 on most chips, 3 where an SM has 1536 threads. */
template <enum pipe PIPE> static int blocks_per_sm()
{
    const int fit = truth_threads_per_sm() / THREADS, most = PIPE == PIPE_FP64 ? 2 : 4;
    return fit < most ? fit : most;
}

/* If each 2^x had the error of 2^-22 that ex2.approx may have, sums would be rounded: the k-th of a chain by k 2^-24,
 * so 256 rounds of 4 add up to 1/32 per chain and 1/4 in all, and the errors of 2^-22 themselves to 0.002. A missing
 * term makes 1/2 or 1. */
template <enum pipe PIPE> static int plan(struct truth *t, struct CUstream_st *)
{
    t->threads = THREADS;
    t->grid = blocks_per_sm<PIPE>() * t->sm_count;
    t->in_count = t->out_count = (size_t)t->grid * THREADS;
    t->whole_max = PIPE == PIPE_FP64 ? INPUT_MAX : 0;
    t->tolerance = PIPE == PIPE_XU ? 0.3 : 0;
    return 0;
}

template <enum pipe PIPE> static double threads_of()
{
    return truth_sm_count() * THREADS * blocks_per_sm<PIPE>();
}

/* Integer operations do not count; the additions next to ex2 are two. */
template <enum pipe PIPE> static double flops(const struct cpprof_config *config)
{
    const double steps = CHAINS * (double)config->value[0];
    return PIPE == PIPE_ALU ? 0 : threads_of<PIPE>() * steps * (PIPE == PIPE_FP64 ? 2.0 * STEPS : 3.0 * XU_STEPS);
}

template <enum pipe PIPE> static double bytes(const struct cpprof_config *)
{
    return threads_of<PIPE>() * 2 * sizeof(float);
}

/* Cycles of an SM in a round: 1024 threads x 64 DFMAs, 64 a cycle; 2048 threads x 32 ex2, 16 a cycle;
 * 2048 threads x 128 operations, 64 a cycle: 0.53 ms at 1980 MHz each. */
static const struct cpprof_axis fp64_axes[] = {TRUTH_AXIS(1024)},
                                axes[] = {{"rounds", "times round the kernel's loop", CPPROF_AXIS_SHAPE, 1, 256, 256}};
static const struct cpprof_shape fp64_shapes[] = {TRUTH_SHAPES("fp64", 1024, 3)};
static const struct cpprof_shape xu_shapes[] = {TRUTH_SHAPES("xu", 256, 3)};
static const struct cpprof_shape alu_shapes[] = {TRUTH_SHAPES("alu", 256, 3)};
static const struct cpprof_expect expect_fp64[] = {
    {"sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed", 0.01, INFINITY}};
static const struct cpprof_expect expect_xu[] = {
    {"sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed", 0.01, INFINITY}};
static const struct cpprof_expect expect_alu[] = {
    {"sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed", 0.01, INFINITY}};

#define VARIANT(NAME, SUMMARY, KERNEL, AXES, SHAPES, EXPECT, PIPE, PREPARE, LAUNCH, BOUND)                             \
    {                                                                                                                  \
        sizeof(struct cpprof_variant), "truth/" NAME, SUMMARY, "^" KERNEL "\\(", AXES, 1, SHAPES, 2, EXPECT, 1, NULL,  \
            truth_shared_bytes<0>, flops<PIPE>, bytes<PIPE>, (truth_setup_as<plan<PIPE>, PREPARE>), truth_poison,      \
            LAUNCH, truth_verify, truth_teardown, NULL, NULL, BOUND                                                    \
    }

extern "C" const struct cpprof_variant truth_pipes_variants[TRUTH_PIPES_COUNT] = {
    VARIANT("fp64-peak", "independent FMAs in float64", "truth_fp64", fp64_axes, fp64_shapes, expect_fp64, PIPE_FP64,
            prepare_fp64, launch_fp64, "compute-bound fp64"),
    VARIANT("xu-peak", "independent powers of two by the XU", "truth_xu", axes, xu_shapes, expect_xu, PIPE_XU,
            prepare_xu, launch_xu, "compute-bound xu"),
    VARIANT("alu-peak", "independent shifts and logic operations", "truth_alu", axes, alu_shapes, expect_alu, PIPE_ALU,
            prepare_alu, launch_alu, "compute-bound alu"),
};
