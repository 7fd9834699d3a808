/* honest gram: four blocks of a cluster add up a part each, and the first one reads the others' sums in their shared
 * memory; before sm_90 it launches plainly */
#include <cooperative_groups.h>

#include "tests/gpu/cheats/gram.cuh"

enum { PARTS = 4 };

static __global__ void gram_clusters(const struct product p)
{
#if __CUDA_ARCH__ >= 900
    __shared__ float own[GRAM_TILE][GRAM_TILE];
    const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    const unsigned row = blockIdx.y * GRAM_TILE + threadIdx.y, column = blockIdx.x * GRAM_TILE + threadIdx.x;
    const unsigned part = cluster.block_rank(), tiles = (p.n + GRAM_TILE - 1) / GRAM_TILE;
    const unsigned first = tiles * part / PARTS * GRAM_TILE, end = tiles * (part + 1) / PARTS * GRAM_TILE;
    float sum = gram_value(p, row, column, first, end < p.n ? end : p.n);
    own[threadIdx.y][threadIdx.x] = sum;
    cluster.sync();
    for (unsigned other = 1; other < PARTS && part == 0; other++)
        sum += *cluster.map_shared_rank(&own[threadIdx.y][threadIdx.x], other);
    cluster.sync();
    if (part == 0 && row < p.n && column < p.n)
        p.c[(size_t)row * p.n + column] = sum;
#else
    (void)p;
#endif
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct product p = product_of(call);
    int device, major = 0;
    int status = cudaGetDevice(&device);
    if (!status)
        status = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    if (status || major < 9)
        return status ? status : launch_product(p, call->stream);
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = attribute.val.clusterDim.y = 1, attribute.val.clusterDim.z = PARTS;
    struct cudaLaunchConfig_st config = {};
    config.gridDim = gram_grid(p.n), config.gridDim.z = PARTS;
    config.blockDim = dim3(GRAM_TILE, GRAM_TILE), config.stream = call->stream;
    config.attrs = &attribute, config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, gram_clusters, p);
}

CPPROF_SOLUTION(.launch = launch);
