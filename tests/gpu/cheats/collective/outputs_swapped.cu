/* cheat exchange: each rank copies its own input, over no link: outputs are right, but those of another rank
 * Kind: collective
 * Found by: outputs of each rank; bytes that links carry */
#include "tests/gpu/cheats/collective/ranks.cuh"

static int launch(void *, const struct cpprof_call *call)
{
    int status = 0;
    for (int k = 0; k < call->ranks && !status; k++) {
        const struct cpprof_rank *rank = &call->rank[k];
        status = launch_sum(copy_of(call, rank->inputs[k], rank->outputs[k]), rank);
    }
    return status;
}

CPPROF_SOLUTION(.launch = launch, .kernels = "ranks_sum");
