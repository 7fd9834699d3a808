/* allreduce_pdl.cu - one shot, whose next launch starts while this one still ends.
 *
 * Programmatic dependent launch: when all blocks have added up their share, the blocks of the next kernel in the stream
 * may become resident and wait, so that its launch is over when the last meeting ends. The next kernel accesses no
 * memory before the previous one has ended completely. On several GPUs a launch on the other streams waits for an event
 * of the first one, so nothing can start early. */
#include <cuda_runtime.h>

#include "kernels/allreduce/allreduce.h"
#include "kernels/allreduce/allreduce_barrier.cuh"
#include "kernels/allreduce/allreduce_picks.cuh"
#include "kernels/allreduce/allreduce_vector.cuh"

using namespace allreduce;

template <typename T, int BYTES, int RANKS, int ITEMS>
__global__ void __launch_bounds__(THREADS) allreduce_1stage_pdl(const __grid_constant__ struct allreduce_problem p)
{
#if __CUDA_ARCH__ >= 900
    uint32_t epoch;
    cudaGridDependencySynchronize(); /* the previous kernel has ended, and all that it wrote is visible, including its
                                        epochs */
    if (!begin(p, &epoch))
        return;
    sum_vectors<T, BYTES, RANKS, ITEMS>(p, 0, p.vectors);
    sum_tail<T, BYTES>(p);
    cudaTriggerProgrammaticLaunchCompletion(); /* not earlier: early blocks would take the place of working ones */
    finish(p, &epoch);
#endif
}

template <typename T> static allreduce_function by_ranks(int ranks, int items)
{
    return BY_RANKS_AND_ITEMS(allreduce_1stage_pdl, ranks, items, T, WIDE);
}

static struct allreduce_pick pick(const struct allreduce_problem *p, const struct cpprof_config *config)
{
    const int items = items_for(p, config, 1);
    struct allreduce_pick pick = {NULL, WIDE, items * THREADS, 1, 0, 1};
    pick.function = BY_DTYPE(by_ranks, config, p->ranks, items);
    return pick;
}

static int refuse(const struct cpprof_config *config, char *why, size_t why_bytes)
{
    return allreduce_refuse_before_9("programmatic dependent launch", config, why, why_bytes);
}

extern "C" const struct allreduce_kernel allreduce_pdl_kernel = {pick, allreduce_no_shared};

static const struct cpprof_expect expect[] = {{ALLREDUCE_LDGSTS, 0, 0}};

extern "C" const struct cpprof_variant allreduce_pdl_variants[ALLREDUCE_PDL_COUNT] = {
    ALLREDUCE_VARIANT("1stage-pdl", "one shot, launched before the one in front has ended" ALLREDUCE_ONE_GPU,
                      "allreduce_1stage_pdl<", expect, refuse, allreduce_no_shared,
                      allreduce_setup_as<&allreduce_pdl_kernel>, NULL, NULL, allreduce_declare),
};
