/* How fast is NCCL? It is loaded with dlopen, so that a machine without it can run everything else. One process has one
 * communicator for each device, and all calls of an all-reduce are in one group. */
#define _GNU_SOURCE
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/allreduce/allreduce.h"

/* As in nccl.h, whose ABI has not changed here. */
typedef struct ncclComm *nccl_comm;
enum { NCCL_SUM = 0, NCCL_FLOAT16 = 6, NCCL_FLOAT32 = 7, NCCL_BFLOAT16 = 9 };

struct nccl_api {
    int (*init_all)(nccl_comm *comms, int count, const int *devices);
    int (*group_start)(void);
    int (*group_end)(void);
    int (*all_reduce)(const void *from, void *to, size_t count, int type, int operation, nccl_comm comm,
                      struct CUstream_st *stream);
    const char *(*error_string)(int status);
    int (*version)(int *version);
};

struct nccl {
    struct allreduce_run run; /* must be first: the functions of all variants take it */
    struct nccl_api api;
    const nccl_comm *comms;
};

/* By number of ranks: all of a process use the same devices. A communicator takes a second to make, and holds threads
 * and memory. So a run of many shapes has one, as a real program would. It ends with the process. */
static nccl_comm connected[ALLREDUCE_RANKS_MAX + 1][ALLREDUCE_RANKS_MAX];

/* The library stays loaded, because it has threads of its own. */
static int load(struct nccl_api *api)
{
    void *library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return 0;
    const struct {
        const char *name;
        void *function;
    } wanted[] = {{"ncclCommInitAll", &api->init_all},        {"ncclGroupStart", &api->group_start},
                  {"ncclGroupEnd", &api->group_end},          {"ncclAllReduce", &api->all_reduce},
                  {"ncclGetErrorString", &api->error_string}, {"ncclGetVersion", &api->version}};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        if (!(*(void **)wanted[i].function = dlsym(library, wanted[i].name)))
            return 0;
    return 1;
}

static int refuse(const struct cpprof_config *config, char *why, size_t why_bytes)
{
    struct nccl_api api;
    int device[ALLREDUCE_RANKS_MAX];
    if (allreduce_refuse_size(config, why, why_bytes))
        return 1;
    if (allreduce_devices(config, device) == 1)
        snprintf(why, why_bytes, "NCCL needs a device for each of %d ranks", (int)config->value[ALLREDUCE_AXIS_GPUS]);
    else if (!load(&api))
        snprintf(why, why_bytes, "no libnccl.so.2 is found (LD_LIBRARY_PATH)");
    else
        return 0;
    return 1;
}

static int connect_ranks(struct nccl *n)
{
    nccl_comm *comms = connected[n->run.problem.ranks];
    const int status = comms[0] ? 0 : n->api.init_all(comms, n->run.problem.ranks, n->run.device);
    if (status)
        comms[0] = NULL; /* a failure may leave anything there */
    n->comms = comms;
    return status;
}

static int check(const struct nccl *n, int status)
{
    if (status)
        fprintf(stderr, "allreduce/nccl: %s\n", n->api.error_string(status));
    return status ? cudaErrorUnknown : cudaSuccess;
}

static void teardown(void *opaque)
{
    struct nccl *n = opaque;
    if (!n)
        return;
    allreduce_close(&n->run);
    free(n);
}

/* Multicast over NVLink is not used, as in our own kernels (docs/allreduce.md). */
static int prepare(struct nccl *n, const struct cpprof_config *config, struct CUstream_st *stream)
{
    if (setenv("NCCL_NVLS_ENABLE", "0", 1) || !load(&n->api))
        return cudaErrorNotSupported;
    int status = allreduce_open(&n->run, config, stream);
    n->run.step_is_rounded = 1;
    n->run.pick.vector_bytes = n->run.value_bytes;
    if (!status && n->run.devices == 1)
        status = cudaErrorNotSupported;
    if (!status)
        status = check(n, connect_ranks(n));
    allreduce_home(&n->run);
    return status;
}

static int setup(const struct cpprof_config *config, struct CUstream_st *stream, void **out)
{
    struct nccl *n = calloc(1, sizeof *n);
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

/* A group that was begun is ended in any case; otherwise all later work would wait for its end. */
static int launch_ranks(const struct nccl *n, struct CUstream_st *stream)
{
    static const int types[ALLREDUCE_DTYPES] = {NCCL_FLOAT32, NCCL_FLOAT16, NCCL_BFLOAT16};
    const struct allreduce_problem *p = &n->run.problem;
    int status = check(n, n->api.group_start());
    if (status)
        return status;
    for (int k = 0; k < p->ranks && !status; k++) {
        struct CUstream_st *own;
        status = allreduce_enter(&n->run, k, stream, &own);
        if (!status)
            status = check(
                n, n->api.all_reduce(p->in[k], p->out[k], p->count, types[n->run.dtype], NCCL_SUM, n->comms[k], own));
    }
    const int ended = check(n, n->api.group_end());
    if (status || ended)
        connected[p->ranks][0] = NULL; /* unusable now: the next setup makes new ones */
    return status ? status : ended;
}

static int launch(void *opaque, struct CUstream_st *stream)
{
    const struct nccl *n = opaque;
    int status = allreduce_fork(&n->run, stream);
    if (!status)
        status = launch_ranks(n, stream);
    allreduce_home(&n->run);
    return status ? status : allreduce_join(&n->run, stream);
}

static size_t shared_bytes(const struct cpprof_config *config)
{
    (void)config;
    return 0;
}

/* NCCL counts 22707 for 2.27.7. */
static void declare(const struct cpprof_config *config, struct cpprof_declaration *declaration)
{
    struct nccl_api api;
    int version = 0;
    (void)config;
    if (load(&api) && !api.version(&version))
        snprintf(declaration->chosen, sizeof declaration->chosen, "NCCL %d.%d.%d", version / 10000, version / 100 % 100,
                 version % 100);
}

const struct cpprof_variant allreduce_nccl_variants[ALLREDUCE_NCCL_COUNT] = {
    {.struct_bytes = sizeof(struct cpprof_variant),
     .name = "allreduce/nccl",
     .summary = "NCCL, as it finds the machine but for multicast; a GPU for each rank",
     .kernel_pattern = "^nccl(Dev)?Kernel.*AllReduce",
     .axes = allreduce_axes,
     .axis_count = ALLREDUCE_AXIS_COUNT,
     .shapes = allreduce_shapes,
     .shape_count = ALLREDUCE_SHAPE_COUNT,
     .refuse = refuse,
     .shared_bytes = shared_bytes,
     .flops = allreduce_flops,
     .bytes = allreduce_bytes,
     .setup = setup,
     .poison = allreduce_poison,
     .launch = launch,
     .verify = allreduce_verify,
     .teardown = teardown,
     .bus_factor = allreduce_bus_factor,
     .fork = allreduce_begin_series,
     .join = allreduce_end_series,
     .devices = allreduce_variant_devices,
     .declare = declare},
};
