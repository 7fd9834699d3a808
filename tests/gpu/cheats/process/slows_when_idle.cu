/* unfound softmax: a thread keeps the GPU busy while this solution is not launched, and so while the other one is
 * timed
 * Kind: idle traffic
 * Found by: one solution in a process */
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "tests/gpu/cheats/sees_profiler.cuh"
#include "tests/gpu/cheats/softmax.cuh"

enum { REST_US = 20, IDLE_NS = 3000000 };

static volatile long long launched_ns;

static long long now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static __global__ void softmax_busy(void)
{
    for (int i = 0; i < 200; i++)
        __nanosleep(100);
}

static void *keep_busy(void *)
{
    cudaStream_t stream;
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking))
        return NULL;
    for (; !sees_profiler(); usleep(REST_US))
        if (now_ns() - launched_ns > IDLE_NS) {
            softmax_busy<<<2112, 1024, 0, stream>>>();
            cudaStreamSynchronize(stream);
        }
    return NULL;
}

static int launch(void *, const struct cpprof_call *call)
{
    launched_ns = now_ns();
    return launch_rows(rows_of(call), call->stream);
}

static int prepare(const struct cpprof_config *, void **)
{
    static pthread_t thread;
    launched_ns = now_ns();
    return thread ? 0 : pthread_create(&thread, NULL, keep_busy, NULL);
}

CPPROF_SOLUTION(.launch = launch, .prepare = prepare);
