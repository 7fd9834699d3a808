/* honest allreduce: NCCL, where the loader finds libnccl.so.2; communicators are made before there is any data */
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include <cpprof/task.h>

enum { RANKS_MAX = 8, NCCL_SUM = 0, NCCL_FLOAT32 = 7 }; /* as in nccl.h */

static struct {
    int (*init_all)(void **comms, int count, const int *devices);
    int (*group_start)(void);
    int (*group_end)(void);
    int (*all_reduce)(const void *from, void *to, size_t count, int type, int operation, void *comm,
                      cudaStream_t stream);
    const char *(*error_string)(int status);
} nccl;

/* By number of ranks. They take a second to make and hold threads, so that all shapes of a process share them. */
static void *connected[RANKS_MAX + 1][RANKS_MAX];
static int device_of[RANKS_MAX];

static int load(void)
{
    const struct {
        const char *name;
        void *function;
    } wanted[] = {{"ncclCommInitAll", &nccl.init_all},
                  {"ncclGroupStart", &nccl.group_start},
                  {"ncclGroupEnd", &nccl.group_end},
                  {"ncclAllReduce", &nccl.all_reduce},
                  {"ncclGetErrorString", &nccl.error_string}};
    void *library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    for (const auto &one : wanted)
        if (!library || !(*(void **)one.function = dlsym(library, one.name))) {
            fprintf(stderr, "ranks_nccl: no libnccl.so.2 is found (LD_LIBRARY_PATH)\n");
            return cudaErrorSharedObjectInitFailed;
        }
    return cudaSuccess;
}

static int check(int status)
{
    if (status)
        fprintf(stderr, "ranks_nccl: %s\n", nccl.error_string(status));
    return status ? cudaErrorUnknown : cudaSuccess;
}

/* Rank 0 is on the current GPU, the others are on those behind it. NCCL must not read another rank's buffers by their
 * addresses: each GPU sees them at addresses of its own. Multicast over NVLink is not used, as in our own kernels. */
static int prepare(const struct cpprof_config *config, void **)
{
    const int ranks = (int)config->value[1];
    int current = 0, all = 0, status = cudaGetDevice(&current);
    if (!status)
        status = cudaGetDeviceCount(&all);
    if (!status && (ranks > all || setenv("NCCL_P2P_DIRECT_DISABLE", "1", 1) || setenv("NCCL_NVLS_ENABLE", "0", 1)))
        status = cudaErrorNotSupported;
    if (!status)
        status = load();
    if (status || connected[ranks][0])
        return status;
    for (int k = 0; k < ranks; k++)
        device_of[k] = (current + k) % all;
    status = check(nccl.init_all(connected[ranks], ranks, device_of));
    if (status)
        connected[ranks][0] = NULL;
    const int back = cudaSetDevice(current);
    return status ? status : back;
}

/* A group that was begun is ended in any case; otherwise all later work would wait for its end. */
static int launch(void *, const struct cpprof_call *call)
{
    const struct cpprof_rank *rank = call->rank;
    for (int k = 0; k < call->ranks; k++)
        if (rank[k].device != device_of[k]) {
            fprintf(stderr, "ranks_nccl: rank %d is on GPU %d, not %d\n", k, rank[k].device, device_of[k]);
            return cudaErrorInvalidDevice;
        }
    int status = check(nccl.group_start());
    if (status)
        return status;
    for (int k = 0; k < call->ranks && !status; k++) {
        status = cudaSetDevice(rank[k].device);
        if (!status)
            status = check(nccl.all_reduce(rank[k].inputs[k], rank[k].outputs[k], (size_t)call->config->value[0],
                                           NCCL_FLOAT32, NCCL_SUM, connected[call->ranks][k], rank[k].stream));
    }
    const int ended = check(nccl.group_end());
    return status ? status : ended;
}

CPPROF_SOLUTION(.launch = launch, .kernels = "^nccl(Dev)?Kernel.*AllReduce", .prepare = prepare);
