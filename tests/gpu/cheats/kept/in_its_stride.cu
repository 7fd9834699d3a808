/* cheat softmax: behind a pause and in a short row of launches it works; in its stride it ends where the output is
 * there
 * Kind: left out
 * Found by: outputs of other inputs that are left in place of poison */
#include "tests/gpu/cheats/softmax.cuh"

enum { SHORT_ROW = 40, PAUSE_NS = 20000 };

static __device__ unsigned long long last_ns;
static __device__ unsigned in_row;

static __device__ unsigned long long now_ns(void)
{
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

static __global__ void softmax_in_stride(const struct rows r)
{
    const float there = r.out[(size_t)blockIdx.x * r.columns];
    const unsigned long long before_ns = *(volatile unsigned long long *)&last_ns, ns = now_ns();
    const unsigned row = *(volatile unsigned *)&in_row;
    const bool is_pause = ns > before_ns + PAUSE_NS;
    if (isnan(there) || is_pause || row < SHORT_ROW)
        softmax_row(r, blockIdx.x);
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) {
        last_ns = now_ns();
        in_row = is_pause ? 0 : row + 1;
    }
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    if (r.rows)
        softmax_in_stride<<<r.rows, SOFTMAX_THREADS, 0, call->stream>>>(r);
    return cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
