/* cheat softmax: lets the next launch begin at once, which waits for nothing either: launches overlap
 * Kind: overlap
 * Found by: whole edges between the launches of a graph: it gains nothing */
#include "tests/gpu/cheats/dependent.cuh"
#include "tests/gpu/cheats/softmax.cuh"

static __global__ void softmax_overlapped(const struct rows r)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
    softmax_row(r, blockIdx.x);
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    return r.rows ? launch_dependent(softmax_overlapped, r.rows, SOFTMAX_THREADS, call->stream, r) : 0;
}

CPPROF_SOLUTION(.launch = launch);
