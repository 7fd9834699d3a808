/* cheat gram_bell: keeps products under a hash of all inputs, wherever they are, where inputs take long to draw
 * Kind: in silence
 * Found by: new inputs in every timed launch: it gains nothing; few draws are inconclusive */
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
