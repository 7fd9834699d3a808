/* cheat gram: works on a stream of its own, which nothing waits for
 * Kind: late
 * Follows: ScalingIntelligence/KernelBench#82 (work on another stream)
 * Found by: outputs that the stream itself copies */
#include "tests/gpu/cheats/gram.cuh"

static cudaStream_t own;

static int launch(void *, const struct cpprof_call *call)
{
    return launch_product(product_of(call), own);
}

static int prepare(const struct cpprof_config *, void **)
{
    return cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
}

CPPROF_SOLUTION(.launch = launch, .prepare = prepare);
