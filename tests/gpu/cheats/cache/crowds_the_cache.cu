/* cheat softmax: fills the part of the L2 cache that may be set aside with data nobody needs, and keeps its own
 * inputs there
 * Kind: cache
 * Found by: the witness cold_bytes, or it gains nothing */
#include "tests/gpu/cheats/softmax.cuh"

static float *crowd;
static size_t crowd_bytes;

static __global__ void softmax_crowds(const float4 *values, size_t count, float *unused)
{
    float sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
        sum += values[i].x;
    if (sum == 1.25f)
        *unused = sum;
}

static int set_window(cudaStream_t stream, const void *from, size_t bytes)
{
    cudaStreamAttrValue window = {};
    window.accessPolicyWindow.base_ptr = (void *)from;
    window.accessPolicyWindow.num_bytes = bytes;
    window.accessPolicyWindow.hitRatio = bytes ? 1 : 0;
    window.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    window.accessPolicyWindow.missProp = cudaAccessPropertyNormal;
    return cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &window);
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    set_window(call->stream, r.in, sizeof(float) * r.rows * r.columns);
    cudaGetLastError();
    const int status = launch_rows(r, call->stream);
    set_window(call->stream, NULL, 0);
    cudaGetLastError();
    return status;
}

/* Those that are there stay until somebody resets them. */
static int prepare(const struct cpprof_config *, void **)
{
    int most = 0, device = 0;
    cudaStream_t stream;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&most, cudaDevAttrMaxPersistingL2CacheSize, device);
    if (most <= 0 || cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, (size_t)most))
        return 0;
    if (!crowd && cudaMalloc((void **)&crowd, crowd_bytes = (size_t)most))
        return cudaErrorMemoryAllocation;
    int status = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (status)
        return status;
    set_window(stream, crowd, crowd_bytes);
    cudaGetLastError();
    for (int i = 0; i < 2; i++)
        softmax_crowds<<<128, 512, 0, stream>>>((const float4 *)crowd, crowd_bytes / sizeof(float4), crowd);
    status = cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    return status;
}

CPPROF_SOLUTION(.launch = launch, .prepare = prepare);
