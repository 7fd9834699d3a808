/* honest allreduce: each rank sums a part into its workspace; they meet by events, and each gathers the parts of all */
#include "tests/gpu/cheats/collective/ranks.cuh"

/* in[r] holds part r, each of `each` values. */
static __global__ void ranks_gather(const struct sum s, size_t each)
{
    const size_t i = blockIdx.x * (size_t)RANKS_THREADS + threadIdx.x;
    if (i < s.end)
        s.out[i] = s.in[i / each][i];
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static int launch(void *, const struct cpprof_call *call)
{
    const size_t all = (size_t)call->config->value[0], ranks = (size_t)call->ranks, each = (all + ranks - 1) / ranks;
    int status = 0;
    for (int k = 0; k < call->ranks && !status; k++) {
        struct sum s = sum_of(call, k);
        s.out = (float *)call->rank[k].workspaces[k];
        s.first = least(each * (size_t)k, all);
        s.end = least(s.first + each, all);
        status = launch_sum(s, &call->rank[k]);
    }
    if (!status)
        status = meet(call);
    for (int k = 0; k < call->ranks && !status; k++) {
        struct sum s = sum_of(call, k);
        for (int r = 0; r < call->ranks; r++)
            s.in[r] = (const float *)call->rank[k].workspaces[r];
        status = cudaSetDevice(call->rank[k].device);
        if (!status)
            ranks_gather<<<ranks_blocks(s.end), RANKS_THREADS, 0, call->rank[k].stream>>>(s, each);
        if (!status)
            status = cudaGetLastError();
    }
    return status;
}

static size_t workspace(const struct cpprof_config *config)
{
    return sizeof(float) * (size_t)config->value[0];
}

CPPROF_SOLUTION(.launch = launch, .kernels = "ranks_(sum|gather)", .workspace = workspace);
