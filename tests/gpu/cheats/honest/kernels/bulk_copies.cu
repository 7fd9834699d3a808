/* honest softmax: the copy engine of the SM (TMA) brings each row to shared memory; rows that it cannot copy are read
 */
#include "kernels/mbarrier.cuh"
#include "tests/gpu/cheats/softmax.cuh"

enum { COLUMNS_MAX = 8192 };

static __device__ bool brings(const struct rows r, const float *in)
{
    return r.columns % 4 == 0 && r.columns <= COLUMNS_MAX && (uintptr_t)in % 16 == 0;
}

static __global__ void softmax_bulk(const struct rows r)
{
    extern __shared__ __align__(128) float row[];
#if __CUDA_ARCH__ >= 900
    __shared__ uint64_t arrived;
    const float *in = r.in + (size_t)blockIdx.x * r.columns;
    float *out = r.out + (size_t)blockIdx.x * r.columns, sum = 0;
    if (brings(r, in)) {
        if (threadIdx.x == 0) {
            barrier_init(&arrived, 1);
            asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
            barrier_expect(&arrived, r.columns * (unsigned)sizeof(float));
            copy_bulk(row, in, r.columns * (unsigned)sizeof(float), &arrived);
        }
        __syncthreads();
        for (int looks = 0; looks < 1000000 && !barrier_passed(&arrived, 0); looks++)
            ;
        for (unsigned i = threadIdx.x; i < r.columns; i += blockDim.x)
            sum += row[i] = expf(row[i]);
        sum = 1.0f / softmax_sum(sum);
        for (unsigned i = threadIdx.x; i < r.columns; i += blockDim.x)
            out[i] = row[i] * sum;
        return;
    }
#endif
    softmax_row(r, blockIdx.x);
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    const size_t bytes = r.columns <= COLUMNS_MAX ? r.columns * sizeof(float) : 0;
    if (r.rows)
        softmax_bulk<<<r.rows, SOFTMAX_THREADS, bytes, call->stream>>>(r);
    return cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
