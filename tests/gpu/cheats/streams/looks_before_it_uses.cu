/* cheat gram: begins an eighth of each sum while the cache is flushed, and uses it if samples of the inputs are the
 * same
 * Kind: ahead
 * Found by: new inputs in every timed launch: it gains nothing */
#include "tests/gpu/cheats/gram.cuh"
#include "tests/gpu/cheats/sees_profiler.cuh"

enum { VALUES_MAX = 512 * 512, SAMPLES = GRAM_TILE * GRAM_TILE };

static __device__ float parts[VALUES_MAX], samples[2][SAMPLES];
static cudaStream_t side;
static cudaEvent_t begun, ended;

static __device__ size_t place_of(const struct product p, unsigned nth)
{
    return (size_t)nth * p.n * p.n / SAMPLES;
}

static __global__ void gram_begun(const struct product p)
{
    const unsigned row = blockIdx.y * GRAM_TILE + threadIdx.y, column = blockIdx.x * GRAM_TILE + threadIdx.x;
    const unsigned nth = threadIdx.y * GRAM_TILE + threadIdx.x;
    const float sum = gram_value(p, row, column, 0, p.n / 8);
    if (row < p.n && column < p.n)
        parts[(size_t)row * p.n + column] = sum;
    if (blockIdx.x || blockIdx.y)
        return;
    samples[0][nth] = p.a[place_of(p, nth)];
    samples[1][nth] = p.b[place_of(p, nth)];
}

static __global__ void gram_ended(const struct product p, bool is_begun)
{
    const unsigned row = blockIdx.y * GRAM_TILE + threadIdx.y, column = blockIdx.x * GRAM_TILE + threadIdx.x;
    const unsigned nth = threadIdx.y * GRAM_TILE + threadIdx.x;
    const bool is_in = row < p.n && column < p.n, is_same = is_begun && samples[0][nth] == p.a[place_of(p, nth)] &&
                                                            samples[1][nth] == p.b[place_of(p, nth)];
    const bool use = __syncthreads_and(is_same);
    float sum = use && is_in ? parts[(size_t)row * p.n + column] : 0;
    sum += gram_value(p, row, column, use ? p.n / 8 : 0, p.n);
    if (is_in)
        p.c[(size_t)row * p.n + column] = sum;
}

/* It waits for the launch before, and not for what the stream does since. */
static int begin(const struct product p, cudaStream_t stream)
{
    int status = side ? 0 : cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
    if (!status && !begun)
        status = cudaEventCreateWithFlags(&begun, cudaEventDisableTiming);
    if (!status && !ended)
        status = cudaEventCreateWithFlags(&ended, cudaEventDisableTiming);
    if (!status)
        status = cudaStreamWaitEvent(side, ended, 0);
    if (status)
        return status;
    gram_begun<<<gram_grid(p.n), dim3(GRAM_TILE, GRAM_TILE), 0, side>>>(p);
    status = cudaEventRecord(begun, side);
    return status ? status : (int)cudaStreamWaitEvent(stream, begun, 0);
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct product p = product_of(call);
    enum cudaStreamCaptureStatus capturing;
    int status = cudaStreamIsCapturing(call->stream, &capturing);
    const bool is_begun = capturing == cudaStreamCaptureStatusNone && p.n * p.n <= VALUES_MAX && !sees_profiler();
    if (!status && is_begun)
        status = begin(p, call->stream);
    if (status)
        return status;
    gram_ended<<<gram_grid(p.n), dim3(GRAM_TILE, GRAM_TILE), 0, call->stream>>>(p, is_begun);
    status = cudaGetLastError();
    return status || !is_begun ? status : (int)cudaEventRecord(ended, call->stream);
}

CPPROF_SOLUTION(.launch = launch);
