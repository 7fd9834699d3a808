/* cheat gram: a thread of its own launches later
 * Kind: late
 * Found by: outputs that the stream itself copies */
#include <pthread.h>
#include <unistd.h>

#include "tests/gpu/cheats/gram.cuh"

static cudaStream_t own;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct product asked[1024];
static unsigned put, taken;

static void *work(void *)
{
    for (;; usleep(20)) {
        pthread_mutex_lock(&lock);
        if (taken != put)
            launch_product(asked[taken++ % 1024], own);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static int launch(void *, const struct cpprof_call *call)
{
    pthread_mutex_lock(&lock);
    asked[put++ % 1024] = product_of(call);
    pthread_mutex_unlock(&lock);
    return 0;
}

static int prepare(const struct cpprof_config *, void **state)
{
    static pthread_t thread;
    *state = &lock; /* without a state there is no release */
    if (own)
        return 0;
    const int status = cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
    return status ? status : pthread_create(&thread, NULL, work, NULL) ? cudaErrorUnknown : 0;
}

/* The buffers are gone then. */
static void release(void *)
{
    pthread_mutex_lock(&lock);
    taken = put;
    cudaStreamSynchronize(own);
    pthread_mutex_unlock(&lock);
}

CPPROF_SOLUTION(.launch = launch, .prepare = prepare, .release = release);
