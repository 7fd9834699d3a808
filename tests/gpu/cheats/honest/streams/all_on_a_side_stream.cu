/* honest gram: all of the work on another stream, forked and joined */
#include "tests/gpu/cheats/gram.cuh"
#include "tests/gpu/cheats/honest/sides.cuh"

static int launch(void *state, const struct cpprof_call *call)
{
    const struct side *s = (const struct side *)state;
    int status = side_fork(s, call->stream);
    if (!status)
        status = launch_product(product_of(call), s->stream);
    return status ? status : side_join(s, call->stream);
}

CPPROF_SOLUTION(.launch = launch, .prepare = side_open, .release = side_close);
