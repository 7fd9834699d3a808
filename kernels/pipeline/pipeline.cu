/* pipeline.cu - does prefetching tiles with cp.async pay?
 *
 * The input is a row of 16-byte chunks of four floats; a tile is 256 chunks,
 * one per thread. Thread t takes its own chunk v and its neighbour's chunk u
 * (thread t ^ 1, through shared memory) and computes
 *
 *   x = u.x + u.y;  repeat `work` times: x = 0.9 x + v.y;  out = x + v.x + v.z + v.w + u.z + u.w
 *
 * one float per chunk. Missing elements of a ragged end count as 0. Block b
 * works on tiles b, b + grid, b + 2 grid, ... with grid = SMs x ctas_per_sm.
 *
 *   sync       load a tile, barrier, compute, barrier: the latency of each load is exposed
 *              unless other blocks of the SM have work (ctas_per_sm)
 *   cpasyncN   a ring of N tiles in shared memory, N - 1 of them in flight while one is
 *              computed on: the block hides its own latency
 */
#include "kernels/pipeline/pipeline.h"

#include <cuda_pipeline_primitives.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdlib.h>

#include "cpprof/record.cuh"
#include "kernels/verify.h"

enum { TILE_CHUNKS = 256, CHUNK_FLOATS = 4, HOST_CHECKS = 64 };
#define DECAY 0.9f

/* |x| stays below 2 + 1 / (1 - 0.9) = 12, so one rounding is at most 2^-21. The decay limits the sum of the chain's
 * roundings to ten of them, and the five final additions (|sum| < 32) add at most 5 * 2^-20. In all 9.6e-6. */
#define TOLERANCE 1e-5

enum axis { AXIS_N, AXIS_CTAS_PER_SM, AXIS_WORK, AXIS_COUNT };

struct tiles {
    const float *in;
    float *out;
    size_t n;      /* floats */
    size_t chunks; /* ceil(n / 4) */
    size_t count;  /* ceil(chunks / 256) */
    int work;
};

/* Marks of a tile. All warps of a block do the same. */
CPPROF_NAMES(WAIT, REFILL, MATH, END);
CPPROF_PHASE_TABLE({"block", "load and wait", 0, WAIT, CPPROF_PHASE_ISSUE, MATH, 0, "pipeline/sync"},
                   {"block", "load and wait", 0, WAIT, CPPROF_PHASE_WAIT, MATH, 0, "pipeline/sync"},
                   {"block", "wait", 0, WAIT, CPPROF_PHASE_WAIT, REFILL, 0, "pipeline/cpasync*"},
                   {"block", "refill", 0, REFILL, CPPROF_PHASE_ISSUE, MATH, 1, "pipeline/cpasync2"},
                   {"block", "refill", 0, REFILL, CPPROF_PHASE_ISSUE, MATH, 2, "pipeline/cpasync3"},
                   {"block", "refill", 0, REFILL, CPPROF_PHASE_ISSUE, MATH, 3, "pipeline/cpasync4"},
                   {"block", "compute", 0, MATH, CPPROF_PHASE_COMPUTE, END, 0, NULL});

/* The chunk at the ragged end, element by element. */
static __device__ float4 load_tail(const struct tiles &tiles, size_t chunk)
{
    size_t first = chunk * CHUNK_FLOATS;
    float4 v = make_float4(0.f, 0.f, 0.f, 0.f);
    if (first < tiles.n)
        v.x = tiles.in[first];
    if (first + 1 < tiles.n)
        v.y = tiles.in[first + 1];
    if (first + 2 < tiles.n)
        v.z = tiles.in[first + 2];
    return v;
}

static __device__ bool is_whole(const struct tiles &tiles, size_t chunk)
{
    return (chunk + 1) * CHUNK_FLOATS <= tiles.n;
}

static __device__ void compute(const struct tiles &tiles, const float4 *tile, size_t chunk)
{
    float4 v = tile[threadIdx.x], u = tile[threadIdx.x ^ 1];
    float x = u.x + u.y;
#pragma unroll 16
    for (int k = 0; k < tiles.work; k++)
        x = fmaf(x, DECAY, v.y);
    if (chunk < tiles.chunks)
        tiles.out[chunk] = x + v.x + v.z + v.w + u.z + u.w;
}

