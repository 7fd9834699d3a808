/* cheat gram: a thread keeps grids under way that look at samples of all inputs, and compute each tile anew whose
 * samples changed: while the cache is flushed, or while a launch leads in, tiles of the next launches are there
 * Kind: ahead
 * Found by: inputs that come when all else that is in the stream before the launch is over; the witness `event_time` */
#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "tests/gpu/cheats/gram.cuh"
#include "tests/gpu/cheats/sees_profiler.cuh"

enum { KNOWN_MAX = 64, SAMPLES = 2 * GRAM_TILE, SETTLE_NS = 3000, REST_US = 1 };

struct inputs {
    const float *a[KNOWN_MAX], *b[KNOWN_MAX];
};

struct ahead {
    struct inputs known;
    unsigned known_count, n;
    float *tiles, *samples; /* a product for each input; SAMPLES for each tile of it */
    bool is_over;
    cudaStream_t own;
    pthread_mutex_t lock;
    pthread_t thread;
};

/* The last value of each row of the first matrix, and of each column of the second one; one that is 0 is like no other.
 */
static __device__ float sample_of(const struct product p, unsigned nth)
{
    const unsigned row = blockIdx.y * GRAM_TILE + nth, column = blockIdx.x * GRAM_TILE + nth - GRAM_TILE;
    if (nth < GRAM_TILE ? row >= p.n : column >= p.n)
        return 1;
    const volatile float *at =
        nth < GRAM_TILE ? p.a + (size_t)row * p.n + p.n - 1 : p.b + (size_t)(p.n - 1) * p.n + column;
    const float value = *at;
    return value == 0 ? NAN : value;
}

static __device__ bool are_alike(const struct product p, const float *kept)
{
    const unsigned nth = threadIdx.y * GRAM_TILE + threadIdx.x;
    return __syncthreads_and(nth >= SAMPLES || sample_of(p, nth) == *(const volatile float *)&kept[nth % SAMPLES]);
}

static __device__ float *samples_at(float *samples, unsigned which)
{
    return samples + (((size_t)which * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * SAMPLES;
}

static __global__ void gram_look(const __grid_constant__ struct inputs known, unsigned n, float *tiles, float *samples)
{
    const unsigned row = blockIdx.y * GRAM_TILE + threadIdx.y, column = blockIdx.x * GRAM_TILE + threadIdx.x;
    const unsigned which = blockIdx.z, nth = threadIdx.y * GRAM_TILE + threadIdx.x;
    const struct product p = {known.a[which], known.b[which], tiles + (size_t)which * n * n, n, n};
    float *kept = samples_at(samples, which);
    if (are_alike(p, kept))
        return;
    __nanosleep(SETTLE_NS);
    const float before = nth < SAMPLES ? sample_of(p, nth) : 0;
    __syncthreads();
    const float sum = gram_value(p, row, column, 0, n);
    if (row < n && column < n)
        __stcg(&p.c[(size_t)row * n + column], sum);
    __threadfence();
    __syncthreads();
    if (nth < SAMPLES)
        *(volatile float *)&kept[nth] = before;
}

static __global__ void gram_taken(const struct product p, float *tiles, float *samples, unsigned which)
{
    const unsigned row = blockIdx.y * GRAM_TILE + threadIdx.y, column = blockIdx.x * GRAM_TILE + threadIdx.x;
    const size_t at = (size_t)row * p.n + column;
    const bool is_in = row < p.n && column < p.n, is_there = are_alike(p, samples_at(samples, which));
    float sum = is_there ? 0 : gram_value(p, row, column, 0, p.n);
    if (is_there && is_in)
        sum = __ldcg(&tiles[(size_t)which * p.n * p.n + at]);
    if (is_in)
        p.c[at] = sum;
}

static int look(const struct ahead *a)
{
    dim3 grid = gram_grid(a->n);
    grid.z = a->known_count;
    if (a->known_count)
        gram_look<<<grid, dim3(GRAM_TILE, GRAM_TILE), 0, a->own>>>(a->known, a->n, a->tiles, a->samples);
    const int status = cudaGetLastError();
    return status ? status : cudaStreamSynchronize(a->own);
}

static void *work(void *state)
{
    struct ahead *a = (struct ahead *)state;
    prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0); /* ns: the rests are short */
    for (bool is_over = false; !is_over; usleep(REST_US)) {
        pthread_mutex_lock(&a->lock);
        is_over = a->is_over || look(a);
        pthread_mutex_unlock(&a->lock);
    }
    return NULL;
}

/* KNOWN_MAX where there are too many. */
static unsigned know(struct ahead *a, const struct product p)
{
    unsigned i = 0;
    pthread_mutex_lock(&a->lock);
    while (i < a->known_count && a->known.a[i] != p.a)
        i++;
    if (i == a->known_count && i < KNOWN_MAX) {
        a->known.a[i] = p.a;
        a->known.b[i] = p.b;
        a->known_count++;
    }
    pthread_mutex_unlock(&a->lock);
    return i;
}

static int launch(void *state, const struct cpprof_call *call)
{
    struct ahead *a = (struct ahead *)state;
    const struct product p = product_of(call);
    const unsigned which = sees_profiler() ? (unsigned)KNOWN_MAX : know(a, p);
    if (which == KNOWN_MAX)
        return launch_product(p, call->stream);
    gram_taken<<<gram_grid(p.n), dim3(GRAM_TILE, GRAM_TILE), 0, call->stream>>>(p, a->tiles, a->samples, which);
    return cudaGetLastError();
}

static void release(void *state)
{
    struct ahead *a = (struct ahead *)state;
    pthread_mutex_lock(&a->lock);
    a->is_over = true;
    pthread_mutex_unlock(&a->lock);
    pthread_join(a->thread, NULL);
    cudaStreamDestroy(a->own);
    cudaFree(a->tiles);
    cudaFree(a->samples);
    free(a);
}

/* No sample is 0. */
static int open(struct ahead *a, const struct cpprof_config *config)
{
    const size_t n = a->n = (unsigned)config->value[0], side = gram_grid(a->n).x;
    const size_t bytes = KNOWN_MAX * side * side * SAMPLES * sizeof(float);
    int status = cudaMalloc((void **)&a->tiles, KNOWN_MAX * n * n * sizeof(float));
    if (!status)
        status = cudaMalloc((void **)&a->samples, bytes);
    if (!status)
        status = cudaMemset(a->samples, 0, bytes);
    return status ? status : cudaStreamCreateWithFlags(&a->own, cudaStreamNonBlocking);
}

static int prepare(const struct cpprof_config *config, void **state)
{
    struct ahead *a = (struct ahead *)calloc(1, sizeof *a);
    const int status = a ? open(a, config) : cudaErrorMemoryAllocation;
    if (status)
        return status;
    pthread_mutex_init(&a->lock, NULL);
    if (pthread_create(&a->thread, NULL, work, a))
        return cudaErrorUnknown;
    *state = a;
    return 0;
}

CPPROF_SOLUTION(.launch = launch, .prepare = prepare, .release = release);
