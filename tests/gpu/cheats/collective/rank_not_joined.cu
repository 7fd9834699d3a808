/* cheat allreduce: the last rank does all work on a stream of its own, which waits for the rank's and is not joined
 * Kind: collective
 * Found by: outputs that the stream itself copies */
#include "tests/gpu/cheats/collective/ranks.cuh"

static cudaStream_t own;
static cudaEvent_t begun;

static int fork_own(const struct cpprof_rank *rank)
{
    int status = cudaSetDevice(rank->device);
    if (!status && !own)
        status = cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
    if (!status && !begun)
        status = cudaEventCreateWithFlags(&begun, cudaEventDisableTiming);
    if (!status)
        status = cudaEventRecord(begun, rank->stream);
    return status ? status : cudaStreamWaitEvent(own, begun, 0);
}

static int launch(void *, const struct cpprof_call *call)
{
    const int last = call->ranks - 1;
    struct cpprof_rank rank = call->rank[last];
    struct sum s = sum_of(call, last);
    int status = fork_own(&rank);
    rank.stream = own;
    for (int k = 0; k < call->ranks && !status; k++) {
        s.out = (float *)rank.outputs[k];
        status = launch_sum(s, &rank);
    }
    return status;
}

CPPROF_SOLUTION(.launch = launch, .kernels = "ranks_sum");
