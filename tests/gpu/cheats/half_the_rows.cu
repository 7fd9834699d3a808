/* cheat softmax: a grid of half the rows once the first calls were looked at
 * Kind: left out
 * Found by: outputs of timed launches */
#include "tests/gpu/cheats/softmax.cuh"

static unsigned calls;

static int launch(void *, const struct cpprof_call *call)
{
    struct rows r = rows_of(call);
    if (calls++ > 8)
        r.rows = (r.rows + 1) / 2;
    return launch_rows(r, call->stream);
}

CPPROF_SOLUTION(.launch = launch);
