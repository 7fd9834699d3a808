/* cheat gram: does the work of the call before, after the clock of that one stopped
 * Kind: late
 * Found by: outputs that the stream itself copies */
#include "tests/gpu/cheats/gram.cuh"

static struct product last;

static int launch(void *, const struct cpprof_call *call)
{
    const int status = last.c ? launch_product(last, call->stream) : 0;
    last = product_of(call);
    return status;
}

static int prepare(const struct cpprof_config *, void **)
{
    last.c = NULL;
    return 0;
}

CPPROF_SOLUTION(.launch = launch, .prepare = prepare);
