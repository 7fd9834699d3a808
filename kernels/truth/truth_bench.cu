/* truth_bench.cu - where are a known kernel's numbers, and were they computed? */
#include "kernels/truth/truth_bench.h"

#include <cuda_runtime.h>
#include <stdlib.h>

enum { FILL_THREADS = 256, FILL_BLOCKS = 1024 };

static __global__ void truth_whole_numbers(float *in, size_t count, float limit)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += stride)
        in[i] = truncf(in[i] * limit);
}

void truth_teardown(void *opaque)
{
    struct truth *t = (struct truth *)opaque;
    if (!t)
        return;
    cudaFree(t->in);
    cudaFree(t->out);
    cudaFree(t->reference);
    cudaFree(t->more);
    free(t);
}

static int count_sms(struct truth *t)
{
    int device;
    cudaError_t status = cudaGetDevice(&device);
    return status ? status : cudaDeviceGetAttribute(&t->sm_count, cudaDevAttrMultiProcessorCount, device);
}

static int make_buffers(struct truth *t, struct CUstream_st *stream)
{
    cudaError_t status;
    if ((status = cudaMalloc((void **)&t->in, t->in_count * sizeof(float))) ||
        (status = cudaMalloc((void **)&t->out, t->out_count * sizeof(float))) ||
        (status = cudaMalloc((void **)&t->reference, t->out_count * sizeof(double))))
        return status;
    int filled = random_fill_f32(t->in, t->in_count, t->seed, stream);
    if (filled || !t->whole_max)
        return filled;
    truth_whole_numbers<<<FILL_BLOCKS, FILL_THREADS, 0, stream>>>(t->in, t->in_count, (float)(t->whole_max + 1));
    return cudaGetLastError();
}

int truth_setup(const struct cpprof_config *config, struct CUstream_st *stream, truth_step plan, truth_step prepare,
                void **out)
{
    struct truth *t = (struct truth *)calloc(1, sizeof *t);
    *out = t;
    if (!t)
        return cudaErrorMemoryAllocation;
    t->rounds = (int)config->value[0];
    t->seed = config->seed;
    int status = count_sms(t);
    if (!status)
        status = plan(t, stream);
    if (!status)
        status = make_buffers(t, stream);
    if (!status)
        status = prepare(t, stream);
    if (!status)
        status = cudaStreamSynchronize(stream);
    if (status) {
        truth_teardown(t);
        *out = NULL;
    }
    return status;
}

int truth_poison(void *opaque, struct CUstream_st *stream)
{
    struct truth *t = (struct truth *)opaque;
    return poison_f32(t->out, t->out_count, stream);
}

int truth_verify(void *opaque, struct CUstream_st *stream, struct cpprof_verification *result)
{
    struct truth *t = (struct truth *)opaque;
    struct verify_layout layout = {t->out_count / (size_t)t->grid, (size_t)t->grid, (size_t)t->grid, 1};
    return compare_f32(t->out, t->reference, t->out_count, t->tolerance, &layout, stream, result);
}

double truth_sm_count(void)
{
    int device, sm_count;
    if (cudaGetDevice(&device) || cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device))
        return 1;
    return sm_count;
}

int truth_threads_per_sm(void)
{
    int device, threads;
    if (cudaGetDevice(&device) || cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device))
        return 2048;
    return threads;
}
