/* truth_waiting.cu - kernels that wait, each for something else.
 *
 *   pointer-chase  every thread follows pointers through 64 MiB, one warp on each SM: a hop needs
 *                  the one before it, and nothing else is to be done: latency-bound long_scoreboard.
 *   barrier        32 warps hand a value round. One works for 64 dependent FMAs while 31 stand at the
 *                  barrier, so nearly all warp cycles are spent there: latency-bound barrier.
 *   launch-flood   a load, a sum and a store on each SM, launched one by one: done in one or two us, when
 *                  the host needs longer for the next launch: launch-bound.
 */
#include <cuda_runtime.h>

#include "kernels/truth/truth.h"
#include "kernels/truth/truth_bench.h"

enum { WARP = 32, HOP_BITS = 24, RELAY_THREADS = 1024, STEPS = 64, INPUT_MAX = 1000 };
#define HOP_MASK (((uint32_t)1 << HOP_BITS) - 1)

/* ---- pointer chase ---- */

/* next(i) = multiplier i + increment, modulo 2^24. */
struct hop {
    uint32_t multiplier, increment;
};

static __global__ void truth_lay_pointers(uint32_t *next, struct hop hop)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    next[i] = (hop.multiplier * i + hop.increment) & HOP_MASK;
}

/* Takes a number in [-1, 1) with 24 bits. */
static __device__ uint32_t start_of(float in)
{
    return (uint32_t)((in + 1) * (float)(1 << (HOP_BITS - 1)));
}

__global__ void __launch_bounds__(WARP) truth_chase(const float *in, const uint32_t *next, float *out, int rounds)
{
    uint32_t i = blockIdx.x * WARP + threadIdx.x, at = start_of(in[i]);
#pragma unroll 1
    for (int round = 0; round < rounds; round++)
        at = next[at];
    out[i] = (float)at; /* 24 bits: exact */
}

static __global__ void truth_chase_reference(const float *in, double *out, size_t n, struct hop jump)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = (jump.multiplier * start_of(in[i]) + jump.increment) & HOP_MASK;
}

/* First b, then a. */
static struct hop after(struct hop a, struct hop b)
{
    struct hop both = {a.multiplier * b.multiplier, a.multiplier * b.increment + a.increment};
    return both;
}

/* All hops as one, by doubling: the table is not looked at. */
static struct hop hops_at_once(struct hop hop, unsigned count)
{
    struct hop all = {1, 0};
    for (; count; count >>= 1, hop = after(hop, hop))
        if (count & 1)
            all = after(hop, all);
    return all;
}

/* An odd increment and a multiplier of 1 modulo 4 visit every place before they come back (Hull, Dobell 1962). */
static struct hop hop_of(const struct truth *t)
{
    const uint32_t mixed = ((uint32_t)t->seed ^ (uint32_t)(t->seed >> 32)) * 0x9e3779b9u;
    struct hop hop = {0x5851f42du, mixed | 1};
    return hop;
}

static int plan_chase(struct truth *t, struct CUstream_st *)
{
    t->threads = WARP;
    t->grid = t->sm_count;
    t->in_count = t->out_count = (size_t)t->grid * WARP;
    return 0;
}

static int prepare_chase(struct truth *t, struct CUstream_st *stream)
{
    cudaError_t status = cudaMalloc(&t->more, ((size_t)HOP_MASK + 1) * sizeof(uint32_t));
    if (status)
        return status;
    truth_lay_pointers<<<(HOP_MASK + 1) / 256, 256, 0, stream>>>((uint32_t *)t->more, hop_of(t));
    truth_chase_reference<<<t->grid, WARP, 0, stream>>>(t->in, t->reference, t->out_count,
                                                        hops_at_once(hop_of(t), (unsigned)t->rounds));
    return cudaGetLastError();
}

static int launch_chase(void *opaque, struct CUstream_st *stream)
{
    struct truth *t = (struct truth *)opaque;
    truth_chase<<<t->grid, WARP, 0, stream>>>(t->in, (const uint32_t *)t->more, t->out, t->rounds);
    return cudaGetLastError();
}

static double no_flops(const struct cpprof_config *)
{
    return 0;
}

/* Each hop its own sector; what of them is in L2 from the launch before need not come again. */
static double chase_bytes(const struct cpprof_config *)
{
    return truth_sm_count() * WARP * 2 * sizeof(float);
}

/* ---- barrier ---- */

/* Both are 1; nvcc, which does not know it, keeps the FMA. */
struct step {
    float factor, summand;
};

__global__ void __launch_bounds__(RELAY_THREADS) truth_relay(const float *in, float *out, int rounds, struct step step)
{
    __shared__ float baton[WARP];
    const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    if (warp == 0)
        baton[lane] = in[blockIdx.x * (size_t)WARP + lane];
    __syncthreads();
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
        if (warp == round % (RELAY_THREADS / WARP)) {
            float x = baton[lane];
#pragma unroll
            for (int k = 0; k < STEPS; k++)
                x = fmaf(x, step.factor, step.summand);
            baton[lane] = x;
        }
        __syncthreads();
    }
    if (warp == 0)
        out[blockIdx.x * (size_t)WARP + lane] = baton[lane];
}

