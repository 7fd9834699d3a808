/* allreduce.h - the family `allreduce`: the sum over 2 to 8 GPUs, on all of them. One idea per
 * file; docs/allreduce.md tells them apart. */
#ifndef CPPROF_ALLREDUCE_H
#define CPPROF_ALLREDUCE_H

#include "cpprof/variant.h"
#include "kernels/allreduce_bench.h"

enum { ALLREDUCE_1STAGE_COUNT = 1 };

/* Said of every variant: what a time on one GPU is not. */
#define ALLREDUCE_ONE_GPU "; with fewer GPUs than ranks all run on one, and times say nothing of links"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct cpprof_variant allreduce_1stage_variants[ALLREDUCE_1STAGE_COUNT];

/* For the dispatcher. */
extern const struct allreduce_kernel allreduce_1stage_kernel;

#ifdef __cplusplus
}
#endif

#endif
