/* allreduce_dispatch.h - which kernel takes which all-reduce? Plain C without CUDA, so that a test without a GPU holds the
 * table. The thresholds are those of the investigation that the family retells (docs/allreduce.md), not measured here. */
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
    ALLREDUCE_IS_1STAGE_TMA, /* this and the next only by force */
    ALLREDUCE_IS_1STAGE_PDL,
    ALLREDUCE_KERNELS
};

struct allreduce_message {
    uint64_t bytes;   /* of each rank */
    int ranks;
    int alignment;    /* largest power of two, at most 16, that divides the addresses of all messages */
};

/* What the names of variants end in: "2stage-cpasync". */
const char *allreduce_kernel_name(enum allreduce_kernel_id kernel);

/* By the table, or where `forced` names a kernel, that one; NULL and "" force nothing. Returns 0, or -1 where no kernel
 * has the forced name (*kernel is then not touched). */
int allreduce_choose(const struct allreduce_message *message, const char *forced, enum allreduce_kernel_id *kernel);

#endif
