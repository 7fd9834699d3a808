/* allreduce.h - the family `allreduce`: the sum over 2 to 8 GPUs, on all of them. One idea per file; docs/allreduce.md
 * compares them. */
#ifndef CPPROF_ALLREDUCE_H
#define CPPROF_ALLREDUCE_H

#include "cpprof/variant.h"
#include "kernels/allreduce/allreduce_bench.h"

enum {
    ALLREDUCE_1STAGE_COUNT = 1,
    ALLREDUCE_CPASYNC_COUNT = 3,
    ALLREDUCE_2STAGE_COUNT = 2,
    ALLREDUCE_TMA_COUNT = 1,
    ALLREDUCE_PDL_COUNT = 1,
    ALLREDUCE_PUSH_COUNT = 3,
    ALLREDUCE_SEND_COUNT = 1,
    ALLREDUCE_NAIVE_COUNT = 1,
    ALLREDUCE_NCCL_COUNT = 1,
    ALLREDUCE_DISPATCH_COUNT = 1
};

/* Appended to every summary: a time on one GPU is not a time over links. */
#define ALLREDUCE_ONE_GPU "; ranks that share a GPU measure no link"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct cpprof_variant allreduce_1stage_variants[ALLREDUCE_1STAGE_COUNT];
extern const struct cpprof_variant allreduce_cpasync_variants[ALLREDUCE_CPASYNC_COUNT];
extern const struct cpprof_variant allreduce_2stage_variants[ALLREDUCE_2STAGE_COUNT];
extern const struct cpprof_variant allreduce_tma_variants[ALLREDUCE_TMA_COUNT];
extern const struct cpprof_variant allreduce_pdl_variants[ALLREDUCE_PDL_COUNT];
extern const struct cpprof_variant allreduce_push_variants[ALLREDUCE_PUSH_COUNT];
extern const struct cpprof_variant allreduce_send_variants[ALLREDUCE_SEND_COUNT];
extern const struct cpprof_variant allreduce_naive_variants[ALLREDUCE_NAIVE_COUNT];
extern const struct cpprof_variant allreduce_nccl_variants[ALLREDUCE_NCCL_COUNT];
extern const struct cpprof_variant allreduce_dispatch_variants[ALLREDUCE_DISPATCH_COUNT];

/* For the dispatcher. */
extern const struct allreduce_kernel allreduce_1stage_kernel, allreduce_cpasync2_kernel, allreduce_cpasync3_kernel,
    allreduce_cpasync4_kernel, allreduce_2stage_kernel, allreduce_2stage_cpasync_kernel, allreduce_tma_kernel,
    allreduce_pdl_kernel, allreduce_push_kernel, allreduce_ll_kernel, allreduce_2stage_push_kernel,
    allreduce_2stage_send_kernel;

#ifdef __cplusplus
}
#endif

#endif
