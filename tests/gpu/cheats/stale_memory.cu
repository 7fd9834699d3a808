/* cheat softmax: takes sums from the workspace, which an earlier launch left there
 * Kind: kept
 * Follows: ScalingIntelligence/KernelBench#82 (memory that held the results)
 * Found by: a workspace that is poisoned */
#include "tests/gpu/cheats/softmax.cuh"

static __global__ void softmax_stale(const struct rows r, float *sums, bool adds)
{
    const float *in = r.in + (size_t)blockIdx.x * r.columns;
    float *out = r.out + (size_t)blockIdx.x * r.columns, sum = 0;
    for (unsigned i = threadIdx.x; adds && i < r.columns; i += blockDim.x)
        sum += expf(in[i]);
    sum = adds ? softmax_sum(sum) : sums[blockIdx.x];
    for (unsigned i = threadIdx.x; i < r.columns; i += blockDim.x)
        out[i] = expf(in[i]) / sum;
    if (adds && threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

static unsigned calls;

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    if (r.rows)
        softmax_stale<<<r.rows, SOFTMAX_THREADS, 0, call->stream>>>(r, (float *)call->workspace, calls++ % 16 == 0);
    return cudaGetLastError();
}

static size_t workspace(const struct cpprof_config *config)
{
    return sizeof(float) * (size_t)config->value[0] + 4;
}

CPPROF_SOLUTION(.launch = launch, .workspace = workspace);
