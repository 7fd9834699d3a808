/* allreduce_bench.cu - where are the messages of an all-reduce, and what is their sum in float64? */
#include "kernels/allreduce/allreduce_bench.h"

#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpprof/record.cuh"
#include "cpprof/verify.cuh"
#include "kernels/allreduce/allreduce_vector.cuh"

using namespace allreduce;

enum { FILL_BLOCKS = 1024, WAIT_MS = 10000, WAIT_MS_MOST = 600000, BAD_LOOKED_AT = 100000 };
#define WAIT_VARIABLE "CPPROF_ALLREDUCE_WAIT_MS"

/* ---- values ---- */

/* Returns the value of rank k at i, which can be recomputed anywhere. */
template <typename T> static __host__ __device__ T input_value(uint64_t seed, size_t count, int k, size_t i)
{
    return rounded<T>(cpprof_random_f32(seed, (uint64_t)k * count + i));
}

/* Computes the sum over all ranks except `without`, which may be no rank. */
template <typename T>
static __host__ __device__ double exact_sum(uint64_t seed, size_t count, int ranks, int without, size_t i)
{
    double sum = 0;
    for (int k = 0; k < ranks; k++)
        sum += k == without ? 0.0 : (double)to_float(input_value<T>(seed, count, k, i));
    return sum;
}

/* Inputs are at most 1, so the k-th partial sum is at most k and its rounding to precision u (2^-24 for fp32) at most u
 * k: in all u (2 + 3 + ... + n). The result is rounded once more to the precision of its type: by u of its value, or by
 * 2^-25 where halves are so small that they have fewer digits. Where each step is rounded to the type (NCCL), the first
 * sum uses the u of the type, too. A missing rank is an error of 0.5 on average. */
struct tolerance {
    double fixed, relative;
};

static struct tolerance tolerance_of(enum allreduce_dtype dtype, int ranks, int step_is_rounded)
{
    static const double precision[ALLREDUCE_DTYPES] = {0x1p-24, 0x1p-11, 0x1p-8};
    const double steps = ranks * (ranks + 1) / 2.0 - 1;
    const double of_step = step_is_rounded ? precision[dtype] : precision[ALLREDUCE_FP32];
    return {steps * of_step + (dtype == ALLREDUCE_FP16 ? 0x1p-25 : 0), dtype == ALLREDUCE_FP32 ? 0 : precision[dtype]};
}

static __host__ __device__ bool is_within(double error, double expected, struct tolerance t)
{
    return error <= t.fixed + t.relative * fabs(expected);
}

template <typename T> static __global__ void allreduce_fill(T *in, size_t count, int rank, uint64_t seed)
{
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += stride)
        in[i] = input_value<T>(seed, count, rank, i);
}

static __device__ uint64_t bits_of(float value)
{
    return __float_as_uint(value);
}
static __device__ uint64_t bits_of(__half value)
{
    return __half_as_ushort(value);
}
static __device__ uint64_t bits_of(__nv_bfloat16 value)
{
    return __bfloat16_as_ushort(value);
}

/* Compares one rank's output with the sum of all inputs, which are recomputed. */
template <typename T>
static __global__ void allreduce_compare(const T *out, size_t count, int ranks, int rank, uint64_t seed,
                                         struct tolerance tolerance, struct cpprof_comparison_sums *sums)
{
    unsigned long long bad = 0, hash = 0;
    double worst = 0;
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += stride) {
        const double expected = exact_sum<T>(seed, count, ranks, -1, i);
        const double error = fabs((double)to_float(out[i]) - expected);
        bad += !is_within(error, expected, tolerance);
        if (!(error <= worst))
            worst = isnan(error) ? INFINITY : error;
        hash += cpprof_mix(((uint64_t)rank * count + i) ^ cpprof_mix(bits_of(out[i])));
    }
    if (bad)
        atomicAdd(&sums->bad, bad);
    atomicAdd(&sums->hash, hash);
    atomicMax(&sums->worst_bits, (unsigned long long)__double_as_longlong(worst));
}