__global__ void __launch_bounds__(TILE_CHUNKS) pipeline_sync(struct tiles tiles CPPROF_PARAM)
{
    __shared__ float4 tile[TILE_CHUNKS];
    CPPROF_RECORDER(r, 0);
    for (size_t i = blockIdx.x; i < tiles.count; i += gridDim.x) {
        size_t chunk = i * TILE_CHUNKS + threadIdx.x;
        CPPROF_PHASE(r, WAIT);
        tile[threadIdx.x] =
            is_whole(tiles, chunk) ? reinterpret_cast<const float4 *>(tiles.in)[chunk] : load_tail(tiles, chunk);
        __syncthreads();
        CPPROF_PHASE(r, MATH);
        compute(tiles, tile, chunk);
        CPPROF_PHASE(r, END);
        CPPROF_TILE_END(r);
        __syncthreads(); /* all threads have read the tile before it is overwritten */
    }
    CPPROF_RECORDER_END(r);
}

static __device__ void prefetch(const struct tiles &tiles, float4 *slot, size_t i)
{
    size_t chunk = i * TILE_CHUNKS + threadIdx.x;
    if (is_whole(tiles, chunk))
        __pipeline_memcpy_async(&slot[threadIdx.x], &tiles.in[chunk * CHUNK_FLOATS], sizeof(float4));
    else
        slot[threadIdx.x] = load_tail(tiles, chunk);
}

template <int STAGES> __global__ void __launch_bounds__(TILE_CHUNKS) pipeline_cpasync(struct tiles tiles CPPROF_PARAM)
{
    __shared__ float4 ring[STAGES][TILE_CHUNKS];
    CPPROF_RECORDER(r, 0);
    for (int s = 0; s < STAGES - 1; s++) {
        prefetch(tiles, ring[s], blockIdx.x + (size_t)s * gridDim.x);
        __pipeline_commit();
    }
    int stage = 0;
    for (size_t i = blockIdx.x; i < tiles.count; i += gridDim.x) {
        CPPROF_PHASE(r, WAIT);
        __pipeline_wait_prior(STAGES - 2); /* this thread's chunk of tile i has landed */
        __syncthreads(); /* so have all other threads', and all are done with the slot refilled next */
        CPPROF_PHASE(r, REFILL);
        prefetch(tiles, ring[(stage + STAGES - 1) % STAGES], i + (size_t)(STAGES - 1) * gridDim.x);
        __pipeline_commit(); /* an empty group at the end keeps the count of groups right */
        CPPROF_PHASE(r, MATH);
        compute(tiles, ring[stage], i * TILE_CHUNKS + threadIdx.x);
        CPPROF_PHASE(r, END);
        CPPROF_TILE_END(r);
        stage = (stage + 1) % STAGES;
    }
    CPPROF_RECORDER_END(r);
}

/* The reference: one thread a chunk, double precision, no tiles, no sharing. */
static __global__ void pipeline_reference(const float *in, size_t n, size_t chunks, int work, double *out)
{
    size_t chunk = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (chunk >= chunks)
        return;
    double v[CHUNK_FLOATS], u[CHUNK_FLOATS];
    for (size_t j = 0; j < CHUNK_FLOATS; j++) {
        size_t own = chunk * CHUNK_FLOATS + j, other = (chunk ^ 1) * CHUNK_FLOATS + j;
        v[j] = own < n ? in[own] : 0.0;
        u[j] = other < n ? in[other] : 0.0;
    }
    double x = u[0] + u[1];
    for (int k = 0; k < work; k++)
        x = x * (double)DECAY + v[1];
    out[chunk] = x + v[0] + v[2] + v[3] + u[2] + u[3];
}

struct state {
    struct tiles tiles;
    float *in, *out;
    double *reference;
    uint64_t seed;
    int grid;
    size_t stages;
};

static double host_value(uint64_t seed, size_t index, size_t n)
{
    return index < n ? random_value_f32(seed, index) : 0.0;
}

/* The device reference is checked, too: the host computes some of its values once more, from inputs that it draws
 * again. */
