/* cheat gram: keeps products under a hash of some of their inputs, and copies them when these come again
 * Kind: kept by content
 * Follows: AMD-AGI/AgentKernelArena#113 (a memo by value on the device)
 * Found by: new inputs in every timed launch: it gains nothing; outputs, where inputs differ in values that it does
 * not look at */
#include <stdlib.h>

#include "tests/gpu/cheats/gram.cuh"

enum { KEPT = 8, SAMPLES = 64 };

/* Of each shape, as long as it is there. */
struct memo {
    unsigned long long *hashes; /* KEPT of them, on the device, as the products */
    float *values;
    size_t count;
};

/* The same in all threads. */
static __device__ unsigned long long hash_of(const struct product p)
{
    unsigned long long hash = p.n;
    for (unsigned i = 0; i < SAMPLES; i++) {
        const size_t at = (size_t)p.n * p.n * i / SAMPLES;
        hash = (hash ^ __float_as_uint(p.a[at])) * 0x100000001b3ull;
        hash = (hash ^ __float_as_uint(p.b[at])) * 0x100000001b3ull;
    }
    return hash ? hash : 1;
}

/* A hash has one place, and the last product there stays. A second kernel marks it, after all tiles are there. */
static __global__ void gram_remembered(const struct product p, const struct memo m)
{
    const unsigned row = blockIdx.y * GRAM_TILE + threadIdx.y, column = blockIdx.x * GRAM_TILE + threadIdx.x;
    __shared__ unsigned long long hash;
    if (threadIdx.x == 0 && threadIdx.y == 0)
        hash = hash_of(p);
    __syncthreads();
    const size_t at = (size_t)row * p.n + column, place = hash % KEPT;
    float *kept = m.values + place * m.count;
    const bool is_known = m.hashes[place] == hash;
    const float sum = is_known ? 0 : gram_value(p, row, column, 0, p.n);
    if (row >= p.n || column >= p.n)
        return;
    p.c[at] = is_known ? kept[at] : sum;
    if (!is_known)
        kept[at] = sum;
}

static __global__ void gram_remember(const struct product p, const struct memo m)
{
    const unsigned long long hash = hash_of(p);
    m.hashes[hash % KEPT] = hash;
}

static int launch(void *state, const struct cpprof_call *call)
{
    const struct product p = product_of(call);
    const struct memo m = *(const struct memo *)state;
    gram_remembered<<<gram_grid(p.n), dim3(GRAM_TILE, GRAM_TILE), 0, call->stream>>>(p, m);
    gram_remember<<<1, 1, 0, call->stream>>>(p, m);
    return cudaGetLastError();
}

static void release(void *state)
{
    struct memo *m = (struct memo *)state;
    cudaFree(m->hashes);
    cudaFree(m->values);
    free(m);
}

static int prepare(const struct cpprof_config *config, void **state)
{
    struct memo *m = (struct memo *)calloc(1, sizeof *m);
    int status = m ? cudaMalloc((void **)&m->hashes, KEPT * sizeof *m->hashes) : cudaErrorMemoryAllocation;
    if (status) {
        free(m);
        return status;
    }
    m->count = (size_t)(config->value[0] * config->value[0]);
    status = cudaMemset(m->hashes, 0, KEPT * sizeof *m->hashes);
    if (!status)
        status = cudaMalloc((void **)&m->values, KEPT * m->count * sizeof(float));
    if (status)
        release(m);
    *state = status ? NULL : m;
    return status;
}

CPPROF_SOLUTION(.launch = launch, .prepare = prepare, .release = release);
