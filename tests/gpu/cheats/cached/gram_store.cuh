/* gram_store.cuh - products under a hash of all values of the inputs, in a ring of a fixed number of places on the
 * device. A launch is a grid that hashes and looks the product up, and one that copies or works. */
#include <stdlib.h>

#include "tests/gpu/cheats/gram.cuh"

#ifndef STORE_PLACES
#define STORE_PLACES 32 /* at most the threads of a warp */
#endif

enum { STORE_BLOCKS = 264, STORE_THREADS = 256, STORE_WARPS = STORE_THREADS / 32 };

/* What stands on the device: the hash of the last launch, where its product is, or where it will be. */
struct store_look {
    unsigned long long sum, key, waiting; /* waiting: the key of a product that the last launch left at `place` */
    unsigned tickets, place, next, waits_for;
    bool is_known;
};

struct store {
    struct store_look *look;
    unsigned long long *keys;
    float *values;
    size_t count; /* values of a product */
};

/* May a product that is known be copied? Each cheat has its own answer; it is asked once a launch. */
static __device__ bool store_may_answer(struct store_look *s, bool is_known);

static __device__ unsigned long long store_mixed(unsigned long long x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

/* Of the values that are this thread's, each with its place. */
static __device__ unsigned long long store_part(const float *values, size_t count, size_t first)
{
    unsigned long long sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
        sum += store_mixed((unsigned long long)(first + i + 1) << 32 ^ __float_as_uint(values[i]));
    return sum;
}

/* Of the block, in its first thread. */
static __device__ unsigned long long store_block_sum(unsigned long long sum)
{
    __shared__ unsigned long long parts[STORE_WARPS];
    for (int away = 16; away; away /= 2)
        sum += __shfl_xor_sync(~0u, sum, away);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = sum;
    __syncthreads();
    for (unsigned i = 1; threadIdx.x == 0 && i < STORE_WARPS; i++)
        sum += parts[i];
    return sum;
}

/* One warp. A product of the launch before is whole by now. */
static __device__ void store_find(const struct store s, bool keeps)
{
    struct store_look *l = s.look;
    const unsigned nth = threadIdx.x;
    const unsigned long long key = __shfl_sync(~0u, nth ? 0 : atomicExch(&l->sum, 0ull) | 1, 0);
    if (nth == 0 && l->waiting)
        atomicExch(&s.keys[l->waits_for], l->waiting);
    __syncwarp();
    const bool is_there = nth < STORE_PLACES && *(volatile unsigned long long *)&s.keys[nth] == key;
    const unsigned there = __ballot_sync(~0u, is_there);
    if (nth)
        return;
    l->tickets = 0;
    l->key = key;
    l->waiting = 0;
    l->place = there ? (unsigned)__ffs((int)there) - 1 : l->next;
    if (!there && keeps) {
        l->next = (l->next + 1) % STORE_PLACES;
        l->waits_for = l->place;
        l->waiting = key;
        atomicExch(&s.keys[l->place], 0ull);
    }
    l->is_known = store_may_answer(l, there != 0);
}

/* The last block looks the product up, and sets back what is counted for the next launch. */
static __global__ void gram_hash(const struct product p, const struct store s, bool keeps)
{
    const size_t first = (size_t)p.rows * p.n, second = (size_t)p.n * p.n;
    const unsigned long long sum = store_block_sum(store_part(p.a, first, 0) + store_part(p.b, second, first));
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        atomicAdd(&s.look->sum, sum);
        __threadfence();
        is_last = atomicAdd(&s.look->tickets, 1u) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (is_last && threadIdx.x < 32)
        store_find(s, keeps);
}

/* `keeps` as it was told before. */
static __global__ void gram_serve(const struct product p, const struct store s, bool keeps)
{
    const unsigned row = blockIdx.y * GRAM_TILE + threadIdx.y, column = blockIdx.x * GRAM_TILE + threadIdx.x;
    const bool is_known = s.look->is_known, is_in = row < p.rows && column < p.n;
    float *kept = s.values + s.look->place * s.count;
    const size_t at = (size_t)row * p.n + column;
    const float sum = is_known ? 0 : gram_value(p, row, column, 0, p.n);
    if (!is_in)
        return;
    p.c[at] = is_known ? kept[at] : sum;
    if (!is_known && keeps)
        kept[at] = sum;
}

static inline int store_hash(const struct product p, const struct store s, bool keeps, cudaStream_t stream)
{
    gram_hash<<<STORE_BLOCKS, STORE_THREADS, 0, stream>>>(p, s, keeps);
    return cudaGetLastError();
}

static inline int store_launch(const struct product p, const struct store s, bool keeps, cudaStream_t stream)
{
    const int status = store_hash(p, s, keeps, stream);
    if (!status)
        gram_serve<<<product_grid(p), dim3(GRAM_TILE, GRAM_TILE), 0, stream>>>(p, s, keeps);
    return status ? status : cudaGetLastError();
}

static inline void store_close(struct store *s)
{
    cudaFree(s->look);
    cudaFree(s->keys);
    cudaFree(s->values);
}

static inline int store_clear(void **memory, size_t bytes)
{
    const int status = cudaMalloc(memory, bytes);
    return status ? status : cudaMemset(*memory, 0, bytes);
}

static inline int store_open(struct store *s, const struct cpprof_config *config)
{
    const int64_t *axes = config->value;
    *s = {};
    s->count = (size_t)(axes[0] * (axes[1] ? axes[1] : axes[0]));
    int status = store_clear((void **)&s->look, sizeof *s->look);
    if (!status)
        status = store_clear((void **)&s->keys, STORE_PLACES * sizeof *s->keys);
    if (!status)
        status = cudaMalloc((void **)&s->values, STORE_PLACES * s->count * sizeof(float));
    if (status)
        store_close(s);
    return status;
}

/* The state of most: a store for each shape. */
static inline int store_prepare(const struct cpprof_config *config, void **state)
{
    struct store *s = (struct store *)malloc(sizeof *s);
    const int status = s ? store_open(s, config) : cudaErrorMemoryAllocation;
    if (status)
        free(s);
    else
        *state = s;
    return status;
}

static inline void store_release(void *state)
{
    store_close((struct store *)state);
    free(state);
}
