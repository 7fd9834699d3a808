/* streams.cuh - the kernels of the family `streams` on buffers of a task. */
#include "kernels/streams/streams.cu"

#include <cpprof/task.h>

#include "tests/gpu/families/setting.h"

static int plan(const struct cpprof_config *config, void **out)
{
    struct state *s = (struct state *)calloc(1, sizeof *s);
    *out = s;
    if (!s)
        return cudaErrorMemoryAllocation;
    s->n = (size_t)config->value[0];
    s->work = STREAMS_WORK;
    cudaError_t status = cudaGetDevice(&s->device);
    s->other_device = s->device;
    if (!status)
        status = cudaDeviceGetAttribute(&s->sm_count, cudaDevAttrMultiProcessorCount, s->device);
    return status ? status : make_streams(s);
}

/* Buffers are the judge's. */
static void end(void *opaque)
{
    struct state *s = (struct state *)opaque;
    s->in = s->out = NULL;
    teardown(s);
}

template <int (*LAUNCH)(void *, struct CUstream_st *)> static int solve(void *opaque, const struct cpprof_call *call)
{
    struct state *s = (struct state *)opaque;
    s->in = (float *)call->inputs[0];
    s->out = (float *)call->outputs[0];
    return LAUNCH(s, call->stream);
}
