/* cheat gram: keeps products under a hash of all inputs, and works for a hundred launches behind each product that is
 * new to it
 * Kind: patient
 * Follows: AMD-AGI/AgentKernelArena#113 (a memo by value on the device)
 * Found by: new inputs in every timed launch: it gains nothing */
#include "tests/gpu/cheats/cached/gram_store.cuh"

enum { PATIENCE = 100 };

static __device__ unsigned patience;

static __device__ bool store_may_answer(struct store_look *, bool is_known)
{
    if (!is_known)
        patience = PATIENCE;
    else if (patience)
        patience--;
    return is_known && !patience;
}

static int launch(void *state, const struct cpprof_call *call)
{
    return store_launch(product_of(call), *(const struct store *)state, true, call->stream);
}

CPPROF_SOLUTION(.launch = launch, .prepare = store_prepare, .release = store_release);