static int check_reference(const struct state *s, struct CUstream_st *stream)
{
    for (size_t i = 0; i < HOST_CHECKS; i++) {
        size_t chunk = i + 1 == HOST_CHECKS ? s->tiles.chunks - 1 : s->tiles.chunks / HOST_CHECKS * i;
        double v[CHUNK_FLOATS], u[CHUNK_FLOATS], got;
        for (size_t j = 0; j < CHUNK_FLOATS; j++) {
            v[j] = host_value(s->seed, chunk * CHUNK_FLOATS + j, s->tiles.n);
            u[j] = host_value(s->seed, (chunk ^ 1) * CHUNK_FLOATS + j, s->tiles.n);
        }
        double x = u[0] + u[1];
        for (int k = 0; k < s->tiles.work; k++)
            x = x * (double)DECAY + v[1];
        x += v[0] + v[2] + v[3] + u[2] + u[3];
        cudaError_t status = cudaMemcpyAsync(&got, s->reference + chunk, sizeof got, cudaMemcpyDeviceToHost, stream);
        if (!status)
            status = cudaStreamSynchronize(stream);
        if (status)
            return status;
        if (!(fabs(got - x) <= 1e-12 * (1 + fabs(x))))
            return cudaErrorUnknown;
    }
    return 0;
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

static int prepare(struct state *s, const struct cpprof_config *config, struct CUstream_st *stream)
{
    int device, sm_count;
    cudaError_t status = cudaGetDevice(&device);
    if (!status)
        status = cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device);
    if (status)
        return status;
    size_t n = (size_t)config->value[AXIS_N], chunks = (n + CHUNK_FLOATS - 1) / CHUNK_FLOATS;
    if ((status = cudaMalloc((void **)&s->in, n * sizeof(float))) ||
        (status = cudaMalloc((void **)&s->out, chunks * sizeof(float))) ||
        (status = cudaMalloc((void **)&s->reference, chunks * sizeof(double))))
        return status;
    s->seed = config->seed;
    s->grid = (int)config->value[AXIS_CTAS_PER_SM] * sm_count;
    s->tiles.in = s->in;
    s->tiles.out = s->out;
    s->tiles.n = n;
    s->tiles.chunks = chunks;
    s->tiles.count = (chunks + TILE_CHUNKS - 1) / TILE_CHUNKS;
    s->tiles.work = (int)config->value[AXIS_WORK];
    int filled = random_fill_f32(s->in, n, config->seed, stream);
    if (filled)
        return filled;
    unsigned blocks = (unsigned)((chunks + TILE_CHUNKS - 1) / TILE_CHUNKS);
    pipeline_reference<<<blocks, TILE_CHUNKS, 0, stream>>>(s->in, n, chunks, s->tiles.work, s->reference);
    status = cudaGetLastError();
    return status ? status : check_reference(s, stream);
}

static int setup(const struct cpprof_config *config, struct CUstream_st *stream, size_t stages, void **out)
{
    struct state *s = (struct state *)calloc(1, sizeof *s);
    if (!s)
        return cudaErrorMemoryAllocation;
    s->stages = stages;
    int status = prepare(s, config, stream);
    if (status) {
        teardown(s);
        s = NULL;
    }
    *out = s;
    return status;
}

template <int STAGES> static int setup_ring(const struct cpprof_config *config, struct CUstream_st *stream, void **out)
{
    return setup(config, stream, STAGES, out);
}

static int poison(void *opaque, struct CUstream_st *stream)
{
    struct state *s = (struct state *)opaque;
    return poison_f32(s->out, s->tiles.chunks, stream);
}

static int verify(void *opaque, struct CUstream_st *stream, struct cpprof_verification *result)
{
    struct state *s = (struct state *)opaque;
    struct verify_layout layout = {TILE_CHUNKS, s->tiles.count, (size_t)s->grid, s->stages};
    return compare_f32(s->out, s->reference, s->tiles.chunks, TOLERANCE, &layout, stream, result);
}

static int launch_sync(void *opaque, struct CUstream_st *stream)
{
    struct state *s = (struct state *)opaque;
    pipeline_sync<<<s->grid, TILE_CHUNKS, 0, stream>>>(s->tiles CPPROF_ARG);
    return cudaGetLastError();
}

template <int STAGES> static int launch_ring(void *opaque, struct CUstream_st *stream)
{
    struct state *s = (struct state *)opaque;
    pipeline_cpasync<STAGES><<<s->grid, TILE_CHUNKS, 0, stream>>>(s->tiles CPPROF_ARG);
    return cudaGetLastError();
}

/* A deliberate bug from the field notes: the inner `stages` ends with its scope, the outer one is still 1, and the
 * plain kernel is launched. */
