/* pipeline.cuh - the kernels of the family `pipeline` on buffers of a task. */
#include "kernels/pipeline/pipeline.cu"

#include <cpprof/task.h>

#include "tests/gpu/families/setting.h"

static int plan(const struct cpprof_config *, void **out)
{
    struct state *s = (struct state *)calloc(1, sizeof *s);
    int device, sm_count;
    *out = s;
    if (!s)
        return cudaErrorMemoryAllocation;
    cudaError_t status = cudaGetDevice(&device);
    if (!status)
        status = cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device);
    s->grid = status ? 0 : PIPELINE_CTAS_PER_SM * sm_count;
    return status;
}

template <int (*LAUNCH)(void *, struct CUstream_st *)> static int solve(void *opaque, const struct cpprof_call *call)
{
    struct state s = *(struct state *)opaque;
    const size_t n = (size_t)call->config->value[0], chunks = (n + CHUNK_FLOATS - 1) / CHUNK_FLOATS;
    s.tiles = {(const float *)call->inputs[0],
               (float *)call->outputs[0],
               n,
               chunks,
               (chunks + TILE_CHUNKS - 1) / TILE_CHUNKS,
               PIPELINE_WORK};
    return LAUNCH(&s, call->stream);
}
