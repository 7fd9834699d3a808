/* truth_pipes.cu - kernels that fill one execution pipe, and one that fills the issue slots and no pipe.
 *
 * Chains beside each other, 8 (or 3 times 8) of them in each of the 32 or 64 warps of an SM, so that
 * no instruction waits for another. What a chain comes to is known without running it.
 *
 *   fp64-peak  x = 1 x + 1 in float64. A scheduler starts a DFMA every 2 cycles (of compute
 *              capability 8.0 and 9.0) and has 64 to choose from: compute-bound fp64.
 *   xu-peak    sum += 2^x; x += 0. A scheduler starts an ex2 every 8 cycles, and two
 *              additions beside it: the XU is full, the FMA pipe a quarter: compute-bound xu.
 *   alu-peak   x = rotate(x, 1) ^ key, the key counted up each round. A shift and a logic
 *              operation, each on the ALU for 2 cycles: it is full, nothing else is used:
 *              compute-bound alu.
 *   issue      of every 8 instructions 4 are FMAs, 2 additions in float64, and 2 a shift and a logic
 *              operation. A scheduler starts one instruction a cycle. It could start an FMA every
 *              cycle, and an operation of the ALU or of float64 every 2 cycles (of compute capability
 *              9.0 and 10.0), so each of the three pipes is half full when all slots are taken:
 *              compute-bound issue.
 *              The loop has 256 such instructions (128 FFMA, 64 DADD, 32 SHF, 32 LOP3 of sm_90a) and
 *              5 of its own. With all slots taken the FMA pipe and float64 are 49% busy, the ALU 50%.
 */
#include <cuda_runtime.h>
#include <stdio.h>

#include "kernels/truth/truth.h"
#include "kernels/truth/truth_bench.h"

enum { THREADS = 512, CHAINS = 8, STEPS = 8, XU_STEPS = 4, MIX_STEPS = 4, INPUT_MAX = 1000 };

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

/* The sum of chains that begin with in + c, 0 <= c < CHAINS, and to each of which `added` is added. */
static __device__ double chains_sum(float in, double added)
{
    return CHAINS * ((double)in + added) + CHAINS * (CHAINS - 1) / 2;
}

static __global__ void truth_fp64_reference(const float *in, double *out, size_t n, double added)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = chains_sum(in[i], added);
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
static __device__ uint32_t alu_sum(float in, unsigned steps, uint32_t zero_becomes)
{
    uint32_t sum = 0;
    for (int c = 0; c < CHAINS; c++)
        sum += rotate(start_of(in, c), steps) ^ zero_becomes;
    return sum;
}

static __global__ void truth_alu_reference(const float *in, double *out, size_t n, unsigned steps,
                                           uint32_t zero_becomes)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = alu_sum(in[i], steps, zero_becomes) >> 8;
}

/* The lowest 8 bits are the same for every seed, and chosen to be odd: from a multiple of 4 on, the keys of every 32
 * rounds cancel out, and a kernel that did nothing would be right. From this value on, no smaller number of rounds up
 * to 256 has the same result. */
static uint32_t key_of(const struct truth *t)
{
    return 0x85ebca6bu ^ (uint32_t)t->seed << 8;
}

/* What all steps make of 0. */
static uint32_t zero_after(const struct truth *t, unsigned steps_a_round)
{
    uint32_t zero_becomes = 0;
    const unsigned steps = steps_a_round * (unsigned)t->rounds;
    for (unsigned step = 0; step < steps; step++)
        zero_becomes ^= rotate(key_of(t) + step / steps_a_round, steps - 1 - step);
    return zero_becomes;
}

static int prepare_alu(struct truth *t, struct CUstream_st *stream)
{
    truth_alu_reference<<<t->grid, THREADS, 0, stream>>>(t->in, t->reference, t->out_count, STEPS * (unsigned)t->rounds,
                                                         zero_after(t, STEPS));
    return cudaGetLastError();
}

static int launch_alu(void *opaque, struct CUstream_st *stream)
{
    struct truth *t = (struct truth *)opaque;
    truth_alu<<<t->grid, THREADS, 0, stream>>>(t->in, t->out, t->rounds, key_of(t));
    return cudaGetLastError();
}

/* ---- issue slots ---- */

/* The factor and both summands are 1. nvcc does not know that. */
struct mix {
    double summand64;
    float factor, summand;
    uint32_t key;
};

