/* sdpa_stage3b.cu - the softmax fused with the score tile; then: do bank conflicts matter?
 *
 *   stage3b  the largest score and the sum of weights of a query are found by shuffles among the four
 *            lanes that have its scores: nothing of a score goes through shared memory
 *   swizzle  the same, the chunks of a tile laid out so that no load meets a bank twice
 *
 * A tile's rows are 64 bytes, four chunks of 16: two rows are all 32 banks. Loading K is free of conflicts
 * either way (8 lanes load two whole rows). ldmatrix reads the same chunk of 8 rows, which lie on two
 * places of 16 bytes in the 128 of all banks: each of its four matrices takes 4 passes instead of 1. The
 * swizzle puts chunk c of row r at place c ^ (r / 2 % 4): 8 rows, 8 places.
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

struct swizzled {
    static __device__ __forceinline__ int at(int row, int chunk)
    {
        return row * SDPA_D + (chunk ^ row / 2 % 4) * CHUNK;
    }
};

__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM) sdpa_stage3b(struct sdpa_problem p CPPROF_PARAM)
{
    __shared__ tile ring[2];
    CPPROF_RECORDER(r, 0);
    attend_fused<linear>(ring, p, library_exp() CPPROF_GIVES(r));
    CPPROF_RECORDER_END(r);
}

__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM) sdpa_swizzle(struct sdpa_problem p CPPROF_PARAM)
{
    __shared__ tile ring[2];
    CPPROF_RECORDER(r, 0);
    attend_fused<swizzled>(ring, p, library_exp() CPPROF_GIVES(r));
    CPPROF_RECORDER_END(r);
}

static int launch_linear(const struct sdpa_problem *p, struct CUstream_st *stream)
{
    sdpa_stage3b<<<grid_of(*p), THREADS, 0, stream>>>(*p CPPROF_ARG);
    return cudaGetLastError();
}

static int launch_swizzled(const struct sdpa_problem *p, struct CUstream_st *stream)
{
    sdpa_swizzle<<<grid_of(*p), THREADS, 0, stream>>>(*p CPPROF_ARG);
    return cudaGetLastError();
}

extern "C" const struct cpprof_variant sdpa_stage3b_variants[SDPA_STAGE3B_COUNT] = {
    SDPA_VARIANT("stage3b", "stage3a with the whole softmax in registers", "sdpa_stage3b", sdpa_expect_async, NULL,
                 2 * sizeof(tile), launch_linear, "instructions down; dram_bytes flat 3%", "sdpa/stage3a"),
    SDPA_VARIANT("swizzle", "stage3b with an XOR swizzle of the tiles in shared memory", "sdpa_swizzle",
                 sdpa_expect_async, NULL, 2 * sizeof(tile), launch_swizzled, "bank_conflicts down; dram_bytes flat 3%",
                 "sdpa/stage3b"),
};
