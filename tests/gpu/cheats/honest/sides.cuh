/* sides.cuh - a stream beside that of the launch, with events to fork and join. */
#include <stdlib.h>

#include <cpprof/task.h>

struct side {
    cudaStream_t stream;
    cudaEvent_t begun, ended;
};

static inline int side_open(const struct cpprof_config *, void **state)
{
    struct side *s = (struct side *)calloc(1, sizeof *s);
    int status = s ? cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking) : cudaErrorMemoryAllocation;
    if (!status)
        status = cudaEventCreateWithFlags(&s->begun, cudaEventDisableTiming);
    if (!status)
        status = cudaEventCreateWithFlags(&s->ended, cudaEventDisableTiming);
    *state = s;
    return status;
}

static inline void side_close(void *state)
{
    struct side *s = (struct side *)state;
    cudaEventDestroy(s->begun);
    cudaEventDestroy(s->ended);
    cudaStreamDestroy(s->stream);
    free(s);
}

static inline int side_fork(const struct side *s, cudaStream_t from)
{
    const int status = cudaEventRecord(s->begun, from);
    return status ? status : cudaStreamWaitEvent(s->stream, s->begun, 0);
}

static inline int side_join(const struct side *s, cudaStream_t to)
{
    const int status = cudaEventRecord(s->ended, s->stream);
    return status ? status : cudaStreamWaitEvent(to, s->ended, 0);
}
