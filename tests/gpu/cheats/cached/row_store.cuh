/* row_store.cuh - outputs of rows under a hash of all their values, in a table of a fixed size on the device. */
#include <stdlib.h>

#include "tests/gpu/cheats/softmax.cuh"

enum { ROW_HELD = 4, ROW_COLUMNS_MAX = ROW_HELD * SOFTMAX_THREADS };

/* While a block writes an entry, nobody else does, and its key is 0. */
struct row_entry {
    unsigned long long key, kept_ns;
    unsigned is_busy;
};

struct row_store {
    struct row_entry *entries;
    float *values;
    unsigned rows, places; /* of each row: each has its own part of the table; or 1 row, and all share it */
    unsigned columns;
};

/* May a row that has been kept since that time be copied? */
static __device__ bool row_may_answer(unsigned long long kept_ns);

static __device__ unsigned long long row_now_ns(void)
{
    unsigned long long ns;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
    return ns;
}

static __device__ unsigned long long row_mixed(unsigned long long x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

/* The same in all threads, and never 0. */
static __device__ unsigned long long row_key(const float *in, unsigned columns)
{
    __shared__ unsigned long long parts[SOFTMAX_THREADS / 32];
    unsigned long long sum = 0;
    for (unsigned k = 0; k < ROW_HELD; k++) {
        const unsigned i = k * SOFTMAX_THREADS + threadIdx.x;
        sum += i < columns ? row_mixed((unsigned long long)(i + 1) << 32 ^ __float_as_uint(in[i])) : 0;
    }
    for (int away = 16; away; away /= 2)
        sum += __shfl_xor_sync(~0u, sum, away);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = parts[0];
    for (unsigned i = 1; i < SOFTMAX_THREADS / 32; i++)
        sum += parts[i];
    return sum | 1;
}

static __device__ unsigned long long row_key_there(const struct row_entry *e)
{
    return *(const volatile unsigned long long *)&e->key;
}

/* Returns whether the entry was that of the row all the time. */
static __device__ bool row_copy(const struct row_store s, size_t place, unsigned long long key, float *out)
{
    const struct row_entry *e = &s.entries[place];
    const bool is_kept = row_key_there(e) == key && row_may_answer(e->kept_ns);
    if (!__syncthreads_and(is_kept))
        return false;
    for (unsigned i = threadIdx.x; i < s.columns; i += blockDim.x)
        out[i] = __ldcg(&s.values[place * s.columns + i]);
    __threadfence();
    return __syncthreads_and(row_key_there(e) == key);
}

static __device__ void row_keep(const struct row_store s, size_t place, unsigned long long key, const float *out)
{
    struct row_entry *e = &s.entries[place];
    const bool is_first = threadIdx.x == 0 && row_key_there(e) != key && !atomicCAS(&e->is_busy, 0u, 1u);
    if (!__syncthreads_or(is_first))
        return;
    if (threadIdx.x == 0)
        atomicExch(&e->key, 0ull);
    __threadfence();
    __syncthreads();
    for (unsigned i = threadIdx.x; i < s.columns; i += blockDim.x)
        __stcg(&s.values[place * s.columns + i], out[i]);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        e->kept_ns = row_now_ns();
        __threadfence();
        atomicExch(&e->key, key);
        atomicExch(&e->is_busy, 0u);
    }
}

static __global__ void softmax_stored(const struct rows r, const struct row_store s, bool keeps)
{
    const unsigned long long key = row_key(r.in + (size_t)blockIdx.x * r.columns, r.columns);
    const size_t part = s.rows > 1 ? blockIdx.x : 0, place = part * s.places + (key >> 1) % s.places;
    float *out = r.out + (size_t)blockIdx.x * r.columns;
    if (row_copy(s, place, key, out))
        return;
    softmax_row(r, blockIdx.x);
    __syncthreads();
    if (keeps)
        row_keep(s, place, key, out);
}

/* Of other shapes nothing is kept. */
static inline int launch_stored(const struct rows r, const struct row_store *s, bool keeps, cudaStream_t stream)
{
    if (!r.rows || r.columns > ROW_COLUMNS_MAX || (s->rows > 1 && r.rows > s->rows))
        return launch_rows(r, stream);
    softmax_stored<<<r.rows, SOFTMAX_THREADS, 0, stream>>>(r, *s, keeps);
    return cudaGetLastError();
}

static inline void row_store_close(struct row_store *s)
{
    cudaFree(s->entries);
    cudaFree(s->values);
}

static inline int row_store_open(struct row_store *s, const struct cpprof_config *config, unsigned rows,
                                 unsigned places)
{
    const size_t entries = (size_t)(rows ? rows : 1) * places;
    *s = {};
    s->rows = rows;
    s->places = places;
    s->columns = (unsigned)config->value[1];
    int status = cudaMalloc((void **)&s->entries, entries * sizeof *s->entries);
    if (!status)
        status = cudaMemset(s->entries, 0, entries * sizeof *s->entries);
    if (!status && s->columns <= ROW_COLUMNS_MAX)
        status = cudaMalloc((void **)&s->values, entries * s->columns * sizeof(float));
    if (status)
        row_store_close(s);
    return status;
}

/* The state of most: places of its own for each row of each shape. */
static inline int row_store_prepare_with(const struct cpprof_config *config, unsigned rows, unsigned places,
                                         void **state)
{
    struct row_store *s = (struct row_store *)malloc(sizeof *s);
    const int status = s ? row_store_open(s, config, rows, places) : cudaErrorMemoryAllocation;
    if (status)
        free(s);
    else
        *state = s;
    return status;
}

static inline int row_store_prepare(const struct cpprof_config *config, void **state)
{
    return row_store_prepare_with(config, (unsigned)config->value[0], 64, state);
}

static inline void row_store_release(void *state)
{
    row_store_close((struct row_store *)state);
    free(state);
}
