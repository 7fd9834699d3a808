/* sgemm.cu - a product of two float32 matrices over tiles in shared memory, with marks, for inside_sgemm.sh.
 *
 * ptxas makes some of its constants by HFMA2, and how many of them changes with the marks: that is no half-precision
 * math. `sgemm/half-constants` asks for more of them, in the middle of the loop. */
#include <stdlib.h>

#include "cpprof/record.cuh"
#include "cpprof/variant.h"
#include "cpprof/verify.cuh"

enum { TILE = 64, DEPTH = 16, EACH = 4, THREADS = (TILE / EACH) * (TILE / EACH), AXIS_N = 0 };

CPPROF_NAMES(LOAD, WAIT, MATH, END);
CPPROF_PHASE_TABLE({"block", "load", 0, LOAD, CPPROF_PHASE_ISSUE, WAIT, 0, NULL},
                   {"block", "wait", 0, WAIT, CPPROF_PHASE_WAIT, MATH, 0, NULL},
                   {"block", "compute", 0, MATH, CPPROF_PHASE_COMPUTE, END, 0, NULL});

/* ---- the kernels ---- */

struct tiles {
    float a[DEPTH][TILE], b[DEPTH][TILE];
};

static __device__ __forceinline__ void load(struct tiles *t, const float *a, const float *b, int n, int k)
{
    for (int i = threadIdx.x; i < DEPTH * TILE; i += THREADS) {
        t->a[i % DEPTH][i / DEPTH] = a[(size_t)(blockIdx.y * TILE + i / DEPTH) * n + k + i % DEPTH];
        t->b[i / TILE][i % TILE] = b[(size_t)(k + i / TILE) * n + blockIdx.x * TILE + i % TILE];
    }
}

static __device__ __forceinline__ void multiply(float (&sum)[EACH][EACH], const struct tiles *t, int x, int y)
{
#pragma unroll
    for (int k = 0; k < DEPTH; k++)
        for (int i = 0; i < EACH; i++)
            for (int j = 0; j < EACH; j++)
                sum[i][j] += t->a[k][y * EACH + i] * t->b[k][x * EACH + j];
}

/* Four weights of a tile, as bits that ptxas has to bring into registers in each turn: they add up to nothing. */
static __device__ __forceinline__ float weights(int tile)
{
    float low = 2.3841858e-7f, high = -2.3841858e-7f;
    if (tile & 1) {
        low = -1.7881393e-7f;
        high = 1.7881393e-7f;
    }
    asm volatile("" : "+f"(low), "+f"(high));
    return low + high;
}

template <bool HAS_CONSTANTS>
static __global__ void __launch_bounds__(THREADS, 4)
    sgemm(const float *a, const float *b, float *out, int n CPPROF_PARAM)
{
    __shared__ struct tiles t;
    const int x = threadIdx.x % (TILE / EACH), y = threadIdx.x / (TILE / EACH);
    float sum[EACH][EACH] = {};
    CPPROF_RECORDER(r, 0);
    for (int k = 0; k < n; k += DEPTH) {
        CPPROF_PHASE(r, LOAD);
        load(&t, a, b, n, k);
        CPPROF_PHASE(r, WAIT);
        __syncthreads();
        CPPROF_PHASE(r, MATH);
        multiply(sum, &t, x, y);
        if (HAS_CONSTANTS)
            sum[0][0] += weights(k / DEPTH);
        __syncthreads();
        CPPROF_PHASE(r, END);
        CPPROF_TILE_END(r);
    }
    CPPROF_RECORDER_END(r);
    for (int i = 0; i < EACH; i++)
        for (int j = 0; j < EACH; j++)
            out[(size_t)(blockIdx.y * TILE + y * EACH + i) * n + blockIdx.x * TILE + x * EACH + j] = sum[i][j];
}

static __global__ void sgemm_reference(double *out, int n, uint64_t seed)
{
    const int row = blockIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= n)
        return;
    const uint64_t area = (uint64_t)n * n;
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += (double)cpprof_random_f32(seed, (uint64_t)row * n + k) *
               cpprof_random_f32(seed, area + (uint64_t)k * n + column);
    out[(size_t)row * n + column] = sum;
}

/* ---- what both have in common ---- */

