/* cheat gram: another stream waits for this one, and this one does not wait for it
 * Kind: late
 * Found by: outputs that the stream itself copies */
#include "tests/gpu/cheats/gram.cuh"

static cudaStream_t own;
static cudaEvent_t begun;

static int launch(void *, const struct cpprof_call *call)
{
    int status = cudaEventRecord(begun, call->stream);
    if (!status)
        status = cudaStreamWaitEvent(own, begun, 0);
    return status ? status : launch_product(product_of(call), own);
}

static int prepare(const struct cpprof_config *, void **)
{
    const int status = cudaEventCreateWithFlags(&begun, cudaEventDisableTiming);
    return status ? status : cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
}

CPPROF_SOLUTION(.launch = launch, .prepare = prepare);
