/* truth_fma.cu - one kernel, three grids: what does the number of blocks do to a bound?
 *
 * Every thread runs 32 chains of FMAs beside each other:
 *
 *   x[c] = in + c;  repeat 4 x rounds times: x[c] = 1 x[c] + 1;  out = x[0] + ... + x[31]
 *
 * 32 accumulators and more take over 32 registers a thread: a block of 1024
 * threads has an SM for itself, and takes as long alone as among others.
 *
 *   fma-peak    a block on every SM. Each scheduler has 8 warps x 32 chains, 256 FMAs that
 *               need not wait for each other, where 4 cover the latency of 4 cycles: the
 *               FMA pipe is full, and memory is read and written once: compute-bound fma.
 *   small-grid  a block on every fourth SM. The pipes of those are full and the others idle:
 *               a quarter of the peak at most: latency-bound small-grid.
 *   tail        1.05 times as many blocks as run at once. The few that are left take as long
 *               again as all the others: 1.05 of 2 rounds, 53% of the peak: latency-bound tail.
 *
 * Sums are whole numbers below 32 x (1031 + 4 x 65,536) = 8.4 million: exact in float32.
 */
#include <cuda_runtime.h>

#include "kernels/truth/truth.h"
#include "kernels/truth/truth_bench.h"

enum { THREADS = 1024, CHAINS = 32, STEPS = 4, INPUT_MAX = 1000, TAIL_SHARE = 20, SMALL_SHARE = 4 };

/* Both are 1; nvcc, which does not know it, keeps the FMA. */
struct step {
    float factor, summand;
};

__global__ void __launch_bounds__(THREADS, 1) truth_fma(const float *in, float *out, int rounds, struct step step)
{
    size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x;
    float x[CHAINS], sum = 0;
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
        x[c] = in[i] + (float)c;
#pragma unroll 1
    for (int round = 0; round < rounds; round++)
#pragma unroll
        for (int k = 0; k < STEPS; k++)
#pragma unroll
            for (int c = 0; c < CHAINS; c++)
                x[c] = fmaf(x[c], step.factor, step.summand);
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
        sum += x[c];
    out[i] = sum;
}

/* What the chains come to, not how: 32 starts, 0 + ... + 31, and the ones that were added. */
static __global__ void truth_fma_reference(const float *in, double *out, size_t n, double added)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = CHAINS * ((double)in[i] + added) + CHAINS * (CHAINS - 1) / 2;
}

enum grid { GRID_FULL, GRID_SMALL, GRID_TAIL };

template <enum grid GRID> static int plan(struct truth *t, struct CUstream_st *)
{
    int per_sm;
    cudaError_t status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, truth_fma, THREADS, 0);
    if (status)
        return status;
    const int full = per_sm * t->sm_count, small = (t->sm_count + SMALL_SHARE - 1) / SMALL_SHARE;
    t->threads = THREADS;
    t->grid = GRID == GRID_SMALL ? small : GRID == GRID_TAIL ? full + (full + TAIL_SHARE - 1) / TAIL_SHARE : full;
    t->in_count = t->out_count = (size_t)t->grid * THREADS;
    t->whole_max = INPUT_MAX;
    return 0;
}

static int prepare(struct truth *t, struct CUstream_st *stream)
{
    truth_fma_reference<<<t->grid, THREADS, 0, stream>>>(t->in, t->reference, t->out_count, (double)STEPS * t->rounds);
    return cudaGetLastError();
}

static int launch(void *opaque, struct CUstream_st *stream)
{
    struct truth *t = (struct truth *)opaque;
    struct step step = {1, 1};
    truth_fma<<<t->grid, THREADS, 0, stream>>>(t->in, t->out, t->rounds, step);
    return cudaGetLastError();
}

template <enum grid GRID> static double threads_of()
{
    const double sms = truth_sm_count();
    return THREADS * (GRID == GRID_SMALL  ? ceil(sms / SMALL_SHARE)
                      : GRID == GRID_TAIL ? sms + ceil(sms / TAIL_SHARE)
                                          : sms);
}

template <enum grid GRID> static double flops(const struct cpprof_config *config)
{
    return threads_of<GRID>() * CHAINS * (2.0 * STEPS * (double)config->value[0] + 2);
}

template <enum grid GRID> static double bytes(const struct cpprof_config *)
{
    return threads_of<GRID>() * 2 * sizeof(float);
}

/* A block does 1024 threads x 128 FMAs a round, 128 a cycle: 1024 cycles a round, 0.53 ms in all at 1980 MHz. */
static const struct cpprof_axis axes[] = {TRUTH_AXIS(1024)};
static const struct cpprof_shape full_shapes[] = {TRUTH_SHAPES("full", 1024, 3)};
static const struct cpprof_shape small_shapes[] = {TRUTH_SHAPES("quarter", 1024, 3)};
static const struct cpprof_shape tail_shapes[] = {TRUTH_SHAPES("and-a-bit", 1024, 3)};
static const struct cpprof_expect expect[] = {{"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 1, INFINITY}};

#define VARIANT(NAME, SUMMARY, SHAPES, GRID, BOUND)                                                                    \
    {                                                                                                                  \
        sizeof(struct cpprof_variant), "truth/" NAME, SUMMARY, "^truth_fma\\(", axes, 1, SHAPES, 2, expect, 1, NULL,   \
            truth_shared_bytes<0>, flops<GRID>, bytes<GRID>, (truth_setup_as<plan<GRID>, prepare>), truth_poison,      \
            launch, truth_verify, truth_teardown, NULL, NULL, BOUND                                                    \
    }

extern "C" const struct cpprof_variant truth_fma_variants[TRUTH_FMA_COUNT] = {
    VARIANT("fma-peak", "independent FMAs on every SM", full_shapes, GRID_FULL, "compute-bound fma"),
    VARIANT("small-grid", "independent FMAs on every fourth SM", small_shapes, GRID_SMALL, "latency-bound small-grid"),
    VARIANT("tail", "independent FMAs in 1.05 waves of blocks", tail_shapes, GRID_TAIL, "latency-bound tail"),
};
