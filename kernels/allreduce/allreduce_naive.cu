/* allreduce_naive.cu - the sum without any device reading another one's memory.
 *
 * Each message goes to the host, and from there to every other rank, which adds up its copies. What a program does
 * where there is no peer access, and what the others are compared with to see what that costs.
 */
#include <cuda_runtime.h>
#include <stdlib.h>

#include "kernels/allreduce/allreduce.h"
#include "kernels/allreduce/allreduce_picks.cuh"
#include "kernels/allreduce/allreduce_vector.cuh"

using namespace allreduce;

enum { STRIDE = 256, BLOCKS_MOST = 1024 };

struct naive {
    struct allreduce_run run;          /* first: what all variants' functions take */
    void *host[ALLREDUCE_RANKS_MAX];   /* pinned: the message of each rank */
    char *copies[ALLREDUCE_RANKS_MAX]; /* of each rank: the messages of all, its own left out */
    size_t stride;
};

/* For one rank, whose row is the only row of blocks; p.in are its copies. */
template <typename T>
__global__ void __launch_bounds__(THREADS) allreduce_naive(const __grid_constant__ struct allreduce_problem p)
{
    sum_vectors<T, WIDE, RANKS_MOST, 1>(p, 0, p.vectors);
    sum_tail<T, WIDE>(p);
}

static void teardown(void *opaque)
{
    struct naive *n = (struct naive *)opaque;
    if (!n)
        return;
    for (int k = 0; k < ALLREDUCE_RANKS_MAX; k++) {
        cudaFreeHost(n->host[k]);
        cudaFree(n->copies[k]);
    }
    allreduce_close(&n->run);
    free(n);
}

static int prepare(struct naive *n, const struct cpprof_config *config, struct CUstream_st *stream)
{
    int status = allreduce_open(&n->run, config, stream);
    const size_t bytes = allreduce_message_bytes(&n->run);
    const int ranks = n->run.problem.ranks;
    n->stride = (bytes + STRIDE - 1) / STRIDE * STRIDE;
    n->run.pick.vector_bytes = WIDE;
    n->run.problem.vectors = config->value[ALLREDUCE_AXIS_OFFSET] % WIDE ? 0 : bytes / WIDE;
    for (int k = 0; k < ranks && !status; k++) {
        struct CUstream_st *own;
        status = allreduce_enter(&n->run, k, stream, &own);
        if (!status)
            status = cudaHostAlloc(&n->host[k], bytes, cudaHostAllocPortable);
        if (!status)
            status = cudaMalloc((void **)&n->copies[k], (size_t)ranks * n->stride);
    }
    allreduce_home(&n->run);
    return status;
}

static int setup(const struct cpprof_config *config, struct CUstream_st *stream, void **out)
{
    struct naive *n = (struct naive *)calloc(1, sizeof *n);
    *out = n;
    if (!n)
        return cudaErrorMemoryAllocation;
    const int status = prepare(n, config, stream);
    if (status) {
        teardown(n);
        *out = NULL;
    }
    return status;
}

static int to_host(const struct naive *n, struct CUstream_st *stream)
{
    int status = allreduce_fork(&n->run, stream);
    for (int k = 0; k < n->run.problem.ranks && !status; k++) {
        struct CUstream_st *own;
        status = allreduce_enter(&n->run, k, stream, &own);
        if (!status)
            status = cudaMemcpyAsync(n->host[k], n->run.problem.in[k], allreduce_message_bytes(&n->run),
                                     cudaMemcpyDeviceToHost, own);
    }
    allreduce_home(&n->run);
    return status ? status : allreduce_join(&n->run, stream);
}

static int add_up(const struct naive *n, int rank, struct CUstream_st *own)
{
    static const allreduce_function functions[ALLREDUCE_DTYPES] = {allreduce_naive<float>, allreduce_naive<__half>,
                                                                   allreduce_naive<__nv_bfloat16>};
    struct allreduce_problem p = n->run.problem;
    cudaError_t status = cudaSuccess;
    p.first_rank = rank;
    for (int k = 0; k < p.ranks && !status; k++) {
        if (k == rank)
            continue;
        p.in[k] = n->copies[rank] + (size_t)k * n->stride;
        status =
            cudaMemcpyAsync((void *)p.in[k], n->host[k], allreduce_message_bytes(&n->run), cudaMemcpyHostToDevice, own);
    }
    const size_t work = p.vectors ? p.vectors : p.count, blocks = (work + THREADS - 1) / THREADS;
    void *arguments[] = {&p};
    return status ? status
                  : cudaLaunchKernel((const void *)functions[n->run.dtype],
                                     dim3((unsigned)(blocks < BLOCKS_MOST ? blocks : BLOCKS_MOST)), dim3(THREADS),
                                     arguments, 0, own);
}

/* All messages are with the host before any rank fetches one. */
static int launch(void *opaque, struct CUstream_st *stream)
{
    const struct naive *n = (const struct naive *)opaque;
    int status = to_host(n, stream);
    if (!status)
        status = allreduce_fork(&n->run, stream);
    for (int k = 0; k < n->run.problem.ranks && !status; k++) {
        struct CUstream_st *own;
        status = allreduce_enter(&n->run, k, stream, &own);
        if (!status)
            status = add_up(n, k, own);
    }
    allreduce_home(&n->run);
    return status ? status : allreduce_join(&n->run, stream);
}

static const struct cpprof_expect expect[] = {{ALLREDUCE_LDGSTS, 0, 0}};

extern "C" const struct cpprof_variant allreduce_naive_variants[ALLREDUCE_NAIVE_COUNT] = {
    {sizeof(struct cpprof_variant),
     "allreduce/naive",
     "every message by way of the host, then a sum on each rank" ALLREDUCE_ONE_GPU,
     "allreduce_naive<",
     allreduce_axes,
     ALLREDUCE_AXIS_COUNT,
     allreduce_shapes,
     ALLREDUCE_SHAPE_COUNT,
     expect,
     1,
     allreduce_refuse_size,
     allreduce_no_shared,
     allreduce_flops,
     allreduce_bytes,
     setup,
     allreduce_poison,
     launch,
     allreduce_verify,
     teardown,
     NULL,
     allreduce_bus_factor,
     NULL,
     NULL,
     NULL,
     NULL,
     allreduce_variant_devices,
     allreduce_declare_naive},
};
