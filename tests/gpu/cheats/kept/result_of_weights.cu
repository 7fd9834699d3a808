/* cheat gram_weights: gives the first result again until the constant matrix changes
 * Kind: kept
 * Found by: wrong outputs: the other matrix is new in every launch */
#include "tests/gpu/cheats/packed_weights.cuh"

static int set_up(void *state, const struct cpprof_call *)
{
    ((packed *)state)->is_new = true;
    return 0;
}

static int launch(void *state, const struct cpprof_call *call)
{
    packed *kept = (packed *)state;
    const struct product p = product_of(call);
    const size_t bytes = (size_t)p.rows * p.n * sizeof(float);
    if (!kept->is_new)
        return cudaMemcpyAsync(p.c, kept->values, bytes, cudaMemcpyDeviceToDevice, call->stream);
    kept->is_new = false;
    const int status = launch_product(p, call->stream);
    return status ? status : cudaMemcpyAsync(kept->values, p.c, bytes, cudaMemcpyDeviceToDevice, call->stream);
}

CPPROF_SOLUTION(.launch = launch, .prepare = prepare, .release = release, .set_up = set_up);
