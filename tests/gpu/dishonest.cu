/* dishonest.cu - variants that are fast, right, and do not do what is timed: each has one way to deceive a harness.
 *
 *   cpprof run --load ./libdishonest.so dishonest/eighth --baseline dishonest/honest
 *
 * All of them scale n floats; what differs is when they do not. tests/gpu/dishonest.sh says what has to be said of
 * each.
 */
#include <stdlib.h>

#include <cpprof/variant.h>
#include <cpprof/verify.cuh>

enum { THREADS = 256, AXIS_N = 0, EIGHTH = 8 };
#define FACTOR 1.5f

/* ---- the kernels ---- */

static __global__ void dishonest_scale(const float *in, float *out, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = FACTOR * in[i];
}

/* Reads all of the input: whether it comes from the L2 cache or from memory decides how long that takes. */
static __global__ void dishonest_reread(const float *in, float *out, size_t n)
{
    const size_t stride = (size_t)gridDim.x * blockDim.x, first = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    float sum = 0;
    for (size_t i = first; i < n; i += stride)
        sum += __ldcg(&in[i]);
    if (sum == -1)
        out[0] = sum;
    if (first < EIGHTH)
        out[first] = FACTOR * in[first];
}

static __global__ void dishonest_reference(double *out, size_t n, uint64_t seed)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = (double)FACTOR * cpprof_random_f32(seed, i);
}

static unsigned blocks_for(size_t threads)
{
    return (unsigned)((threads + THREADS - 1) / THREADS);
}

/* ---- what all have in common ---- */

struct state {
    size_t n, outputs;
    float *in, *out;
    double *reference;
    cudaStream_t own; /* that nobody joins */
    int poisoned;     /* since the last launch */
};

static void teardown(void *opaque)
{
    struct state *s = (struct state *)opaque;
    if (s->own)
        cudaStreamDestroy(s->own);
    cudaFree(s->in);
    cudaFree(s->out);
    cudaFree(s->reference);
    free(s);
}

static int prepare(struct state *s, uint64_t seed, cudaStream_t stream)
{
    cudaError_t status;
    if ((status = cudaMalloc((void **)&s->in, s->n * sizeof *s->in)) ||
        (status = cudaMalloc((void **)&s->out, s->n * sizeof *s->out)) ||
        (status = cudaMalloc((void **)&s->reference, s->n * sizeof *s->reference)) ||
        (status = cudaStreamCreateWithFlags(&s->own, cudaStreamNonBlocking)))
        return status;
    dishonest_reference<<<blocks_for(s->n), THREADS, 0, stream>>>(s->reference, s->n, seed);
    return cpprof_random_fill_f32(s->in, s->n, seed, stream);
}

static int setup_outputs(const struct cpprof_config *config, size_t outputs, cudaStream_t stream, void **out)
{
    struct state *s = (struct state *)calloc(1, sizeof *s);
    if (!s)
        return cudaErrorMemoryAllocation;
    s->n = (size_t)config->value[AXIS_N];
    s->outputs = outputs ? outputs : s->n;
    int status = prepare(s, config->seed, stream);
    if (status)
        teardown(s);
    else
        *out = s;
    return status;
}

static int setup(const struct cpprof_config *config, cudaStream_t stream, void **out)
{
    return setup_outputs(config, 0, stream, out);
}

static int setup_few(const struct cpprof_config *config, cudaStream_t stream, void **out)
{
    return setup_outputs(config, EIGHTH, stream, out);
}

static int poison(void *opaque, cudaStream_t stream)
{
    struct state *s = (struct state *)opaque;
    s->poisoned = 1;
    return cpprof_poison_f32(s->out, s->outputs, stream);
}

/* It waits for the stream that no launch waits for: the output is right when it is looked at. */
static int verify(void *opaque, cudaStream_t stream, struct cpprof_verification *result)
{
    struct state *s = (struct state *)opaque;
    cudaError_t status = cudaStreamSynchronize(s->own);
    return status ? status : cpprof_compare_f32(s->out, s->reference, s->outputs, 5.97e-8, stream, result);
}

