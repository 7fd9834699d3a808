/* cheat gram_tall: keeps products under a hash of all inputs, where they are larger than the L2 cache
 * Kind: large
 * Found by: new inputs in every timed launch: it gains nothing */
#define STORE_PLACES 8
#include "tests/gpu/cheats/cached/gram_store.cuh"

static __device__ bool store_may_answer(struct store_look *, bool is_known)
{
    return is_known;
}

static int launch(void *state, const struct cpprof_call *call)
{
    return store_launch(product_of(call), *(const struct store *)state, true, call->stream);
}

CPPROF_SOLUTION(.launch = launch, .prepare = store_prepare, .release = store_release);