/* Takes a whole number and a sum of bits. Returns a number of 24 bits, which is exact in float32. */
static __device__ float all_in_24_bits(double whole, uint32_t bits)
{
    return (float)(((uint32_t)(int)whole + bits) & 0xffffff);
}

__global__ void __launch_bounds__(THREADS) truth_issue(const float *in, float *out, int rounds, struct mix mix)
{
    size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x;
    float x[CHAINS], x_sum = 0;
    double y[CHAINS], y_sum = 0;
    uint32_t z[CHAINS], z_sum = 0;
#pragma unroll
    for (int c = 0; c < CHAINS; c++) {
        x[c] = in[i] + (float)c;
        y[c] = in[i] + (float)c;
        z[c] = start_of(in[i], c);
    }
#pragma unroll 1
    for (int round = 0; round < rounds; round++, mix.key++)
#pragma unroll
        for (int k = 0; k < MIX_STEPS; k++)
#pragma unroll
            for (int c = 0; c < CHAINS; c++) {
                x[c] = fmaf(x[c], mix.factor, mix.summand);
                z[c] = __funnelshift_l(z[c], z[c], 1);
                x[c ^ CHAINS / 2] = fmaf(x[c ^ CHAINS / 2], mix.factor, mix.summand);
                y[c] += mix.summand64;
                x[c] = fmaf(x[c], mix.factor, mix.summand);
                z[c] ^= mix.key;
                x[c ^ CHAINS / 2] = fmaf(x[c ^ CHAINS / 2], mix.factor, mix.summand);
                y[c] += mix.summand64;
            }
#pragma unroll
    for (int c = 0; c < CHAINS; c++) {
        x_sum += x[c];
        y_sum += y[c];
        z_sum += z[c];
    }
    out[i] = all_in_24_bits(x_sum + y_sum, z_sum);
}

/* In a round each step adds 1 to the x of a chain four times, and twice to its y. */
static __global__ void truth_issue_reference(const float *in, double *out, size_t n, unsigned steps,
                                             uint32_t zero_becomes)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = all_in_24_bits(chains_sum(in[i], 4.0 * steps) + chains_sum(in[i], 2.0 * steps),
                                alu_sum(in[i], steps, zero_becomes));
}

static int prepare_issue(struct truth *t, struct CUstream_st *stream)
{
    truth_issue_reference<<<t->grid, THREADS, 0, stream>>>(t->in, t->reference, t->out_count,
                                                           MIX_STEPS * (unsigned)t->rounds, zero_after(t, MIX_STEPS));
    return cudaGetLastError();
}

static int launch_issue(void *opaque, struct CUstream_st *stream)
{
    struct truth *t = (struct truth *)opaque;
    struct mix mix = {1, 1, 1, key_of(t)};
    truth_issue<<<t->grid, THREADS, 0, stream>>>(t->in, t->out, t->rounds, mix);
    return cudaGetLastError();
}

/* Elsewhere one of the three pipes is slower, and would be full. */
static int needs_even_pipes(const struct cpprof_config *, char *why, size_t why_bytes)
{
    int device, major = 0, minor = 0;
    if (!cudaGetDevice(&device) && !cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) &&
        !cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) && (major == 9 || major == 10) &&
        minor == 0)
        return 0;
    snprintf(why, why_bytes,
             "needs an SM that starts 128 FMAs, or 64 of float64, a cycle, as compute capability 9.0 and 10.0 have; "
             "this device has %d.%d",
             major, minor);
    return 1;
}

/* ---- variants ---- */

enum pipe { PIPE_FP64, PIPE_XU, PIPE_ALU, PIPE_NONE };

/* As many as fit: 4 on most chips, 3 where an SM has 1536 threads. */
template <enum pipe PIPE> static int blocks_per_sm()
{
    const int fit = truth_threads_per_sm() / THREADS, most = PIPE == PIPE_FP64 || PIPE == PIPE_NONE ? 2 : 4;
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
    t->whole_max = PIPE == PIPE_FP64 || PIPE == PIPE_NONE ? INPUT_MAX : 0;
    t->tolerance = PIPE == PIPE_XU ? 0.3 : 0;
    return 0;
}

template <enum pipe PIPE> static double threads_of()
{
    return truth_sm_count() * THREADS * blocks_per_sm<PIPE>();
}

/* Floating-point operations of one chain in a round. Two additions stand next to each ex2. A step of `issue` is four
 * FMAs and two additions. Integer operations do not count. */
