/* verify.cu - is the output right? Every value against a float64 reference. */
#include "kernels/verify.h"

#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 256, BLOCKS = 1024 };
#define POISON_BITS 0x7fdeadbeu /* a quiet NaN that no arithmetic produces */

/* splitmix64's finaliser: every index an independent draw (Steele, Lea, Flood 2014). */
static __host__ __device__ uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static __host__ __device__ float random_at(uint64_t seed, uint64_t index)
{
    uint64_t bits = mix(mix(seed) ^ index) >> 40; /* 24 bits: exact in a float */
    return (float)bits * (2.0f / 16777216.0f) - 1.0f;
}

extern "C" float random_value_f32(uint64_t seed, uint64_t index)
{
    return random_at(seed, index);
}

static __global__ void verify_random_fill(float *out, size_t count, uint64_t seed)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += stride)
        out[i] = random_at(seed, i);
}

static __global__ void verify_poison(float *out, size_t count)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += stride)
        out[i] = __uint_as_float(POISON_BITS);
}

struct comparison_sums {
    unsigned long long bad;
    unsigned long long hash;
    unsigned long long worst_bits; /* of a non-negative double: ordered as the double is */
};

static __global__ void verify_compare(const float *output, const double *reference, size_t count, double tolerance,
                                      struct comparison_sums *sums)
{
    unsigned long long bad = 0, hash = 0;
    double worst = 0;
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += stride) {
        double error = fabs((double)output[i] - reference[i]);
        if (!(error <= tolerance))
            bad++;
        if (!(error <= worst))
            worst = isnan(error) ? INFINITY : error;
        hash += mix(i ^ mix(__float_as_uint(output[i]))); /* a sum: the order of threads does not matter */
    }
    if (bad)
        atomicAdd(&sums->bad, bad);
    atomicAdd(&sums->hash, hash);
    atomicMax(&sums->worst_bits, (unsigned long long)__double_as_longlong(worst));
}

extern "C" int random_fill_f32(float *device, size_t count, uint64_t seed, struct CUstream_st *stream)
{
    verify_random_fill<<<BLOCKS, THREADS, 0, stream>>>(device, count, seed);
    return cudaGetLastError();
}

extern "C" int poison_f32(float *device, size_t count, struct CUstream_st *stream)
{
    verify_poison<<<BLOCKS, THREADS, 0, stream>>>(device, count);
    return cudaGetLastError();
}

/* What the mismatches have in common, gathered over all of them. */
struct pattern {
    size_t bad, unwritten;
    bool same_stage, only_last_tile, never_first_round;
    size_t stage;
    size_t shifted; /* equal to the reference of another tile of the block's ring */
};

static void describe(const struct verify_layout *layout, size_t index, struct cpprof_mismatch *m)
{
    size_t tile = index / layout->tile_values, round = tile / layout->grid;
    snprintf(m->where, sizeof m->where, "tile %zu value %zu, block %zu round %zu, stage %zu of %zu", tile,
             index % layout->tile_values, tile % layout->grid, round, round % layout->stages, layout->stages);
}

static bool is_poison(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits == POISON_BITS;
}

/* Does the value belong to the tile that the block has one ring slot earlier or later? */
static bool is_neighbour_round(const struct verify_layout *layout, const double *reference, size_t count, size_t index,
                               float got, double tolerance)
{
    size_t step = layout->grid * layout->tile_values;
    for (size_t away = 1; away <= layout->stages; away++) {
        if (index >= away * step && fabs(reference[index - away * step] - got) <= tolerance)
            return true;
        if (index + away * step < count && fabs(reference[index + away * step] - got) <= tolerance)
            return true;
    }
    return false;
}

