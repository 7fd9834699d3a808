/* allreduce_push.cu - ranks send to the others, instead of being read by them.
 *
 * A load from a peer crosses the link twice, there and back; a store crosses it once. The data is then in the
 * receiver's own memory, so the sender may leave: the meetings before and after are not needed. Only one wait is left,
 * for the data. Each rank has memory for what every peer sends, twice, for alternate launches: a peer that is one
 * launch ahead writes into the other half. It cannot be two ahead, because its launch in between ends only with what we
 * send in ours.
 *
 *   1stage-push   plain stores, then one meeting: a flag after all of a block's data
 *   1stage-ll     ("low latency") half of each 8 bytes is a flag, so the data itself shows that it has arrived, and
 *                 nothing else is waited for. Twice the bytes: for small messages
 *   2stage-push   each rank adds up its part and stores the sums into the outputs of all: half of what crosses the link
 *                 is loaded and half stored. Two meetings, because outputs are not the ranks' own memory
 *
 * All are launched early, as 1stage-pdl is. */
#include <cuda_runtime.h>
#include <stdio.h>

#include "kernels/allreduce/allreduce.h"
#include "kernels/allreduce/allreduce_barrier.cuh"
#include "kernels/allreduce/allreduce_picks.cuh"
#include "kernels/allreduce/allreduce_vector.cuh"

using namespace allreduce;

enum { FLAGGED = 8 }; /* bytes of 4 bytes of data with their flag */

#if __CUDA_ARCH__ >= 900
/* For the values after the vectors: the first one of this thread, and the step to its next. */
template <typename T> static __device__ __forceinline__ size_t tail_first(const struct allreduce_problem &p)
{
    return p.vectors * (WIDE / sizeof(T)) + blockIdx.x * (size_t)THREADS + threadIdx.x;
}

static __device__ __forceinline__ size_t all_threads()
{
    return (size_t)gridDim.x * THREADS;
}

/* Returns where, in the memory of rank `to`, rank `from` sends in the launch of this epoch. */
static __device__ __forceinline__ char *staged(const struct allreduce_problem &p, int to, int from, uint32_t epoch)
{
    return p.staging[to] + (size_t)(epoch % 2 * (unsigned)p.ranks + (unsigned)from) * p.staged_bytes;
}

/* ---- push ---- */

template <typename T, int RANKS, int ITEMS>
static __device__ __forceinline__ void send_plain(const struct allreduce_problem &p, int rank, uint32_t epoch)
{
    const uint4 *in = (const uint4 *)p.in[rank];
    for (size_t first = blockIdx.x * (size_t)(ITEMS * THREADS) + threadIdx.x; first < p.vectors;
         first += ITEMS * all_threads()) {
        uint4 loaded[ITEMS];
#pragma unroll
        for (int item = 0; item < ITEMS; item++)
            if (first + item * THREADS < p.vectors)
                loaded[item] = in[first + item * THREADS];
        for (int step = 1; step < p.ranks; step++) { /* each rank begins with a different peer */
            uint4 *to = (uint4 *)staged(p, (rank + step) % p.ranks, rank, epoch);
#pragma unroll
            for (int item = 0; item < ITEMS; item++)
                if (first + item * THREADS < p.vectors)
                    to[first + item * THREADS] = loaded[item];
        }
    }
    for (size_t i = tail_first<T>(p); i < p.count; i += all_threads())
        for (int k = 0; k < p.ranks; k++)
            if (k != rank)
                ((T *)staged(p, k, rank, epoch))[i] = ((const T *)p.in[rank])[i];
}

/* Returns where the values of rank k are for this rank. */
static __device__ __forceinline__ const char *values_of(const struct allreduce_problem &p, int k, int rank,
                                                        uint32_t epoch)
{
    return k == rank ? (const char *)p.in[k] : staged(p, rank, k, epoch);
}

/* Adds this block's share: each peer's block with the same number has sent exactly that. */
template <typename T, int RANKS, int ITEMS>
static __device__ __forceinline__ void sum_staged(const struct allreduce_problem &p, int rank, uint32_t epoch)
{
    uint4 *out = (uint4 *)p.out[rank];
    for (size_t first = blockIdx.x * (size_t)(ITEMS * THREADS) + threadIdx.x; first < p.vectors;
         first += ITEMS * all_threads()) {
        uint4 loaded[ITEMS][RANKS];
#pragma unroll
        for (int item = 0; item < ITEMS; item++)
#pragma unroll
            for (int k = 0; k < RANKS; k++)
                if (k < p.ranks && first + item * THREADS < p.vectors)
                    loaded[item][k] = ((const uint4 *)values_of(p, k, rank, epoch))[first + item * THREADS];
#pragma unroll
        for (int item = 0; item < ITEMS; item++)
            if (first + item * THREADS < p.vectors)
                out[first + item * THREADS] = sum_of<T, RANKS>(p.ranks, loaded[item]);
    }
    for (size_t i = tail_first<T>(p); i < p.count; i += all_threads()) {
        float sum = 0.f;
        for (int k = 0; k < p.ranks; k++)
            sum += to_float(((const T *)values_of(p, k, rank, epoch))[i]);
        ((T *)p.out[rank])[i] = rounded<T>(sum);
    }
}
#endif

