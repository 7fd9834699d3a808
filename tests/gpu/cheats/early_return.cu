/* cheat softmax: stops working after 60 calls
 * Kind: left out
 * Found by: outputs of timed launches */
#include "tests/gpu/cheats/softmax.cuh"

static unsigned calls;

static int launch(void *, const struct cpprof_call *call)
{
    return calls++ < 60 ? launch_rows(rows_of(call), call->stream) : 0;
}

CPPROF_SOLUTION(.launch = launch);
