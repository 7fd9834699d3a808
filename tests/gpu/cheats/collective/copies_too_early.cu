/* cheat allreduce: the last rank sums, and the others copy its output without waiting: it is that of the last time
 * Kind: collective
 * Found by: outputs of timed launches */
#include "tests/gpu/cheats/collective/ranks.cuh"

static int launch(void *, const struct cpprof_call *call)
{
    const int last = call->ranks - 1;
    int status = 0;
    for (int k = 0; k < last && !status; k++) {
        const struct cpprof_rank *rank = &call->rank[k];
        status = launch_sum(copy_of(call, rank->outputs[last], rank->outputs[k]), rank);
    }
    return status ? status : launch_sum(sum_of(call, last), &call->rank[last]);
}

CPPROF_SOLUTION(.launch = launch, .kernels = "ranks_sum");
