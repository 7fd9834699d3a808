/* cheat allreduce: the last rank works in the first calls only; then its output is that of the last time
 * Kind: collective
 * Found by: outputs of timed launches */
#include "tests/gpu/cheats/collective/ranks.cuh"

static unsigned calls;

static int launch(void *, const struct cpprof_call *call)
{
    const int ranks = calls++ < 8 ? call->ranks : call->ranks - 1;
    int status = 0;
    for (int k = 0; k < ranks && !status; k++)
        status = launch_sum(sum_of(call, k), &call->rank[k]);
    return status;
}

CPPROF_SOLUTION(.launch = launch, .kernels = "ranks_sum");
