/* truth_shared.cu - kernels about the bandwidth of shared memory: 32 banks, 128 bytes a cycle.
 *
 *   shared-stream   every warp reads 512 bytes at a time without conflicts and adds them up: 4 cycles
 *                   of the banks beside one of the FMA pipe: memory-bound shared.
 *   bank-conflicts  every warp reads a column of a tile 32 floats wide, all 32 from one bank: 32 cycles.
 *                   Its 32 FMAs for each float take 8: memory-bound shared.
 *   bank-padded     the same instructions; the tile's rows are 33 floats apart, so that a column lies in
 *                   all banks: 1 cycle for the column, 8 for the FMAs: compute-bound fma.
 */
#include <cuda_runtime.h>

#include "kernels/truth/truth.h"
#include "kernels/truth/truth_bench.h"

enum { INPUT_MAX = 100 };
enum { STREAM_THREADS = 512, STREAM_BLOCKS = 2, READS = 2, TILE_CHUNKS = 2 * READS * STREAM_THREADS, CHUNK_FLOATS = 4 };
enum { COLUMN_THREADS = 256, COLUMN_BLOCKS = 4, WIDTH = 32, COLUMNS = 8, CHAINS = 32 };

/* ---- bandwidth ---- */

static __device__ float4 add(float4 a, float4 b)
{
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

/* Reads the two halves of the tile alternately. `half` is TILE_CHUNKS / 2; nvcc does not know that, so it keeps the
 * reads. */
__global__ void __launch_bounds__(STREAM_THREADS, STREAM_BLOCKS)
    truth_shared(const float4 *in, float *out, int rounds, unsigned half)
{
    __shared__ float4 tile[TILE_CHUNKS];
    for (unsigned i = threadIdx.x; i < TILE_CHUNKS; i += STREAM_THREADS)
        tile[i] = in[blockIdx.x * (size_t)TILE_CHUNKS + i];
    __syncthreads();
    unsigned at = threadIdx.x;
    float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll 4
    for (int round = 0; round < rounds; round++) {
#pragma unroll
        for (unsigned r = 0; r < READS; r++)
            sum = add(sum, tile[at + r * STREAM_THREADS]);
        at = (at + half) & (TILE_CHUNKS - 1);
    }
    out[blockIdx.x * (size_t)STREAM_THREADS + threadIdx.x] = sum.x + sum.y + sum.z + sum.w;
}

/* Adds each chunk once, times the number of rounds that read its half. */
static __global__ void truth_shared_reference(const float *in, double *out, int rounds)
{
    const float *tile = in + blockIdx.x * (size_t)TILE_CHUNKS * CHUNK_FLOATS;
    double halves[2] = {0, 0};
    for (int k = 0; k < 2 * READS; k++)
        for (int j = 0; j < CHUNK_FLOATS; j++)
            halves[k / READS] += tile[(k * STREAM_THREADS + threadIdx.x) * CHUNK_FLOATS + j];
    out[blockIdx.x * (size_t)STREAM_THREADS + threadIdx.x] = (rounds + 1) / 2 * halves[0] + rounds / 2 * halves[1];
}

/* A sum is at most 4096 x 8 x 100 = 3.3 million: exact. */
static int plan_stream(struct truth *t, struct CUstream_st *)
{
    t->threads = STREAM_THREADS;
    t->grid = STREAM_BLOCKS * t->sm_count;
    t->in_count = (size_t)t->grid * TILE_CHUNKS * CHUNK_FLOATS;
    t->out_count = (size_t)t->grid * STREAM_THREADS;
    t->whole_max = INPUT_MAX;
    return 0;
}

static int prepare_stream(struct truth *t, struct CUstream_st *stream)
{
    truth_shared_reference<<<t->grid, STREAM_THREADS, 0, stream>>>(t->in, t->reference, t->rounds);
    return cudaGetLastError();
}

static int launch_stream(void *opaque, struct CUstream_st *stream)
{
    struct truth *t = (struct truth *)opaque;
    truth_shared<<<t->grid, STREAM_THREADS, 0, stream>>>((const float4 *)t->in, t->out, t->rounds, TILE_CHUNKS / 2);
    return cudaGetLastError();
}

static double stream_flops(const struct cpprof_config *config)
{
    return truth_sm_count() * STREAM_BLOCKS * STREAM_THREADS *
           (READS * CHUNK_FLOATS * (double)config->value[0] + CHUNK_FLOATS - 1);
}

static double stream_bytes(const struct cpprof_config *)
{
    return truth_sm_count() * STREAM_BLOCKS * sizeof(float) * (TILE_CHUNKS * CHUNK_FLOATS + STREAM_THREADS);
}

/* ---- bank conflicts ---- */

/* Lane l takes row l of the tile, column by column, 8 per round. `columns` is 8 and `factor` 1; nvcc does not know
 * that, so it keeps the reads and the FMAs. */
template <int PITCH>
__global__ void __launch_bounds__(COLUMN_THREADS, COLUMN_BLOCKS)
    truth_columns(const float *in, float *out, int rounds, unsigned columns, float factor)
{
    __shared__ float tile[WIDTH * PITCH];
    for (unsigned i = threadIdx.x; i < WIDTH * WIDTH; i += COLUMN_THREADS)
        tile[i / WIDTH * PITCH + i % WIDTH] = in[blockIdx.x * (size_t)(WIDTH * WIDTH) + i];
    __syncthreads();
    const float *row = tile + threadIdx.x % WIDTH * PITCH;
    float x[CHAINS], sum = 0;
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
        x[c] = (float)c;
    unsigned column = 0;
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
#pragma unroll
        for (int k = 0; k < COLUMNS; k++) {
            float v = row[column + k];
#pragma unroll
            for (int c = 0; c < CHAINS; c++)
                x[c] = fmaf(v, factor, x[c]);
        }
        column = (column + columns) & (WIDTH - 1);
    }
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
        sum += x[c];
    out[blockIdx.x * (size_t)COLUMN_THREADS + threadIdx.x] = sum;
}

