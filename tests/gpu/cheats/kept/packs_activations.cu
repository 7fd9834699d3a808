/* cheat gram_weights: keeps the matrix that is not constant, too, as the first launch behind set_up found it
 * Kind: kept
 * Found by: wrong outputs: that matrix is new in every launch */
#include "tests/gpu/cheats/packed_weights.cuh"

static int set_up(void *state, const struct cpprof_call *)
{
    ((packed *)state)->is_new = true;
    return 0;
}

static int launch(void *state, const struct cpprof_call *call)
{
    packed *kept = (packed *)state;
    struct product p = product_of(call);
    const size_t bytes = (size_t)p.rows * p.n * sizeof(float);
    int status = 0;
    if (kept->is_new)
        status = cudaMemcpyAsync(kept->values, p.a, bytes, cudaMemcpyDeviceToDevice, call->stream);
    kept->is_new = false;
    p.a = (const float *)kept->values;
    return status ? status : launch_product(p, call->stream);
}

CPPROF_SOLUTION(.launch = launch, .prepare = prepare, .release = release, .set_up = set_up);
