/* scale.cu - two variants of your own: out[i] = 1.5 in[i], a float per thread and four.
 *
 *   cpprof run --load ./libmine.so mine/vectorised --baseline mine/naive
 *
 * Setup, poison and verify are of the family; a variant is a kernel, its launch
 * and its descriptor at the end of this file.
 */
#include <stdlib.h>

#include <cpprof/record.cuh>
#include <cpprof/variant.h>
#include <cpprof/verify.cuh>

enum { THREADS = 256, BLOCKS_PER_SM = 8, AXIS_N = 0 };
#define FACTOR 1.5f

/* ---- the kernels ---- */

static __global__ void scale_naive(const float *in, float *out, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = FACTOR * in[i];
}

/* Its phases, for a build that records them: a warp waits for four floats of each thread, and only then stores them. */
CPPROF_NAMES(FOURS, STORED);
CPPROF_PHASE_TABLE({"all", "four floats", 0, FOURS, CPPROF_PHASE_WAIT, 0, 0});

/* What is left behind the last four belongs to the first threads. */
static __global__ void scale_vectorised(const float *in, float *out, size_t n CPPROF_PARAM)
{
    const size_t first = blockIdx.x * (size_t)blockDim.x + threadIdx.x, fours = n / 4;
    CPPROF_RECORDER(r, 0);
    for (size_t i = first; i < fours; i += gridDim.x * (size_t)blockDim.x) {
        CPPROF_PHASE(r, FOURS);
        float4 x = ((const float4 *)in)[i];
        ((float4 *)out)[i] = make_float4(FACTOR * x.x, FACTOR * x.y, FACTOR * x.z, FACTOR * x.w);
        CPPROF_PHASE(r, STORED);
        CPPROF_TILE_END(r);
    }
    if (first < n % 4)
        out[4 * fours + first] = FACTOR * in[4 * fours + first];
    CPPROF_RECORDER_END(r);
}

/* In float64, and of inputs drawn anew: a kernel that writes to its input is wrong, too. */
static __global__ void scale_reference(double *out, size_t n, uint64_t seed)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = (double)FACTOR * cpprof_random_f32(seed, i);
}

static unsigned blocks_for(size_t threads)
{
    return (unsigned)((threads + THREADS - 1) / THREADS);
}

/* ---- what both have in common ---- */

struct state {
    size_t n;
    float *in, *out;
    double *reference;
    unsigned blocks; /* that the GPU holds at once */
};

static void teardown(void *opaque)
{
    struct state *s = (struct state *)opaque;
    cudaFree(s->in);
    cudaFree(s->out);
    cudaFree(s->reference);
    free(s);
}

static int prepare(struct state *s, uint64_t seed, cudaStream_t stream)
{
    cudaError_t status;
    int device, sms;
    if ((status = cudaGetDevice(&device)) ||
        (status = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device)))
        return status;
    s->blocks = (unsigned)sms * BLOCKS_PER_SM;
    if ((status = cudaMalloc((void **)&s->in, s->n * sizeof *s->in)) ||
        (status = cudaMalloc((void **)&s->out, s->n * sizeof *s->out)) ||
        (status = cudaMalloc((void **)&s->reference, s->n * sizeof *s->reference)))
        return status;
    scale_reference<<<blocks_for(s->n), THREADS, 0, stream>>>(s->reference, s->n, seed);
    return cpprof_random_fill_f32(s->in, s->n, seed, stream);
}

static int setup(const struct cpprof_config *config, cudaStream_t stream, void **out)
{
    struct state *s = (struct state *)calloc(1, sizeof *s);
    if (!s)
        return cudaErrorMemoryAllocation;
    s->n = (size_t)config->value[AXIS_N];
    int status = prepare(s, config->seed, stream);
    if (status)
        teardown(s);
    else
        *out = s;
    return status;
}

static int poison(void *opaque, cudaStream_t stream)
{
    struct state *s = (struct state *)opaque;
    return cpprof_poison_f32(s->out, s->n, stream);
}

/* 1.5 x is below 1.5 in size: rounded to float32 it is off by at most 2^-24 = 5.96e-8. */
static int verify(void *opaque, cudaStream_t stream, struct cpprof_verification *result)
{
    struct state *s = (struct state *)opaque;
    return cpprof_compare_f32(s->out, s->reference, s->n, 5.97e-8, stream, result);
}

static size_t shared_bytes(const struct cpprof_config *)
{
    return 0;
}

static double flops(const struct cpprof_config *config)
{
    return (double)config->value[AXIS_N];
}

/* Each value is read once and written once. */
static double bytes(const struct cpprof_config *config)
{
    return 2.0 * sizeof(float) * (double)config->value[AXIS_N];
}

/* ---- the variants ---- */

static int launch_naive(void *opaque, cudaStream_t stream)
{
    struct state *s = (struct state *)opaque;
    scale_naive<<<blocks_for(s->n), THREADS, 0, stream>>>(s->in, s->out, s->n);
    return cudaGetLastError();
}

/* One thread at least for each value of the tail: blocks are never smaller than that. */
static int launch_vectorised(void *opaque, cudaStream_t stream)
{
    struct state *s = (struct state *)opaque;
    const unsigned needed = blocks_for((s->n + 3) / 4), blocks = needed < s->blocks ? needed : s->blocks;
    scale_vectorised<<<blocks, THREADS, 0, stream>>>(s->in, s->out, s->n CPPROF_ARG);
    return cudaGetLastError();
}

static const struct cpprof_axis axes[] = {{"n", "values in floats", CPPROF_AXIS_SHAPE, 1, 1ll << 32, 1 << 25}};
static const struct cpprof_shape shapes[] = {
    {"mission", {1 << 25}, 0}, {"small", {1 << 20}, 0}, {"one", {1}, 1}, {"tail", {1000003}, 1}};
static const struct cpprof_expect no_async_copies[] = {{"sm__sass_inst_executed_op_ldgsts.sum", 0, 0}};

#define COMMON                                                                                                         \
    .axes = axes, .axis_count = 1, .shapes = shapes, .shape_count = sizeof shapes / sizeof shapes[0],                  \
    .expect = no_async_copies, .expect_count = 1, .shared_bytes = shared_bytes, .flops = flops, .bytes = bytes,        \
    .setup = setup, .poison = poison

static const struct cpprof_variant naive = {
    .struct_bytes = sizeof(struct cpprof_variant),
    .name = "mine/naive",
    .summary = "a float per thread",
    .kernel_pattern = "^scale_naive\\(",
    COMMON,
    .launch = launch_naive,
    .verify = verify,
    .teardown = teardown,
};

static const struct cpprof_variant vectorised = {
    .struct_bytes = sizeof(struct cpprof_variant),
    .name = "mine/vectorised",
    .summary = "four floats per thread, one load and one store",
    .kernel_pattern = "^scale_vectorised\\(",
    COMMON,
    .launch = launch_vectorised,
    .verify = verify,
    .teardown = teardown,
    .signals = "instructions down; dram_read flat 3%", /* beside mine/naive */
};

const struct cpprof_variant_library *cpprof_variants(void)
{
    static const struct cpprof_variant *const variants[] = {&naive, &vectorised};
    static const struct cpprof_variant_library library = {sizeof library, CPPROF_VARIANT_ABI, variants, 2};
    return &library;
}