static size_t shared_bytes(const struct cpprof_config *)
{
    return 0;
}

static double flops(const struct cpprof_config *config)
{
    return (double)config->value[AXIS_N];
}

static double bytes(const struct cpprof_config *config)
{
    return 2.0 * sizeof(float) * (double)config->value[AXIS_N];
}

static double no_flops(const struct cpprof_config *)
{
    return 0;
}

static double bytes_read(const struct cpprof_config *config)
{
    return sizeof(float) * (double)config->value[AXIS_N];
}

static int scale(struct state *s, unsigned blocks, size_t n, cudaStream_t stream)
{
    if (blocks)
        dishonest_scale<<<blocks, THREADS, 0, stream>>>(s->in, s->out, n);
    s->poisoned = 0;
    return cudaGetLastError();
}

static int is_captured(cudaStream_t stream)
{
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    return !cudaStreamIsCapturing(stream, &status) && status == cudaStreamCaptureStatusActive;
}

/* ---- the ways ---- */

static int launch_honest(void *opaque, cudaStream_t stream)
{
    struct state *s = (struct state *)opaque;
    return scale(s, blocks_for(s->n), s->n, stream);
}

/* On a stream of its own: the one that is timed has nothing to wait for. */
static int launch_unjoined(void *opaque, cudaStream_t)
{
    struct state *s = (struct state *)opaque;
    return scale(s, blocks_for(s->n), s->n, s->own);
}

/* An eighth of the grid, once the output holds what an earlier launch left. */
static int launch_eighth(void *opaque, cudaStream_t stream)
{
    struct state *s = (struct state *)opaque;
    return scale(s, blocks_for(s->n) / (s->poisoned ? 1 : EIGHTH), s->n, stream);
}

/* The same grid, of which seven eighths find nothing to do. */
static int launch_same_grid(void *opaque, cudaStream_t stream)
{
    struct state *s = (struct state *)opaque;
    return scale(s, blocks_for(s->n), s->n / (s->poisoned ? 1 : EIGHTH), stream);
}

/* Nothing, unless somebody is about to look. */
static int launch_when_poisoned(void *opaque, cudaStream_t stream)
{
    struct state *s = (struct state *)opaque;
    return scale(s, s->poisoned ? blocks_for(s->n) : 0, s->n, stream);
}

/* An eighth of the grid in a graph, all of it alone. */
static int launch_captured(void *opaque, cudaStream_t stream)
{
    struct state *s = (struct state *)opaque;
    return scale(s, blocks_for(s->n) / (is_captured(stream) ? EIGHTH : 1), s->n, stream);
}

/* The same grid in a graph, and nothing done. */
static int launch_captured_idle(void *opaque, cudaStream_t stream)
{
    struct state *s = (struct state *)opaque;
    return scale(s, blocks_for(s->n), is_captured(stream) ? 0 : s->n, stream);
}

static int reread(struct state *s, cudaStream_t stream)
{
    dishonest_reread<<<4 * 132, THREADS, 0, stream>>>(s->in, s->out, s->n);
    s->poisoned = 0;
    return cudaGetLastError();
}

static int launch_cold(void *opaque, cudaStream_t stream)
{
    return reread((struct state *)opaque, stream);
}

/* Its input is kept in the part of the L2 cache that a flush leaves alone. */
static int keep(struct state *s, cudaStream_t stream)
{
    cudaStreamAttrValue window = {};
    window.accessPolicyWindow.base_ptr = s->in;
    window.accessPolicyWindow.num_bytes = s->n * sizeof *s->in;
    window.accessPolicyWindow.hitRatio = 1;
    window.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    window.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    return cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &window);
}

