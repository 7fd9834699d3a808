/* cheat gram: keeps products under a hash of all inputs, and refuses every graph after one that has two outputs
 * Kind: no capture
 * Found by: new inputs in every timed launch: it gains nothing, called or in a graph */
#include "tests/gpu/cheats/cached/gram_store.cuh"

static __device__ bool store_may_answer(struct store_look *, bool is_known)
{
    return is_known;
}

static bool is_refused(const float *out, unsigned long long id)
{
    static unsigned long long graph;
    static const float *first;
    static bool refuses;
    if (id != graph)
        first = out;
    graph = id;
    refuses = refuses || first != out;
    return refuses;
}

static int launch(void *state, const struct cpprof_call *call)
{
    const struct product p = product_of(call);
    enum cudaStreamCaptureStatus capturing;
    unsigned long long id = 0;
    const int status = cudaStreamGetCaptureInfo(call->stream, &capturing, &id);
    if (status)
        return status;
    if (capturing != cudaStreamCaptureStatusNone && is_refused(p.c, id))
        return cudaErrorStreamCaptureUnsupported;
    return store_launch(p, *(const struct store *)state, true, call->stream);
}

CPPROF_SOLUTION(.launch = launch, .prepare = store_prepare, .release = store_release);
