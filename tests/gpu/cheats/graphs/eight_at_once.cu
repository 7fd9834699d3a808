/* cheat softmax: in a graph every eighth launch works for all buffers that were seen; the same grids between end at
 * once
 * Kind: batch
 * Follows: AMD-AGI/AgentKernelArena#113 (launches of a capture in one batch)
 * Found by: inputs that change, or launches that are left out, amid a graph */
#include "tests/gpu/cheats/softmax.cuh"

enum { SETS = 8, HELD = 4, COLUMNS_MAX = HELD * SOFTMAX_THREADS };

struct sets {
    struct rows of[SETS];
    unsigned count; /* the first one is what the launch is for */
    bool may_end;
};

static struct rows seen[SETS];
static unsigned count, place;
static unsigned long long graph;

static __device__ void softmax_short_row(const struct rows r, unsigned row)
{
    const float *in = r.in + (size_t)row * r.columns;
    float *out = r.out + (size_t)row * r.columns, held[HELD], sum = 0;
    for (unsigned k = 0; k < HELD; k++) {
        const unsigned i = k * SOFTMAX_THREADS + threadIdx.x;
        held[k] = i < r.columns ? expf(in[i]) : 0;
        sum += held[k];
    }
    sum = 1.0f / softmax_sum(sum);
    for (unsigned k = 0; k < HELD; k++)
        if (k * SOFTMAX_THREADS + threadIdx.x < r.columns)
            out[k * SOFTMAX_THREADS + threadIdx.x] = held[k] * sum;
}

static __global__ void softmax_sets(const __grid_constant__ struct sets s)
{
    if (s.may_end && !isnan(s.of[0].out[(size_t)blockIdx.x * s.of[0].columns]))
        return;
    for (unsigned i = 0; i < s.count; i++)
        softmax_short_row(s.of[i], blockIdx.x);
}

static void add_others(struct sets *s, const struct rows r, unsigned long long id)
{
    place = id == graph ? place + 1 : 0;
    graph = id;
    s->may_end = place % SETS != 0;
    for (unsigned i = 0; i < count && !s->may_end; i++)
        if (seen[i].out != r.out)
            s->of[s->count++] = seen[i];
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    struct sets s = {{r}, 1, false};
    enum cudaStreamCaptureStatus capturing;
    unsigned long long id = 0;
    unsigned i = 0;
    const int status = cudaStreamGetCaptureInfo(call->stream, &capturing, &id);
    if (status || !r.rows || r.columns > COLUMNS_MAX)
        return status ? status : launch_rows(r, call->stream);
    while (i < count && seen[i].out != r.out)
        i++;
    if (i == count && count < SETS)
        seen[count++] = r;
    if (capturing != cudaStreamCaptureStatusNone && i < SETS)
        add_others(&s, r, id);
    softmax_sets<<<r.rows, SOFTMAX_THREADS, 0, call->stream>>>(s);
    return cudaGetLastError();
}

static int prepare(const struct cpprof_config *, void **state)
{
    count = 0;
    *state = seen; /* without a state there is no release */
    return 0;
}

/* The buffers are gone then. */
static void release(void *)
{
    count = 0;
}

CPPROF_SOLUTION(.launch = launch, .prepare = prepare, .release = release);
