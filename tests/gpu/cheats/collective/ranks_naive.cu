/* honest allreduce: each rank reads the inputs of all and writes its own output; inputs are there, so nobody waits */
#include "tests/gpu/cheats/collective/ranks.cuh"

static int launch(void *, const struct cpprof_call *call)
{
    int status = 0;
    for (int k = 0; k < call->ranks && !status; k++)
        status = launch_sum(sum_of(call, k), &call->rank[k]);
    return status;
}

CPPROF_SOLUTION(.launch = launch, .kernels = "ranks_sum");
