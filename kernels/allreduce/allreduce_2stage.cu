/* allreduce_2stage.cu - each rank adds up its part of the message, then gathers the others' parts.
 *
 * There are three meetings: inputs are there; all parts are added up; all reading has ended. Each rank loads 2 (n - 1)
 * / n of a message from its peers instead of n - 1. In the second stage a block reads, from each peer, what the block
 * with its own number has written there. Both stages share out vectors over blocks in the same way, by their place in
 * their part, so a meeting of equal blocks is enough. Each rank adds up the values after the whole vectors for
 * itself. */
#include <cuda_runtime.h>

#include "kernels/allreduce/allreduce.h"
#include "kernels/allreduce/allreduce_barrier.cuh"
#include "kernels/allreduce/allreduce_picks.cuh"
#include "kernels/allreduce/allreduce_ring.cuh"

using namespace allreduce;

/* Copies every peer's part from its output to ours. The loads are plain, since the data was written during this
 * launch. */
template <int RANKS, int ITEMS>
static __device__ __forceinline__ void gather(const struct allreduce_problem &p, int rank)
{
    const size_t part = part_vectors(p);
    uint4 *out = (uint4 *)p.out[rank];
    for (size_t first = blockIdx.x * (size_t)(ITEMS * THREADS) + threadIdx.x; first < part;
         first += (size_t)gridDim.x * (ITEMS * THREADS)) {
        uint4 loaded[ITEMS][RANKS];
#pragma unroll
        for (int item = 0; item < ITEMS; item++)
#pragma unroll
            for (int k = 0; k < RANKS; k++)
                if (k < p.ranks && k != rank && is_in_part(p, part, k * part, first + item * THREADS))
                    loaded[item][k] = ((const uint4 *)p.out[k])[k * part + first + item * THREADS];
#pragma unroll
        for (int item = 0; item < ITEMS; item++)
#pragma unroll
            for (int k = 0; k < RANKS; k++)
                if (k < p.ranks && k != rank && is_in_part(p, part, k * part, first + item * THREADS))
                    out[k * part + first + item * THREADS] = loaded[item][k];
    }
}

template <typename T, int BYTES, int RANKS, int ITEMS>
__global__ void __launch_bounds__(THREADS) allreduce_2stage(const __grid_constant__ struct allreduce_problem p)
{
    const int rank = my_rank(p);
    const struct part mine = part_of(p, rank);
    uint32_t epoch;
    if (!begin(p, &epoch))
        return;
    sum_vectors<T, BYTES, RANKS, ITEMS>(p, mine.begin, mine.end);
    sum_tail<T, BYTES>(p);
    if (!meet(p, &epoch)) /* all parts are added up */
        return;
    gather<RANKS, ITEMS>(p, rank);
    finish(p, &epoch);
}

/* Copies the peers' parts through a ring: the first peer's through the ring and the others' directly, or all through
 * the ring. */
template <int STAGES> static __device__ __forceinline__ void ring_gather(const struct allreduce_problem &p, int rank)
{
    const size_t part = part_vectors(p);
    const auto fetch = [&](int stage, size_t chunk) {
        for (int piece = 0; piece < p.pieces; piece++) {
            const size_t at = chunk * ring_chunk(p) + (size_t)(piece * THREADS) + threadIdx.x;
            for (int place = 0; place < p.buffered; place++) {
                const int k = ring_rank(p, rank, place);
                if (k != rank && is_in_part(p, part, k * part, at))
                    __pipeline_memcpy_async(ring_lane(p, stage, place, piece), (const uint4 *)p.out[k] + k * part + at,
                                            WIDE);
            }
        }
    };
    const auto use = [&](int stage, size_t chunk) {
        for (int piece = 0; piece < p.pieces; piece++) {
            const size_t at = chunk * ring_chunk(p) + (size_t)(piece * THREADS) + threadIdx.x;
            for (int k = 0; k < p.ranks; k++) {
                if (k == rank || !is_in_part(p, part, k * part, at))
                    continue;
                const bool is_in_ring = p.buffered > 1 || k == ring_rank(p, rank, 0);
                ((uint4 *)p.out[rank])[k * part + at] = is_in_ring ? *ring_lane(p, stage, p.buffered > 1 ? k : 0, piece)
                                                                   : ((const uint4 *)p.out[k])[k * part + at];
            }
        }
    };
    ring_run<STAGES>((part + ring_chunk(p) - 1) / ring_chunk(p), fetch, use);
}