template <typename T, int RANKS, int ITEMS>
__global__ void __launch_bounds__(THREADS) allreduce_1stage_push(const __grid_constant__ struct allreduce_problem p)
{
#if __CUDA_ARCH__ >= 900
    const int rank = my_rank(p);
    uint32_t epoch;
    cudaGridDependencySynchronize();           /* the previous kernel has ended, and all that it wrote is visible */
    cudaTriggerProgrammaticLaunchCompletion(); /* all blocks are resident by then */
    if (!__syncthreads_and(take_up(p, &epoch)))
        return;
    send_plain<T, RANKS, ITEMS>(p, rank, epoch + 1);
    if (!meet(p, &epoch))
        return;
    leave_count(p, epoch);
    sum_staged<T, RANKS, ITEMS>(p, rank, epoch);
#endif
}

/* ---- ll ---- */

#if __CUDA_ARCH__ >= 900
/* Sends two words with their flags. Each 8 bytes are one access, even if the 16 are not. */
static __device__ __forceinline__ void send_flagged(char *to, uint32_t first, uint32_t second, uint32_t flag)
{
    asm volatile("st.relaxed.sys.global.v2.b64 [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(to)),
                 "l"((uint64_t)flag << 32 | first), "l"((uint64_t)flag << 32 | second)
                 : "memory");
}

static __device__ __forceinline__ void send_flagged(char *to, uint32_t word, uint32_t flag)
{
    asm volatile("st.relaxed.sys.global.b64 [%0], %1;" ::"l"(__cvta_generic_to_global(to)),
                 "l"((uint64_t)flag << 32 | word)
                 : "memory");
}

static __device__ __forceinline__ bool has_come(const char *from, uint32_t flag, uint32_t *first, uint32_t *second)
{
    uint64_t a, b;
    asm volatile("ld.relaxed.sys.global.v2.b64 {%0, %1}, [%2];"
                 : "=l"(a), "=l"(b)
                 : "l"(__cvta_generic_to_global(from))
                 : "memory");
    *first = (uint32_t)a;
    *second = (uint32_t)b;
    return a >> 32 == flag && b >> 32 == flag;
}

static __device__ __forceinline__ bool has_come(const char *from, uint32_t flag, uint32_t *word)
{
    uint64_t a;
    asm volatile("ld.relaxed.sys.global.b64 %0, [%1];" : "=l"(a) : "l"(__cvta_generic_to_global(from)) : "memory");
    *word = (uint32_t)a;
    return a >> 32 == flag;
}

template <typename T>
static __device__ __forceinline__ char *flagged_value(const struct allreduce_problem &p, char *staging, size_t i)
{
    return staging + p.vectors * (WIDE * 2) + (i - p.vectors * (WIDE / sizeof(T))) * FLAGGED;
}

template <typename T>
static __device__ __forceinline__ void send_all(const struct allreduce_problem &p, int rank, uint32_t epoch)
{
    for (size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x; i < p.vectors; i += all_threads()) {
        const uint4 own = ((const uint4 *)p.in[rank])[i];
        for (int step = 1; step < p.ranks; step++) {
            char *to = staged(p, (rank + step) % p.ranks, rank, epoch) + i * (WIDE * 2);
            send_flagged(to, own.x, own.y, epoch);
            send_flagged(to + WIDE, own.z, own.w, epoch);
        }
    }
    for (size_t i = tail_first<T>(p); i < p.count; i += all_threads()) {
        uint32_t word = 0;
        memcpy(&word, (const T *)p.in[rank] + i, sizeof(T));
        for (int k = 0; k < p.ranks; k++)
            if (k != rank)
                send_flagged(flagged_value<T>(p, staged(p, k, rank, epoch), i), word, epoch);
    }
}

/* Receives a vector of each rank. */
template <int RANKS>
static __device__ __forceinline__ bool receive(const struct allreduce_problem &p, int rank, uint32_t epoch, size_t i,
                                               uint4 *got)
{
#pragma unroll
    for (int k = 0; k < RANKS; k++) {
        struct patience patience = {};
        if (k == rank)
            got[k] = ((const uint4 *)p.in[k])[i];
        if (k >= p.ranks || k == rank)
            continue;
        const char *from = staged(p, rank, k, epoch) + i * (WIDE * 2);
        while (!(has_come(from, epoch, &got[k].x, &got[k].y) & has_come(from + WIDE, epoch, &got[k].z, &got[k].w)))
            if (!may_poll(p, k, epoch, &patience))
                return false;
    }
    return true;
}

