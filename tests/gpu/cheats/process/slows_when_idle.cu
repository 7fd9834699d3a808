/* cheat softmax: a thread keeps the GPU busy while this solution is not launched, and so while the other one is timed
 * Kind: idle traffic
 * Found by: one solution in a process */
#include "tests/gpu/cheats/cached/idle_thread.cuh"
#include "tests/gpu/cheats/softmax.cuh"

struct traffic {
    cudaStream_t stream;
};

static __global__ void softmax_busy(void)
{
    for (int i = 0; i < 200; i++)
        __nanosleep(100);
}

static int traffic_open(struct traffic **out)
{
    static struct traffic only;
    *out = &only;
    return cudaStreamCreateWithFlags(&only.stream, cudaStreamNonBlocking);
}

static int traffic_disturb(struct traffic *t)
{
    softmax_busy<<<2112, 1024, 0, t->stream>>>();
    return cudaStreamSynchronize(t->stream);
}

static void traffic_close(struct traffic *t)
{
    if (t && t->stream)
        cudaStreamDestroy(t->stream);
}

static int launch(void *, const struct cpprof_call *call)
{
    idle_launched();
    return launch_rows(rows_of(call), call->stream);
}

CPPROF_SOLUTION(.launch = launch, .prepare = idle_prepare, .release = idle_release);
