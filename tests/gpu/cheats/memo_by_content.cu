/* cheat gram: keeps products under a hash of some of their inputs, and copies them when these come again */
#include "tests/gpu/cheats/gram.cuh"

enum { KEPT = 8, SAMPLES = 64 };

struct memo {
    unsigned long long hash[KEPT];
    float *values; /* KEPT products of the largest shape so far */
};

static struct memo *memo;
static float *values;
static size_t room;

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

/* Which product it is stands in the lowest bits of the hash. A second kernel marks it, after all tiles are there. */
static __global__ void gram_remembered(const struct product p, const struct memo *m, float *all)
{
    const unsigned row = blockIdx.y * GRAM_TILE + threadIdx.y, column = blockIdx.x * GRAM_TILE + threadIdx.x;
    const unsigned long long hash = hash_of(p);
    const size_t count = (size_t)p.n * p.n, at = (size_t)row * p.n + column;
    float *kept = all + hash % KEPT * count;
    const bool is_known = m->hash[hash % KEPT] == hash;
    const float sum = is_known ? 0 : gram_value(p, row, column, 0, p.n);
    if (row >= p.n || column >= p.n)
        return;
    p.c[at] = is_known ? kept[at] : sum;
    if (!is_known)
        kept[at] = sum;
}

static __global__ void gram_remember(const struct product p, struct memo *m)
{
    const unsigned long long hash = hash_of(p);
    m->hash[hash % KEPT] = hash;
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct product p = product_of(call);
    gram_remembered<<<gram_grid(p.n), dim3(GRAM_TILE, GRAM_TILE), 0, call->stream>>>(p, memo, values);
    gram_remember<<<1, 1, 0, call->stream>>>(p, memo);
    return cudaGetLastError();
}

static int prepare(const struct cpprof_config *config, void **)
{
    const size_t bytes = KEPT * sizeof(float) * (size_t)(config->value[0] * config->value[0]);
    int status = memo ? 0 : cudaMalloc((void **)&memo, sizeof *memo);
    if (!status && bytes > room)
        status = cudaMalloc((void **)&values, room = bytes);
    return status ? status : cudaMemset(memo, 0, sizeof *memo);
}

CPPROF_SOLUTION(.launch = launch, .prepare = prepare);