template <typename T>
static __device__ __forceinline__ bool receive_value(const struct allreduce_problem &p, int rank, uint32_t epoch,
                                                     size_t i)
{
    float sum = 0.f;
    for (int k = 0; k < p.ranks; k++) {
        T value = ((const T *)p.in[rank])[i];
        uint32_t word;
        struct patience patience = {};
        if (k != rank) {
            while (!has_come(flagged_value<T>(p, staged(p, rank, k, epoch), i), epoch, &word))
                if (!may_poll(p, k, epoch, &patience))
                    return false;
            memcpy(&value, &word, sizeof value);
        }
        sum += to_float(value);
    }
    ((T *)p.out[rank])[i] = rounded<T>(sum);
    return true;
}

template <typename T, int RANKS>
static __device__ __forceinline__ bool receive_all(const struct allreduce_problem &p, int rank, uint32_t epoch)
{
    for (size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x; i < p.vectors; i += all_threads()) {
        uint4 got[RANKS];
        if (!receive<RANKS>(p, rank, epoch, i, got))
            return false;
        ((uint4 *)p.out[rank])[i] = sum_of<T, RANKS>(p.ranks, got);
    }
    for (size_t i = tail_first<T>(p); i < p.count; i += all_threads())
        if (!receive_value<T>(p, rank, epoch, i))
            return false;
    return true;
}
#endif

/* A thread sends all of its share before it waits. */
template <typename T, int RANKS>
__global__ void __launch_bounds__(THREADS) allreduce_1stage_ll(const __grid_constant__ struct allreduce_problem p)
{
#if __CUDA_ARCH__ >= 900
    const int rank = my_rank(p);
    uint32_t epoch;
    cudaGridDependencySynchronize();
    cudaTriggerProgrammaticLaunchCompletion();
    bool is_well = take_up(p, &epoch);
    epoch++;
    if (is_well) {
        send_all<T>(p, rank, epoch);
        is_well = receive_all<T, RANKS>(p, rank, epoch);
    }
    if (__syncthreads_and(is_well))
        leave_count(p, epoch);
#endif
}

/* ---- 2stage-push ---- */

#if __CUDA_ARCH__ >= 900
template <typename T, int RANKS, int ITEMS>
static __device__ __forceinline__ void sum_for_all(const struct allreduce_problem &p, int rank)
{
    const struct part mine = part_of(p, rank);
    for (size_t first = mine.begin + blockIdx.x * (size_t)(ITEMS * THREADS) + threadIdx.x; first < mine.end;
         first += ITEMS * all_threads()) {
        uint4 loaded[ITEMS][RANKS];
#pragma unroll
        for (int item = 0; item < ITEMS; item++)
#pragma unroll
            for (int k = 0; k < RANKS; k++)
                if (k < p.ranks && first + item * THREADS < mine.end)
                    loaded[item][k] = ((const uint4 *)p.in[k])[first + item * THREADS];
#pragma unroll
        for (int item = 0; item < ITEMS; item++) {
            const uint4 sum = sum_of<T, RANKS>(p.ranks, loaded[item]);
            for (int step = 0; step < p.ranks && first + item * THREADS < mine.end; step++)
                ((uint4 *)p.out[(rank + step) % p.ranks])[first + item * THREADS] = sum;
        }
    }
}
#endif

/* Each rank adds up the values after the whole vectors for itself. */
template <typename T, int RANKS, int ITEMS>
__global__ void __launch_bounds__(THREADS) allreduce_2stage_push(const __grid_constant__ struct allreduce_problem p)
{
#if __CUDA_ARCH__ >= 900
    uint32_t epoch;
    cudaGridDependencySynchronize();
    if (!begin(p, &epoch)) /* the peers' previous kernels have ended, too, so their outputs may be written */
        return;
    sum_for_all<T, RANKS, ITEMS>(p, my_rank(p));
    sum_tail<T, WIDE>(p);
    cudaTriggerProgrammaticLaunchCompletion();
    finish(p, &epoch); /* all that the peers stored here has arrived */
#endif
}

/* ---- their descriptions ---- */

template <typename T> static allreduce_function push_by_ranks(int ranks, int items)
{
    return BY_RANKS_AND_ITEMS(allreduce_1stage_push, ranks, items, T);
}

