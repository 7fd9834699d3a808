/* cheat softmax: a second kernel of each launch does not wait for the first one, and the next launch waits for it
 * alone
 * Kind: overlap
 * Found by: whole edges between the launches of a graph: it gains nothing */
#include "tests/gpu/cheats/dependent.cuh"
#include "tests/gpu/cheats/softmax.cuh"

static __global__ void softmax_early(const struct rows r)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
    softmax_row(r, blockIdx.x);
}

static __global__ void softmax_end(void)
{
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    if (!r.rows)
        return 0;
    softmax_early<<<r.rows, SOFTMAX_THREADS, 0, call->stream>>>(r);
    const int status = cudaGetLastError();
    return status ? status : launch_dependent(softmax_end, 1, 32, call->stream);
}

CPPROF_SOLUTION(.launch = launch);
