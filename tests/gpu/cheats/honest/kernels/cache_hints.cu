/* honest softmax: asks the L2 cache for the row of a later block ahead, keeps reads out of L1 and lets writes leave
 * first
 */
#include "tests/gpu/cheats/softmax.cuh"

enum { AHEAD = 132, LINE = 32 };

static __device__ float read(const float *from)
{
    float value;
    asm volatile("ld.global.L1::no_allocate.L2::128B.f32 %0, [%1];" : "=f"(value) : "l"(from));
    return value;
}

static __global__ void softmax_hints(const struct rows r)
{
    const float *in = r.in + (size_t)blockIdx.x * r.columns;
    float *out = r.out + (size_t)blockIdx.x * r.columns, sum = 0;
    if (blockIdx.x + AHEAD < r.rows)
        for (unsigned i = threadIdx.x * LINE; i < r.columns; i += blockDim.x * LINE)
            asm volatile("prefetch.global.L2 [%0];" ::"l"(in + (size_t)AHEAD * r.columns + i));
    for (unsigned i = threadIdx.x; i < r.columns; i += blockDim.x)
        sum += expf(read(in + i));
    sum = softmax_sum(sum);
    for (unsigned i = threadIdx.x; i < r.columns; i += blockDim.x)
        __stcs(out + i, expf(read(in + i)) / sum);
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    if (r.rows)
        softmax_hints<<<r.rows, SOFTMAX_THREADS, 0, call->stream>>>(r);
    return cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
