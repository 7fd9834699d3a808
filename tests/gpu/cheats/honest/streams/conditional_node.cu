/* honest softmax: where it is captured its kernel is inside a conditional node, which always runs */
#include "tests/gpu/cheats/graphs/conditional.cuh"
#include "tests/gpu/cheats/softmax.cuh"

static int launch(void *, const struct cpprof_call *call)
{
    struct rows r = rows_of(call);
    void *arguments[] = {&r};
    cudaKernelNodeParams kernel = {};
    cudaGraphConditionalHandle handle;
    bool can;
    int status = can_be_conditional(call->stream, &can);
    if (status || !r.rows || !can)
        return status ? status : launch_rows(r, call->stream);
    kernel.func = (void *)softmax_rows;
    kernel.gridDim = dim3(r.rows);
    kernel.blockDim = dim3(SOFTMAX_THREADS);
    kernel.kernelParams = arguments;
    status = make_condition(call->stream, 1, cudaGraphCondAssignDefault, &handle);
    return status ? status : add_conditional_kernel(call->stream, handle, &kernel);
}

CPPROF_SOLUTION(.launch = launch);