/* ---- devices and streams ---- */

size_t allreduce_message_bytes(const struct allreduce_run *run)
{
    return run->problem.count * (size_t)run->value_bytes;
}

void allreduce_home(const struct allreduce_run *run)
{
    if (run->devices > 1)
        cudaSetDevice(run->device[0]);
}

int allreduce_enter(const struct allreduce_run *run, int rank, struct CUstream_st *stream, struct CUstream_st **own)
{
    *own = run->side[rank] ? run->side[rank] : stream;
    return run->devices > 1 ? cudaSetDevice(run->device[rank]) : cudaSuccess;
}

int allreduce_fork(const struct allreduce_run *run, struct CUstream_st *stream)
{
    if (run->devices == 1 || run->is_forked)
        return cudaSuccess;
    cudaError_t status = cudaEventRecord(run->fork, stream);
    for (int k = 1; k < run->devices && !status; k++)
        status = cudaStreamWaitEvent(run->side[k], run->fork, 0);
    return status;
}

int allreduce_join(const struct allreduce_run *run, struct CUstream_st *stream)
{
    cudaError_t status = cudaSuccess;
    for (int k = 1; k < run->devices && !run->is_forked && !status; k++) {
        status = cudaEventRecord(run->join[k], run->side[k]);
        if (!status)
            status = cudaStreamWaitEvent(stream, run->join[k], 0);
    }
    return status;
}

int allreduce_begin_series(void *opaque, struct CUstream_st *stream)
{
    struct allreduce_run *run = (struct allreduce_run *)opaque;
    const int status = allreduce_fork(run, stream);
    run->is_forked = !status;
    run->launched = 0;
    return status;
}

int allreduce_end_series(void *opaque, struct CUstream_st *stream)
{
    struct allreduce_run *run = (struct allreduce_run *)opaque;
    run->is_forked = 0;
    return allreduce_join(run, stream);
}

static int allow_access(const struct allreduce_run *run)
{
    for (int k = 0; k < run->devices; k++)
        for (int peer = 0; peer < run->devices; peer++) {
            if (peer == k)
                continue;
            cudaError_t status = cudaSetDevice(run->device[k]);
            if (!status)
                status = cudaDeviceEnablePeerAccess(run->device[peer], 0);
            if (status == cudaErrorPeerAccessAlreadyEnabled)
                cudaGetLastError();
            else if (status)
                return status;
        }
    return cudaSuccess;
}

/* ---- setup ---- */

int allreduce_fill_rank(const struct allreduce_run *run, int rank, uint64_t seed, struct CUstream_st *own)
{
    void *in = (void *)run->problem.in[rank];
    const size_t count = run->problem.count;
    if (run->dtype == ALLREDUCE_FP16)
        allreduce_fill<<<FILL_BLOCKS, THREADS, 0, own>>>((__half *)in, count, rank, seed);
    else if (run->dtype == ALLREDUCE_BF16)
        allreduce_fill<<<FILL_BLOCKS, THREADS, 0, own>>>((__nv_bfloat16 *)in, count, rank, seed);
    else
        allreduce_fill<<<FILL_BLOCKS, THREADS, 0, own>>>((float *)in, count, rank, seed);
    return cudaGetLastError();
}

/* The message begins `offset` bytes after a multiple of 256. */
static int make_rank(struct allreduce_run *run, int k, size_t offset, struct CUstream_st *stream)
{
    const size_t bytes = offset + allreduce_message_bytes(run);
    struct allreduce_problem *p = &run->problem;
    struct CUstream_st *own;
    cudaError_t status = (cudaError_t)allreduce_enter(run, k, stream, &own);
    if (!status && run->devices > 1 && k > 0) {
        status = cudaStreamCreateWithFlags(&run->side[k], cudaStreamNonBlocking);
        if (!status)
            status = cudaEventCreateWithFlags(&run->join[k], cudaEventDisableTiming);
        own = run->side[k];
    }
    if (status || (status = cudaMalloc(&run->memory_in[k], bytes)) ||
        (status = cudaMalloc(&run->memory_out[k], bytes)) ||
        (status = cudaMalloc((void **)&p->signals[k], sizeof *p->signals[k])) ||
        (status = cudaMalloc(&run->sums[k], sizeof(struct cpprof_comparison_sums))) ||
        (status = cudaMemsetAsync(p->signals[k], 0, sizeof *p->signals[k], own)))
        return status;
    p->in[k] = (char *)run->memory_in[k] + offset;
    p->out[k] = (char *)run->memory_out[k] + offset;
    status = (cudaError_t)allreduce_fill_rank(run, k, run->seed, own);
    return status ? status : cudaStreamSynchronize(own);
}