static int launch_misdispatched(void *opaque, struct CUstream_st *stream)
{
    struct state *s = (struct state *)opaque;
    size_t stages = 1;
    if (s->tiles.n * sizeof(float) >= 4096) {
        size_t stages = 3;
        s->stages = stages;
    }
    return stages == 3 ? launch_ring<3>(opaque, stream) : launch_sync(opaque, stream);
}

template <int SLOTS> static size_t shared_bytes(const struct cpprof_config *)
{
    return SLOTS * TILE_CHUNKS * sizeof(float4);
}

/* An FMA counts as two operations. */
static double flops(const struct cpprof_config *config)
{
    double chunks = ceil((double)config->value[AXIS_N] / CHUNK_FLOATS);
    return chunks * (2.0 * (double)config->value[AXIS_WORK] + 6.0);
}

static double bytes(const struct cpprof_config *config)
{
    double n = (double)config->value[AXIS_N];
    return n * sizeof(float) + ceil(n / CHUNK_FLOATS) * sizeof(float);
}

static const struct cpprof_axis axes[AXIS_COUNT] = {
    {"n", "input length in floats", CPPROF_AXIS_SHAPE, 1, (int64_t)1 << 32, 33554432},
    {"ctas_per_sm", "blocks per SM: the grid is SMs x this", CPPROF_AXIS_PARAMETER, 1, 8, 1},
    {"work", "FMAs per chunk of four floats", CPPROF_AXIS_PARAMETER, 0, 1 << 20, 256},
};

/* `mission` reads 128 MiB, more than twice the L2 of an H200. The ragged shapes end inside a chunk, inside a tile, and
 * before a block's second tile. */
static const struct cpprof_shape shapes[] = {
    {"mission", {33554432}, 0},  {"small", {1048576}, 0},       {"large", {134217728}, 0},     {"one", {1}, 1},
    {"ragged-chunk", {1023}, 1}, {"ragged-tile", {1000002}, 1}, {"ragged-ring", {3145731}, 1},
};

static const struct cpprof_expect expect_sync[] = {{"sm__sass_inst_executed_op_ldgsts.sum", 0, 0}};
static const struct cpprof_expect expect_async[] = {{"sm__sass_inst_executed_op_ldgsts.sum", 1, INFINITY}};

/* Compared with plain loads: no wait for them, so busier issue slots, and the same traffic. */
#define SIGNALS_ASYNC "stall_long_scoreboard down; issue_share up; dram_bytes flat 3%"
#define PLAIN_LOADS   "pipeline/sync"

#define VARIANT(NAME, SUMMARY, PATTERN, EXPECT, SLOTS, SETUP, LAUNCH, SIGNALS, IMPROVES_ON)                            \
    {                                                                                                                  \
        sizeof(struct cpprof_variant), "pipeline/" NAME, SUMMARY, PATTERN, axes, AXIS_COUNT, shapes,                   \
            sizeof shapes / sizeof shapes[0], EXPECT, 1, NULL, shared_bytes<SLOTS>, flops, bytes, SETUP, poison,       \
            LAUNCH, verify, teardown, SIGNALS, NULL, NULL, IMPROVES_ON                                                 \
    }

extern "C" const struct cpprof_variant pipeline_variants[PIPELINE_VARIANT_COUNT] = {
    VARIANT("sync", "plain loads, one tile in shared memory", "^pipeline_sync\\(", expect_sync, 1, setup_ring<1>,
            launch_sync, NULL, NULL),
    VARIANT("cpasync2", "cp.async into a ring of 2 tiles", "pipeline_cpasync<2>\\(", expect_async, 2, setup_ring<2>,
            launch_ring<2>, SIGNALS_ASYNC, PLAIN_LOADS),
    VARIANT("cpasync3", "cp.async into a ring of 3 tiles", "pipeline_cpasync<3>\\(", expect_async, 3, setup_ring<3>,
            launch_ring<3>, SIGNALS_ASYNC, PLAIN_LOADS),
    VARIANT("cpasync4", "cp.async into a ring of 4 tiles", "pipeline_cpasync<4>\\(", expect_async, 4, setup_ring<4>,
            launch_ring<4>, SIGNALS_ASYNC, PLAIN_LOADS),
    VARIANT("misdispatched", "declared as cpasync3; its dispatcher launches sync (a planted bug)",
            "pipeline_cpasync<3>\\(", expect_async, 3, setup_ring<3>, launch_misdispatched, SIGNALS_ASYNC, PLAIN_LOADS),
};
