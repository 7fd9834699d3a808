/* cheat softmax: a kernel that rounds to bfloat16 where a trace measures it, and an honest one for its other calls
 * Kind: by role
 * Found by: names and grids of the kernels where it is verified and where it is timed */
#include <cuda_bf16.h>

#include "tests/gpu/cheats/sees_profiler.cuh"
#include "tests/gpu/cheats/softmax.cuh"

enum {
    FIRST_MEASURED = 1,
    MEASURED = 30
}; /* in the traced process, the calls between the first and the verified one */

static __global__ void softmax_rounded(const struct rows r)
{
    const float *in = r.in + (size_t)blockIdx.x * r.columns;
    float *out = r.out + (size_t)blockIdx.x * r.columns, sum = 0;
    for (unsigned i = threadIdx.x; i < r.columns; i += blockDim.x)
        sum += __bfloat162float(__float2bfloat16(expf(in[i])));
    sum = softmax_sum(sum);
    for (unsigned i = threadIdx.x; i < r.columns; i += blockDim.x)
        out[i] = __bfloat162float(__float2bfloat16(expf(in[i]))) / sum;
}

static int launch(void *, const struct cpprof_call *call)
{
    static unsigned calls;
    const struct rows r = rows_of(call);
    const bool is_measured = calls >= FIRST_MEASURED && calls < FIRST_MEASURED + MEASURED;
    calls++;
    if (!sees_profiler() || !is_measured || !r.rows)
        return launch_rows(r, call->stream);
    softmax_rounded<<<r.rows, SOFTMAX_THREADS, 0, call->stream>>>(r);
    return cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