template <typename T> static bool has_value(const struct allreduce_run *run, int k, size_t i, const void *got)
{
    const T expected = input_value<T>(run->seed, run->problem.count, k, i);
    return !memcmp(&expected, got, sizeof expected);
}

/* Checks that the device draws the same numbers as the host: the first and the last input of each rank. */
static int check_inputs(const struct allreduce_run *run)
{
    for (int k = 0; k < run->problem.ranks; k++)
        for (int end = 0; end < 2; end++) {
            const size_t i = end ? run->problem.count - 1 : 0;
            float bits;
            cudaError_t status = cudaMemcpy(&bits, (const char *)run->problem.in[k] + i * (size_t)run->value_bytes,
                                            (size_t)run->value_bytes, cudaMemcpyDeviceToHost);
            if (status)
                return status;
            const bool is_right = run->dtype == ALLREDUCE_FP16   ? has_value<__half>(run, k, i, &bits)
                                  : run->dtype == ALLREDUCE_BF16 ? has_value<__nv_bfloat16>(run, k, i, &bits)
                                                                 : has_value<float>(run, k, i, &bits);
            if (!is_right)
                return cudaErrorUnknown;
        }
    return cudaSuccess;
}

/* Long enough for a busy GPU, and for compute-sanitizer with small sizes. A test with a peer that never comes waits
 * less. */
static uint64_t longest_wait_ns(void)
{
    const char *text = getenv(WAIT_VARIABLE);
    const long ms = text ? strtol(text, NULL, 10) : 0;
    return (uint64_t)(ms > 0 && ms <= WAIT_MS_MOST ? ms : WAIT_MS) * 1000000;
}

static void read_config(struct allreduce_run *run, const struct cpprof_config *config)
{
    struct allreduce_problem *p = &run->problem;
    run->dtype = (enum allreduce_dtype)config->value[ALLREDUCE_AXIS_DTYPE];
    run->value_bytes = allreduce_value_bytes(config);
    run->seed = config->seed;
    run->devices = allreduce_devices(config, run->device);
    p->ranks = (int)config->value[ALLREDUCE_AXIS_GPUS];
    p->count = (size_t)(config->value[ALLREDUCE_AXIS_BYTES] / run->value_bytes);
    p->buffered = config->value[ALLREDUCE_AXIS_PEERS] ? p->ranks : 1;
    p->pieces = (int)(config->value[ALLREDUCE_AXIS_CHUNK] / ALLREDUCE_SLOT_BYTES);
    p->wait_ns = longest_wait_ns();
}

int allreduce_open(struct allreduce_run *run, const struct cpprof_config *config, struct CUstream_st *stream)
{
    char why[160];
    read_config(run, config);
    if (allreduce_refuse_size(config, why, sizeof why)) /* for callers that did not ask before */
        return cudaErrorInvalidValue;
    cudaError_t status = cudaHostAlloc((void **)&run->problem.failure, sizeof *run->problem.failure,
                                       cudaHostAllocPortable | cudaHostAllocMapped);
    if (!status) {
        *run->problem.failure = 0;
        if (run->devices > 1)
            status = cudaEventCreateWithFlags(&run->fork, cudaEventDisableTiming);
    }
    for (int k = 0; k < run->problem.ranks && !status; k++)
        status = (cudaError_t)make_rank(run, k, (size_t)config->value[ALLREDUCE_AXIS_OFFSET], stream);
    allreduce_home(run);
    return status ? status : check_inputs(run);
}

