/* dose.cu - what does a slowdown of a known share look like?
 *
 * Every thread does a chain of FMAs of which each needs the one before it:
 *
 *   x = in[i];  repeat `doses` times: x = 1 x + 1;  out[i] = x
 *
 * in[] holds whole numbers of at most 1000 and `doses` stays below 16,001,000: every
 * sum is a whole number below 2^24, exact in float32. The output counts the
 * FMAs that were really done, and one too few is an error.
 *
 *   doses = steps + steps x extra_ppm / 1,000,000, rounded
 *
 * The grid is one block of 128 threads per SM: a warp for each of its schedulers,
 * which has nothing else to issue, so that a chain takes its latency.
 * On an H200 an FMA takes 4 cycles of a clock of 1980 MHz: 2.02 ns. The chain of
 *
 *   us2     256 steps x 2.02 ns =  0.52 us
 *   us50    24,064 steps        = 48.6 us
 *   ms2     990,000 steps       =  2.00 ms
 *
 * The rest of a launch is fixed: its start, one load and one store a thread, its
 * end; between one and two us as a node of a graph, so most of us2. extra_ppm is a
 * share of the chain: of the whole time it is a share as large as the chain's.
 */
#include "kernels/dose/dose.h"

#include <cuda_runtime.h>
#include <stdlib.h>

#include "kernels/verify.h"

enum { THREADS = 128, ROUND = 64, INPUT_MAX = 1000 };

enum axis { AXIS_STEPS, AXIS_EXTRA, AXIS_COUNT };

/* Both are 1. nvcc does not know that, so it keeps the FMA. */
struct dose {
    float factor, summand;
};

template <int COUNT> static __device__ float chain(float x, struct dose dose)
{
#pragma unroll
    for (int k = 0; k < COUNT; k++)
        x = fmaf(x, dose.factor, dose.summand);
    return x;
}

/* The rest of a round is done by its binary digits: a loop of single steps would take longer for 63 steps than for
 * 64. */
__global__ void __launch_bounds__(THREADS) dose_chain(const float *in, float *out, int doses, struct dose dose)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    float x = in[i];
#pragma unroll 1
    for (int round = doses / ROUND; round > 0; round--)
        x = chain<ROUND>(x, dose);
    if (doses & 32)
        x = chain<32>(x, dose);
    if (doses & 16)
        x = chain<16>(x, dose);
    if (doses & 8)
        x = chain<8>(x, dose);
    if (doses & 4)
        x = chain<4>(x, dose);
    if (doses & 2)
        x = chain<2>(x, dose);
    if (doses & 1)
        x = chain<1>(x, dose);
    out[i] = x;
}

static __global__ void dose_whole_numbers(float *in, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        in[i] = truncf(in[i] * INPUT_MAX);
}

/* Computes the result of the chain directly: one product and one sum. */
static __global__ void dose_reference(const float *in, double *out, size_t n, double doses)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = (double)in[i] + doses;
}

struct state {
    size_t n;
    int sm_count, doses;
    float *in, *out;
    double *reference;
};

static int doses_of(const struct cpprof_config *config)
{
    int64_t steps = config->value[AXIS_STEPS];
    return (int)(steps + (steps * config->value[AXIS_EXTRA] + 500000) / 1000000);
}

static void teardown(void *opaque)
{
    struct state *s = (struct state *)opaque;
    if (!s)
        return;
    cudaFree(s->in);
    cudaFree(s->out);
    cudaFree(s->reference);
    free(s);
}

static int prepare(struct state *s, uint64_t seed, struct CUstream_st *stream)
{
    int device;
    cudaError_t status = cudaGetDevice(&device);
    if (!status)
        status = cudaDeviceGetAttribute(&s->sm_count, cudaDevAttrMultiProcessorCount, device);
    if (status)
        return status;
    s->n = (size_t)s->sm_count * THREADS;
    if ((status = cudaMalloc((void **)&s->in, s->n * sizeof(float))) ||
        (status = cudaMalloc((void **)&s->out, s->n * sizeof(float))) ||
        (status = cudaMalloc((void **)&s->reference, s->n * sizeof(double))))
        return status;
    int filled = random_fill_f32(s->in, s->n, seed, stream);
    if (filled)
        return filled;
    dose_whole_numbers<<<s->sm_count, THREADS, 0, stream>>>(s->in, s->n);
    dose_reference<<<s->sm_count, THREADS, 0, stream>>>(s->in, s->reference, s->n, s->doses);
    status = cudaGetLastError();
    return status ? status : cudaStreamSynchronize(stream);
}

static int setup(const struct cpprof_config *config, struct CUstream_st *stream, void **out)
{
    struct state *s = (struct state *)calloc(1, sizeof *s);
    *out = s;
    if (!s)
        return cudaErrorMemoryAllocation;
    s->doses = doses_of(config);
    int status = prepare(s, config->seed, stream);
    if (status) {
        teardown(s);
        *out = NULL;
    }
    return status;
}

static int poison(void *opaque, struct CUstream_st *stream)
{
    struct state *s = (struct state *)opaque;
    return poison_f32(s->out, s->n, stream);
}

static int launch(void *opaque, struct CUstream_st *stream)
{
    struct state *s = (struct state *)opaque;
    struct dose dose = {1, 1};
    dose_chain<<<s->sm_count, THREADS, 0, stream>>>(s->in, s->out, s->doses, dose);
    return cudaGetLastError();
}

static int verify(void *opaque, struct CUstream_st *stream, struct cpprof_verification *result)
{
    struct state *s = (struct state *)opaque;
    struct verify_layout layout = {THREADS, (size_t)s->sm_count, (size_t)s->sm_count, 1};
    return compare_f32(s->out, s->reference, s->n, 0, &layout, stream, result);
}

static size_t no_shared_memory(const struct cpprof_config *)
{
    return 0;
}

static size_t threads_of_device(void)
{
    int device, sm_count;
    if (cudaGetDevice(&device) || cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device))
        sm_count = 1; /* without a GPU: for one SM */
    return (size_t)sm_count * THREADS;
}

static double flops(const struct cpprof_config *config)
{
    return 2.0 * doses_of(config) * (double)threads_of_device();
}

/* Each thread reads a float and writes one. */
static double bytes(const struct cpprof_config *)
{
    return 2.0 * (double)threads_of_device() * sizeof(float);
}

static const struct cpprof_axis axes[AXIS_COUNT] = {
    {"steps", "FMAs per thread, each waiting for the one before", CPPROF_AXIS_SHAPE, 1, 8000000, 256},
    {"extra_ppm", "further FMAs, in millionths of steps: a slowdown of a known share", CPPROF_AXIS_PARAMETER, 0,
     1000000, 0},
};

static const struct cpprof_shape shapes[] = {
    {"us2", {256}, 0}, {"us50", {24064}, 0}, {"ms2", {990000}, 0}, {"odd", {255}, 1}};

extern "C" const struct cpprof_variant dose_variants[DOSE_VARIANT_COUNT] = {
    {sizeof(struct cpprof_variant),
     "dose/chain",
     "dependent FMAs, as many as asked for: time by the dose",
     "^dose_chain\\(",
     axes,
     AXIS_COUNT,
     shapes,
     sizeof shapes / sizeof shapes[0],
     NULL,
     0,
     NULL,
     no_shared_memory,
     flops,
     bytes,
     setup,
     poison,
     launch,
     verify,
     teardown,
     NULL},
};
