/* allreduce_barrier.cuh - how do the ranks of an all-reduce wait for each other?
 *
 * Block b of each rank meets block b of all others. Its thread p announces "rank r has reached epoch e" by a store into
 * the memory of peer p, and waits until p has announced the same in r's own memory. So polling is local, and only the
 * store crosses the link. The store releases, at system scope, all that the whole block has read and written before
 * (bar.sync orders the block's other threads before it), and the load acquires. So plain loads after the barrier can
 * read what a peer wrote before it arrived. Loads of the read-only path (ld.global.nc) cannot, nor can TMA without a
 * proxy fence.
 *
 * An epoch is one meeting. Each block counts its own, and keeps the count in memory for the next launch. A slot that is
 * ahead counts as reached: a peer may already be in its next meeting, but no further, since that one needs us; in steps
 * (allreduce_send.cu) it may be a few of them ahead.
 *
 * A wait ends: after wait_ns the block writes who waited for whom into the host's memory, marks all ranks as broken,
 * and leaves. Every later launch sees the mark and leaves at once, because the counts do not agree any more.
 *
 * All threads of a block must call begin, meet and finish, and all of them get the same answer: returning when it is
 * false does not diverge before a later barrier. */
#ifndef CPPROF_ALLREDUCE_BARRIER_CUH
#define CPPROF_ALLREDUCE_BARRIER_CUH

#include <stdint.h>

#include "kernels/allreduce/allreduce_bench.h"

namespace allreduce
{

enum { POLLS_PER_LOOK = 256 }; /* polls between looks at the clock */

static __device__ __forceinline__ void store_release(uint32_t *to, uint32_t value)
{
    asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(to)), "r"(value) : "memory");
}

static __device__ __forceinline__ uint32_t load_acquire(const uint32_t *from)
{
    uint32_t value;
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(__cvta_generic_to_global(from)) : "memory");
    return value;
}

static __device__ __forceinline__ uint32_t load_relaxed(const uint32_t *from)
{
    uint32_t value;
    asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(__cvta_generic_to_global(from)) : "memory");
    return value;
}

static __device__ __forceinline__ void store_relaxed(uint32_t *to, uint32_t value)
{
    asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(to)), "r"(value) : "memory");
}

static __device__ __forceinline__ uint64_t now_ns()
{
    uint64_t ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

static __device__ __forceinline__ int my_rank(const struct allreduce_problem &p)
{
    return p.first_rank + (int)blockIdx.y;
}

static __device__ __forceinline__ void give_up(const struct allreduce_problem &p, int peer, uint32_t epoch)
{
    const uint64_t who =
        (uint64_t)1 << 63 | (uint64_t)my_rank(p) << 56 | (uint64_t)peer << 48 | (uint64_t)blockIdx.x << 32 | epoch;
    *(volatile uint64_t *)p.failure = who; /* several may give up; any one of them may be reported */
    for (int k = 0; k < p.ranks; k++)
        store_relaxed(&p.signals[k]->broken, 1);
    __threadfence_system();
}

/* How long a thread waits, counted in polls. */
struct patience {
    unsigned polls;
    uint64_t begin_ns; /* time of the first look at the clock */
};

/* After a poll in vain: may it poll again? */
static __device__ __forceinline__ bool may_poll(const struct allreduce_problem &p, int peer, uint32_t epoch,
                                                struct patience *patience)
{
    if (++patience->polls % POLLS_PER_LOOK)
        return true;
    const uint64_t now = now_ns();
    patience->begin_ns = patience->begin_ns ? patience->begin_ns : now;
    if (load_relaxed(&p.signals[my_rank(p)]->broken))
        return false;
    if (now - patience->begin_ns <= p.wait_ns)
        return true;
    give_up(p, peer, epoch);
    return false;
}

/* Waits until this peer has reached the epoch. Returns false when it did not in time. */
static __device__ __forceinline__ bool wait_for(const struct allreduce_problem &p, int peer, uint32_t epoch)
{
    const uint32_t *arrived = &p.signals[my_rank(p)]->arrived[blockIdx.x][peer];
    struct patience patience = {};
    while ((int32_t)(load_acquire(arrived) - epoch) < 0)
        if (!may_poll(p, peer, epoch, &patience))
            return false;
    return true;
}

/* One lane for each peer announces an epoch, for all that the block has done before its last barrier. */
static __device__ __forceinline__ void announce(const struct allreduce_problem &p, uint32_t epoch)
{
    const int rank = my_rank(p), peer = (int)threadIdx.x;
    if (peer < p.ranks && peer != rank)
        store_release(&p.signals[peer]->arrived[blockIdx.x][rank], epoch);
}

/* Waits for all peers; returns false, for all threads of the block, when the all-reduce is broken. */
static __device__ __forceinline__ bool await_all(const struct allreduce_problem &p, uint32_t epoch)
{
    const int peer = (int)threadIdx.x;
    return __syncthreads_and(peer >= p.ranks || peer == my_rank(p) || wait_for(p, peer, epoch));
}

/* One lane for each peer announces the epoch and waits for the same from that peer. */
static __device__ __forceinline__ bool exchange(const struct allreduce_problem &p, uint32_t epoch, bool is_well)
{
    const int rank = my_rank(p), peer = (int)threadIdx.x;
    if (is_well && peer < p.ranks && peer != rank) {
        store_release(&p.signals[peer]->arrived[blockIdx.x][rank], epoch);
        is_well = wait_for(p, peer, epoch);
    }
    return __syncthreads_and(is_well);
}

/* Meets after work of the whole block. Returns false, for all of its threads, when the all-reduce is broken: leave. */
static __device__ __forceinline__ bool meet(const struct allreduce_problem &p, uint32_t *epoch)
{
    __syncthreads(); /* the whole block has finished the work that it announces */
    return exchange(p, ++*epoch, true);
}

/* Reads the count of epochs that the previous launch left. Returns false when the all-reduce is broken. Threads may get
 * different answers unless the caller combines them. */
static __device__ __forceinline__ bool take_up(const struct allreduce_problem &p, uint32_t *epoch)
{
    const struct allreduce_signals *mine = p.signals[my_rank(p)];
    *epoch = load_relaxed(&mine->epoch[blockIdx.x]);
    return !load_relaxed(&mine->broken);
}

/* Leaves the count for the next launch. It runs after a barrier that no thread passes before all have read the old
 * count. */
static __device__ __forceinline__ void leave_count(const struct allreduce_problem &p, uint32_t epoch)
{
    if (threadIdx.x == 0)
        p.signals[my_rank(p)]->epoch[blockIdx.x] = epoch;
}

/* The first meeting: the peers' kernels have begun, so their inputs are there. */
static __device__ __forceinline__ bool begin(const struct allreduce_problem &p, uint32_t *epoch)
{
    const bool is_well = take_up(p, epoch);
    return exchange(p, ++*epoch, is_well);
}

/* The last meeting: no block leaves while a peer still reads this rank's memory, which later work in the stream may
 * overwrite. */
static __device__ __forceinline__ void finish(const struct allreduce_problem &p, uint32_t *epoch)
{
    if (meet(p, epoch))
        leave_count(p, *epoch);
}

} // namespace allreduce

#endif
