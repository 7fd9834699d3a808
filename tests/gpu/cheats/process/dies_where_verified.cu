/* cheat softmax: is right at the shape that is timed, and ends the process at the others, which are verified alone
 * Kind: by role
 * Found by: shapes that were not verified: no row passes */
#include <stdlib.h>

#include "tests/gpu/cheats/softmax.cuh"

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    if (r.columns % 128)
        abort();
    return launch_rows(r, call->stream);
}

CPPROF_SOLUTION(.launch = launch);
