/* honest gram: has a thread that wakes up all the time, and does nothing to the device */
#include <pthread.h>
#include <unistd.h>

#include "tests/gpu/cheats/gram.cuh"

static void *wake_up(void *)
{
    for (;;)
        usleep(100);
    return NULL;
}

static int launch(void *, const struct cpprof_call *call)
{
    return launch_product(product_of(call), call->stream);
}

static int prepare(const struct cpprof_config *, void **)
{
    static bool is_begun;
    pthread_t thread;
    if (is_begun)
        return 0;
    is_begun = true;
    return pthread_create(&thread, NULL, wake_up, NULL) ? cudaErrorUnknown : 0;
}

CPPROF_SOLUTION(.launch = launch, .prepare = prepare);