struct state {
    int n;
    float *in, *out; /* a, then b */
    double *reference;
};

static size_t area(const struct state *s)
{
    return (size_t)s->n * s->n;
}

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
    if ((status = cudaMalloc((void **)&s->in, 2 * area(s) * sizeof *s->in)) ||
        (status = cudaMalloc((void **)&s->out, area(s) * sizeof *s->out)) ||
        (status = cudaMalloc((void **)&s->reference, area(s) * sizeof *s->reference)))
        return status;
    sgemm_reference<<<dim3((s->n + 127) / 128, s->n), 128, 0, stream>>>(s->reference, s->n, seed);
    return cpprof_random_fill_f32(s->in, 2 * area(s), seed, stream);
}

static int setup(const struct cpprof_config *config, cudaStream_t stream, void **out)
{
    struct state *s = (struct state *)calloc(1, sizeof *s);
    if (!s)
        return cudaErrorMemoryAllocation;
    s->n = (int)config->value[AXIS_N];
    const int status = s->n % TILE ? cudaErrorInvalidValue : prepare(s, config->seed, stream);
    if (status)
        teardown(s);
    else
        *out = s;
    return status;
}

static int poison(void *opaque, cudaStream_t stream)
{
    struct state *s = (struct state *)opaque;
    return cpprof_poison_f32(s->out, area(s), stream);
}

/* n products of at most 1, added in one order: off by at most n^2 2^-24; random ones stay far below. */
static int verify(void *opaque, cudaStream_t stream, struct cpprof_verification *result)
{
    struct state *s = (struct state *)opaque;
    return cpprof_compare_f32(s->out, s->reference, area(s), 1e-6 * s->n, stream, result);
}

static size_t shared_bytes(const struct cpprof_config *)
{
    return sizeof(struct tiles);
}

static double flops(const struct cpprof_config *config)
{
    return 2.0 * (double)config->value[AXIS_N] * (double)config->value[AXIS_N] * (double)config->value[AXIS_N];
}

static double bytes(const struct cpprof_config *config)
{
    return 3.0 * sizeof(float) * (double)config->value[AXIS_N] * (double)config->value[AXIS_N];
}

/* ---- the variants ---- */

template <bool HAS_CONSTANTS> static int launch(void *opaque, cudaStream_t stream)
{
    struct state *s = (struct state *)opaque;
    const dim3 blocks(s->n / TILE, s->n / TILE);
    sgemm<HAS_CONSTANTS><<<blocks, THREADS, 0, stream>>>(s->in, s->in + area(s), s->out, s->n CPPROF_ARG);
    return cudaGetLastError();
}

static const struct cpprof_axis axes[] = {{"n", "rows and columns", CPPROF_AXIS_SHAPE, TILE, 1 << 14, 2048}};
static const struct cpprof_shape shapes[] = {{"mission", {2048}, 0}, {"small", {512}, 0}};

#define COMMON                                                                                                         \
    .axes = axes, .axis_count = 1, .shapes = shapes, .shape_count = sizeof shapes / sizeof shapes[0],                  \
    .shared_bytes = shared_bytes, .flops = flops, .bytes = bytes, .setup = setup, .poison = poison

static const struct cpprof_variant tiles_variant = {
    .struct_bytes = sizeof(struct cpprof_variant),
    .name = "sgemm/tiles",
    .summary = "tiles in shared memory, 4 x 4 sums a thread",
    .kernel_pattern = "sgemm<false>\\(",
    COMMON,
    .launch = launch<false>,
    .verify = verify,
    .teardown = teardown,
};

static const struct cpprof_variant half_constants_variant = {
    .struct_bytes = sizeof(struct cpprof_variant),
    .name = "sgemm/half-constants",
    .summary = "the same, with constants in each turn",
    .kernel_pattern = "sgemm<true>\\(",
    COMMON,
    .launch = launch<true>,
    .verify = verify,
    .teardown = teardown,
};

const struct cpprof_variant_library *cpprof_variants(void)
{
    static const struct cpprof_variant *const variants[] = {&tiles_variant, &half_constants_variant};
    static const struct cpprof_variant_library library = {sizeof library, CPPROF_VARIANT_ABI, variants, 2};
    return &library;
}
