/* sdpa_exponentials.cu - must a weight be exp to the last bit? stage3b with three cheaper ones.
 *
 * All work in base 2: log2(e) goes into the scale of the scores, which is there anyway. With weights that are off
 * by a share of at most e, an output is off by at most 2 e times the largest |V| of its head (the sum they are
 * divided by is of the same weights), here 4.75 e.
 *
 *   ex2approx  the instruction ex2.approx.ftz alone, without expf's care for its range: e = 2^-22
 *   exp2poly   2^n p(f), x = n + f, |f| <= 1/2, p of degree 3: all on the FMA and integer pipes: e = 1.1e-4
 *   explut     2^n table[k], x = n + k / 32 rounded to the next: e = 2^(1/64) - 1 = 0.0109, the output is off by
 *              at most 0.053. 32 entries are in 32 banks: lanes that read different ones never meet
 */
#include <cuda_runtime.h>

#include "cpprof/record.cuh"
#include "kernels/sdpa/sdpa.h"
#include "kernels/sdpa/sdpa_fused.cuh"

using namespace sdpa;

/* Marks of a tile. All warps of a block do the same. */
CPPROF_NAMES(WAIT, REFILL, MATH, END);
CPPROF_PHASE_TABLE({"block", "wait", 0, WAIT, CPPROF_PHASE_WAIT, REFILL, 0, NULL},
                   {"block", "refill", 0, REFILL, CPPROF_PHASE_ISSUE, MATH, 1, NULL},
                   {"block", "compute", 0, MATH, CPPROF_PHASE_COMPUTE, END, 0, NULL});

struct approximate_exp {
    static constexpr float SCALE = SDPA_LOG2_E;
    static __device__ __forceinline__ float exact(float x)
    {
        return exp2_fast(x);
    }
    __device__ __forceinline__ float of(float x) const
    {
        return exp2_fast(x);
    }
};

struct polynomial_exp {
    static constexpr float SCALE = SDPA_LOG2_E;
    static __device__ __forceinline__ float exact(float x)
    {
        return exp2_fast(x);
    }
    __device__ __forceinline__ float of(float x) const
    {
        return exp2_polynomial(x);
    }
};

enum { TABLE = 32 };
struct table_exp {
    static constexpr float SCALE = SDPA_LOG2_E;
    const int *table; /* the bits of 2^(k / 32) */
    static __device__ __forceinline__ float exact(float x)
    {
        return exp2_fast(x);
    }
    __device__ __forceinline__ float of(float x) const
    {
        const int steps = __float_as_int(fmaf(fmaxf(x, SDPA_SMALLEST), TABLE, SDPA_ROUNDER));
        return __int_as_float(table[steps % TABLE] + (steps / TABLE << 23));
    }
};

__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM) sdpa_ex2approx(struct sdpa_problem p CPPROF_PARAM)
{
    __shared__ tile ring[2];
    CPPROF_RECORDER(r, 0);
    attend_fused<linear>(ring, p, approximate_exp() CPPROF_GIVES(r));
    CPPROF_RECORDER_END(r);
}

__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM) sdpa_exp2poly(struct sdpa_problem p CPPROF_PARAM)
{
    __shared__ tile ring[2];
    CPPROF_RECORDER(r, 0);
    attend_fused<linear>(ring, p, polynomial_exp() CPPROF_GIVES(r));
    CPPROF_RECORDER_END(r);
}

/* The table is filled before the first barrier inside. */
__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM) sdpa_explut(struct sdpa_problem p CPPROF_PARAM)
{
    __shared__ tile ring[2];
    __shared__ int table[TABLE];
    if (threadIdx.x < TABLE)
        table[threadIdx.x] = __float_as_int(exp2f((float)threadIdx.x / TABLE));
    CPPROF_RECORDER(r, 0);
    attend_fused<linear>(ring, p, table_exp{table} CPPROF_GIVES(r));
    CPPROF_RECORDER_END(r);
}

static int launch_approximate(const struct sdpa_problem *p, struct CUstream_st *stream)
{
    sdpa_ex2approx<<<grid_of(*p), THREADS, 0, stream>>>(*p CPPROF_ARG);
    return cudaGetLastError();
}

static int launch_polynomial(const struct sdpa_problem *p, struct CUstream_st *stream)
{
    sdpa_exp2poly<<<grid_of(*p), THREADS, 0, stream>>>(*p CPPROF_ARG);
    return cudaGetLastError();
}

static int launch_table(const struct sdpa_problem *p, struct CUstream_st *stream)
{
    sdpa_explut<<<grid_of(*p), THREADS, 0, stream>>>(*p CPPROF_ARG);
    return cudaGetLastError();
}

extern "C" const struct cpprof_variant sdpa_exponentials_variants[SDPA_EXPONENTIALS_COUNT] = {
    SDPA_VARIANT("exp2poly", "stage3b with weights by a polynomial: off by 1.1e-4 of themselves at most",
                 "sdpa_exp2poly", sdpa_expect_async, NULL, 2 * sizeof(tile), launch_polynomial,
                 "xu_share down; dram_bytes flat 3%", "sdpa/stage3b"),
    SDPA_VARIANT("explut", "stage3b with weights from a table of 32: off by 1.1% of themselves at most", "sdpa_explut",
                 sdpa_expect_async, NULL, 2 * sizeof(tile) + TABLE * sizeof(int), launch_table,
                 "xu_share down; dram_bytes flat 3%", "sdpa/stage3b"),
    SDPA_VARIANT("ex2approx", "stage3b with weights by ex2.approx alone: off by 2^-22 of themselves at most",
                 "sdpa_ex2approx", sdpa_expect_async, NULL, 2 * sizeof(tile), launch_approximate,
                 "instructions down; dram_bytes flat 3%", "sdpa/stage3b"),
};
