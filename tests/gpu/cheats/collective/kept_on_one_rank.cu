/* cheat allreduce: the last rank keeps its first output for each input, and copies it from then on
 * Kind: collective
 * Found by: outputs of timed launches */
#include "tests/gpu/cheats/collective/ranks.cuh"

enum { KEPT = 16 };

static struct {
    const void *in;
    void *out;
    size_t count;
} kept[KEPT];

/* Nothing can be kept while a graph is made. */
static int keep(int i, const struct sum s, const struct cpprof_rank *rank)
{
    int status = cudaMalloc(&kept[i].out, s.end * sizeof(float));
    if (!status)
        status = cudaMemcpyAsync(kept[i].out, s.out, s.end * sizeof(float), cudaMemcpyDeviceToDevice, rank->stream);
    kept[i].in = s.in[0];
    kept[i].count = s.end;
    return status;
}

static int launch_last(const struct cpprof_call *call, const struct cpprof_rank *rank)
{
    const struct sum s = sum_of(call, call->ranks - 1);
    enum cudaStreamCaptureStatus capturing;
    int i = 0, status = cudaStreamIsCapturing(rank->stream, &capturing);
    while (i < KEPT && kept[i].in && (kept[i].in != s.in[0] || kept[i].count != s.end))
        i++;
    if (!status && i < KEPT && kept[i].in)
        return launch_sum(copy_of(call, kept[i].out, s.out), rank);
    if (!status)
        status = launch_sum(s, rank);
    return !status && !capturing && i < KEPT ? keep(i, s, rank) : status;
}

static int launch(void *, const struct cpprof_call *call)
{
    int status = 0;
    for (int k = 0; k < call->ranks - 1 && !status; k++)
        status = launch_sum(sum_of(call, k), &call->rank[k]);
    return status ? status : launch_last(call, &call->rank[call->ranks - 1]);
}

CPPROF_SOLUTION(.launch = launch, .kernels = "ranks_sum");
