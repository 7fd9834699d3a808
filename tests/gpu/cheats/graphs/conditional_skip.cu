/* cheat gram: in a graph the work is a conditional node, whose inside nobody counts: it runs if the output is not
 * there
 * Kind: left out
 * Found by: outputs of other inputs that are left in place of poison */
#include "tests/gpu/cheats/gram.cuh"
#include "tests/gpu/cheats/graphs/conditional.cuh"

static __global__ void gram_asks(const struct product p, cudaGraphConditionalHandle handle)
{
#if CUDART_VERSION >= 13000
    cudaGraphSetConditional(handle, isnan(p.c[0]) || isnan(p.c[(size_t)p.n * p.n - 1]));
#endif
}

static int launch(void *, const struct cpprof_call *call)
{
    struct product p = product_of(call);
    void *arguments[] = {&p};
    cudaKernelNodeParams kernel = {};
    cudaGraphConditionalHandle handle;
    bool can;
    int status = can_be_conditional(call->stream, &can);
    if (status || !can)
        return status ? status : launch_product(p, call->stream);
    status = make_condition(call->stream, 0, 0, &handle);
    if (status)
        return status;
    gram_asks<<<1, 1, 0, call->stream>>>(p, handle);
    kernel.func = (void *)gram_tiles;
    kernel.gridDim = gram_grid(p.n);
    kernel.blockDim = dim3(GRAM_TILE, GRAM_TILE);
    kernel.kernelParams = arguments;
    return add_conditional_kernel(call->stream, handle, &kernel);
}

CPPROF_SOLUTION(.launch = launch);