/* After a launch that failed on one device, the others may still wait, and write into each other's memory when they
 * give up. */
static void let_all_end(const struct allreduce_run *run)
{
    for (int k = 0; k < run->devices && run->devices > 1; k++)
        if (!cudaSetDevice(run->device[k]))
            cudaDeviceSynchronize();
    allreduce_home(run);
}

void allreduce_close(struct allreduce_run *run)
{
    let_all_end(run);
    for (int k = 0; k < ALLREDUCE_RANKS_MAX; k++) {
        if (run->side[k])
            cudaStreamDestroy(run->side[k]);
        if (run->join[k])
            cudaEventDestroy(run->join[k]);
        cudaFree(run->memory_in[k]);
        cudaFree(run->memory_out[k]);
        cudaFree(run->problem.signals[k]);
        cudaFree(run->problem.staging[k]);
        cudaFree(run->sums[k]);
    }
    if (run->fork)
        cudaEventDestroy(run->fork);
    cudaFreeHost(run->problem.failure);
}

/* The limit belongs to the function and not to the launch: another shape that was set up before may need more. */
static cudaError_t allow_shared(const void *function, size_t bytes)
{
    struct cudaFuncAttributes now;
    cudaError_t status = cudaFuncGetAttributes(&now, function);
    if (status || (size_t)now.maxDynamicSharedSizeBytes >= bytes)
        return status;
    return cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
}

/* Finds how many blocks a rank may have, so that all blocks of a device are resident at once; otherwise they would wait
 * for one that cannot start. */
static int limit_blocks(const struct allreduce_run *run, int *most)
{
    const int here = run->devices > 1 ? 1 : run->problem.ranks;
    const void *function = (const void *)run->pick.function;
    for (int k = 0; k < run->devices; k++) {
        int per_sm = 0, sms = 0;
        struct CUstream_st *own;
        cudaError_t status = (cudaError_t)allreduce_enter(run, k, NULL, &own);
        if (!status)
            status = allow_shared(function, run->pick.shared_bytes);
        if (!status)
            status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, function, THREADS, run->pick.shared_bytes);
        if (!status)
            status = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, run->device[k]);
        if (status)
            return status;
        if (*most > per_sm * sms / here)
            *most = per_sm * sms / here;
    }
    return *most > 0 ? cudaSuccess : cudaErrorCooperativeLaunchTooLarge;
}

static size_t shares(size_t work, size_t share)
{
    return (work + share - 1) / share;
}

/* Returns no more blocks than have work, because each costs a meeting. */
static int busy_blocks(const struct allreduce_run *run)
{
    const size_t per_vector = (size_t)(run->pick.vector_bytes / run->value_bytes);
    const size_t tail = run->problem.count - run->problem.vectors * per_vector;
    const size_t tiles = shares(shares(run->problem.vectors, (size_t)run->pick.parts), (size_t)run->pick.tile_vectors);
    const size_t blocks = tiles > shares(tail, THREADS) ? tiles : shares(tail, THREADS);
    return blocks < ALLREDUCE_CTAS_MAX ? (int)blocks : ALLREDUCE_CTAS_MAX;
}

/* Makes the memory that peers send to. It is zeroed, and 0 is not the flag of any launch. */
static int make_staging(struct allreduce_run *run)
{
    struct allreduce_problem *p = &run->problem;
    const size_t tail = p->count - p->vectors * (size_t)(run->pick.vector_bytes / run->value_bytes);
    const size_t ring = (size_t)run->pick.staged_tiles * (size_t)run->ctas * (size_t)run->pick.tile_vectors * WIDE;
    const size_t message = p->vectors * (size_t)run->pick.staged_vector + tail * (size_t)run->pick.staged_value;
    const size_t bytes = ring ? ring : message;
    cudaError_t status = cudaSuccess;
    p->staged_bytes = shares(bytes, ALLREDUCE_BEGIN_BYTES) * ALLREDUCE_BEGIN_BYTES;
    for (int k = 0; k < p->ranks && p->staged_bytes && !status; k++) {
        struct CUstream_st *own;
        const size_t all = (ring ? 1 : 2) * (size_t)p->ranks * p->staged_bytes;
        status = (cudaError_t)allreduce_enter(run, k, NULL, &own);
        if (!status)
            status = cudaMalloc((void **)&p->staging[k], all);
        if (!status)
            status = cudaMemset(p->staging[k], 0, all);
        if (!status)
            status = cudaDeviceSynchronize(); /* the host does not wait for a memset of device memory */
    }
    return status;
}

