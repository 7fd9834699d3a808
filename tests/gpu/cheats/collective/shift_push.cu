/* honest exchange: each rank writes its input into the output of the rank before it, over the link */
#include "tests/gpu/cheats/collective/ranks.cuh"

static int launch(void *, const struct cpprof_call *call)
{
    int status = 0;
    for (int k = 0; k < call->ranks && !status; k++) {
        const struct cpprof_rank *rank = &call->rank[k];
        void *to = rank->outputs[(k + call->ranks - 1) % call->ranks];
        status = launch_sum(copy_of(call, rank->inputs[k], to), rank);
    }
    return status;
}

CPPROF_SOLUTION(.launch = launch, .kernels = "ranks_sum");
