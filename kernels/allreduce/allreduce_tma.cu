/* allreduce_tma.cu - one shot, with the TMA engine copying whole chunks.
 *
 * One thread starts the copy of a chunk of each rank by cp.async.bulk. An mbarrier per slot counts the bytes that have
 * arrived. A slot is refilled after a barrier of the block, when all threads have read it. */
#include <cuda_runtime.h>

#include "kernels/allreduce/allreduce.h"
#include "kernels/allreduce/allreduce_barrier.cuh"
#include "kernels/allreduce/allreduce_picks.cuh"
#include "kernels/allreduce/allreduce_vector.cuh"
#include "kernels/mbarrier.cuh"

using namespace allreduce;

enum { STAGES = 3 };

#if __CUDA_ARCH__ >= 900
/* It only waits for copies in flight, which arrive, or the kernel fails. */
static __device__ __forceinline__ void wait_until_full(uint64_t *barrier, int parity)
{
    while (!barrier_passes_soon(barrier, parity))
        ;
}

/* Makes the writes of other threads, also on other GPUs, visible to the TMA engine. */
static __device__ __forceinline__ void let_tma_see()
{
    asm volatile("fence.proxy.async;" ::: "memory");
}

struct tma_ring {
    uint4 *slots; /* [stage][rank][chunk] */
    uint64_t *full;
    size_t chunk; /* vectors */
};

/* Called by one thread. */
static __device__ __forceinline__ void ask_for(const struct allreduce_problem &p, const struct tma_ring &ring,
                                               int stage, size_t chunk)
{
    const size_t first = chunk * ring.chunk;
    const unsigned bytes = (unsigned)(min(ring.chunk, p.vectors - first) * WIDE);
    barrier_expect(&ring.full[stage], bytes * (unsigned)p.ranks);
    for (int k = 0; k < p.ranks; k++)
        copy_bulk(ring.slots + ((size_t)(stage * p.ranks + k) * ring.chunk), (const uint4 *)p.in[k] + first, bytes,
                  &ring.full[stage]);
}

template <typename T>
static __device__ __forceinline__ void sum_slot(const struct allreduce_problem &p, const struct tma_ring &ring,
                                                int stage, size_t chunk)
{
    const size_t first = chunk * ring.chunk, here = min(ring.chunk, p.vectors - first);
    uint4 *out = (uint4 *)p.out[my_rank(p)] + first;
    for (size_t i = threadIdx.x; i < here; i += THREADS) {
        sums<T, WIDE> sum;
        for (int k = 0; k < p.ranks; k++)
            sum.add(ring.slots[(size_t)(stage * p.ranks + k) * ring.chunk + i]);
        out[i] = sum.result();
    }
}

template <typename T>
static __device__ __forceinline__ void sum_chunks(const struct allreduce_problem &p, const struct tma_ring &ring)
{
    const size_t chunks = (p.vectors + ring.chunk - 1) / ring.chunk;
    int now = 0, round = 0;
    if (threadIdx.x == 0) {
        let_tma_see();
        for (int stage = 0; stage < STAGES && blockIdx.x + (size_t)stage * gridDim.x < chunks; stage++)
            ask_for(p, ring, stage, blockIdx.x + (size_t)stage * gridDim.x);
    }
    for (size_t chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
        wait_until_full(&ring.full[now], round % 2);
        sum_slot<T>(p, ring, now, chunk);
        __syncthreads(); /* all have read the slot that is refilled */
        if (threadIdx.x == 0 && chunk + (size_t)STAGES * gridDim.x < chunks)
            ask_for(p, ring, now, chunk + (size_t)STAGES * gridDim.x);
        now = (now + 1) % STAGES;
        round += now == 0;
    }
}
#endif

template <typename T>
__global__ void __launch_bounds__(THREADS) allreduce_1stage_tma(const __grid_constant__ struct allreduce_problem p)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ uint4 tma_slots[];
    __shared__ uint64_t full[STAGES];
    uint32_t epoch;
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; stage++)
            barrier_init(&full[stage], 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    if (!begin(p, &epoch)) /* also a barrier of the block: all see the mbarriers */
        return;
    const struct tma_ring ring = {tma_slots, full, (size_t)p.pieces * THREADS};
    sum_chunks<T>(p, ring);
    sum_tail<T, WIDE>(p);
    finish(p, &epoch);
#endif
}

static size_t slot_bytes(const struct cpprof_config *config)
{
    const int64_t chunk = config->value[ALLREDUCE_AXIS_CHUNK] / (THREADS * WIDE) * (THREADS * WIDE);
    return (size_t)(STAGES * config->value[ALLREDUCE_AXIS_GPUS] * chunk);
}

static size_t shared_bytes(const struct cpprof_config *config)
{
    return slot_bytes(config) + STAGES * sizeof(uint64_t);
}

static struct allreduce_pick pick(const struct allreduce_problem *p, const struct cpprof_config *config)
{
    static const allreduce_function functions[ALLREDUCE_DTYPES] = {
        allreduce_1stage_tma<float>, allreduce_1stage_tma<__half>, allreduce_1stage_tma<__nv_bfloat16>};
    struct allreduce_pick pick = {
        functions[config->value[ALLREDUCE_AXIS_DTYPE]], WIDE, p->pieces * THREADS, 1, slot_bytes(config), 0};
    return pick;
}

static int refuse(const struct cpprof_config *config, char *why, size_t why_bytes)
{
    return allreduce_refuse_before_9("TMA", config, why, why_bytes);
}

extern "C" const struct allreduce_kernel allreduce_tma_kernel = {pick, shared_bytes};

static const struct cpprof_expect expect[] = {{ALLREDUCE_LDGSTS, 0, 0}};

extern "C" const struct cpprof_variant allreduce_tma_variants[ALLREDUCE_TMA_COUNT] = {
    ALLREDUCE_VARIANT("1stage-tma", "one shot, chunks copied by TMA into a ring of 3 slots" ALLREDUCE_ONE_GPU,
                      "allreduce_1stage_tma<", expect, refuse, shared_bytes, allreduce_setup_as<&allreduce_tma_kernel>,
                      "stall_long_scoreboard down; dram_bytes flat 3%", "allreduce/1stage", allreduce_declare),
};