template <enum pipe PIPE> static double flops_of_round()
{
    return PIPE == PIPE_FP64   ? 2.0 * STEPS
           : PIPE == PIPE_XU   ? 3.0 * XU_STEPS
           : PIPE == PIPE_NONE ? 10.0 * MIX_STEPS
                               : 0;
}

template <enum pipe PIPE> static double flops(const struct cpprof_config *config)
{
    return threads_of<PIPE>() * CHAINS * (double)config->value[0] * flops_of_round<PIPE>();
}

template <enum pipe PIPE> static double bytes(const struct cpprof_config *)
{
    return threads_of<PIPE>() * 2 * sizeof(float);
}

/* Cycles of an SM in a round: 1024 threads x 64 DFMAs, 64 a cycle; 2048 threads x 32 ex2, 16 a cycle;
 * 2048 threads x 128 operations, 64 a cycle; 32 warps x 261 instructions, 4 a cycle: 0.53 ms at 1980 MHz each. */
static const struct cpprof_axis fp64_axes[] = {TRUTH_AXIS(1024)},
                                axes[] = {{"rounds", "times round the kernel's loop", CPPROF_AXIS_SHAPE, 1, 256, 256}},
                                issue_axes[] = {
                                    {"rounds", "times round the kernel's loop", CPPROF_AXIS_SHAPE, 1, 512, 512}};
static const struct cpprof_shape fp64_shapes[] = {TRUTH_SHAPES("fp64", 1024, 3)};
static const struct cpprof_shape xu_shapes[] = {TRUTH_SHAPES("xu", 256, 3)};
static const struct cpprof_shape alu_shapes[] = {TRUTH_SHAPES("alu", 256, 3)};
static const struct cpprof_shape issue_shapes[] = {TRUTH_SHAPES("mix", 512, 3)};
static const struct cpprof_expect expect_fp64[] = {
    {"sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed", 0.01, INFINITY}};
static const struct cpprof_expect expect_xu[] = {
    {"sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed", 0.01, INFINITY}};
static const struct cpprof_expect expect_alu[] = {
    {"sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed", 0.01, INFINITY}};
/* The claim itself: the slots are full, and no pipe is. */
static const struct cpprof_expect expect_issue[] = {
    {"sm__inst_issued.avg.pct_of_peak_sustained_elapsed", 0.9, INFINITY},
    {"sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed", 0.01, 0.6},
    {"sm__pipe_fmaheavy_cycles_active.avg.pct_of_peak_sustained_elapsed", 0.01, 0.6},
    {"sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed", 0.01, 0.6},
    {"sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed", 0.01, 0.6}};

#define VARIANT(NAME, SUMMARY, KERNEL, AXES, SHAPES, EXPECT, REFUSE, PIPE, PREPARE, LAUNCH, BOUND)                     \
    {                                                                                                                  \
        sizeof(struct cpprof_variant), "truth/" NAME, SUMMARY, "^" KERNEL "\\(", AXES, 1, SHAPES, 2, EXPECT,           \
            sizeof EXPECT / sizeof *EXPECT, REFUSE, truth_shared_bytes<0>, flops<PIPE>, bytes<PIPE>,                   \
            (truth_setup_as<plan<PIPE>, PREPARE>), truth_poison, LAUNCH, truth_verify, truth_teardown, NULL, NULL,     \
            BOUND                                                                                                      \
    }

extern "C" const struct cpprof_variant truth_pipes_variants[TRUTH_PIPES_COUNT] = {
    VARIANT("fp64-peak", "independent FMAs in float64", "truth_fp64", fp64_axes, fp64_shapes, expect_fp64, NULL,
            PIPE_FP64, prepare_fp64, launch_fp64, "compute-bound fp64"),
    VARIANT("xu-peak", "independent powers of two by the XU", "truth_xu", axes, xu_shapes, expect_xu, NULL, PIPE_XU,
            prepare_xu, launch_xu, "compute-bound xu"),
    VARIANT("alu-peak", "independent shifts and logic operations", "truth_alu", axes, alu_shapes, expect_alu, NULL,
            PIPE_ALU, prepare_alu, launch_alu, "compute-bound alu"),
    VARIANT("issue", "FMAs, float64 and logic that take all issue slots and fill no pipe", "truth_issue", issue_axes,
            issue_shapes, expect_issue, needs_even_pipes, PIPE_NONE, prepare_issue, launch_issue,
            "compute-bound issue"),
};
