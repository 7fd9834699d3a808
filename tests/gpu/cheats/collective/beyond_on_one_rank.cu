/* cheat allreduce: the last rank writes four values at a time and asks for no tail
 * Kind: collective
 * Found by: guard bands of each rank */
#include "tests/gpu/cheats/collective/ranks.cuh"

static int launch(void *, const struct cpprof_call *call)
{
    int status = 0;
    for (int k = 0; k < call->ranks && !status; k++) {
        struct sum s = sum_of(call, k);
        if (k == call->ranks - 1)
            s.end = (s.end + 3) / 4 * 4;
        status = launch_sum(s, &call->rank[k]);
    }
    return status;
}

CPPROF_SOLUTION(.launch = launch, .kernels = "ranks_sum");
