/* known_inside.cuh - what the kernels share whose inside is known by construction: barriers, copies, work of a known
 * length, an input of whole numbers, its exact sums, and the log of what was built.
 *
 * The truth comes from clocks that the kernels read for themselves, beside the marks, into an array of their own. When
 * the environment variable CPPROF_TRUTH_LOG names a file, teardown appends a line to it, from the last launch:
 *
 *   variant <tab> shape <tab> what was built <tab> cycles <tab> cycles <tab> build: off, delay, record or progress
 */
#ifndef CPPROF_KNOWN_INSIDE_CUH
#define CPPROF_KNOWN_INSIDE_CUH

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cpprof/record.cuh"
#include "cpprof/variant.h"
#include "cpprof/verify.cuh"

/* ---- device ---- */

/* The input is whole numbers of at most 8 bits: float32 has their sums exactly, and a stale tile has another sum. */
static __host__ __device__ inline float known_value(uint64_t seed, uint64_t index)
{
    return (float)(cpprof_mix(cpprof_mix(seed) ^ index) & 255);
}

static __global__ void known_fill(float *out, size_t count, uint64_t seed)
{
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += stride)
        out[i] = known_value(seed, i);
}

/* What a launch reads. Each block has an input of its own and begins it anew when it is through. */
struct known_input {
    int tiles; /* that a block brings */
    int input_tiles;
    size_t tile_floats; /* 0: no input */
};

/* Thread i of a block sums chunks i, i + threads, ... of four floats, of each tile of its block. */
static __global__ void known_sums(double *out, struct known_input in, double offset, uint64_t seed)
{
    const size_t step = blockDim.x * (size_t)4;
    double sum = offset;
    for (int t = 0; t < in.tiles; t++)
        for (size_t at = threadIdx.x * (size_t)4; at < in.tile_floats; at += step)
            for (size_t k = 0; k < 4; k++)
                sum += known_value(
                    seed,
                    (blockIdx.x * (size_t)in.input_tiles + (size_t)(t % in.input_tiles)) * in.tile_floats + at + k);
    out[blockIdx.x * (size_t)blockDim.x + threadIdx.x] = sum;
}

static __device__ __forceinline__ unsigned known_cycle(void)
{
    unsigned cycle;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(cycle)::"memory");
    return cycle;
}

static __device__ __forceinline__ unsigned known_sm(void)
{
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}

/* Until so many cycles have passed; a round takes some 33. */
static __device__ __forceinline__ void spend_cycles(int cycles)
{
    const unsigned begin = known_cycle();
    while ((int)(known_cycle() - begin) < cycles) {
    }
}

static __device__ __forceinline__ unsigned in_shared(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

/* Some of the warps of a block meet. */
template <int BARRIER, int THREADS> static __device__ __forceinline__ void meet(void)
{
    asm volatile("bar.sync %0, %1;" ::"n"(BARRIER), "n"(THREADS) : "memory");
}

static __device__ __forceinline__ void barrier_begin(uint64_t *barrier, unsigned arrivals)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(in_shared(barrier)), "r"(arrivals) : "memory");
}

/* Makes barriers that were begun known to copies; the block must meet behind it. */
static __device__ __forceinline__ void barriers_begun(void)
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

static __device__ __forceinline__ void barrier_wait(uint64_t *barrier, unsigned parity)
{
    unsigned passed;
    do
        asm volatile("{\n\t.reg .pred over;\n\tmbarrier.test_wait.parity.shared.b64 over, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, over;\n\t}"
                     : "=r"(passed)
                     : "r"(in_shared(barrier)), "r"(parity)
                     : "memory");
    while (!passed);
}

static __device__ __forceinline__ void barrier_arrive(uint64_t *barrier)
{
    asm volatile("{\n\t.reg .b64 state;\n\tmbarrier.arrive.shared.b64 state, [%0];\n\t}" ::"r"(in_shared(barrier))
                 : "memory");
}

/* One thread asks for a whole tile; the barrier's phase is over when it is there. */
static __device__ __forceinline__ void copy_bulk(void *to, const void *from, unsigned bytes, uint64_t *barrier)
{
    asm volatile(
        "{\n\t.reg .b64 state;\n\tmbarrier.arrive.expect_tx.shared.b64 state, [%0], %1;\n\t}" ::"r"(in_shared(barrier)),
        "r"(bytes)
        : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(in_shared(to)),
        "l"(from), "r"(bytes), "r"(in_shared(barrier))
        : "memory");
}

/* What this thread sums of a tile, in known_sums. */
template <int THREADS> static __device__ __forceinline__ float sum_tile(const float4 *tile, int chunks, float sum)
{
#pragma unroll 4
    for (int i = (int)threadIdx.x; i < chunks; i += THREADS)
        sum += tile[i].x + tile[i].y + tile[i].z + tile[i].w;
    return sum;
}

