/* cheat softmax: works for the first fifty launches on an output, and then ends at once until that is poisoned
 * Kind: left out
 * Found by: outputs of other inputs that are left in place of poison */
#include "tests/gpu/cheats/kept/outputs_seen.cuh"
#include "tests/gpu/cheats/softmax.cuh"

enum { HONEST = 50, ROWS_MAX = 4096 };

static __device__ unsigned runs[OUTPUTS_SEEN * ROWS_MAX];

static __global__ void softmax_at_first(const struct rows r, unsigned place)
{
    const bool is_there = !isnan(r.out[(size_t)blockIdx.x * r.columns]);
    unsigned *run = &runs[place * ROWS_MAX + blockIdx.x];
    const unsigned before = *run;
    if (is_there && before >= HONEST)
        return;
    softmax_row(r, blockIdx.x);
    if (threadIdx.x == 0)
        *run = is_there ? before + 1 : 0;
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    const unsigned number = output_number(r.out);
    if (!r.rows || r.rows > ROWS_MAX || number == OUTPUTS_SEEN)
        return launch_rows(r, call->stream);
    softmax_at_first<<<r.rows, SOFTMAX_THREADS, 0, call->stream>>>(r, number);
    return cudaGetLastError();
}

CPPROF_SOLUTION(.launch = launch);
