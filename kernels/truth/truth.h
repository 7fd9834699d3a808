/* truth.h - the family `truth`: kernels whose bound is known by construction. Unlike other families, its variants
 * compute different things. */
#ifndef CPPROF_TRUTH_H
#define CPPROF_TRUTH_H

#include "cpprof/variant.h"

enum {
    TRUTH_MEMORY_COUNT = 4,
    TRUTH_SHARED_COUNT = 3,
    TRUTH_FMA_COUNT = 3,
    TRUTH_PIPES_COUNT = 4,
    TRUTH_TENSOR_COUNT = 2,
    TRUTH_WAITING_COUNT = 3
};

#ifdef __cplusplus
extern "C" {
#endif

extern const struct cpprof_variant truth_memory_variants[TRUTH_MEMORY_COUNT];
extern const struct cpprof_variant truth_shared_variants[TRUTH_SHARED_COUNT];
extern const struct cpprof_variant truth_fma_variants[TRUTH_FMA_COUNT];
extern const struct cpprof_variant truth_pipes_variants[TRUTH_PIPES_COUNT];
extern const struct cpprof_variant truth_tensor_variants[TRUTH_TENSOR_COUNT];
extern const struct cpprof_variant truth_waiting_variants[TRUTH_WAITING_COUNT];

#ifdef __cplusplus
}
#endif

#endif
