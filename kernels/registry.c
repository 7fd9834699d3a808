/* Which families of variants are there? */
#include "kernels/registry.h"

#include <string.h>

#include "kernels/allreduce/allreduce.h"
#include "kernels/dose/dose.h"
#include "kernels/pipeline/pipeline.h"
#include "kernels/sdpa/sdpa.h"
#include "kernels/streams/streams.h"
#include "kernels/truth/truth.h"

static const struct variant_family families[] = {
    {"pipeline", pipeline_variants, PIPELINE_VARIANT_COUNT},
    {"dose", dose_variants, DOSE_VARIANT_COUNT},
    {"streams", streams_variants, STREAMS_VARIANT_COUNT},
    {"streams", streams_collective_variants, STREAMS_COLLECTIVE_COUNT},
    {"sdpa", sdpa_baseline_variants, SDPA_BASELINE_COUNT}, /* a file for each idea */
    {"sdpa", sdpa_stage1_variants, SDPA_STAGE1_COUNT},
    {"sdpa", sdpa_stage2_variants, SDPA_STAGE2_COUNT},
    {"sdpa", sdpa_stage3a_variants, SDPA_STAGE3A_COUNT},
    {"sdpa", sdpa_stage3b_variants, SDPA_STAGE3B_COUNT},
    {"sdpa", sdpa_exponentials_variants, SDPA_EXPONENTIALS_COUNT},
    {"sdpa", sdpa_warpspec_variants, SDPA_WARPSPEC_COUNT},
    {"sdpa", sdpa_splitkeys_variants, SDPA_SPLITKEYS_COUNT},
    {"sdpa", sdpa_wgmma_variants, SDPA_WGMMA_COUNT},
    {"sdpa", sdpa_turns_variants, SDPA_TURNS_COUNT},
    {"sdpa", sdpa_late_variants, SDPA_LATE_COUNT},
    {"sdpa", sdpa_dispatch_variants, SDPA_DISPATCH_COUNT},
    {"allreduce", allreduce_naive_variants, ALLREDUCE_NAIVE_COUNT},
    {"allreduce", allreduce_1stage_variants, ALLREDUCE_1STAGE_COUNT},
    {"allreduce", allreduce_cpasync_variants, ALLREDUCE_CPASYNC_COUNT},
    {"allreduce", allreduce_2stage_variants, ALLREDUCE_2STAGE_COUNT},
    {"allreduce", allreduce_tma_variants, ALLREDUCE_TMA_COUNT},
    {"allreduce", allreduce_pdl_variants, ALLREDUCE_PDL_COUNT},
    {"allreduce", allreduce_push_variants, ALLREDUCE_PUSH_COUNT},
    {"allreduce", allreduce_send_variants, ALLREDUCE_SEND_COUNT},
    {"allreduce", allreduce_dispatch_variants, ALLREDUCE_DISPATCH_COUNT},
    {"allreduce", allreduce_nccl_variants, ALLREDUCE_NCCL_COUNT},
    /* one family, a file for each theme */
    {"truth", truth_memory_variants, TRUTH_MEMORY_COUNT},
    {"truth", truth_shared_variants, TRUTH_SHARED_COUNT},
    {"truth", truth_fma_variants, TRUTH_FMA_COUNT},
    {"truth", truth_pipes_variants, TRUTH_PIPES_COUNT},
    {"truth", truth_tensor_variants, TRUTH_TENSOR_COUNT},
    {"truth", truth_waiting_variants, TRUTH_WAITING_COUNT},
};

const struct variant_family *variant_families(size_t *count)
{
    *count = sizeof families / sizeof families[0];
    return families;
}

const struct cpprof_variant *variant_by_name(const char *name)
{
    for (size_t f = 0; f < sizeof families / sizeof families[0]; f++)
        for (size_t v = 0; v < families[f].count; v++)
            if (!strcmp(families[f].variants[v].name, name))
                return &families[f].variants[v];
    return NULL;
}
