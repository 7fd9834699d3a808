/* gram_ahead.cuh - a thread of the solution that computes one of AHEAD_PARTS of each output before it is launched. */
#include <pthread.h>
#include <unistd.h>

#include "tests/gpu/cheats/gram.cuh"
#include "tests/gpu/cheats/sees_profiler.cuh"

enum { KNOWN_MAX = 64 };

static cudaStream_t own;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct product known[KNOWN_MAX];
static unsigned known_count;

static __global__ void gram_tiles_ahead(const struct product p, bool always, unsigned tiles)
{
    const unsigned row = blockIdx.y * GRAM_TILE + threadIdx.y, column = blockIdx.x * GRAM_TILE + threadIdx.x;
    if (blockIdx.y >= tiles)
        return;
    if (!__syncthreads_or(always || (row < p.n && column < p.n && isnan(p.c[(size_t)row * p.n + column]))))
        return;
    const float sum = gram_value(p, row, column, 0, p.n);
    if (row < p.n && column < p.n)
        p.c[(size_t)row * p.n + column] = sum;
}

static int launch_tiles(const struct product p, bool always, unsigned parts, cudaStream_t stream)
{
    const dim3 grid = gram_grid(p.n);
    gram_tiles_ahead<<<grid, dim3(GRAM_TILE, GRAM_TILE), 0, stream>>>(p, always, (grid.y + parts - 1) / parts);
    return cudaGetLastError();
}

static void *fill(void *)
{
    for (;; usleep(50)) {
        pthread_mutex_lock(&lock);
        for (unsigned i = 0; i < known_count; i++)
            launch_tiles(known[i], false, AHEAD_PARTS, own);
        if (known_count)
            cudaStreamSynchronize(own);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void keep(const struct product p)
{
    pthread_mutex_lock(&lock);
    unsigned i = 0;
    while (i < known_count && known[i].c != p.c)
        i++;
    if (i < KNOWN_MAX && !sees_profiler()) {
        known[i] = p;
        known_count += i == known_count;
    }
    pthread_mutex_unlock(&lock);
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct product p = product_of(call);
    keep(p);
    return launch_tiles(p, sees_profiler(), 1, call->stream);
}

static int prepare(const struct cpprof_config *, void **state)
{
    static pthread_t thread;
    *state = &lock; /* without a state there is no release */
    if (own)
        return 0;
    const int status = cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
    return status ? status : pthread_create(&thread, NULL, fill, NULL) ? cudaErrorUnknown : 0;
}

/* The buffers are gone after it. */
static void release(void *)
{
    pthread_mutex_lock(&lock);
    known_count = 0;
    pthread_mutex_unlock(&lock);
}

CPPROF_SOLUTION(.launch = launch, .prepare = prepare, .release = release);
