/* honest softmax: two blocks of a cluster share a row, and read each other's sum; before sm_90 it launches plainly */
#include <cooperative_groups.h>

#include "tests/gpu/cheats/softmax.cuh"

enum { BLOCKS = 2 };

static __global__ void softmax_clusters(const struct rows r)
{
#if __CUDA_ARCH__ >= 900
    __shared__ float own;
    const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    const unsigned part = cluster.block_rank(), row = blockIdx.x / BLOCKS;
    const float *in = r.in + (size_t)row * r.columns;
    float *out = r.out + (size_t)row * r.columns, sum = 0;
    for (unsigned i = part * blockDim.x + threadIdx.x; i < r.columns; i += BLOCKS * blockDim.x)
        sum += expf(in[i]);
    sum = softmax_sum(sum);
    if (threadIdx.x == 0)
        own = sum;
    cluster.sync();
    sum += *cluster.map_shared_rank(&own, part ^ 1);
    cluster.sync(); /* a block must not end before the other one has read its sum */
    for (unsigned i = part * blockDim.x + threadIdx.x; i < r.columns; i += BLOCKS * blockDim.x)
        out[i] = expf(in[i]) / sum;
#else
    (void)r;
#endif
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    int device, major = 0;
    int status = cudaGetDevice(&device);
    if (!status)
        status = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    if (status || !r.rows || major < 9)
        return status ? status : launch_rows(r, call->stream);
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = BLOCKS, attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    struct cudaLaunchConfig_st config = {};
    config.gridDim = dim3(BLOCKS * r.rows), config.blockDim = dim3(SOFTMAX_THREADS), config.stream = call->stream;
    config.attrs = &attribute, config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, softmax_clusters, r);
}

CPPROF_SOLUTION(.launch = launch);
