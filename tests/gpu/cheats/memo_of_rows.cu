/* cheat softmax: keeps rows under their first two values, and copies them when these come again: as many bytes
 * Kind: kept by content
 * Found by: new inputs in every timed launch: it gains nothing */
#include "tests/gpu/cheats/softmax.cuh"

enum { KEPT = 64 };

struct memo {
    unsigned long long *keys; /* KEPT of each row */
    float *values;
    size_t rows, columns;
};

static struct memo memo;

static __global__ void softmax_remembered(const struct rows r, const struct memo m)
{
    const float *in = r.in + (size_t)blockIdx.x * r.columns;
    float *out = r.out + (size_t)blockIdx.x * r.columns;
    const unsigned second = r.columns > 1 ? __float_as_uint(in[1]) : 1;
    const unsigned long long key = (unsigned long long)__float_as_uint(in[0]) << 32 | second;
    const size_t place = (size_t)blockIdx.x * KEPT + (key ^ key >> 32) % KEPT;
    float *kept = m.values + place * r.columns;
    const bool is_known = m.keys[place] == key;
    __syncthreads();
    if (is_known) {
        for (unsigned i = threadIdx.x; i < r.columns; i += blockDim.x)
            out[i] = kept[i];
        return;
    }
    softmax_row(r, blockIdx.x);
    for (unsigned i = threadIdx.x; i < r.columns; i += blockDim.x)
        kept[i] = out[i];
    if (threadIdx.x == 0)
        m.keys[place] = key;
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    if (r.rows)
        softmax_remembered<<<r.rows, SOFTMAX_THREADS, 0, call->stream>>>(r, memo);
    return cudaGetLastError();
}

/* What an earlier, smaller shape had is left. */
static int prepare(const struct cpprof_config *config, void **)
{
    const size_t rows = (size_t)config->value[0], columns = (size_t)config->value[1];
    int status = 0;
    if (memo.keys && memo.rows >= rows && memo.columns == columns)
        return cudaMemset(memo.keys, 0, memo.rows * KEPT * sizeof *memo.keys);
    status = cudaMalloc((void **)&memo.keys, (rows * KEPT + 1) * sizeof *memo.keys);
    if (!status)
        status = cudaMalloc((void **)&memo.values, (rows * KEPT * columns + 1) * sizeof *memo.values);
    memo.rows = rows;
    memo.columns = columns;
    return status ? status : cudaMemset(memo.keys, 0, (rows * KEPT + 1) * sizeof *memo.keys);
}

CPPROF_SOLUTION(.launch = launch, .prepare = prepare);
