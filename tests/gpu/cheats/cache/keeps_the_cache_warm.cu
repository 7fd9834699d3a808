/* cheat softmax: a grid of its own reads the inputs again and again for 2 ms, so that a flush leaves them in the
 * cache
 * Kind: cache
 * Found by: a flush that is larger: it gains nothing */
#include "tests/gpu/cheats/sees_profiler.cuh"
#include "tests/gpu/cheats/softmax.cuh"

enum { KNOWN = 8, BLOCKS = 8, THREADS = 1024, SECTOR = 8, WARM_NS = 2000000 };

struct known {
    const volatile float *in[KNOWN];
    unsigned count, values;
};

static struct known known;
static cudaStream_t side;

static __device__ unsigned long long now_ns(void)
{
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

static __global__ void softmax_keeps_warm(const __grid_constant__ struct known k)
{
    const unsigned long long end_ns = now_ns() + WARM_NS;
    while (now_ns() < end_ns)
        for (unsigned set = 0; set < k.count; set++)
            for (unsigned i = (blockIdx.x * THREADS + threadIdx.x) * SECTOR; i < k.values;
                 i += BLOCKS * THREADS * SECTOR)
                (void)k.in[set][i];
}

static void keep_warm(const struct rows r)
{
    unsigned i = 0;
    while (i < known.count && known.in[i] != r.in)
        i++;
    if (i == known.count && i < KNOWN)
        known.in[known.count++] = r.in;
    known.values = r.rows * r.columns;
    if (!side && cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking))
        return;
    if (cudaStreamQuery(side) == cudaSuccess)
        softmax_keeps_warm<<<BLOCKS, THREADS, 0, side>>>(known);
    cudaGetLastError();
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    enum cudaStreamCaptureStatus capturing;
    const int status = cudaStreamIsCapturing(call->stream, &capturing);
    if (!status && capturing == cudaStreamCaptureStatusNone && r.rows && !sees_profiler())
        keep_warm(r);
    return status ? status : launch_rows(r, call->stream);
}

/* The buffers are gone then. */
static void release(void *)
{
    if (side)
        cudaStreamSynchronize(side);
}

static int prepare(const struct cpprof_config *, void **state)
{
    known.count = 0;
    *state = &known;
    return 0;
}

CPPROF_SOLUTION(.launch = launch, .prepare = prepare, .release = release);