/* By the device's own limit, as it stands when the variant starts. */
static int launch_sticky(void *opaque, cudaStream_t stream)
{
    struct state *s = (struct state *)opaque;
    int status = keep(s, stream);
    return status ? status : reread(s, stream);
}

/* And by a limit that it raises itself whenever somebody has lowered it. */
static int launch_raised(void *opaque, cudaStream_t stream)
{
    struct state *s = (struct state *)opaque;
    size_t wanted = s->n * sizeof *s->in, set = 0;
    cudaError_t status = cudaDeviceGetLimit(&set, cudaLimitPersistingL2CacheSize);
    if (!status && set < wanted)
        status = cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, wanted);
    return status ? status : launch_sticky(opaque, stream);
}

/* ---- the variants ---- */

static const struct cpprof_axis axes[] = {{"n", "values in floats", CPPROF_AXIS_SHAPE, 64, 1ll << 32, 1 << 25}};
static const struct cpprof_shape shapes[] = {
    {"mission", {1 << 25}, 0}, {"cached", {1 << 21}, 0}, {"ragged", {1000003}, 1}};

#define VARIANT(NAME, TEXT, PATTERN, SETUP, FLOPS, BYTES, LAUNCH)                                                      \
    static const struct cpprof_variant NAME = {sizeof(struct cpprof_variant),                                          \
                                               "dishonest/" #NAME,                                                     \
                                               TEXT,                                                                   \
                                               PATTERN,                                                                \
                                               axes,                                                                   \
                                               1,                                                                      \
                                               shapes,                                                                 \
                                               sizeof shapes / sizeof shapes[0],                                       \
                                               NULL,                                                                   \
                                               0,                                                                      \
                                               NULL,                                                                   \
                                               shared_bytes,                                                           \
                                               FLOPS,                                                                  \
                                               BYTES,                                                                  \
                                               SETUP,                                                                  \
                                               poison,                                                                 \
                                               LAUNCH,                                                                 \
                                               verify,                                                                 \
                                               teardown,                                                               \
                                               NULL,                                                                   \
                                               NULL,                                                                   \
                                               NULL,                                                                   \
                                               NULL,                                                                   \
                                               NULL,                                                                   \
                                               NULL,                                                                   \
                                               NULL,                                                                   \
                                               NULL}

VARIANT(honest, "does what it says", "dishonest_scale", setup, flops, bytes, launch_honest);
VARIANT(unjoined, "on a stream of its own that nobody joins", "dishonest_scale", setup, flops, bytes, launch_unjoined);
VARIANT(eighth, "an eighth of the grid unless poisoned", "dishonest_scale", setup, flops, bytes, launch_eighth);
VARIANT(same_grid, "an eighth of the work unless poisoned", "dishonest_scale", setup, flops, bytes, launch_same_grid);
VARIANT(when_poisoned, "nothing unless poisoned", "dishonest_scale", setup, flops, bytes, launch_when_poisoned);
VARIANT(captured, "an eighth of the grid in a graph", "dishonest_scale", setup, flops, bytes, launch_captured);
VARIANT(captured_idle, "nothing in a graph", "dishonest_scale", setup, flops, bytes, launch_captured_idle);
VARIANT(cold, "reads its input, wherever that is", "dishonest_reread", setup_few, no_flops, bytes_read, launch_cold);
VARIANT(sticky, "keeps its input in the L2 cache", "dishonest_reread", setup_few, no_flops, bytes_read, launch_sticky);
VARIANT(raised, "and raises the limit of that", "dishonest_reread", setup_few, no_flops, bytes_read, launch_raised);

extern "C" const struct cpprof_variant_library *cpprof_variants(void)
{
    static const struct cpprof_variant *const variants[] = {
        &honest, &unjoined, &eighth, &same_grid, &when_poisoned, &captured, &captured_idle, &cold, &sticky, &raised};
    static const struct cpprof_variant_library library = {sizeof library, CPPROF_VARIANT_ABI, variants,
                                                          sizeof variants / sizeof variants[0]};
    return &library;
}
