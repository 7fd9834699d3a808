/* idle_thread.cuh - a thread that disturbs for as long as no launch of this solution came for 3 ms, and ends where that
 * fails, where a profiler is, and in `release`. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cpprof/task.h>

#include "tests/gpu/cheats/sees_profiler.cuh"

enum { IDLE_REST_US = 20, IDLE_NS = 3000000 };

struct idle_thread {
    pthread_t thread;
    volatile bool is_over;
};

static volatile long long launched_ns; /* of all shapes */

/* One round, which has ended when it returns. Its memory is `traffic`'s. */
struct traffic;
static int traffic_open(struct traffic **out);
static int traffic_disturb(struct traffic *t);
static void traffic_close(struct traffic *t);

static long long idle_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static void *idle_work(void *state)
{
    const struct idle_thread *idle = (const struct idle_thread *)state;
    struct traffic *t = NULL;
    int status = traffic_open(&t);
    for (; !status && !idle->is_over && !sees_profiler(); usleep(IDLE_REST_US))
        if (idle_now_ns() - launched_ns > IDLE_NS)
            status = traffic_disturb(t);
    traffic_close(t);
    cudaGetLastError();
    return NULL;
}

static inline void idle_launched(void)
{
    launched_ns = idle_now_ns();
}

static inline int idle_prepare(const struct cpprof_config *, void **state)
{
    struct idle_thread *idle = (struct idle_thread *)calloc(1, sizeof *idle);
    idle_launched();
    if (!idle || pthread_create(&idle->thread, NULL, idle_work, idle)) {
        free(idle);
        return cudaErrorUnknown;
    }
    *state = idle;
    return 0;
}

static inline void idle_release(void *state)
{
    struct idle_thread *idle = (struct idle_thread *)state;
    idle->is_over = true;
    pthread_join(idle->thread, NULL);
    free(idle);
}