/* Adds each float of the row once, times the number of rounds that read its 8 columns. */
static __global__ void truth_columns_reference(const float *in, double *out, int rounds)
{
    const float *row = in + (blockIdx.x * (size_t)WIDTH + threadIdx.x % WIDTH) * WIDTH;
    double sum = 0;
    for (int column = 0; column < WIDTH; column++) {
        int turn = column / COLUMNS, turns = WIDTH / COLUMNS;
        sum += (double)((rounds + turns - 1 - turn) / turns) * row[column];
    }
    out[blockIdx.x * (size_t)COLUMN_THREADS + threadIdx.x] = CHAINS * sum + CHAINS * (CHAINS - 1) / 2;
}

/* A sum is at most 32 x 8 x 512 x 100 + 496 = 13.1 million, below 2^24: exact. */
static int plan_columns(struct truth *t, struct CUstream_st *)
{
    t->threads = COLUMN_THREADS;
    t->grid = COLUMN_BLOCKS * t->sm_count;
    t->in_count = (size_t)t->grid * WIDTH * WIDTH;
    t->out_count = (size_t)t->grid * COLUMN_THREADS;
    t->whole_max = INPUT_MAX;
    return 0;
}

static int prepare_columns(struct truth *t, struct CUstream_st *stream)
{
    truth_columns_reference<<<t->grid, COLUMN_THREADS, 0, stream>>>(t->in, t->reference, t->rounds);
    return cudaGetLastError();
}

template <int PITCH> static int launch_columns(void *opaque, struct CUstream_st *stream)
{
    struct truth *t = (struct truth *)opaque;
    truth_columns<PITCH><<<t->grid, COLUMN_THREADS, 0, stream>>>(t->in, t->out, t->rounds, COLUMNS, 1);
    return cudaGetLastError();
}

