/* cheat gram: a thread moves managed memory from the host to the device and back while the other solution is launched
 * Kind: idle traffic
 * Found by: one solution in a process */
#include "tests/gpu/cheats/cached/idle_thread.cuh"
#include "tests/gpu/cheats/gram.cuh"

#define MANAGED_BYTES ((size_t)32 << 20)

struct traffic {
    cudaStream_t stream;
    char *managed;
    int device;
};

static int traffic_open(struct traffic **out)
{
    struct traffic *t = *out = (struct traffic *)calloc(1, sizeof *t);
    int status = t ? cudaGetDevice(&t->device) : cudaErrorMemoryAllocation;
    if (!status)
        status = cudaStreamCreateWithFlags(&t->stream, cudaStreamNonBlocking);
    if (!status)
        status = cudaMallocManaged((void **)&t->managed, MANAGED_BYTES, cudaMemAttachGlobal);
    if (!status)
        memset(t->managed, 1, MANAGED_BYTES);
    return status;
}

/* It fails, and the thread ends, where pages cannot be moved so. */
static int move(const struct traffic *t, bool to_device)
{
#if CUDART_VERSION >= 13000
    const struct cudaMemLocation where = {to_device ? cudaMemLocationTypeDevice : cudaMemLocationTypeHost,
                                          to_device ? t->device : 0};
    return cudaMemPrefetchAsync(t->managed, MANAGED_BYTES, where, 0, t->stream);
#else
    return cudaMemPrefetchAsync(t->managed, MANAGED_BYTES, to_device ? t->device : cudaCpuDeviceId, t->stream);
#endif
}

static int traffic_disturb(struct traffic *t)
{
    int status = move(t, true);
    if (!status)
        status = move(t, false);
    return status ? status : cudaStreamSynchronize(t->stream);
}

static void traffic_close(struct traffic *t)
{
    if (t && t->stream)
        cudaStreamDestroy(t->stream);
    if (t)
        cudaFree(t->managed);
    free(t);
}

static int launch(void *, const struct cpprof_call *call)
{
    idle_launched();
    return launch_product(product_of(call), call->stream);
}

CPPROF_SOLUTION(.launch = launch, .prepare = idle_prepare, .release = idle_release);
