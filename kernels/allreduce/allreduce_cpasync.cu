/* allreduce_cpasync.cu - does a ring of cp.async between the peers' messages and the additions pay?
 *
 * Like 1stage, but a block has 1, 2 or 3 chunks of each rank in flight while it adds up another one, whatever the
 * number of registers of its threads. With peers=0 only the first peer's values use the ring. */
#include <cuda_runtime.h>

#include "cpprof/record.cuh"
#include "kernels/allreduce/allreduce.h"
#include "kernels/allreduce/allreduce_barrier.cuh"
#include "kernels/allreduce/allreduce_picks.cuh"
#include "kernels/allreduce/allreduce_ring.cuh"

using namespace allreduce;

template <int STAGES, typename T>
__global__ void __launch_bounds__(THREADS CPPROF_ANY_REGISTERS)
    allreduce_1stage_cpasync(const __grid_constant__ struct allreduce_problem p CPPROF_PARAM)
{
    uint32_t epoch;
    CPPROF_RECORDER_IF(r, ADDS, threadIdx.x / 32 != 1);
    CPPROF_RECORDER_IF(m, MEETS, threadIdx.x / 32 == 1);
    CPPROF_PHASE(m, PEERS);
    if (!begin(p, &epoch))
        return;
    CPPROF_PHASE(m, TRANSFER);
    CPPROF_TILE_END(m);
    ring_sum<T, STAGES>(p, my_rank(p), 0, p.vectors CPPROF_GIVES(r));
    CPPROF_RECORDER_END(r);
    sum_tail<T, WIDE>(p);
    CPPROF_PHASE(m, MEET);
    finish(p, &epoch);
    CPPROF_PHASE(m, LEAVE);
    CPPROF_TILE_END(m);
    CPPROF_RECORDER_END(m);
}

template <int STAGES> static size_t shared_bytes(const struct cpprof_config *config)
{
    return ring_bytes(config, STAGES);
}

template <int STAGES>
static struct allreduce_pick pick(const struct allreduce_problem *p, const struct cpprof_config *config)
{
    static const allreduce_function functions[ALLREDUCE_DTYPES] = {
        (allreduce_function)allreduce_1stage_cpasync<STAGES, float>,
        (allreduce_function)allreduce_1stage_cpasync<STAGES, __half>,
        (allreduce_function)allreduce_1stage_cpasync<STAGES, __nv_bfloat16>};
    struct allreduce_pick pick = {
        functions[config->value[ALLREDUCE_AXIS_DTYPE]], WIDE, p->pieces * THREADS, 1, shared_bytes<STAGES>(config), 0};
    return pick;
}

extern "C" const struct allreduce_kernel allreduce_cpasync2_kernel = {pick<2>, shared_bytes<2>};
extern "C" const struct allreduce_kernel allreduce_cpasync3_kernel = {pick<3>, shared_bytes<3>};
extern "C" const struct allreduce_kernel allreduce_cpasync4_kernel = {pick<4>, shared_bytes<4>};

static const struct cpprof_expect expect[] = {{ALLREDUCE_LDGSTS, 1, INFINITY}};

/* Compared with 1stage: no wait for the loads themselves, and the same bytes. */
#define SIGNALS "stall_long_scoreboard down; dram_bytes flat 3%"

#define VARIANT(STAGES)                                                                                                \
    ALLREDUCE_VARIANT(                                                                                                 \
        "1stage-cpasync" #STAGES, "one shot through a ring of " #STAGES " slots of cp.async" ALLREDUCE_ONE_GPU,        \
        "allreduce_1stage_cpasync<" #STAGES ",", expect, allreduce_refuse, shared_bytes<STAGES>,                       \
        allreduce_setup_as<&allreduce_cpasync##STAGES##_kernel>, SIGNALS, "allreduce/1stage", allreduce_declare_ring)

extern "C" const struct cpprof_variant allreduce_cpasync_variants[ALLREDUCE_CPASYNC_COUNT] = {VARIANT(2), VARIANT(3),
                                                                                              VARIANT(4)};
