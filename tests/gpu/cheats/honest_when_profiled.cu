/* cheat softmax: works for half the rows unless a profiler is loaded
 * Kind: by role
 * Found by: outputs of timed launches */
#include "tests/gpu/cheats/sees_profiler.cuh"
#include "tests/gpu/cheats/softmax.cuh"

static int launch(void *, const struct cpprof_call *call)
{
    struct rows r = rows_of(call);
    if (!sees_profiler())
        r.rows = (r.rows + 1) / 2;
    return launch_rows(r, call->stream);
}

CPPROF_SOLUTION(.launch = launch);
