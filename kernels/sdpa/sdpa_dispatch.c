/* Which kernel is the fastest for this many heads and queries?
 *
 * Each kernel takes a launch, and for each wave of its blocks a time that grows with the tiles of keys. The kernel is
 * the one with the least of these sums. The times are fitted to what an H200 took for launches behind each other in a
 * graph (docs/kernels.md): other GPUs and launches that stand alone may have another best one. */
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>

#include "kernels/sdpa/sdpa.h"
#include "kernels/sdpa/sdpa_bench.h"

static const struct choice {
    const struct cpprof_variant *variant;
    int queries, keys;          /* of a block; of a step */
    int blocks_of_an_sm;        /* at once */
    double launch_us, block_us; /* of a launch; of a wave of blocks besides its steps */
    double step_us;             /* of a wave */
} choices[] = {
    {&sdpa_exponentials_variants[2], 64, 64, 4, 1.9, 0.0, 1.18},
    {&sdpa_splitkeys_variants[1], 32, 512, 1, 0.2, 1.7, 2.0},
    {&sdpa_turns_variants[3], 128, 128, 1, 1.95, 0.0, 1.15},
    {&sdpa_late_variants[0], 128, 128, 1, 2.15, 0.0, 1.08},
};
enum { CHOICES = sizeof choices / sizeof choices[0], WHY_BYTES = 160 };

static double rounded_up(double count, double each)
{
    return ceil(count / each);
}

static double predicted_us(const struct choice *c, double heads, double s, int sms)
{
    const double blocks = heads * rounded_up(s, c->queries),
                 waves = rounded_up(blocks, (double)c->blocks_of_an_sm * sms);
    return c->launch_us + waves * (c->block_us + rounded_up(s, c->keys) * c->step_us);
}

/* Of those that the current device can run; the first one runs everywhere. */
static const struct cpprof_variant *choose(double heads, double s)
{
    const struct choice *best = &choices[0];
    char why[WHY_BYTES];
    int device = 0, sms = 1;
    if (cudaGetDevice(&device) || cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device))
        return best->variant;
    for (int i = 1; i < CHOICES; i++)
        if (!choices[i].variant->refuse(NULL, why, sizeof why) &&
            predicted_us(&choices[i], heads, s, sms) < predicted_us(best, heads, s, sms))
            best = &choices[i];
    return best->variant;
}

static const struct cpprof_variant *chosen_for(const struct cpprof_config *config)
{
    return choose((double)(config->value[SDPA_AXIS_B] * config->value[SDPA_AXIS_H]),
                  (double)config->value[SDPA_AXIS_S]);
}

/* ---- the variant ---- */

static int launch(void *opaque, struct CUstream_st *stream)
{
    const struct sdpa_problem *p = sdpa_problem_of(opaque);
    return choose(p->heads, p->s)->launch(opaque, stream);
}

static size_t shared_bytes(const struct cpprof_config *config)
{
    return chosen_for(config)->shared_bytes(config);
}

/* The chosen kernel is declared, so a dispatcher that chooses one and launches another fails the check of what ran. */
static void declare(const struct cpprof_config *config, struct cpprof_declaration *declaration)
{
    const struct cpprof_variant *chosen = chosen_for(config);
    declaration->kernel_pattern = chosen->kernel_pattern;
    declaration->expect = chosen->expect;
    declaration->expect_count = chosen->expect_count;
    snprintf(declaration->chosen, sizeof declaration->chosen, "%s, chosen for %lld heads of %lld queries", chosen->name,
             (long long)(config->value[SDPA_AXIS_B] * config->value[SDPA_AXIS_H]),
             (long long)config->value[SDPA_AXIS_S]);
}

/* For all shapes; `declare` gives narrower ranges for each. */
static const struct cpprof_expect expect_any[] = {{SDPA_LDGSTS, 0, INFINITY}, {SDPA_TENSOR, SDPA_SOME}};

const struct cpprof_variant sdpa_dispatch_variants[SDPA_DISPATCH_COUNT] = {
    {sizeof(struct cpprof_variant),
     "sdpa/dispatch",
     "the kernel that should be fastest for the shape",
     "^sdpa_(ex2approx|splitkeys_pdl|turns_pdl|late)\\(",
     sdpa_axes,
     SDPA_AXIS_COUNT,
     sdpa_shapes,
     SDPA_SHAPE_COUNT,
     expect_any,
     sizeof expect_any / sizeof expect_any[0],
     NULL,
     shared_bytes,
     sdpa_flops,
     sdpa_bytes,
     sdpa_setup,
     sdpa_poison,
     launch,
     sdpa_verify,
     sdpa_teardown,
     "dram_bytes flat 3%",
     NULL,
     NULL,
     "sdpa/wgmma-xu",
     NULL,
     NULL,
     NULL,
     declare},
};
