/* honest softmax: a launch with a priority, a domain of memory of its own and a window of data that leaves the cache
 * first */
#include "tests/gpu/cheats/softmax.cuh"

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    int least = 0, greatest = 0;
    const int status = cudaDeviceGetStreamPriorityRange(&least, &greatest);
    if (status || !r.rows)
        return status;
    cudaLaunchAttribute attributes[3] = {};
    attributes[0].id = cudaLaunchAttributePriority;
    attributes[0].val.priority = greatest;
    attributes[1].id = cudaLaunchAttributeMemSyncDomain;
    attributes[1].val.memSyncDomain = cudaLaunchMemSyncDomainRemote;
    attributes[2].id = cudaLaunchAttributeAccessPolicyWindow;
    attributes[2].val.accessPolicyWindow.base_ptr = r.out;
    attributes[2].val.accessPolicyWindow.num_bytes = sizeof(float) * r.rows * r.columns;
    attributes[2].val.accessPolicyWindow.hitRatio = 1;
    attributes[2].val.accessPolicyWindow.hitProp = cudaAccessPropertyStreaming;
    attributes[2].val.accessPolicyWindow.missProp = cudaAccessPropertyNormal;
    struct cudaLaunchConfig_st config = {};
    config.gridDim = dim3(r.rows), config.blockDim = dim3(SOFTMAX_THREADS), config.stream = call->stream;
    config.attrs = attributes, config.numAttrs = 3;
    return cudaLaunchKernelEx(&config, softmax_rows, r);
}

CPPROF_SOLUTION(.launch = launch);
