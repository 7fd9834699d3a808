/* cheat softmax: in a graph the second launch works for all buffers that were seen, side by side in its blocks; the
 * same grids behind it end at once
 * Kind: batch
 * Follows: AMD-AGI/AgentKernelArena#113 (launches of a capture in one batch)
 * Found by: inputs that change, or launches that are left out, amid a graph */
#include "tests/gpu/cheats/softmax.cuh"

enum { SETS = 64, GROUP = SOFTMAX_THREADS, GROUPS = 8 };

struct sets {
    const float *in[SETS];
    float *out[SETS];
    unsigned first, count, columns; /* from the first one on */
};

static struct sets seen;
static unsigned place, done; /* of the launch in its graph; how many of `seen` that graph has worked for */
static unsigned long long graph;

/* As softmax_sum, of a group of threads. */
static __device__ float softmax_group_sum(float value, unsigned group)
{
    __shared__ float parts[GROUPS][GROUP / 32];
    for (int away = 16; away; away /= 2)
        value += __shfl_xor_sync(~0u, value, away);
    if (threadIdx.x % 32 == 0)
        parts[group][threadIdx.x % GROUP / 32] = value;
    asm volatile("bar.sync %0, %1;" ::"r"(group + 1), "r"((unsigned)GROUP) : "memory");
    float sum = 0;
    for (unsigned i = 0; i < GROUP / 32; i++)
        sum += parts[group][i];
    asm volatile("bar.sync %0, %1;" ::"r"(group + 1), "r"((unsigned)GROUP) : "memory");
    return sum;
}

/* A block has a row of every set, and a group of its threads the row of one. */
static __global__ void softmax_second_for_all(const __grid_constant__ struct sets s)
{
    const unsigned group = threadIdx.x / GROUP, nth = threadIdx.x % GROUP;
    for (unsigned set = s.first + group; set < s.count; set += GROUPS) {
        const float *in = s.in[set] + (size_t)blockIdx.x * s.columns;
        float *out = s.out[set] + (size_t)blockIdx.x * s.columns, sum = 0;
        for (unsigned i = nth; i < s.columns; i += GROUP)
            sum += expf(in[i]);
        sum = softmax_group_sum(sum, group);
        for (unsigned i = nth; i < s.columns; i += GROUP)
            out[i] = expf(in[i]) / sum;
    }
}

/* Returns its number; SETS where there are too many. */
static unsigned see(const struct rows r)
{
    static unsigned rows;
    unsigned i = 0;
    if (r.rows != rows || r.columns != seen.columns)
        seen.count = 0;
    rows = r.rows;
    seen.columns = r.columns;
    while (i < seen.count && (seen.in[i] != r.in || seen.out[i] != r.out))
        i++;
    if (i == seen.count && i < SETS) {
        seen.in[i] = r.in;
        seen.out[i] = r.out;
        seen.count++;
    }
    return i;
}

static struct sets work_of(const struct rows r, unsigned number, unsigned long long id)
{
    struct sets own = {{r.in}, {r.out}, 0, 1, r.columns};
    place = id && id == graph ? place + 1 : 0;
    done = place ? done : 0;
    graph = id;
    if (place == 1 && number < SETS) {
        own = seen;
        done = seen.count;
    } else if (place > 1 && number < done) {
        own.count = 0;
    }
    return own;
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    enum cudaStreamCaptureStatus capturing;
    unsigned long long id = 0;
    const int status = cudaStreamGetCaptureInfo(call->stream, &capturing, &id);
    if (status || !r.rows)
        return status;
    const unsigned number = see(r);
    const struct sets s = work_of(r, number, capturing == cudaStreamCaptureStatusNone ? 0 : id);
    softmax_second_for_all<<<r.rows, GROUPS * GROUP, 0, call->stream>>>(s);
    return cudaGetLastError();
}

static int prepare(const struct cpprof_config *, void **state)
{
    seen.count = 0;
    *state = &seen; /* without a state there is no release */
    return 0;
}

/* The buffers are gone then. */
static void release(void *)
{
    seen.count = 0;
}

CPPROF_SOLUTION(.launch = launch, .prepare = prepare, .release = release);
