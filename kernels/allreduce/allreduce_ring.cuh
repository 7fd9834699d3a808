/* allreduce_ring.cuh - cp.async into a ring of STAGES slots in shared memory, with STAGES - 1 of them in flight.
 *
 * Every thread has its own lane: it reads only what it copied itself. So it waits only for its own copies, and needs no
 * barrier between copy and use. A slot is refilled by the thread that read it, after reading it. */
#ifndef CPPROF_ALLREDUCE_RING_CUH
#define CPPROF_ALLREDUCE_RING_CUH

#include <cuda_pipeline_primitives.h>

#include "cpprof/record.cuh"
#include "kernels/allreduce/allreduce_vector.cuh"

namespace allreduce
{

/* [stage][rank's place][piece][thread] */
static __device__ __forceinline__ uint4 *ring_lane(const struct allreduce_problem &p, int stage, int place, int piece)
{
    extern __shared__ uint4 ring_vectors[];
    return &ring_vectors[((stage * p.buffered + place) * p.pieces + piece) * THREADS + (int)threadIdx.x];
}

/* Returns how many vectors of one rank fit in a slot. */
static __device__ __forceinline__ size_t ring_chunk(const struct allreduce_problem &p)
{
    return (size_t)p.pieces * THREADS;
}

/* For this block's share of `chunks`: fetch(stage, chunk) starts the copies of a chunk, and use(stage, chunk) finds
 * them complete. */
template <int STAGES, class FETCH, class USE>
static __device__ __forceinline__ void ring_run(size_t chunks, FETCH fetch, USE use CPPROF_TAKES(r, ADDS))
{
    size_t ahead = blockIdx.x; /* next chunk to fetch */
    for (int stage = 0; stage < STAGES - 1; stage++, ahead += gridDim.x) {
        if (ahead < chunks)
            fetch(stage, ahead);
        __pipeline_commit();
    }
    int now = 0;
    for (size_t chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x, ahead += gridDim.x) {
        CPPROF_PHASE(r, WAIT);
        __pipeline_wait_prior(STAGES - 2); /* what this thread copied for `chunk` has landed */
        CPPROF_PHASE(r, REFILL);
        if (ahead < chunks)
            fetch((now + STAGES - 1) % STAGES, ahead);
        __pipeline_commit(); /* an empty group at the end keeps the count of groups right */
        CPPROF_PHASE(r, ADD);
        use(now, chunk);
        CPPROF_PHASE(r, END);
        CPPROF_TILE_END(r);
        now = (now + 1) % STAGES;
    }
    __pipeline_wait_prior(0); /* nothing is in flight when the next ring is filled */
}

/* Returns the rank whose values have this place in a slot: each place its own rank, or the first peer alone. */
static __device__ __forceinline__ int ring_rank(const struct allreduce_problem &p, int rank, int place)
{
    return p.buffered == 1 ? (rank + 1) % p.ranks : place;
}

/* Adds vectors [begin, end) through a ring. Values without a place in it are loaded when they are used. */
template <typename T, int STAGES>
static __device__ __forceinline__ void ring_sum(const struct allreduce_problem &p, int rank, size_t begin,
                                                size_t end CPPROF_TAKES(r, ADDS))
{
    const size_t chunks = (end - begin + ring_chunk(p) - 1) / ring_chunk(p);
    const auto fetch = [&](int stage, size_t chunk) {
        for (int piece = 0; piece < p.pieces; piece++) {
            const size_t at = begin + chunk * ring_chunk(p) + (size_t)(piece * THREADS) + threadIdx.x;
            for (int place = 0; place < p.buffered && at < end; place++)
                __pipeline_memcpy_async(ring_lane(p, stage, place, piece),
                                        (const uint4 *)p.in[ring_rank(p, rank, place)] + at, WIDE);
        }
    };
    const auto use = [&](int stage, size_t chunk) {
        for (int piece = 0; piece < p.pieces; piece++) {
            const size_t at = begin + chunk * ring_chunk(p) + (size_t)(piece * THREADS) + threadIdx.x;
            if (at >= end)
                break;
            uint4 loaded[RANKS_MOST];
#pragma unroll
            for (int k = 0; k < RANKS_MOST; k++)
                if (k < p.ranks)
                    loaded[k] = p.buffered > 1 || k == ring_rank(p, rank, 0)
                                    ? *ring_lane(p, stage, p.buffered > 1 ? k : 0, piece)
                                    : ((const uint4 *)p.in[k])[at];
            sums<T, WIDE> sum;
#pragma unroll
            for (int k = 0; k < RANKS_MOST; k++)
                if (k < p.ranks)
                    sum.add(loaded[k]);
            ((uint4 *)p.out[rank])[at] = sum.result();
        }
    };
    ring_run<STAGES>(chunks, fetch, use CPPROF_GIVES(r));
}

/* Returns the dynamic shared memory of a ring with this many slots. */
static inline size_t ring_bytes(const struct cpprof_config *config, int stages)
{
    const int64_t ranks = config->value[ALLREDUCE_AXIS_PEERS] ? config->value[ALLREDUCE_AXIS_GPUS] : 1;
    const int64_t slot = config->value[ALLREDUCE_AXIS_CHUNK] / (THREADS * WIDE) * (THREADS * WIDE);
    return (size_t)(stages * ranks * slot);
}

} // namespace allreduce

#endif
