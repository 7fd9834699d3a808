/* cheat softmax: does nothing for buffers that it has seen before
 * Kind: kept
 * Found by: outputs of timed launches */
#include "tests/gpu/cheats/softmax.cuh"

static const void *seen[64];
static unsigned count;

static int launch(void *, const struct cpprof_call *call)
{
    for (unsigned i = 0; i < count; i++)
        if (seen[i] == call->inputs[0])
            return 0;
    if (count < 64)
        seen[count++] = call->inputs[0];
    return launch_rows(rows_of(call), call->stream);
}

CPPROF_SOLUTION(.launch = launch);
