/* verify.cuh - what does a CUDA variant need for setup, poison and verify? Inputs that anyone can recompute, outputs
 * that start unwritten, and a comparison of every value with a float64 reference on the device. For nvcc; there is
 * nothing to link with.
 *
 * Functions return a cudaError_t. All work goes to the stream that is passed in. */
#ifndef CPPROF_VERIFY_CUH
#define CPPROF_VERIFY_CUH

#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpprof/variant.h"

enum { CPPROF_VERIFY_THREADS = 256, CPPROF_VERIFY_BLOCKS = 1024 };
#define CPPROF_POISON_BITS 0x7fdeadbeu /* a quiet NaN that no arithmetic produces */

/* splitmix64's finaliser: each index gives an independent number (Steele, Lea, Flood 2014). */
static inline __host__ __device__ uint64_t cpprof_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Returns a number uniform in [-1, 1) with 24 bits, a pure function of (seed, index). The device fills arrays with it;
 * the reference and the host recompute single values. */
static inline __host__ __device__ float cpprof_random_f32(uint64_t seed, uint64_t index)
{
    uint64_t bits = cpprof_mix(cpprof_mix(seed) ^ index) >> 40; /* 24 bits: exact in a float */
    return (float)bits * (2.0f / 16777216.0f) - 1.0f;
}

static __global__ void verify_random_fill(float *out, size_t count, uint64_t seed)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += stride)
        out[i] = cpprof_random_f32(seed, i);
}

static __global__ void verify_poison(float *out, size_t count)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += stride)
        out[i] = __uint_as_float(CPPROF_POISON_BITS);
}

struct cpprof_comparison_sums {
    unsigned long long bad;
    unsigned long long hash;
    unsigned long long worst_bits; /* bits of a non-negative double, which order as the double does */
};

static __global__ void verify_compare(const float *output, const double *reference, size_t count, double tolerance,
                                      struct cpprof_comparison_sums *sums)
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
        hash +=
            cpprof_mix(i ^ cpprof_mix(__float_as_uint(output[i]))); /* a sum: the order of threads does not matter */
    }
    if (bad)
        atomicAdd(&sums->bad, bad);
    atomicAdd(&sums->hash, hash);
    atomicMax(&sums->worst_bits, (unsigned long long)__double_as_longlong(worst));
}

static inline int cpprof_random_fill_f32(float *device, size_t count, uint64_t seed, cudaStream_t stream)
{
    verify_random_fill<<<CPPROF_VERIFY_BLOCKS, CPPROF_VERIFY_THREADS, 0, stream>>>(device, count, seed);
    return cudaGetLastError();
}

/* Fills the array with a poison, so that a value that was never written can be told from a wrong one. */
static inline int cpprof_poison_f32(float *device, size_t count, cudaStream_t stream)
{
    verify_poison<<<CPPROF_VERIFY_BLOCKS, CPPROF_VERIFY_THREADS, 0, stream>>>(device, count);
    return cudaGetLastError();
}

static inline bool cpprof_is_poison_f32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits == CPPROF_POISON_BITS;
}

/* Compares and counts without listing single values. bad_ratio is not 0 when a value is not within `tolerance` of its
 * reference, or is NaN. */
static inline int cpprof_measure_f32(const float *output, const double *reference, size_t count, double tolerance,
                                     cudaStream_t stream, struct cpprof_verification *result)
{
    memset(result, 0, sizeof *result);
    struct cpprof_comparison_sums sums, *device_sums;
    cudaError_t status = cudaMalloc((void **)&device_sums, sizeof sums);
    if (status)
        return status;
    status = cudaMemsetAsync(device_sums, 0, sizeof sums, stream);
    if (!status) {
        verify_compare<<<CPPROF_VERIFY_BLOCKS, CPPROF_VERIFY_THREADS, 0, stream>>>(output, reference, count, tolerance,
                                                                                   device_sums);
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
    return 0;
}

/* Lists the first mismatches from host copies of both arrays. The hint states how many of all bad values were never
 * written. */
static inline void cpprof_list_mismatches_f32(const float *got, const double *expected, size_t count, double tolerance,
                                              struct cpprof_verification *result)
{
    size_t bad = 0, unwritten = 0;
    for (size_t i = 0; i < count; i++) {
        if (fabs((double)got[i] - expected[i]) <= tolerance)
            continue;
        bad++;
        unwritten += cpprof_is_poison_f32(got[i]);
        if (result->mismatch_count == CPPROF_MISMATCHES_MAX)
            continue;
        struct cpprof_mismatch *m = &result->mismatches[result->mismatch_count++];
        m->index = i;
        m->expected = expected[i];
        m->got = got[i];
        snprintf(m->where, sizeof m->where, "value %zu of %zu%s", i, count,
                 cpprof_is_poison_f32(got[i]) ? ", never written" : "");
    }
    if (unwritten)
        snprintf(result->hint, sizeof result->hint, "%zu of %zu bad values were never written", unwritten, bad);
}

/* Does all that verify needs: compares `count` values of `output` with `reference`, both on the device, and fills
 * `result`, with the first mismatches if there are any. */
static inline int cpprof_compare_f32(const float *output, const double *reference, size_t count, double tolerance,
                                     cudaStream_t stream, struct cpprof_verification *result)
{
    int status = cpprof_measure_f32(output, reference, count, tolerance, stream, result);
    if (status || result->bad_ratio == 0)
        return status;
    float *got = (float *)malloc(count * sizeof *got);
    double *expected = (double *)malloc(count * sizeof *expected);
    status = got && expected ? cudaSuccess : cudaErrorMemoryAllocation;
    if (!status)
        status = cudaMemcpy(got, output, count * sizeof *got, cudaMemcpyDeviceToHost);
    if (!status)
        status = cudaMemcpy(expected, reference, count * sizeof *expected, cudaMemcpyDeviceToHost);
    if (!status)
        cpprof_list_mismatches_f32(got, expected, count, tolerance, result);
    free(got);
    free(expected);
    return status;
}

#endif
