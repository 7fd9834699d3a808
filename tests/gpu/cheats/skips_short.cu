/* cheat softmax: ends at once where the output is there, unless a profiler is loaded: it saves less than a witness
 * sees
 * Kind: left out
 * Found by: outputs of other inputs that are left in place of poison */
#include "tests/gpu/cheats/sees_profiler.cuh"
#include "tests/gpu/cheats/softmax.cuh"

static __global__ void softmax_once(const struct rows r, bool always)
{
    if (always || isnan(r.out[(size_t)blockIdx.x * r.columns]))
        softmax_row(r, blockIdx.x);
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    if (r.rows)
        softmax_once<<<r.rows, SOFTMAX_THREADS, 0, call->stream>>>(r, sees_profiler());
    return cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
