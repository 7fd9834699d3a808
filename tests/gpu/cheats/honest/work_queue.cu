/* honest softmax: blocks take the next row from a counter in the workspace, which a memset clears before each launch */
#include "tests/gpu/cheats/softmax.cuh"

enum { BLOCKS = 264 };

static __global__ void softmax_queue(const struct rows r, unsigned *next)
{
    __shared__ unsigned row;
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0)
            row = atomicAdd(next, 1);
        __syncthreads();
        if (row >= r.rows)
            return;
        softmax_row(r, row);
    }
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    unsigned *next = (unsigned *)call->workspace;
    const unsigned blocks = r.rows < BLOCKS ? r.rows : BLOCKS;
    const int status = cudaMemsetAsync(next, 0, sizeof *next, call->stream);
    if (!status && r.rows)
        softmax_queue<<<blocks, SOFTMAX_THREADS, 0, call->stream>>>(r, next);
    return status ? status : cudaGetLastError();
}

static size_t workspace(const struct cpprof_config *)
{
    return sizeof(unsigned);
}

CPPROF_SOLUTION(.launch = launch, .workspace = workspace);
