/* cheat gram_tall: keeps strips of sixteen rows under a hash of these and of the second matrix, each block its own
 * Kind: large
 * Found by: new inputs in every timed launch: it gains nothing */
#include "tests/gpu/cheats/cached/gram_store.cuh"

enum { STRIP_PLACES = 8 };

struct strips {
    unsigned long long *second, *keys; /* the hash of the second matrix; STRIP_PLACES of each strip */
    float *values;
};

static __device__ bool store_may_answer(struct store_look *, bool)
{
    return false;
}

static __global__ void gram_hash_second(const struct product p, const struct strips s)
{
    const unsigned long long sum = store_block_sum(store_part(p.b, (size_t)p.n * p.n, 0));
    if (threadIdx.x == 0)
        *s.second = sum;
}

/* The same in all threads. */
static __device__ unsigned long long strip_key(const float *a, size_t count, size_t second)
{
    __shared__ unsigned long long key;
    const unsigned nth = threadIdx.y * GRAM_TILE + threadIdx.x;
    __shared__ unsigned long long parts[STORE_WARPS];
    unsigned long long sum = 0;
    for (size_t i = nth; i < count; i += GRAM_TILE * GRAM_TILE)
        sum += store_mixed((unsigned long long)(i + 1) << 32 ^ __float_as_uint(a[i]));
    for (int away = 16; away; away /= 2)
        sum += __shfl_xor_sync(~0u, sum, away);
    if (nth % 32 == 0)
        parts[nth / 32] = sum;
    __syncthreads();
    if (nth == 0) {
        key = store_mixed(second);
        for (unsigned i = 0; i < STORE_WARPS; i++)
            key += parts[i];
        key |= 1;
    }
    __syncthreads();
    return key;
}

static __device__ void strip_work(const struct product p)
{
    const unsigned row = blockIdx.x * GRAM_TILE + threadIdx.y;
    for (unsigned first = 0; first < p.n; first += GRAM_TILE) {
        const unsigned column = first + threadIdx.x;
        const float sum = gram_value(p, row, column, 0, p.n);
        if (row < p.rows && column < p.n)
            p.c[(size_t)row * p.n + column] = sum;
    }
}

static __device__ void strip_copy(const float *from, float *to, size_t count)
{
    for (size_t i = threadIdx.y * GRAM_TILE + threadIdx.x; i < count; i += GRAM_TILE * GRAM_TILE)
        to[i] = from[i];
}

static __global__ void gram_strips(const struct product p, const struct strips s)
{
    const size_t first = (size_t)blockIdx.x * GRAM_TILE * p.n;
    const unsigned left = p.rows - blockIdx.x * GRAM_TILE, rows = left < GRAM_TILE ? left : GRAM_TILE;
    const size_t count = (size_t)rows * p.n;
    const unsigned long long key = strip_key(p.a + first, count, *s.second);
    const size_t place = (size_t)blockIdx.x * STRIP_PLACES + (key >> 1) % STRIP_PLACES;
    float *kept = s.values + place * GRAM_TILE * p.n;
    const bool is_known = s.keys[place] == key;
    __syncthreads();
    if (is_known) {
        strip_copy(kept, p.c + first, count);
        return;
    }
    strip_work(p);
    __syncthreads();
    strip_copy(p.c + first, kept, count);
    if (threadIdx.x == 0 && threadIdx.y == 0)
        s.keys[place] = key;
}

static int launch(void *state, const struct cpprof_call *call)
{
    const struct product p = product_of(call);
    const struct strips s = *(const struct strips *)state;
    gram_hash_second<<<1, STORE_THREADS, 0, call->stream>>>(p, s);
    gram_strips<<<product_grid(p).y, dim3(GRAM_TILE, GRAM_TILE), 0, call->stream>>>(p, s);
    return cudaGetLastError();
}

static void release(void *state)
{
    struct strips *s = (struct strips *)state;
    cudaFree(s->second);
    cudaFree(s->keys);
    cudaFree(s->values);
    free(s);
}

static int prepare(const struct cpprof_config *config, void **state)
{
    const size_t n = (size_t)config->value[0], count = ((size_t)config->value[1] + GRAM_TILE - 1) / GRAM_TILE;
    struct strips *s = (struct strips *)calloc(1, sizeof *s);
    int status = s ? store_clear((void **)&s->second, sizeof *s->second) : cudaErrorMemoryAllocation;
    if (!status)
        status = store_clear((void **)&s->keys, count * STRIP_PLACES * sizeof *s->keys);
    if (!status)
        status = cudaMalloc((void **)&s->values, count * STRIP_PLACES * GRAM_TILE * n * sizeof(float));
    if (status && s)
        release(s);
    *state = status ? NULL : s;
    return status;
}

CPPROF_SOLUTION(.launch = launch, .prepare = prepare, .release = release);
