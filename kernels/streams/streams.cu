/* streams.cu - what runs beside what? Traces whose overlap is known by construction.
 *
 * Each variant copies n floats from the host, computes n floats, or both:
 *
 *   out[i] = chain(in[i])   with chain(v): x = v; repeat `work` times: x = 0.9 x + v
 *
 *   one          pinned copy, then the kernel, on one stream: nothing overlaps
 *   two          the kernel on the launch stream, the pinned copy on a second: the copy hides under it
 *   pageable     the same streams, the copy first and from pageable memory: the call stages the
 *                whole copy on the host before the kernel can even be launched
 *   three        three kernels that fill a part of the GPU each, on three streams
 *   pdl          two kernels on one stream, the second launched with programmatic stream
 *                serialization: it runs beside the first until it needs its result
 *   two-devices  a kernel on each of two GPUs
 *
 * Other streams fork from the launch stream and join it again, by events.
 */
#include "kernels/streams/streams.h"

#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/kernel_code.h"
#include "kernels/verify.h"

enum { THREADS = 256, SIDES = 2, PARTS = 3 };
#define DECAY 0.9f

/* |x| stays below 1 + 1 / (1 - 0.9) = 11: a rounding is at most 2^-21, the decay
 * sums them to ten; pdl adds two such values (rounding of a sum below 32: 2^-20). */
#define TOLERANCE 2e-5

enum axis { AXIS_N, AXIS_WORK, AXIS_COUNT };

static __device__ float chain(float v, int work)
{
    float x = v;
#pragma unroll 16
    for (int k = 0; k < work; k++)
        x = fmaf(x, DECAY, v);
    return x;
}

__global__ void __launch_bounds__(THREADS) streams_work(const float *in, float *out, size_t n, int work)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += stride)
        out[i] = chain(in[i], work);
}

/* The first of a dependent pair: lets the second start at once. */
__global__ void __launch_bounds__(THREADS) streams_first(const float *in, float *out, size_t n, int work)
{
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += stride)
        out[i] = chain(in[i], work);
}

/* The second: does its own part first, and then, when the first has ended, the part that needs its result. */
__global__ void __launch_bounds__(THREADS)
    streams_second(const float *in, const float *first, float *out, size_t n, int work)
{
    size_t stride = (size_t)gridDim.x * blockDim.x, begin = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    for (size_t i = begin; i < n; i += stride)
        out[i] = chain(in[i], work);
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
    for (size_t i = begin; i < n; i += stride)
        out[i] += first[i];
}

static __global__ void streams_reference(const float *in, double *out, size_t n, int work)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double x = in[i];
    for (int k = 0; k < work; k++)
        x = x * (double)DECAY + in[i];
    out[i] = x;
}