/* Chooses the kernel and its number of blocks. */
static int choose(struct allreduce_run *run, const struct allreduce_kernel *kernel, const struct cpprof_config *config)
{
    struct allreduce_problem *p = &run->problem;
    run->pick = kernel->pick(p, config);
    if (!run->pick.function)
        return cudaErrorNotSupported;
    const size_t width = (size_t)run->pick.vector_bytes;
    const bool is_aligned = (size_t)config->value[ALLREDUCE_AXIS_OFFSET] % width == 0;
    p->vectors = is_aligned ? allreduce_message_bytes(run) / width : 0;
    run->ctas = (int)config->value[ALLREDUCE_AXIS_CTAS];
    if (!run->ctas)
        run->ctas = run->pick.ctas ? run->pick.ctas : ALLREDUCE_CTAS;
    if (run->ctas > busy_blocks(run))
        run->ctas = busy_blocks(run);
    int status = limit_blocks(run, &run->ctas);
    if (!status)
        status = make_staging(run);
    allreduce_home(run);
    return status;
}

int allreduce_setup(const struct allreduce_kernel *kernel, const struct cpprof_config *config,
                    struct CUstream_st *stream, void **out)
{
    struct allreduce_run *run = (struct allreduce_run *)calloc(1, sizeof *run);
    *out = run;
    if (!run)
        return cudaErrorMemoryAllocation;
    int status = allreduce_open(run, config, stream);
    if (!status)
        status = allow_access(run);
    allreduce_home(run);
    if (!status)
        status = choose(run, kernel, config);
    if (status) {
        allreduce_teardown(run);
        *out = NULL;
    }
    return status;
}

void allreduce_teardown(void *opaque)
{
    struct allreduce_run *run = (struct allreduce_run *)opaque;
    if (!run)
        return;
    allreduce_close(run);
    free(run);
}

/* ---- a launch ---- */

/* Reports once what gave up. The runner shows the end of standard error of a process that fails. */
static int failure_of(struct allreduce_run *run)
{
    const uint64_t who = *(volatile uint64_t *)run->problem.failure;
    if (!who)
        return cudaSuccess;
    if (!run->is_failure_said)
        fprintf(
            stderr,
            "allreduce: block %u of rank %u waited %.3g s for rank %u, which did not come to meeting %u (" WAIT_VARIABLE
            ")\n",
            (unsigned)(who >> 32 & 0xffff), (unsigned)(who >> 56 & 0x7f), (double)run->problem.wait_ns * 1e-9,
            (unsigned)(who >> 48 & 0xff), (unsigned)who);
    run->is_failure_said = 1;
    return cudaErrorTimeout;
}

/* Launches the ranks of one device. All blocks must be resident at once. A cooperative launch guarantees it, and is
 * refused when they do not fit. A launch that may start early cannot be cooperative, and relies on limit_blocks. */
static int launch_ranks(const struct allreduce_run *run, int first_rank, int here, struct CUstream_st *stream)
{
    struct allreduce_problem problem = run->problem;
    problem.first_rank = first_rank;
    void *arguments[] = {&problem CPPROF_ARG_ADDRESS};
    cudaLaunchAttribute attribute = {};
    /* On several devices a fork comes between two launches, unless they are in a series. */
    if (run->pick.is_early && (run->devices == 1 || (run->is_forked && run->launched > 0))) {
        attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attribute.val.programmaticStreamSerializationAllowed = 1;
    } else {
        attribute.id = cudaLaunchAttributeCooperative;
        attribute.val.cooperative = 1;
    }
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)run->ctas, (unsigned)here);
    config.blockDim = dim3(THREADS);
    config.dynamicSmemBytes = run->pick.shared_bytes;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelExC(&config, (const void *)run->pick.function, arguments);
}