static __global__ void truth_sum_reference(const float *in, double *out, size_t n, double added)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = (double)in[i] + added;
}

/* As many blocks as run at once: one wave, no tail. A value stays below 1000 + 64 x 65,536: exact. */
static int plan_relay(struct truth *t, struct CUstream_st *)
{
    int per_sm;
    cudaError_t status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, truth_relay, RELAY_THREADS, 0);
    if (status)
        return status;
    t->threads = RELAY_THREADS;
    t->grid = per_sm * t->sm_count;
    t->in_count = t->out_count = (size_t)t->grid * WARP;
    t->whole_max = INPUT_MAX;
    return 0;
}

static int prepare_relay(struct truth *t, struct CUstream_st *stream)
{
    truth_sum_reference<<<t->grid, WARP, 0, stream>>>(t->in, t->reference, t->out_count, (double)STEPS * t->rounds);
    return cudaGetLastError();
}

static int launch_relay(void *opaque, struct CUstream_st *stream)
{
    struct truth *t = (struct truth *)opaque;
    struct step step = {1, 1};
    truth_relay<<<t->grid, RELAY_THREADS, 0, stream>>>(t->in, t->out, t->rounds, step);
    return cudaGetLastError();
}

/* For one block on each SM, which always fits. */
static double relay_flops(const struct cpprof_config *config)
{
    return truth_sm_count() * WARP * 2.0 * STEPS * (double)config->value[0];
}

/* ---- launch flood ---- */

__global__ void __launch_bounds__(WARP) truth_flood(const float *in, float *out, int rounds)
{
    size_t i = blockIdx.x * (size_t)WARP + threadIdx.x;
    out[i] = in[i] + (float)rounds;
}

static int plan_flood(struct truth *t, struct CUstream_st *)
{
    t->threads = WARP;
    t->grid = t->sm_count;
    t->in_count = t->out_count = (size_t)t->grid * WARP;
    t->whole_max = INPUT_MAX;
    return 0;
}

static int prepare_flood(struct truth *t, struct CUstream_st *stream)
{
    truth_sum_reference<<<t->grid, WARP, 0, stream>>>(t->in, t->reference, t->out_count, t->rounds);
    return cudaGetLastError();
}

static int launch_flood(void *opaque, struct CUstream_st *stream)
{
    struct truth *t = (struct truth *)opaque;
    truth_flood<<<t->grid, WARP, 0, stream>>>(t->in, t->out, t->rounds);
    return cudaGetLastError();
}

static double flood_flops(const struct cpprof_config *)
{
    return truth_sm_count() * WARP;
}

/* ---- variants ---- */

/* A hop past L2 takes some 600 ns and more, within it 150: 1024 are 0.2 to 0.8 ms. A turn of the relay takes
 * 64 x 4 cycles, a read and a write of shared memory and the barrier, some 350: 2048 are 0.36 ms at 1980 MHz. */
static const struct cpprof_axis chase_axes[] = {TRUTH_AXIS(1024)};
static const struct cpprof_axis relay_axes[] = {TRUTH_AXIS(2048)};
static const struct cpprof_axis flood_axes[] = {TRUTH_AXIS(1)};
static const struct cpprof_shape chase_shapes[] = {TRUTH_SHAPES("64MiB", 1024, 3)};
static const struct cpprof_shape relay_shapes[] = {TRUTH_SHAPES("relay", 2048, 35)};
static const struct cpprof_shape flood_shapes[] = {TRUTH_SHAPES("tiny", 1, 2)};
static const struct cpprof_expect expect_relay[] = {
    {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 1, INFINITY}};
static const struct cpprof_expect expect_no_ffma[] = {{"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 0, 0}};

#define VARIANT(NAME, SUMMARY, KERNEL, AXES, SHAPES, EXPECT, SHARED, FLOPS, PLAN, PREPARE, LAUNCH, BOUND)              \
    {                                                                                                                  \
        sizeof(struct cpprof_variant), "truth/" NAME, SUMMARY, "^" KERNEL "\\(", AXES, 1, SHAPES, 2, EXPECT, 1, NULL,  \
            truth_shared_bytes<SHARED>, FLOPS, chase_bytes, (truth_setup_as<PLAN, PREPARE>), truth_poison, LAUNCH,     \
            truth_verify, truth_teardown, NULL, NULL, BOUND                                                            \
    }

extern "C" const struct cpprof_variant truth_waiting_variants[TRUTH_WAITING_COUNT] = {
    VARIANT("pointer-chase", "pointers through 64 MiB, one warp on each SM", "truth_chase", chase_axes, chase_shapes,
            expect_no_ffma, 0, no_flops, plan_chase, prepare_chase, launch_chase, "latency-bound long_scoreboard"),
    VARIANT("barrier", "a value that 32 warps hand round through barriers", "truth_relay", relay_axes, relay_shapes,
            expect_relay, WARP *(int)sizeof(float), relay_flops, plan_relay, prepare_relay, launch_relay,
            "latency-bound barrier"),
    VARIANT("launch-flood", "almost nothing, launched one by one", "truth_flood", flood_axes, flood_shapes,
            expect_no_ffma, 0, flood_flops, plan_flood, prepare_flood, launch_flood, "launch-bound"),
};
