/* nccl_profiler.h - how does NCCL call a profiler that it has loaded?
 *
 * NCCL looks for a table of functions under the name ncclProfiler_vN, the highest N that it knows first. These are the
 * parts of the tables of N 3 to 5 that are used here, as NCCL's ext-profiler folder and src/include/plugin/profiler
 * publish them: 3 is asked for by NCCL 2.26, 4 by 2.27 and 5 by 2.28; later ones ask for 5, too. */
#ifndef CPPROF_NCCL_PROFILER_H
#define CPPROF_NCCL_PROFILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an event is of. A mask has those that are wanted. */
enum nccl_event_type {
    NCCL_EVENT_PLAN = 1 << 0,       /* "Group": one launched kernel is reported, its collectives come next */
    NCCL_EVENT_COLLECTIVE = 1 << 1, /* "Coll" */
    NCCL_EVENT_CALL = 1 << 9,       /* "CollApi", from 5 on: the program's call */
    NCCL_EVENT_LAUNCH = 1 << 11     /* "KernelLaunch", from 5 on: begins before the kernel is launched, stops after */
};

/* From 4 on: NCCL tells the communicator when it opens one. */
struct nccl_collective {
    uint64_t sequence;
    const char *operation;
    const void *send;
    void *receive;
    size_t count;
    int root;
    const char *type;
    uint8_t channels, warps;
    const char *algorithm, *protocol;
};

struct nccl_collective_v3 {
    const char *name;
    uint64_t communicator;
    struct nccl_collective is;
};

struct nccl_call {
    const char *operation;
    size_t count;
    const char *type;
    int root;
    void *stream;
    bool is_captured; /* into a CUDA graph */
};

struct nccl_event_v3 {
    uint8_t type;
    void *parent;
    int rank;
    union {
        struct nccl_collective_v3 collective;
    } of;
};

struct nccl_event_v4 {
    uint8_t type;
    void *parent;
    int rank;
    union {
        struct nccl_collective collective;
    } of;
};

struct nccl_event_v5 {
    uint64_t type;
    void *parent;
    int rank;
    union {
        struct nccl_collective collective;
        struct nccl_call call;
    } of;
};

/* All functions return 0. `handle` of `stop` and `state` is what `start` gave, unless that was NULL. */
struct nccl_profiler_v3 {
    const char *name;
    int (*init)(void **context, int *mask);
    int (*start)(void *context, void **handle, struct nccl_event_v3 *event);
    int (*stop)(void *handle);
    int (*state)(void *handle, int state, void *arguments);
    int (*finalize)(void *context);
};

struct nccl_profiler_v4 {
    const char *name;
    int (*init)(void **context, int *mask, const char *communicator_name, uint64_t communicator, int nodes, int ranks,
                int rank, void (*log)(void));
    int (*start)(void *context, void **handle, struct nccl_event_v4 *event);
    int (*stop)(void *handle);
    int (*state)(void *handle, int state, void *arguments);
    int (*finalize)(void *context);
};

struct nccl_profiler_v5 {
    const char *name;
    int (*init)(void **context, uint64_t communicator, int *mask, const char *communicator_name, int nodes, int ranks,
                int rank, void (*log)(void));
    int (*start)(void *context, void **handle, struct nccl_event_v5 *event);
    int (*stop)(void *handle);
    int (*state)(void *handle, int state, void *arguments);
    int (*finalize)(void *context);
};

#endif