/* When the launch fails on one device the others wait, but no longer than wait_ns; the failure is returned at once. */
int allreduce_launch(void *opaque, struct CUstream_st *stream)
{
    struct allreduce_run *run = (struct allreduce_run *)opaque;
    int status = failure_of(run);
    if (!status)
        status = allreduce_fork(run, stream);
    const int here = run->devices > 1 ? 1 : run->problem.ranks;
    for (int k = 0; k < run->devices && !status; k++) {
        struct CUstream_st *own;
        status = allreduce_enter(run, k, stream, &own);
        if (!status)
            status = launch_ranks(run, k, here, own);
    }
    allreduce_home(run);
    run->launched++;
    return status ? status : allreduce_join(run, stream);
}

/* ---- the outputs ---- */

/* Sets all bits: a NaN of each type that no arithmetic produces. */
int allreduce_poison(void *opaque, struct CUstream_st *stream)
{
    struct allreduce_run *run = (struct allreduce_run *)opaque;
    int status = allreduce_fork(run, stream);
    for (int k = 0; k < run->problem.ranks && !status; k++) {
        struct CUstream_st *own;
        status = allreduce_enter(run, k, stream, &own);
        if (!status)
            status = cudaMemsetAsync(run->problem.out[k], 0xff, allreduce_message_bytes(run), own);
    }
    allreduce_home(run);
    return status ? status : allreduce_join(run, stream);
}

/* Reads one rank's sums of the comparison. */
static int compare_rank(const struct allreduce_run *run, int k, struct CUstream_st *stream,
                        struct cpprof_comparison_sums *sums)
{
    const struct allreduce_problem *p = &run->problem;
    const struct tolerance t = tolerance_of(run->dtype, p->ranks, run->step_is_rounded);
    struct cpprof_comparison_sums *on_device = (struct cpprof_comparison_sums *)run->sums[k];
    struct CUstream_st *own;
    cudaError_t status = (cudaError_t)allreduce_enter(run, k, stream, &own);
    if (!status)
        status = cudaMemsetAsync(on_device, 0, sizeof *on_device, own);
    if (status)
        return status;
    if (run->dtype == ALLREDUCE_FP16)
        allreduce_compare<<<FILL_BLOCKS, THREADS, 0, own>>>((const __half *)p->out[k], p->count, p->ranks, k, run->seed,
                                                            t, on_device);
    else if (run->dtype == ALLREDUCE_BF16)
        allreduce_compare<<<FILL_BLOCKS, THREADS, 0, own>>>((const __nv_bfloat16 *)p->out[k], p->count, p->ranks, k,
                                                            run->seed, t, on_device);
    else
        allreduce_compare<<<FILL_BLOCKS, THREADS, 0, own>>>((const float *)p->out[k], p->count, p->ranks, k, run->seed,
                                                            t, on_device);
    status = cudaGetLastError();
    if (!status)
        status = cudaMemcpyAsync(sums, on_device, sizeof *sums, cudaMemcpyDeviceToHost, own);
    return status ? status : cudaStreamSynchronize(own);
}

/* The common properties of the bad values. */
struct pattern {
    size_t bad, unwritten, in_tail, lacks[ALLREDUCE_RANKS_MAX];
};