/* ---- host ---- */

struct known {
    const char *name; /* of the variant */
    char shape[32];
    uint64_t seed;
    int sm_count, grid, threads;
    struct known_input input;
    float *in, *out;
    double *reference;
    uint4 *clocks;
    size_t clock_count;
    int was_launched;
};

static inline size_t known_outputs(const struct known *k)
{
    return (size_t)k->grid * (size_t)k->threads;
}

static inline void known_release(struct known *k)
{
    cudaFree(k->in);
    cudaFree(k->out);
    cudaFree(k->reference);
    cudaFree(k->clocks);
}

static inline int known_sm_count(int *count)
{
    int device;
    const cudaError_t rc = cudaGetDevice(&device);
    return rc ? rc : cudaDeviceGetAttribute(count, cudaDevAttrMultiProcessorCount, device);
}

/* The sizes are filled in. Each output begins with `offset`. */
static inline int known_prepare(struct known *k, double offset, cudaStream_t stream)
{
    const size_t in_count = (size_t)k->grid * (size_t)k->input.input_tiles * k->input.tile_floats;
    cudaError_t rc;
    if ((in_count && (rc = cudaMalloc((void **)&k->in, in_count * sizeof *k->in))) ||
        (rc = cudaMalloc((void **)&k->out, known_outputs(k) * sizeof *k->out)) ||
        (rc = cudaMalloc((void **)&k->reference, known_outputs(k) * sizeof *k->reference)) ||
        (rc = cudaMalloc((void **)&k->clocks, k->clock_count * sizeof *k->clocks)) ||
        (rc = cudaMemsetAsync(k->clocks, 0, k->clock_count * sizeof *k->clocks, stream)))
        return rc;
    if (in_count)
        known_fill<<<1024, 256, 0, stream>>>(k->in, in_count, k->seed);
    known_sums<<<(unsigned)k->grid, (unsigned)k->threads, 0, stream>>>(k->reference, k->input, offset, k->seed);
    return cudaGetLastError();
}

/* Own clocks of the last launch, in memory of the host that the caller frees; NULL without memory. */
static inline uint4 *known_clocks(const struct known *k)
{
    uint4 *clocks = (uint4 *)malloc(k->clock_count * sizeof *clocks);
    if (clocks && cudaMemcpy(clocks, k->clocks, k->clock_count * sizeof *clocks, cudaMemcpyDeviceToHost)) {
        free(clocks);
        clocks = NULL;
    }
    return clocks;
}

/* Launches of setup must neither record nor wait: returns the settings that were there, to be given back. */
static inline struct cpprof_inside_settings known_settings(const struct cpprof_inside_settings *next)
{
    struct cpprof_inside_settings quiet = {};
    quiet.delay_cycles = -1;
#if CPPROF_INSIDE != CPPROF_INSIDE_OFF
    const struct cpprof_inside_settings was = *cpprof_inside_here();
    cpprof_inside_set(next ? next : &quiet);
    return was;
#else
    return next ? *next : quiet;
#endif
}

static inline void known_log(const struct known *k, int sm, double built, double first, double second)
{
    static const char *const builds[] = {"off", "delay", "record", NULL, "progress"};
    const char *path = getenv("CPPROF_TRUTH_LOG");
    char line[256];
    const int length = snprintf(line, sizeof line, "%s\t%s\t%.6g\t%.6g\t%.6g\t%s\t%d\n", k->name, k->shape, built,
                                first, second, builds[CPPROF_INSIDE], sm);
    const int file = path && k->was_launched ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644) : -1;
    if (file < 0)
        return;
    if (write(file, line, (size_t)length) != length)
        fprintf(stderr, "%s: the line of %s was not written\n", path, k->name);
    close(file);
}

static inline int known_poison(void *opaque, cudaStream_t stream)
{
    const struct known *k = (const struct known *)opaque;
    return cpprof_poison_f32(k->out, known_outputs(k), stream);
}

/* Whole numbers below 2^24: any difference is a wrong result. */
static inline int known_verify(void *opaque, cudaStream_t stream, struct cpprof_verification *result)
{
    const struct known *k = (const struct known *)opaque;
    return cpprof_compare_f32(k->out, k->reference, known_outputs(k), 0, stream, result);
}

static int known_refuse(const struct cpprof_config *, char *why, size_t why_bytes)
{
    int device, major = 0;
    if (cudaGetDevice(&device) || cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device))
        snprintf(why, why_bytes, "no device answers");
    else if (major != 9)
        snprintf(why, why_bytes, "compiled for compute capability 9.0 alone");
    return major != 9;
}

static double known_nothing(const struct cpprof_config *)
{
    return NAN;
}

#endif
