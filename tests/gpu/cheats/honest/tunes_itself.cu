/* honest softmax: tries three sizes of a block in its first call, and keeps the fastest */
#include "tests/gpu/cheats/softmax.cuh"

static unsigned best;

static __global__ void softmax_of_any_size(const struct rows r)
{
    softmax_row(r, blockIdx.x);
}

static int time_of(const struct rows r, unsigned threads, cudaStream_t stream, float *milliseconds)
{
    cudaEvent_t begin, end;
    int status = cudaEventCreate(&begin);
    if (!status)
        status = cudaEventCreate(&end);
    if (status)
        return status;
    cudaEventRecord(begin, stream);
    for (int i = 0; i < 20; i++)
        softmax_of_any_size<<<r.rows, threads, 0, stream>>>(r);
    cudaEventRecord(end, stream);
    status = cudaEventSynchronize(end);
    return status ? status : cudaEventElapsedTime(milliseconds, begin, end);
}

static int launch(void *, const struct cpprof_call *call)
{
    static const unsigned sizes[] = {32, 64, 128};
    const struct rows r = rows_of(call);
    float least = 1e9f, now = 0;
    int status = 0;
    for (unsigned i = 0; !best && r.rows && i < 3 && !status; i++) {
        status = time_of(r, sizes[i], call->stream, &now);
        if (now < least)
            least = now, best = sizes[i];
    }
    if (!status && r.rows)
        softmax_of_any_size<<<r.rows, best, 0, call->stream>>>(r);
    return status ? status : cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