template <typename T>
static void look_at(const struct allreduce_run *run, int rank, const T *got, struct pattern *pattern,
                    struct cpprof_verification *result)
{
    const struct allreduce_problem *p = &run->problem;
    const struct tolerance t = tolerance_of(run->dtype, p->ranks, run->step_is_rounded);
    const size_t whole = p->vectors * (size_t)(run->pick.vector_bytes / run->value_bytes);
    static const unsigned char all_set[] = {0xff, 0xff, 0xff, 0xff};
    for (size_t i = 0; i < p->count && pattern->bad < BAD_LOOKED_AT; i++) {
        const double value = to_float(got[i]), expected = exact_sum<T>(run->seed, p->count, p->ranks, -1, i);
        if (is_within(fabs(value - expected), expected, t))
            continue;
        const bool is_unwritten = !memcmp(&got[i], all_set, sizeof(T));
        pattern->bad++;
        pattern->unwritten += is_unwritten;
        pattern->in_tail += i >= whole;
        for (int k = 0; k < p->ranks; k++) {
            const double without = exact_sum<T>(run->seed, p->count, p->ranks, k, i);
            pattern->lacks[k] += is_within(fabs(value - without), without, t);
        }
        if (result->mismatch_count == CPPROF_MISMATCHES_MAX)
            continue;
        struct cpprof_mismatch *m = &result->mismatches[result->mismatch_count++];
        m->index = (uint64_t)rank * p->count + i;
        m->expected = expected;
        m->got = value;
        snprintf(m->where, sizeof m->where, "rank %d value %zu of %zu%s%s", rank, i, p->count,
                 i >= whole ? ", behind the whole vectors" : "", is_unwritten ? ", never written" : "");
    }
}

static void write_hint(const struct allreduce_run *run, const struct pattern *pattern, char *hint, size_t bytes)
{
    hint[0] = '\0';
    for (int k = 0; k < run->problem.ranks; k++)
        if (pattern->lacks[k] * 10 >= pattern->bad * 9)
            snprintf(hint, bytes, "the bad sums lack the input of rank %d", k);
    if (pattern->unwritten == pattern->bad)
        snprintf(hint, bytes, "every bad value was never written: look at the grid and the loop bounds");
    else if (!hint[0] && pattern->in_tail == pattern->bad)
        snprintf(hint, bytes, "only values behind the whole vectors are wrong: look at the tail");
}

/* The slow path, only for a failed comparison. */
static int explain(const struct allreduce_run *run, struct cpprof_verification *result)
{
    const size_t bytes = allreduce_message_bytes(run);
    void *got = malloc(bytes);
    cudaError_t status = got ? cudaSuccess : cudaErrorMemoryAllocation;
    struct pattern pattern = {};
    for (int k = 0; k < run->problem.ranks && !status; k++) {
        status = cudaMemcpy(got, run->problem.out[k], bytes, cudaMemcpyDeviceToHost);
        if (status)
            break;
        if (run->dtype == ALLREDUCE_FP16)
            look_at(run, k, (const __half *)got, &pattern, result);
        else if (run->dtype == ALLREDUCE_BF16)
            look_at(run, k, (const __nv_bfloat16 *)got, &pattern, result);
        else
            look_at(run, k, (const float *)got, &pattern, result);
    }
    if (!status && pattern.bad)
        write_hint(run, &pattern, result->hint, sizeof result->hint);
    free(got);
    return status;
}

int allreduce_verify(void *opaque, struct CUstream_st *stream, struct cpprof_verification *result)
{
    struct allreduce_run *run = (struct allreduce_run *)opaque;
    const struct allreduce_problem *p = &run->problem;
    double bad = 0, worst = 0;
    int status = cudaStreamSynchronize(stream);
    if (!status)
        status = failure_of(run);
    memset(result, 0, sizeof *result);
    for (int k = 0; k < p->ranks && !status; k++) {
        struct cpprof_comparison_sums sums;
        double error;
        status = compare_rank(run, k, stream, &sums);
        if (status)
            break;
        memcpy(&error, &sums.worst_bits, sizeof error);
        worst = fmax(worst, error);
        bad += (double)sums.bad;
        result->output_hash += sums.hash;
    }
    allreduce_home(run);
    if (status)
        return status;
    result->values = (uint64_t)p->ranks * p->count;
    result->max_abs_err = worst;
    result->bad_ratio = bad / (double)result->values;
    return bad > 0 ? explain(run, result) : cudaSuccess;
}
