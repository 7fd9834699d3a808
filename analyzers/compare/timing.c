/* How long does each variant take, and what rate is that? */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/entries.h"
#include "core/base/array.h"
#include "core/run/instrumented_arm.h"
#include "core/run/timing_arms.h"
#include "core/stats/statistics.h"

static double rate(const struct table *variants, size_t row, size_t column, double duration_ns)
{
    const double amount = table_number(variants, row, column);
    return isfinite(amount) && amount > 0 ? amount / duration_ns * 1e9 : NAN;
}

/* Over all samples of all processes: how a single call is distributed. */
static int summarise(struct analysis *a, size_t row, const struct timing_arm *arm, struct err *e)
{
    const struct table *variants = &a->bundle->tables[BUNDLE_VARIANTS];
    const size_t count = arm->samples.count;
    double *sorted = calloc(count, sizeof *sorted);
    struct timing_summary *timing = sorted ? ARRAY_PUSH(&a->timings) : NULL;
    if (!timing) {
        free(sorted);
        return err_memory(e);
    }
    for (size_t i = 0; i < count; i++)
        sorted[i] = arm->samples.items[i].duration_ns;
    sort_doubles(sorted, count);
    const double p50_ns = quantile_sorted(sorted, count, 0.50);
    analysis_note(a, ARM_TIMINGS, arm->arm, a->timings.count - 1);
    *timing = (struct timing_summary){
        .arm = arm->arm,
        .variant = arena_copy(&a->arena, arm->variant),
        .config = arena_copy(&a->arena, arm->config),
        .cache = arena_copy(&a->arena, arm->cache),
        .p50_ns = p50_ns,
        .p90_ns = quantile_sorted(sorted, count, 0.90),
        .p99_ns = quantile_sorted(sorted, count, 0.99),
        .mean_ns = mean(sorted, count),
        .std_ns = standard_deviation(sorted, count),
        .min_ns = sorted[0],
        .samples = (int64_t)count,
        .processes = (int64_t)arm->processes.count,
        .batch = arm->batch,
        .flops_per_s = rate(variants, row, VARIANTS_FLOPS, p50_ns),
        .bytes_per_s = rate(variants, row, VARIANTS_BYTES, p50_ns),
    };
    free(sorted);
    return 0;
}

/* What was measured and does not count has to be said, most of all when nothing is left. */
static int note_discarded(struct analysis *a, const struct timing_arm *arm, struct err *e)
{
    const size_t blocks = arm->discarded.count;
    if (!blocks)
        return 0;
    const char *claim = arena_printf(&a->arena, "%zu block%s%s discarded, as the GPU slowed itself down in %s%s",
                                     blocks, blocks == 1 ? "" : "s",
                                     strcmp(arm->cache, "cold") ? blocks == 1 ? " was" : " were"
                                     : blocks == 1              ? " with a cold L2 was"
                                                                : " with a cold L2 were",
                                     blocks == 1 ? "it" : "them", arm->samples.count ? "" : ": none is left");
    struct finding *finding =
        analysis_finding(a, "throttled-blocks", SEVERITY_WARNING, arm->variant, arm->config, claim);
    if (!finding)
        return err_memory(e);
    finding->advice = "let the GPU cool down or lock a lower clock before the next run";
    return evidence_add(&a->arena, &finding->evidence, "discarded_blocks", (double)blocks, UNIT_COUNT, e);
}

int timing_analyze(struct analysis *a, struct err *e)
{
    const struct arm_table *variants = &a->run->tables[BUNDLE_VARIANTS];
    const struct timing_arms *arms = &a->run->timing;
    int rc = 0;
    for (size_t row = 0; row < table_rows(variants->table) && !rc; row++) {
        const struct arm_places own = timing_arms_of(arms, variants->arms[row]);
        for (size_t i = 0; i < own.count && !rc; i++) {
            const struct timing_arm *arm = &arms->items[own.items[i]];
            if (arm->samples.count && !arm_is_altered(arm->arm))
                rc = summarise(a, row, arm, e);
            if (!rc)
                rc = note_discarded(a, arm, e);
        }
    }
    return rc;
}