static void add_to_pattern(struct pattern *p, const struct verify_layout *layout, size_t index)
{
    size_t tile = index / layout->tile_values, round = tile / layout->grid, stage = round % layout->stages;
    if (!p->bad)
        *p = (struct pattern){0, p->unwritten, true, true, true, stage, p->shifted};
    p->bad++;
    p->same_stage &= stage == p->stage;
    p->only_last_tile &= tile == layout->tiles - 1;
    p->never_first_round &= round > 0;
}

static void write_hint(const struct pattern *p, const struct verify_layout *layout, char *hint, size_t bytes)
{
    hint[0] = '\0';
    if (p->unwritten == p->bad)
        snprintf(hint, bytes, "every bad value was never written: look at the grid and the loop bounds");
    else if (p->shifted * 10 >= p->bad * 9)
        snprintf(hint, bytes, "the bad values belong to a neighbouring round of the same block: the stage index is off");
    else if (p->only_last_tile)
        snprintf(hint, bytes, "only the last, ragged tile is wrong: look at the tail");
    else if (layout->stages > 1 && p->same_stage)
        snprintf(hint, bytes, "only stage %zu of %zu is wrong: look at that slot's wait and barrier", p->stage,
                 layout->stages);
    else if (p->never_first_round)
        snprintf(hint, bytes, "each block's first tile is right, later ones are not: a slot is reused before it was read");
}

/* The slow path, for a failed comparison only: copies both arrays to the host. */
static int explain(const float *output, const double *reference, size_t count, double tolerance,
                   const struct verify_layout *layout, struct cpprof_verification *result)
{
    float *got = (float *)malloc(count * sizeof *got);
    double *expected = (double *)malloc(count * sizeof *expected);
    cudaError_t status = got && expected ? cudaSuccess : cudaErrorMemoryAllocation;
    struct pattern pattern = {0};
    if (!status)
        status = cudaMemcpy(got, output, count * sizeof *got, cudaMemcpyDeviceToHost);
    if (!status)
        status = cudaMemcpy(expected, reference, count * sizeof *expected, cudaMemcpyDeviceToHost);
    for (size_t i = 0; !status && i < count; i++) {
        if (fabs((double)got[i] - expected[i]) <= tolerance)
            continue;
        add_to_pattern(&pattern, layout, i);
        pattern.unwritten += is_poison(got[i]);
        pattern.shifted += is_neighbour_round(layout, expected, count, i, got[i], tolerance);
        if (result->mismatch_count < CPPROF_MISMATCHES_MAX) {
            struct cpprof_mismatch *m = &result->mismatches[result->mismatch_count++];
            m->index = i;
            m->expected = expected[i];
            m->got = got[i];
            describe(layout, i, m);
        }
    }
    if (!status)
        write_hint(&pattern, layout, result->hint, sizeof result->hint);
    free(got);
    free(expected);
    return status;
}

extern "C" int compare_f32(const float *output, const double *reference, size_t count, double tolerance,
                           const struct verify_layout *layout, struct CUstream_st *stream,
                           struct cpprof_verification *result)
{
    memset(result, 0, sizeof *result);
    struct comparison_sums sums, *device_sums;
    cudaError_t status = cudaMalloc((void **)&device_sums, sizeof sums);
    if (status)
        return status;
    status = cudaMemsetAsync(device_sums, 0, sizeof sums, stream);
    if (!status) {
        verify_compare<<<BLOCKS, THREADS, 0, stream>>>(output, reference, count, tolerance, device_sums);
        status = cudaGetLastError();
    }
    if (!status)
        status = cudaMemcpyAsync(&sums, device_sums, sizeof sums, cudaMemcpyDeviceToHost, stream);
    if (!status)
        status = cudaStreamSynchronize(stream);
    cudaFree(device_sums);
    if (status)
        return status;
    memcpy(&result->max_abs_err, &sums.worst_bits, sizeof result->max_abs_err);
    result->values = count;
    result->bad_ratio = count ? (double)sums.bad / (double)count : 0;
    result->output_hash = sums.hash;
    return sums.bad ? explain(output, reference, count, tolerance, layout, result) : 0;
}
