/* honest softmax: reads through a texture, which it makes for each input when that comes first and keeps */
#include "tests/gpu/cheats/softmax.cuh"

enum { KNOWN = 64 };

struct described {
    const float *in;
    size_t values;
    cudaTextureObject_t texture;
};

static struct described known[KNOWN];
static unsigned count;

static __device__ float read(const struct rows r, cudaTextureObject_t texture, unsigned i)
{
    return texture ? tex1Dfetch<float>(texture, (int)(blockIdx.x * r.columns + i))
                   : r.in[(size_t)blockIdx.x * r.columns + i];
}

static __global__ void softmax_texture(const struct rows r, cudaTextureObject_t texture)
{
    float *out = r.out + (size_t)blockIdx.x * r.columns, sum = 0;
    for (unsigned i = threadIdx.x; i < r.columns; i += blockDim.x)
        sum += expf(read(r, texture, i));
    sum = softmax_sum(sum);
    for (unsigned i = threadIdx.x; i < r.columns; i += blockDim.x)
        out[i] = expf(read(r, texture, i)) / sum;
}

/* What cannot be made, as where a graph is, is read plainly. */
static cudaTextureObject_t texture_of(const struct rows r)
{
    const size_t values = (size_t)r.rows * r.columns;
    struct cudaResourceDesc resource = {};
    struct cudaTextureDesc how = {};
    unsigned i = 0;
    while (i < count && (known[i].in != r.in || known[i].values != values))
        i++;
    if (i < count)
        return known[i].texture;
    if (count == KNOWN || values > 1 << 27)
        return 0;
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = (void *)r.in;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = values * sizeof(float);
    how.readMode = cudaReadModeElementType;
    known[count] = {r.in, values, 0};
    if (cudaCreateTextureObject(&known[count].texture, &resource, &how, NULL)) {
        cudaGetLastError();
        return 0;
    }
    return known[count++].texture;
}

static int launch(void *, const struct cpprof_call *call)
{
    const struct rows r = rows_of(call);
    if (r.rows)
        softmax_texture<<<r.rows, SOFTMAX_THREADS, 0, call->stream>>>(r, texture_of(r));
    return cudaGetLastError();
}

/* Buffers of another shape may come to the same place, and those of before are gone. */
static int prepare(const struct cpprof_config *, void **)
{
    while (count)
        cudaDestroyTextureObject(known[--count].texture);
    return 0;
}

CPPROF_SOLUTION(.launch = launch, .prepare = prepare);
