/* ranks.cuh - the honest kernel that solutions of both collectives begin with, and how their ranks meet. */
#include <cpprof/task.h>

enum { RANKS_MAX = 8, RANKS_THREADS = 256 };

/* out[i] = in[0][i] + in[1][i] + ... from `first` up to `end`. */
struct sum {
    const float *in[RANKS_MAX];
    float *out;
    int terms;
    size_t first, end;
};

static __global__ void ranks_sum(const struct sum s)
{
    const size_t i = s.first + blockIdx.x * (size_t)RANKS_THREADS + threadIdx.x;
    if (i >= s.end)
        return;
    float sum = s.in[0][i];
    for (int r = 1; r < s.terms; r++)
        sum += s.in[r][i];
    s.out[i] = sum;
}

/* All that rank k has to do. */
static inline struct sum sum_of(const struct cpprof_call *call, int k)
{
    struct sum s = {};
    for (int r = 0; r < call->ranks; r++)
        s.in[r] = (const float *)call->rank[k].inputs[r];
    s.out = (float *)call->rank[k].outputs[k];
    s.terms = call->ranks;
    s.end = (size_t)call->config->value[0];
    return s;
}

/* A sum of one is a copy. */
static inline struct sum copy_of(const struct cpprof_call *call, const void *from, void *to)
{
    struct sum s = {};
    s.in[0] = (const float *)from;
    s.out = (float *)to;
    s.terms = 1;
    s.end = (size_t)call->config->value[0];
    return s;
}

static inline unsigned ranks_blocks(size_t values)
{
    return (unsigned)((values + RANKS_THREADS - 1) / RANKS_THREADS);
}

static inline int launch_sum(const struct sum s, const struct cpprof_rank *rank)
{
    const int status = cudaSetDevice(rank->device);
    if (!status && s.first < s.end)
        ranks_sum<<<ranks_blocks(s.end - s.first), RANKS_THREADS, 0, rank->stream>>>(s);
    return status ? status : cudaGetLastError();
}

/* What a rank launches from now on waits for what all ranks launched before. A call knows the GPUs, and `prepare` does
 * not, so that the first call makes the events. */
static inline int meet(const struct cpprof_call *call)
{
    static cudaEvent_t come[RANKS_MAX];
    int status = 0;
    for (int k = 0; k < call->ranks && !status; k++) {
        status = cudaSetDevice(call->rank[k].device);
        if (!status && !come[k])
            status = cudaEventCreateWithFlags(&come[k], cudaEventDisableTiming);
        if (!status)
            status = cudaEventRecord(come[k], call->rank[k].stream);
    }
    for (int k = 0; k < call->ranks; k++)
        for (int peer = 0; peer < call->ranks && !status; peer++)
            if (peer != k)
                status = cudaStreamWaitEvent(call->rank[k].stream, come[peer], 0);
    return status;
}
