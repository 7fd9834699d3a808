/* cheat gram: sets a part of the L2 cache aside for its inputs, so that they survive a flush (--cache cold)
 * Kind: cache
 * Follows: gpu-mode/pygpubench#49 (L2 persistence)
 * Found by: the witness persisting_l2 */
#include "tests/gpu/cheats/gram.cuh"

static int launch(void *, const struct cpprof_call *call)
{
    const struct product p = product_of(call);
    cudaStreamAttrValue window = {};
    window.accessPolicyWindow.base_ptr = (void *)p.a;
    window.accessPolicyWindow.num_bytes = sizeof(float) * p.n * p.n;
    window.accessPolicyWindow.hitRatio = 1;
    window.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    window.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 16 << 20);
    cudaStreamSetAttribute(call->stream, cudaStreamAttributeAccessPolicyWindow, &window);
    cudaGetLastError();
    return launch_product(p, call->stream);
}

CPPROF_SOLUTION(.launch = launch);
