/* allreduce_1stage.cu - one shot: every rank reads all messages and adds them up for itself.
 *
 * There are two meetings: one before, so that the peers' inputs are there, and one after, so that they stay until they
 * are read. Each rank loads n messages. This is for small messages, where a second exchange would cost more than the
 * bytes. */
#include <cuda_runtime.h>

#include "cpprof/record.cuh"
#include "kernels/allreduce/allreduce.h"
#include "kernels/allreduce/allreduce_barrier.cuh"
#include "kernels/allreduce/allreduce_picks.cuh"
#include "kernels/allreduce/allreduce_vector.cuh"

using namespace allreduce;

/* Of all kernels in which a rank adds up whole messages. A tile is one chunk of the block; the recorded warp has its
 * part of it. The phase "load" of 1stage has additions in it (sum_vectors). */
CPPROF_PHASE_TABLE({"adds", "load", ADDS, WAIT, CPPROF_PHASE_ISSUE, ADD, 0, "allreduce/1stage"},
                   {"adds", "load", ADDS, WAIT, CPPROF_PHASE_WAIT, ADD, 0, "allreduce/1stage"},
                   {"adds", "wait", ADDS, WAIT, CPPROF_PHASE_WAIT, REFILL, 0, "allreduce/1stage-cpasync*"},
                   {"adds", "refill", ADDS, REFILL, CPPROF_PHASE_ISSUE, ADD, 1, "allreduce/1stage-cpasync2"},
                   {"adds", "refill", ADDS, REFILL, CPPROF_PHASE_ISSUE, ADD, 2, "allreduce/1stage-cpasync3"},
                   {"adds", "refill", ADDS, REFILL, CPPROF_PHASE_ISSUE, ADD, 3, "allreduce/1stage-cpasync4"},
                   {"adds", "add", ADDS, ADD, CPPROF_PHASE_COMPUTE, END, 0, NULL},
                   {"meets", "wait for peers", MEETS, PEERS, CPPROF_PHASE_OTHER, TRANSFER, 0, NULL},
                   {"meets", "transfer and add", MEETS, TRANSFER, CPPROF_PHASE_OTHER, 0, 0, NULL},
                   {"meets", "meet", MEETS, MEET, CPPROF_PHASE_OTHER, LEAVE, 0, NULL});

template <typename T, int BYTES, int RANKS, int ITEMS>
__global__ void __launch_bounds__(THREADS)
    allreduce_1stage(const __grid_constant__ struct allreduce_problem p CPPROF_PARAM)
{
    uint32_t epoch;
    CPPROF_RECORDER_IF(r, ADDS, threadIdx.x / 32 != 1);
    CPPROF_RECORDER_IF(m, MEETS, threadIdx.x / 32 == 1);
    CPPROF_PHASE(m, PEERS);
    if (!begin(p, &epoch))
        return;
    CPPROF_PHASE(m, TRANSFER);
    CPPROF_TILE_END(m);
    sum_vectors<T, BYTES, RANKS, ITEMS>(p, 0, p.vectors CPPROF_GIVES(r));
    CPPROF_RECORDER_END(r);
    sum_tail<T, BYTES>(p);
    CPPROF_PHASE(m, MEET);
    finish(p, &epoch);
    CPPROF_PHASE(m, LEAVE);
    CPPROF_TILE_END(m);
    CPPROF_RECORDER_END(m);
}

template <typename T> static allreduce_function narrow_or_wide(int bytes, int ranks, int items)
{
    if (bytes == 8)
        return (allreduce_function)allreduce_1stage<T, 8, RANKS_MOST, 1>;
    if (bytes == 4)
        return (allreduce_function)allreduce_1stage<T, 4, RANKS_MOST, 1>;
    return (allreduce_function)BY_RANKS_AND_ITEMS(allreduce_1stage, ranks, items, T, WIDE);
}

/* The accesses are as wide as the messages are aligned: 16, 8 or 4 bytes, else value by value. */
static struct allreduce_pick pick(const struct allreduce_problem *p, const struct cpprof_config *config)
{
    const int64_t offset = config->value[ALLREDUCE_AXIS_OFFSET];
    const int bytes = offset % 16 == 0 ? 16 : offset % 8 == 0 ? 8 : 4;
    const int items = bytes == WIDE ? items_for(p, config, 1) : 1;
    struct allreduce_pick pick = {NULL, bytes, items * THREADS, 1, 0, 0};
    pick.function = BY_DTYPE(narrow_or_wide, config, bytes, p->ranks, items);
    return pick;
}

extern "C" const struct allreduce_kernel allreduce_1stage_kernel = {pick, allreduce_no_shared};

static const struct cpprof_expect expect[] = {{ALLREDUCE_LDGSTS, 0, 0}};

extern "C" const struct cpprof_variant allreduce_1stage_variants[ALLREDUCE_1STAGE_COUNT] = {
    ALLREDUCE_VARIANT("1stage", "one shot: each rank reads all messages and adds" ALLREDUCE_ONE_GPU,
                      "allreduce_1stage<", expect, allreduce_refuse, allreduce_no_shared,
                      allreduce_setup_as<&allreduce_1stage_kernel>, NULL, NULL, allreduce_declare),
};