template <typename T> static allreduce_function ll_by_ranks(int ranks)
{
    return ranks > 4 ? allreduce_1stage_ll<T, 8> : ranks > 2 ? allreduce_1stage_ll<T, 4> : allreduce_1stage_ll<T, 2>;
}

static struct allreduce_pick pick_push(const struct allreduce_problem *p, const struct cpprof_config *config)
{
    const int items = items_for(p, config, 1);
    struct allreduce_pick pick = {NULL, WIDE, items * THREADS, 1, 0, 1, WIDE, allreduce_value_bytes(config)};
    pick.function = BY_DTYPE(push_by_ranks, config, p->ranks, items);
    return pick;
}

template <typename T> static allreduce_function parts_by_ranks(int ranks, int items)
{
    return BY_RANKS_AND_ITEMS(allreduce_2stage_push, ranks, items, T);
}

static struct allreduce_pick pick_parts(const struct allreduce_problem *p, const struct cpprof_config *config)
{
    const int items = items_for(p, config, p->ranks);
    struct allreduce_pick pick = {NULL, WIDE, items * THREADS, p->ranks, 0, 1};
    pick.function = BY_DTYPE(parts_by_ranks, config, p->ranks, items);
    return pick;
}

static struct allreduce_pick pick_ll(const struct allreduce_problem *p, const struct cpprof_config *config)
{
    struct allreduce_pick pick = {NULL, WIDE, THREADS, 1, 0, 1, 2 * WIDE, FLAGGED};
    pick.function = BY_DTYPE(ll_by_ranks, config, p->ranks);
    return pick;
}

extern "C" const struct allreduce_kernel allreduce_push_kernel = {pick_push, allreduce_no_shared};
extern "C" const struct allreduce_kernel allreduce_ll_kernel = {pick_ll, allreduce_no_shared};
extern "C" const struct allreduce_kernel allreduce_2stage_push_kernel = {pick_parts, allreduce_no_shared};

static int refuse(const struct cpprof_config *config, char *why, size_t why_bytes)
{
    return allreduce_refuse_before_9("programmatic dependent launch", config, why, why_bytes);
}

/* Staging takes memory, that of all ranks where they share a device: at most a quarter of it. `wide` is the bytes for
 * each byte of a message that has vectors, `narrow` of one that has none. */
static int refuse_staging(const struct cpprof_config *config, double wide, double narrow, char *why, size_t why_bytes)
{
    int device[ALLREDUCE_RANKS_MAX];
    size_t available, all;
    const double ranks = (double)config->value[ALLREDUCE_AXIS_GPUS],
                 here = allreduce_devices(config, device) > 1 ? 1 : ranks;
    const double of_message = allreduce_has_vectors(config) ? wide : narrow;
    const double needed = 2 * ranks * here * of_message * (double)config->value[ALLREDUCE_AXIS_BYTES];
    if (refuse(config, why, why_bytes))
        return 1;
    if (cudaMemGetInfo(&available, &all) || needed <= (double)all / 4)
        return 0;
    snprintf(why, why_bytes, "what the ranks send each other would take %.3g GiB of a device's memory",
             needed / (1 << 30));
    return 1;
}

static int refuse_push(const struct cpprof_config *config, char *why, size_t why_bytes)
{
    return refuse_staging(config, 1, 1, why, why_bytes);
}

static int refuse_ll(const struct cpprof_config *config, char *why, size_t why_bytes)
{
    return refuse_staging(config, 2, (double)FLAGGED / allreduce_value_bytes(config), why, why_bytes);
}

static const struct cpprof_expect expect[] = {{ALLREDUCE_LDGSTS, 0, 0}};

extern "C" const struct cpprof_variant allreduce_push_variants[ALLREDUCE_PUSH_COUNT] = {
    ALLREDUCE_VARIANT("1stage-push", "one shot, sent to the peers instead of read by them" ALLREDUCE_ONE_GPU,
                      "allreduce_1stage_push<", expect, refuse_push, allreduce_no_shared,
                      allreduce_setup_as<&allreduce_push_kernel>, NULL, NULL, allreduce_declare),
    ALLREDUCE_VARIANT("1stage-ll", "as 1stage-push, each word sent with a flag of its own" ALLREDUCE_ONE_GPU,
                      "allreduce_1stage_ll<", expect, refuse_ll, allreduce_no_shared,
                      allreduce_setup_as<&allreduce_ll_kernel>, NULL, NULL, allreduce_declare),
    ALLREDUCE_VARIANT("2stage-push", "each rank adds up a part and stores the sums with all others" ALLREDUCE_ONE_GPU,
                      "allreduce_2stage_push<", expect, refuse, allreduce_no_shared,
                      allreduce_setup_as<&allreduce_2stage_push_kernel>, NULL, NULL, allreduce_declare),
};