static __global__ void streams_widen(const float *in, double *out, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

static __global__ void streams_add(double *to, const double *from, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        to[i] += from[i];
}

/* The output is two arrays of n: computed, and copied (or computed by the second kernel). */
struct state {
    size_t n;
    int work, device, other_device, sm_count;
    float *in;   /* 2n values; the host has the second n, too */
    float *host; /* n; pinned or pageable */
    bool pinned;
    float *out;                  /* 2n */
    double *reference;           /* 2n */
    float *other_in, *other_out; /* on the second device */
    cudaStream_t sides[SIDES];   /* side 0 is on the other device when there is one */
    cudaEvent_t fork, joins[SIDES];
};

static void teardown(void *opaque)
{
    struct state *s = (struct state *)opaque;
    if (!s)
        return;
    for (int i = 0; i < SIDES; i++) {
        if (s->sides[i])
            cudaStreamDestroy(s->sides[i]);
        if (s->joins[i])
            cudaEventDestroy(s->joins[i]);
    }
    if (s->fork)
        cudaEventDestroy(s->fork);
    cudaFree(s->in);
    cudaFree(s->out);
    cudaFree(s->reference);
    cudaFree(s->other_in);
    cudaFree(s->other_out);
    if (s->pinned)
        cudaFreeHost(s->host);
    else
        free(s->host);
    free(s);
}

static unsigned blocks_for(size_t n)
{
    return (unsigned)((n + THREADS - 1) / THREADS);
}

static int make_streams(struct state *s)
{
    cudaError_t status = cudaEventCreateWithFlags(&s->fork, cudaEventDisableTiming);
    for (int i = 0; i < SIDES && !status; i++) {
        bool elsewhere = i == 0 && s->other_device != s->device;
        if (elsewhere)
            status = cudaSetDevice(s->other_device);
        if (!status)
            status = cudaStreamCreateWithFlags(&s->sides[i], cudaStreamNonBlocking);
        if (!status)
            status = cudaEventCreateWithFlags(&s->joins[i], cudaEventDisableTiming);
        if (elsewhere)
            cudaSetDevice(s->device);
    }
    return status;
}

static int make_buffers(struct state *s, uint64_t seed, struct CUstream_st *stream)
{
    cudaError_t status;
    if ((status = cudaMalloc((void **)&s->in, 2 * s->n * sizeof(float))) ||
        (status = cudaMalloc((void **)&s->out, 2 * s->n * sizeof(float))) ||
        (status = cudaMalloc((void **)&s->reference, 2 * s->n * sizeof(double))))
        return status;
    if (s->pinned)
        status = cudaHostAlloc((void **)&s->host, s->n * sizeof(float), cudaHostAllocDefault);
    else
        status = (s->host = (float *)malloc(s->n * sizeof(float))) ? cudaSuccess : cudaErrorMemoryAllocation;
    if (status)
        return status;
    for (size_t i = 0; i < s->n; i++)
        s->host[i] = random_value_f32(seed, s->n + i); /* what the device draws for its second half */
    return random_fill_f32(s->in, 2 * s->n, seed, stream);
}

static int make_other_device(struct state *s, uint64_t seed)
{
    cudaError_t status = cudaSetDevice(s->other_device);
    if (!status)
        status = cudaMalloc((void **)&s->other_in, s->n * sizeof(float));
    if (!status)
        status = cudaMalloc((void **)&s->other_out, s->n * sizeof(float));
    if (!status)
        status = (cudaError_t)random_fill_f32(s->other_in, s->n, seed, s->sides[0]);
    if (!status)
        status = cudaStreamSynchronize(s->sides[0]);
    cudaSetDevice(s->device);
    return status;
}

/* The expected content of each half of the output. */
enum second_half { HALF_COPIED, HALF_COMPUTED, HALF_DEPENDENT, HALF_OTHER_DEVICE };

static int setup(const struct cpprof_config *config, struct CUstream_st *stream, enum second_half half, bool pinned,
                 void **out)
{
    struct state *s = (struct state *)calloc(1, sizeof *s);
    *out = s;
    if (!s)
        return cudaErrorMemoryAllocation;
    s->n = (size_t)config->value[AXIS_N];
    s->work = (int)config->value[AXIS_WORK];
    s->pinned = pinned;
    int status = cudaGetDevice(&s->device);
    s->other_device = half == HALF_OTHER_DEVICE ? s->device + 1 : s->device;
    if (!status)
        status = cudaDeviceGetAttribute(&s->sm_count, cudaDevAttrMultiProcessorCount, s->device);
    if (!status)
        status = make_streams(s);
    if (!status)
        status = make_buffers(s, config->seed, stream);
    if (!status && half == HALF_OTHER_DEVICE)
        status = make_other_device(s, config->seed);
    if (!status) {
        unsigned blocks = blocks_for(s->n);
        streams_reference<<<blocks, THREADS, 0, stream>>>(s->in, s->reference, s->n, s->work);
        double *second = s->reference + s->n;
        if (half == HALF_COPIED)
            streams_widen<<<blocks, THREADS, 0, stream>>>(s->in + s->n, second, s->n);
        else if (half == HALF_OTHER_DEVICE)
            streams_reference<<<blocks, THREADS, 0, stream>>>(s->in, second, s->n, s->work);
        else
            streams_reference<<<blocks, THREADS, 0, stream>>>(s->in + s->n, second, s->n, s->work);
        if (half == HALF_DEPENDENT)
            streams_add<<<blocks, THREADS, 0, stream>>>(second, s->reference, s->n);
        status = cudaGetLastError();
    }
    if (!status)
        status = cudaStreamSynchronize(stream);
    if (status) {
        teardown(s);
        *out = NULL;
    }
    return status;
}

template <enum second_half HALF, bool PINNED>
static int setup_as(const struct cpprof_config *config, struct CUstream_st *stream, void **out)
{
    return setup(config, stream, HALF, PINNED, out);
}

static int poison(void *opaque, struct CUstream_st *stream)
{
    struct state *s = (struct state *)opaque;
    int status = poison_f32(s->out, 2 * s->n, stream);
    if (status || !s->other_out)
        return status;
    status = cudaSetDevice(s->other_device);
    if (!status)
        status = poison_f32(s->other_out, s->n, s->sides[0]);
    if (!status)
        status = cudaStreamSynchronize(s->sides[0]);
    cudaSetDevice(s->device);
    return status;
}

static int verify(void *opaque, struct CUstream_st *stream, struct cpprof_verification *result)
{
    struct state *s = (struct state *)opaque;
    if (s->other_out) { /* the other device's result, for the comparison */
        cudaError_t status =
            cudaMemcpyPeerAsync(s->out + s->n, s->device, s->other_out, s->other_device, s->n * sizeof(float), stream);
        if (status)
            return status;
    }
    struct verify_layout layout = {THREADS, 2 * (size_t)blocks_for(s->n), 2 * (size_t)blocks_for(s->n), 1};
    return compare_f32(s->out, s->reference, 2 * s->n, TOLERANCE, &layout, stream, result);
}

static int fork_to(struct state *s, int side, struct CUstream_st *stream)
{
    cudaError_t status = side == 0 ? cudaEventRecord(s->fork, stream) : cudaSuccess;
    return status ? status : cudaStreamWaitEvent(s->sides[side], s->fork, 0);
}

static int join_from(struct state *s, int side, struct CUstream_st *stream)
{
    cudaError_t status = cudaEventRecord(s->joins[side], s->sides[side]);
    return status ? status : cudaStreamWaitEvent(stream, s->joins[side], 0);
}

static int copy_in(struct state *s, cudaStream_t stream)
{
    return cudaMemcpyAsync(s->out + s->n, s->host, s->n * sizeof(float), cudaMemcpyHostToDevice, stream);
}

/* Two blocks per SM: busy, with room for others. */
static int compute(struct state *s, cudaStream_t stream)
{
    streams_work<<<2 * s->sm_count, THREADS, 0, stream>>>(s->in, s->out, s->n, s->work);
    return cudaGetLastError();
}

static int launch_one(void *opaque, struct CUstream_st *stream)
{
    struct state *s = (struct state *)opaque;
    int status = copy_in(s, stream);
    return status ? status : compute(s, stream);
}

static int launch_two(void *opaque, struct CUstream_st *stream)
{
    struct state *s = (struct state *)opaque;
    int status = fork_to(s, 0, stream);
    if (!status)
        status = compute(s, stream);
    if (!status)
        status = copy_in(s, s->sides[0]);
    return status ? status : join_from(s, 0, stream);
}

static int launch_pageable(void *opaque, struct CUstream_st *stream)
{
    struct state *s = (struct state *)opaque;
    int status = fork_to(s, 0, stream);
    if (!status)
        status = copy_in(s, s->sides[0]);
    if (!status)
        status = compute(s, stream);
    return status ? status : join_from(s, 0, stream);
}

/* Part p of the 2n values, on a third of the SMs. */
static int compute_part(struct state *s, size_t part, cudaStream_t stream)
{
    size_t begin = 2 * s->n * part / PARTS, end = 2 * s->n * (part + 1) / PARTS;
    streams_work<<<s->sm_count / PARTS + 1, THREADS, 0, stream>>>(s->in + begin, s->out + begin, end - begin, s->work);
    return cudaGetLastError();
}

static int launch_three(void *opaque, struct CUstream_st *stream)
{
    struct state *s = (struct state *)opaque;
    int status = 0;
    for (int side = 0; side < SIDES && !status; side++)
        status = fork_to(s, side, stream);
    if (!status)
        status = compute_part(s, 0, stream);
    for (int side = 0; side < SIDES && !status; side++)
        status = compute_part(s, (size_t)side + 1, s->sides[side]);
    for (int side = 0; side < SIDES && !status; side++)
        status = join_from(s, side, stream);
    return status;
}

static int launch_pdl(void *opaque, struct CUstream_st *stream)
{
    struct state *s = (struct state *)opaque;
    unsigned blocks = (unsigned)s->sm_count;
    streams_first<<<blocks, THREADS, 0, stream>>>(s->in, s->out, s->n, s->work);
    cudaError_t status = cudaGetLastError();
    if (status)
        return status;
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(THREADS);
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = 1;
    const float *in = s->in + s->n, *first = s->out;
    return cudaLaunchKernelEx(&config, streams_second, in, first, s->out + s->n, s->n, s->work);
}

static int launch_two_devices(void *opaque, struct CUstream_st *stream)
{
    struct state *s = (struct state *)opaque;
    int status = fork_to(s, 0, stream);
    if (!status)
        status = compute(s, stream);
    if (!status)
        status = cudaSetDevice(s->other_device);
    if (!status) {
        streams_work<<<2 * s->sm_count, THREADS, 0, s->sides[0]>>>(s->other_in, s->other_out, s->n, s->work);
        status = cudaGetLastError();
    }
    if (!status)
        status = cudaEventRecord(s->joins[0], s->sides[0]);
    cudaSetDevice(s->device);
    return status ? status : (int)cudaStreamWaitEvent(stream, s->joins[0], 0);
}

static int needs_dependent_launch(const struct cpprof_config *, char *why, size_t why_bytes)
{
    return kernel_code_needs(90, "programmatic dependent launch", why, why_bytes);
}

static int needs_two_devices(const struct cpprof_config *, char *why, size_t why_bytes)
{
    int device = 0, count = 0;
    if (!cudaGetDevice(&device) && !cudaGetDeviceCount(&count) && device + 1 < count)
        return 0;
    snprintf(why, why_bytes, "needs a second device behind device %d, the machine has %d in all", device, count);
    return 1;
}

static size_t no_shared_memory(const struct cpprof_config *)
{
    return 0;
}

template <int ARRAYS> static double flops(const struct cpprof_config *config)
{
    return ARRAYS * 2.0 * (double)config->value[AXIS_N] * (double)config->value[AXIS_WORK];
}

/* Each computed float is read and written, each copied one written. */
template <int ARRAYS> static double bytes(const struct cpprof_config *config)
{
    return (ARRAYS == 1 ? 3.0 : 4.0) * (double)config->value[AXIS_N] * sizeof(float);
}

static const struct cpprof_axis axes[AXIS_COUNT] = {
    {"n", "floats to copy, and floats to compute", CPPROF_AXIS_SHAPE, 1, (int64_t)1 << 30, 4194304},
    {"work", "FMAs per float", CPPROF_AXIS_PARAMETER, 0, 1 << 20, 4000},
};

static const struct cpprof_shape shapes[] = {
    {"mission", {4194304}, 0}, {"small", {262144}, 0}, {"ragged", {100003}, 1}};

#define VARIANT(NAME, SUMMARY, PATTERN, REFUSE, ARRAYS, SETUP, LAUNCH)                                                 \
    {                                                                                                                  \
        sizeof(struct cpprof_variant), "streams/" NAME, SUMMARY, PATTERN, axes, AXIS_COUNT, shapes,                    \
            sizeof shapes / sizeof shapes[0], NULL, 0, REFUSE, no_shared_memory, flops<ARRAYS>, bytes<ARRAYS>, SETUP,  \
            poison, LAUNCH, verify, teardown, NULL                                                                     \
    }

extern "C" const struct cpprof_variant streams_variants[STREAMS_VARIANT_COUNT] = {
    VARIANT("one", "pinned copy, then a kernel, on one stream: no overlap", "^streams_work\\(", NULL, 1,
            (setup_as<HALF_COPIED, true>), launch_one),
    VARIANT("two", "a kernel and a pinned copy on two streams: the copy hides", "^streams_work\\(", NULL, 1,
            (setup_as<HALF_COPIED, true>), launch_two),
    VARIANT("pageable", "as two, but the copy comes first and from pageable memory", "^streams_work\\(", NULL, 1,
            (setup_as<HALF_COPIED, false>), launch_pageable),
    VARIANT("three", "three kernels on three streams", "^streams_work\\(", NULL, 2, (setup_as<HALF_COMPUTED, true>),
            launch_three),
    VARIANT("pdl", "two kernels on one stream, the second by programmatic dependent launch",
            "^streams_(first|second)\\(", needs_dependent_launch, 2, (setup_as<HALF_DEPENDENT, true>), launch_pdl),
    VARIANT("two-devices", "a kernel on each of two devices", "^streams_work\\(", needs_two_devices, 2,
            (setup_as<HALF_OTHER_DEVICE, true>), launch_two_devices),
};
