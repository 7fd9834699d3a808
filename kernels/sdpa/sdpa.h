/* sdpa.h - the family `sdpa`: forward attention, from a correct kernel to a fast one. One idea per variant;
 * docs/kernels.md describes the ladder. */
#ifndef CPPROF_SDPA_H
#define CPPROF_SDPA_H

#include "cpprof/variant.h"

enum {
    SDPA_BASELINE_COUNT = 1,
    SDPA_STAGE1_COUNT = 2,
    SDPA_STAGE2_COUNT = 2,
    SDPA_STAGE3A_COUNT = 1,
    SDPA_STAGE3B_COUNT = 2,
    SDPA_EXPONENTIALS_COUNT = 3,
    SDPA_WARPSPEC_COUNT = 1,
    SDPA_SPLITKEYS_COUNT = 2,
    SDPA_WGMMA_COUNT = 1,
    SDPA_TURNS_COUNT = 4,
    SDPA_LATE_COUNT = 1,
    SDPA_DISPATCH_COUNT = 1
};

#ifdef __cplusplus
extern "C" {
#endif

extern const struct cpprof_variant sdpa_baseline_variants[SDPA_BASELINE_COUNT];
extern const struct cpprof_variant sdpa_stage1_variants[SDPA_STAGE1_COUNT];
extern const struct cpprof_variant sdpa_stage2_variants[SDPA_STAGE2_COUNT];
extern const struct cpprof_variant sdpa_stage3a_variants[SDPA_STAGE3A_COUNT];
extern const struct cpprof_variant sdpa_stage3b_variants[SDPA_STAGE3B_COUNT];
extern const struct cpprof_variant sdpa_exponentials_variants[SDPA_EXPONENTIALS_COUNT];
extern const struct cpprof_variant sdpa_warpspec_variants[SDPA_WARPSPEC_COUNT];
extern const struct cpprof_variant sdpa_splitkeys_variants[SDPA_SPLITKEYS_COUNT];
extern const struct cpprof_variant sdpa_wgmma_variants[SDPA_WGMMA_COUNT];
extern const struct cpprof_variant sdpa_turns_variants[SDPA_TURNS_COUNT];
extern const struct cpprof_variant sdpa_late_variants[SDPA_LATE_COUNT];
extern const struct cpprof_variant sdpa_dispatch_variants[SDPA_DISPATCH_COUNT];

#ifdef __cplusplus
}
#endif

#endif
