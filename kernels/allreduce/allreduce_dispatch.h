/* allreduce_dispatch.h - which kernel does which all-reduce? Plain C without CUDA, so that a test without a GPU can
 * check the table. docs/allreduce.md explains the thresholds. */
#ifndef CPPROF_ALLREDUCE_DISPATCH_H
#define CPPROF_ALLREDUCE_DISPATCH_H

#include <stddef.h>
#include <stdint.h>

enum allreduce_kernel_id {
    ALLREDUCE_IS_1STAGE,
    ALLREDUCE_IS_1STAGE_CPASYNC2,
    ALLREDUCE_IS_1STAGE_CPASYNC3,
    ALLREDUCE_IS_1STAGE_CPASYNC4,
    ALLREDUCE_IS_2STAGE,
    ALLREDUCE_IS_2STAGE_CPASYNC,
    ALLREDUCE_IS_1STAGE_TMA, /* from here on they need compute capability 9.0; this one and the next are only chosen by
                                force */
    ALLREDUCE_IS_1STAGE_PDL,
    ALLREDUCE_IS_1STAGE_PUSH,
    ALLREDUCE_IS_1STAGE_LL,
    ALLREDUCE_IS_2STAGE_PUSH,
    ALLREDUCE_IS_2STAGE_SEND,
    ALLREDUCE_KERNELS
};

struct allreduce_message {
    uint64_t bytes; /* of the message of each rank */
    int ranks;
    int alignment; /* largest power of two, at most 16, that divides the addresses of all messages */
    int is_9;      /* all GPUs have compute capability 9.0, and run code compiled for it */
};

/* The last part of a variant's name: "2stage-cpasync". */
const char *allreduce_kernel_name(enum allreduce_kernel_id kernel);

/* Chooses a kernel by the table, or the one that `forced` names; NULL and "" force nothing. Returns 0, or -1 when no
 * kernel has the forced name (*kernel is then unchanged). */
int allreduce_choose(const struct allreduce_message *message, const char *forced, enum allreduce_kernel_id *kernel);

#endif
