/* compare_device.cu - is an output right, and is memory what it was, without a copy to the host? */
#include <cuda_runtime.h>

#include "collector/runner/judge/compare_device.h"

enum { THREADS = 256, BLOCKS_MOST = 1024 };

static __device__ uint64_t word_at(const unsigned char *bytes, uint64_t count, uint64_t word)
{
    if (word * 8 + 8 <= count)
        return ((const uint64_t *)bytes)[word];
    uint64_t bits = 0;
    for (uint64_t i = word * 8; i < count; i++)
        bits |= (uint64_t)bytes[i] << 8 * (i % 8);
    return bits;
}

/* Adds what each thread found: within the block first, so that few blocks meet in device memory. */
static __device__ void add_to(unsigned long long *sums, const struct compare_found *own)
{
    atomicAdd(&sums[0], (unsigned long long)own->bad);
    atomicAdd(&sums[1], (unsigned long long)own->unwritten);
    atomicMin(&sums[2], (unsigned long long)own->first);
    atomicMax(&sums[3], (unsigned long long)own->error_bits);
    atomicAdd(&sums[4], (unsigned long long)own->hash);
}

static __device__ void add_up(const struct compare_found *own, struct compare_found *found)
{
    __shared__ struct compare_found block;
    if (threadIdx.x == 0)
        block = compare_found{0, 0, UINT64_MAX, 0, 0};
    __syncthreads();
    add_to((unsigned long long *)&block, own);
    __syncthreads();
    if (threadIdx.x == 0)
        add_to((unsigned long long *)found, &block);
}

static __global__ void __launch_bounds__(THREADS) judge_values(struct compare_rule rule, const unsigned char *got,
                                                               const double *expected, struct compare_found *found)
{
    const uint64_t bytes = rule.count * rule.value_bytes, words = (bytes + 7) / 8;
    struct compare_found own = {0, 0, UINT64_MAX, 0, 0};
    for (uint64_t word = blockIdx.x * (uint64_t)THREADS + threadIdx.x; word < words;
         word += gridDim.x * (uint64_t)THREADS)
        compare_word(&rule, word, word_at(got, bytes, word), expected, &own);
    add_up(&own, found);
}

static __global__ void __launch_bounds__(THREADS)
    judge_bytes(const unsigned char *got, const unsigned char *expected, unsigned char repeated, uint64_t bytes,
                struct compare_found *found)
{
    const uint64_t words = (bytes + 7) / 8, all = 0x0101010101010101u * repeated;
    struct compare_found own = {0, 0, UINT64_MAX, 0, 0};
    for (uint64_t word = blockIdx.x * (uint64_t)THREADS + threadIdx.x; word < words;
         word += gridDim.x * (uint64_t)THREADS)
        compare_bytes(word, word_at(got, bytes, word), expected ? word_at(expected, bytes, word) : all,
                      word * 8 + 8 <= bytes ? 8 : (unsigned)(bytes % 8), &own);
    add_up(&own, found);
}

static unsigned blocks_for(uint64_t bytes)
{
    const uint64_t wanted = ((bytes + 7) / 8 + THREADS - 1) / THREADS;
    return (unsigned)(wanted > BLOCKS_MOST ? BLOCKS_MOST : wanted ? wanted : 1);
}

static int begin(void *scratch, struct CUstream_st *stream)
{
    static const struct compare_found nothing = {0, 0, UINT64_MAX, 0, 0};
    return cudaMemcpyAsync(scratch, &nothing, sizeof nothing, cudaMemcpyHostToDevice, stream);
}

static int end(const void *scratch, struct compare_found *found, struct CUstream_st *stream)
{
    int status = cudaGetLastError();
    if (!status)
        status = cudaMemcpyAsync(found, scratch, sizeof *found, cudaMemcpyDeviceToHost, stream);
    return status ? status : (int)cudaStreamSynchronize(stream);
}

extern "C" int compare_output(const struct compare_rule *rule, const void *got, const double *expected, void *scratch,
                              struct compare_found *found, struct CUstream_st *stream)
{
    const int status = begin(scratch, stream);
    if (status)
        return status;
    judge_values<<<blocks_for(rule->count * rule->value_bytes), THREADS, 0, stream>>>(
        *rule, (const unsigned char *)got, expected, (struct compare_found *)scratch);
    return end(scratch, found, stream);
}

extern "C" int compare_memory(const void *got, const void *expected, unsigned char repeated, size_t bytes,
                              void *scratch, struct compare_found *found, struct CUstream_st *stream)
{
    const int status = begin(scratch, stream);
    if (status)
        return status;
    judge_bytes<<<blocks_for(bytes), THREADS, 0, stream>>>((const unsigned char *)got, (const unsigned char *)expected,
                                                           repeated, bytes, (struct compare_found *)scratch);
    return end(scratch, found, stream);
}
