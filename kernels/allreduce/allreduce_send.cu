/* allreduce_send.cu - both stages send: no vector is read over the link.
 *
 * 2stage-push loads a part of each peer's message and stores its sums. A load crosses the link twice, as a request and
 * as data, so here each rank stores the parts of its message with the ranks that add them up, in memory that those
 * reserve for it (staging), and then stores its sums into the outputs of all.
 *
 * A block does both in steps of a tile. It sends a step, announces it, and adds up the step before, which its peers
 * have sent meanwhile. So the link is busy in both stages, and what a peer sends has the work of a step to arrive. A
 * rank's block adds up what the peers' blocks with its number have sent.
 *
 * The staging is a ring of steps, small enough to stay in L2. Step s overwrites step s - 4, which a peer had added up
 * when it announced s - 2, and that announcement was waited for. No launch ends before its peers have added up all. */
#include <cuda_runtime.h>

#include "kernels/allreduce/allreduce.h"
#include "kernels/allreduce/allreduce_barrier.cuh"
#include "kernels/allreduce/allreduce_picks.cuh"
#include "kernels/allreduce/allreduce_vector.cuh"

using namespace allreduce;

enum {
    BEHIND = 1,             /* steps from sending to adding up */
    SLOTS = 2 + 2 * BEHIND, /* steps that the staging holds */
    CTAS = 256 /* about two blocks for each SM: one waits for its stores to arrive while the other one sends */
};

#if __CUDA_ARCH__ >= 900
/* Returns where rank `from` sends to rank `to` in this step: the tile of this block. */
static __device__ __forceinline__ uint4 *slot(const struct allreduce_problem &p, int to, int from, uint32_t step,
                                              int tile)
{
    return (uint4 *)(p.staging[to] + (size_t)from * p.staged_bytes) +
           ((size_t)(step % SLOTS) * gridDim.x + blockIdx.x) * (size_t)tile;
}

/* Sends this block's tile at `first` of each peer's part. */
template <int RANKS, int ITEMS>
static __device__ __forceinline__ void send_tile(const struct allreduce_problem &p, int rank, uint32_t step,
                                                 size_t first)
{
    const size_t part = part_vectors(p);
    const uint4 *in = (const uint4 *)p.in[rank];
    uint4 loaded[ITEMS][RANKS - 1];
#pragma unroll
    for (int item = 0; item < ITEMS; item++)
#pragma unroll
        for (int next = 1; next < RANKS; next++) { /* each rank begins with a different peer */
            const int k = (rank + next) % p.ranks;
            if (next < p.ranks && is_in_part(p, part, k * part, first + item * THREADS))
                loaded[item][next - 1] = in[k * part + first + item * THREADS];
        }
#pragma unroll
    for (int item = 0; item < ITEMS; item++)
#pragma unroll
        for (int next = 1; next < RANKS; next++) {
            const int k = (rank + next) % p.ranks;
            if (next < p.ranks && is_in_part(p, part, k * part, first + item * THREADS))
                slot(p, k, rank, step, ITEMS * THREADS)[item * THREADS + threadIdx.x] = loaded[item][next - 1];
        }
}

/* Adds up this block's tile at `first` of the rank's own part, and stores the sums with all ranks. */
template <typename T, int RANKS, int ITEMS>
static __device__ __forceinline__ void sum_tile(const struct allreduce_problem &p, int rank, uint32_t step,
                                                size_t first)
{
    const size_t part = part_vectors(p), begin = rank * part;
    uint4 loaded[ITEMS][RANKS];
#pragma unroll
    for (int item = 0; item < ITEMS; item++)
#pragma unroll
        for (int k = 0; k < RANKS; k++)
            if (k < p.ranks && is_in_part(p, part, begin, first + item * THREADS))
                loaded[item][k] = k == rank ? ((const uint4 *)p.in[k])[begin + first + item * THREADS]
                                            : slot(p, rank, k, step, ITEMS * THREADS)[item * THREADS + threadIdx.x];
#pragma unroll
    for (int item = 0; item < ITEMS; item++) {
        if (!is_in_part(p, part, begin, first + item * THREADS))
            continue;
        const uint4 sum = sum_of<T, RANKS>(p.ranks, loaded[item]);
        for (int next = 0; next < p.ranks; next++)
            ((uint4 *)p.out[(rank + next) % p.ranks])[begin + first + item * THREADS] = sum;
    }
}