enum { RING_STAGES = 3 };

/* Two blocks per SM instead of four: with 64 registers it spilled on compute capability 8.0. */
template <typename T>
__global__ void __launch_bounds__(THREADS, 2)
    allreduce_2stage_cpasync(const __grid_constant__ struct allreduce_problem p)
{
    const int rank = my_rank(p);
    const struct part mine = part_of(p, rank);
    uint32_t epoch;
    if (!begin(p, &epoch))
        return;
    ring_sum<T, RING_STAGES>(p, rank, mine.begin, mine.end);
    sum_tail<T, WIDE>(p);
    if (!meet(p, &epoch)) /* as there */
        return;
    ring_gather<RING_STAGES>(p, rank);
    finish(p, &epoch);
}

template <typename T> static allreduce_function by_ranks(int ranks, int items)
{
    return BY_RANKS_AND_ITEMS(allreduce_2stage, ranks, items, T, WIDE);
}

static struct allreduce_pick pick_plain(const struct allreduce_problem *p, const struct cpprof_config *config)
{
    const int items = items_for(p, config, p->ranks);
    struct allreduce_pick pick = {NULL, WIDE, items * THREADS, p->ranks, 0, 0};
    pick.function = BY_DTYPE(by_ranks, config, p->ranks, items);
    return pick;
}

static size_t shared_bytes(const struct cpprof_config *config)
{
    return ring_bytes(config, RING_STAGES);
}

static struct allreduce_pick pick_cpasync(const struct allreduce_problem *p, const struct cpprof_config *config)
{
    static const allreduce_function functions[ALLREDUCE_DTYPES] = {
        allreduce_2stage_cpasync<float>, allreduce_2stage_cpasync<__half>, allreduce_2stage_cpasync<__nv_bfloat16>};
    struct allreduce_pick pick = {
        functions[config->value[ALLREDUCE_AXIS_DTYPE]], WIDE, p->pieces * THREADS, p->ranks, shared_bytes(config), 0};
    return pick;
}

extern "C" const struct allreduce_kernel allreduce_2stage_kernel = {pick_plain, allreduce_no_shared};
extern "C" const struct allreduce_kernel allreduce_2stage_cpasync_kernel = {pick_cpasync, shared_bytes};

static const struct cpprof_expect expect_plain[] = {{ALLREDUCE_LDGSTS, 0, 0}};
static const struct cpprof_expect expect_cpasync[] = {{ALLREDUCE_LDGSTS, 1, INFINITY}};

extern "C" const struct cpprof_variant allreduce_2stage_variants[ALLREDUCE_2STAGE_COUNT] = {
    ALLREDUCE_VARIANT("2stage", "each rank adds up a part, then gathers the others" ALLREDUCE_ONE_GPU,
                      "allreduce_2stage<", expect_plain, allreduce_refuse, allreduce_no_shared,
                      allreduce_setup_as<&allreduce_2stage_kernel>, NULL, NULL, allreduce_declare),
    ALLREDUCE_VARIANT("2stage-cpasync", "as 2stage, both through a ring of 3 slots of cp.async" ALLREDUCE_ONE_GPU,
                      "allreduce_2stage_cpasync<", expect_cpasync, allreduce_refuse, shared_bytes,
                      allreduce_setup_as<&allreduce_2stage_cpasync_kernel>,
                      "stall_long_scoreboard down; dram_bytes flat 3%", "allreduce/2stage", allreduce_declare_ring),
};