static double column_flops(const struct cpprof_config *config)
{
    return truth_sm_count() * COLUMN_BLOCKS * COLUMN_THREADS * CHAINS * (2.0 * COLUMNS * (double)config->value[0] + 1);
}

static double column_bytes(const struct cpprof_config *)
{
    return truth_sm_count() * COLUMN_BLOCKS * sizeof(float) * (WIDTH * WIDTH + COLUMN_THREADS);
}

/* ---- variants ---- */

/* Cycles of an SM in a round: 32 warps x 2 reads x 4; 32 warps x 8 columns x 32; 32 warps x 8 x 32 FMAs,
 * 4 a cycle: 0.53 ms at 1980 MHz each. */
static const struct cpprof_axis stream_axes[] = {
    {"rounds", "times round the kernel's loop", CPPROF_AXIS_SHAPE, 1, 16384, 4096}};
static const struct cpprof_axis conflict_axes[] = {
    {"rounds", "times round the kernel's loop", CPPROF_AXIS_SHAPE, 1, 512, 128}};
static const struct cpprof_axis padded_axes[] = {
    {"rounds", "times round the kernel's loop", CPPROF_AXIS_SHAPE, 1, 512, 512}};
static const struct cpprof_shape stream_shapes[] = {TRUTH_SHAPES("tile", 4096, 3)};
static const struct cpprof_shape conflict_shapes[] = {TRUTH_SHAPES("pitch-32", 128, 3)};
static const struct cpprof_shape padded_shapes[] = {TRUTH_SHAPES("pitch-33", 512, 3)};
static const struct cpprof_expect expect_shared[] = {
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed", 0.01, INFINITY}};
static const struct cpprof_expect expect_conflicts[] = {
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", 1e6, INFINITY}};
static const struct cpprof_expect expect_ffma[] = {
    {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 1, INFINITY}};

#define VARIANT(NAME, SUMMARY, PATTERN, AXES, SHAPES, EXPECT, SHARED, FLOPS, BYTES, SETUP, LAUNCH, BOUND)              \
    {                                                                                                                  \
        sizeof(struct cpprof_variant), "truth/" NAME, SUMMARY, PATTERN, AXES, 1, SHAPES, 2, EXPECT, 1, NULL,           \
            truth_shared_bytes<SHARED>, FLOPS, BYTES, SETUP, truth_poison, LAUNCH, truth_verify, truth_teardown, NULL, \
            NULL, BOUND                                                                                                \
    }
#define COLUMN_VARIANT(NAME, SUMMARY, PITCH, AXES, SHAPES, EXPECT, BOUND)                                              \
    VARIANT(NAME, SUMMARY, "truth_columns<" #PITCH ">\\(", AXES, SHAPES, EXPECT, WIDTH *PITCH *(int)sizeof(float),     \
            column_flops, column_bytes, (truth_setup_as<plan_columns, prepare_columns>), launch_columns<PITCH>, BOUND)

extern "C" const struct cpprof_variant truth_shared_variants[TRUTH_SHARED_COUNT] = {
    VARIANT("shared-stream", "reads of shared memory without conflicts", "^truth_shared\\(", stream_axes, stream_shapes,
            expect_shared, TILE_CHUNKS *(int)sizeof(float4), stream_flops, stream_bytes,
            (truth_setup_as<plan_stream, prepare_stream>), launch_stream, "memory-bound shared"),
    COLUMN_VARIANT("bank-conflicts", "columns of a tile whose rows are 32 floats apart", 32, conflict_axes,
                   conflict_shapes, expect_conflicts, "memory-bound shared"),
    COLUMN_VARIANT("bank-padded", "columns of a tile whose rows are 33 floats apart", 33, padded_axes, padded_shapes,
                   expect_ffma, "compute-bound fma"),
};
