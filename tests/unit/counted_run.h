/* counted_run.h - a bundle in memory with counters, written by hand, and the
 * bound that it gets. */
#ifndef CPPROF_COUNTED_RUN_H
#define CPPROF_COUNTED_RUN_H

#include <math.h>
#include <string.h>

#include "analyzers/entries.h"
#include "core/base/array.h"
#include "core/bundle/bundle.h"
#include "core/gpu/metrics.h"
#include "tests/test.h"
#include "tests/unit/named_arms.h"

#define SHAPE "large ctas_per_sm=1"

struct recorded {
    struct bundle bundle;
    struct analysis analysis;
};

static inline void run_start(struct recorded *run)
{
    bundle_init(&run->bundle);
    run->bundle.manifest = json_pack("{s:{s:i}}", "gpu", "sm_count", 132);
    assert_non_null(run->bundle.manifest);
    analysis_init(&run->analysis, &run->bundle);
}

static inline void run_end(struct recorded *run)
{
    analysis_release(&run->analysis);
    bundle_release(&run->bundle);
}

static inline void add_variant(struct recorded *run, const char *variant, const char *config)
{
    struct table *t = &run->bundle.tables[BUNDLE_VARIANTS];
    struct cell *row = table_add_row(t);
    assert_non_null(row);
    row[VARIANTS_VARIANT] = cell_text(t, variant);
    row[VARIANTS_SHAPE] = cell_text(t, config);
}

static inline void add_metric(struct recorded *run, const char *variant, const char *config, int launch, const char *id,
                              double value)
{
    struct table *t = &run->bundle.tables[BUNDLE_METRICS];
    struct cell *row = table_add_row(t);
    assert_non_null(row);
    row[METRICS_VARIANT] = cell_text(t, variant);
    row[METRICS_SHAPE] = cell_text(t, config);
    row[METRICS_KERNEL] = cell_text(t, "kernel");
    row[METRICS_LAUNCH] = cell_integer(launch);
    row[METRICS_METRIC] = cell_text(t, metric_by_id(id)->name);
    row[METRICS_VALUE] = cell_number(value);
}

/* Every unit at zero except those that a test then says. */
static inline void add_idle_units(struct recorded *run, const char *variant, const char *config,
                                  const char *const *except, size_t except_count)
{
    size_t count;
    const struct metric *metrics = metrics_known(&count);
    for (size_t i = 0; i < count; i++) {
        bool skip = metrics[i].role != METRIC_COMPUTE && metrics[i].role != METRIC_MEMORY &&
                    strcmp(metrics[i].id, "issue_share");
        for (size_t j = 0; j < except_count; j++)
            skip = skip || !strcmp(except[j], metrics[i].id);
        if (!skip)
            add_metric(run, variant, config, 0, metrics[i].id, 0);
    }
}

/* One compute and one memory unit at the given shares. */
static inline void add_two(struct recorded *run, const char *variant, const char *config, double fma, double l2)
{
    static const char *const named[] = {"fma_share", "l2_share"};
    add_idle_units(run, variant, config, named, COUNT_OF(named));
    add_metric(run, variant, config, 0, "fma_share", fma);
    add_metric(run, variant, config, 0, "l2_share", l2);
}

static inline void add_resource(struct recorded *run, const char *variant, const char *config, double grid,
                                double waves)
{
    struct resource *r = ARRAY_PUSH(&run->analysis.resources);
    assert_non_null(r);
    *r = (struct resource){
        .variant = variant, .config = config, .kernel = "kernel", .grid_blocks = grid, .waves = waves};
}

static inline const struct bound *only_bound(struct recorded *run)
{
    struct err e = {0};
    assert_int_equal(analysis_join(&run->analysis, &e), 0);
    name_arms(&run->analysis);
    assert_int_equal(bound_analyze(&run->analysis, &e), 0);
    assert_int_equal(run->analysis.bounds.count, 1);
    return &run->analysis.bounds.items[0];
}

static inline double evidence_of(const struct bound *b, const char *metric)
{
    for (size_t i = 0; i < b->evidence.count; i++)
        if (!strcmp(b->evidence.items[i].metric, metric))
            return b->evidence.items[i].value;
    return NAN;
}

static inline void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' does not say '%s'", text, part);
}

static inline bool near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

#endif