/* Returns the number of steps of the block with the most, at least one: its announcement shows that a peer has begun.
 */
static __device__ __forceinline__ uint32_t steps_of(const struct allreduce_problem &p, size_t tile)
{
    const size_t round = gridDim.x * tile, steps = (part_vectors(p) + round - 1) / round;
    return steps ? (uint32_t)steps : 1;
}

/* Returns where this thread begins in the part, in the tile of this step. */
static __device__ __forceinline__ size_t first_of(uint32_t step, int tile)
{
    return ((size_t)step * gridDim.x + blockIdx.x) * (size_t)tile + threadIdx.x;
}
#endif

/* Each rank adds up the values after the whole vectors for itself. */
template <typename T, int RANKS, int ITEMS>
__global__ void __launch_bounds__(THREADS) allreduce_2stage_send(const __grid_constant__ struct allreduce_problem p)
{
#if __CUDA_ARCH__ >= 900
    const int rank = my_rank(p);
    uint32_t epoch;
    cudaGridDependencySynchronize();
    if (!__syncthreads_and(take_up(p, &epoch)))
        return;
    const uint32_t steps = steps_of(p, ITEMS * THREADS);
    for (uint32_t step = 0; step < steps + BEHIND; step++) {
        if (step < steps) {
            send_tile<RANKS, ITEMS>(p, rank, step, first_of(step, ITEMS * THREADS));
            __syncthreads(); /* the whole block has sent what is announced */
            announce(p, epoch + step + 1);
        }
        if (step < BEHIND)
            continue;
        const uint32_t arrived = step - BEHIND;
        /* The first such wait shows, too, that the peers' kernels have begun: their outputs may be written. */
        if (!await_all(p, epoch + arrived + 1))
            return;
        sum_tile<T, RANKS, ITEMS>(p, rank, arrived, first_of(arrived, ITEMS * THREADS));
    }
    sum_tail<T, WIDE>(p);
    cudaTriggerProgrammaticLaunchCompletion();
    epoch += steps;
    finish(p, &epoch); /* all that the peers stored here has arrived */
#endif
}

template <typename T> static allreduce_function by_ranks(int ranks, int items)
{
    return BY_RANKS_AND_ITEMS(allreduce_2stage_send, ranks, items, T);
}

static struct allreduce_pick pick(const struct allreduce_problem *p, const struct cpprof_config *config)
{
    const int items = items_for(p, config, p->ranks, CTAS);
    struct allreduce_pick pick = {NULL, WIDE, items * THREADS, p->ranks, 0, 1};
    pick.ctas = CTAS;
    pick.staged_tiles = SLOTS;
    pick.function = BY_DTYPE(by_ranks, config, p->ranks, items);
    return pick;
}

extern "C" const struct allreduce_kernel allreduce_2stage_send_kernel = {pick, allreduce_no_shared};

static int refuse(const struct cpprof_config *config, char *why, size_t why_bytes)
{
    return allreduce_refuse_before_9("programmatic dependent launch", config, why, why_bytes);
}

static const struct cpprof_expect expect[] = {{ALLREDUCE_LDGSTS, 0, 0}};

extern "C" const struct cpprof_variant allreduce_send_variants[ALLREDUCE_SEND_COUNT] = {
    ALLREDUCE_VARIANT(
        "2stage-send", "as 2stage-push, with the parts sent, too: nothing is read over the link" ALLREDUCE_ONE_GPU,
        "allreduce_2stage_send<", expect, refuse, allreduce_no_shared,
        allreduce_setup_as<&allreduce_2stage_send_kernel>, NULL, "allreduce/2stage-push", allreduce_declare),
};
