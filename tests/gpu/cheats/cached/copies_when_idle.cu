/* cheat softmax: a thread copies to the device, from it and within it while the other solution is launched
 * Kind: idle traffic
 * Found by: one solution in a process */
#include "tests/gpu/cheats/cached/idle_thread.cuh"
#include "tests/gpu/cheats/softmax.cuh"

enum { WAYS = 3 };
#define PIECE_BYTES ((size_t)16 << 20)

/* One stream each way. */
struct traffic {
    cudaStream_t streams[WAYS];
    char *device, *host; /* a piece for each end of each way */
};

static int traffic_open(struct traffic **out)
{
    struct traffic *t = *out = (struct traffic *)calloc(1, sizeof *t);
    int status = t ? cudaMalloc((void **)&t->device, 4 * PIECE_BYTES) : cudaErrorMemoryAllocation;
    if (!status)
        status = cudaMallocHost((void **)&t->host, 2 * PIECE_BYTES);
    for (int i = 0; i < WAYS && !status; i++)
        status = cudaStreamCreateWithFlags(&t->streams[i], cudaStreamNonBlocking);
    return status;
}

static int traffic_disturb(struct traffic *t)
{
    char *const to[WAYS] = {t->device, t->host, t->device + 2 * PIECE_BYTES};
    char *const from[WAYS] = {t->host + PIECE_BYTES, t->device + PIECE_BYTES, t->device + 3 * PIECE_BYTES};
    int status = 0;
    for (int i = 0; i < WAYS && !status; i++)
        status = cudaMemcpyAsync(to[i], from[i], PIECE_BYTES, cudaMemcpyDefault, t->streams[i]);
    for (int i = 0; i < WAYS && !status; i++)
        status = cudaStreamSynchronize(t->streams[i]);
    return status;
}

static void traffic_close(struct traffic *t)
{
    for (int i = 0; t && i < WAYS; i++)
        if (t->streams[i])
            cudaStreamDestroy(t->streams[i]);
    if (t) {
        cudaFree(t->device);
        cudaFreeHost(t->host);
    }
    free(t);
}

static int launch(void *, const struct cpprof_call *call)
{
    idle_launched();
    return launch_rows(rows_of(call), call->stream);
}

CPPROF_SOLUTION(.launch = launch, .prepare = idle_prepare, .release = idle_release);
