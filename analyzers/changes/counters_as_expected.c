/* Did the counters do what was expected of them? */
#include <math.h>
#include <string.h>

#include "analyzers/entries.h"
#include "analyzers/run_facts.h"
#include "core/base/array.h"
#include "core/gpu/expected_change.h"
#include "core/gpu/metrics.h"

/* A variant that declares expected changes, at one of its configs. */
struct declared {
    const struct arm *arm;
    const char *baseline, *improves_on; /* "" for no baseline, nothing that it improves on */
};

/* The metric of a variant at the same config. */
static double metric_of(const struct analysis *a, const struct declared *of, const char *variant, const char *metric)
{
    return metric_of_arm(a, &(struct fact_place){analysis_arm(a, variant, of->arm->config), metric});
}

/* What the signal was written beside, where this run has counted it; else its baseline. */
static const char *judged_against(const struct analysis *a, const struct declared *of, const char *metric)
{
    if (!*of->improves_on || !strcmp(of->improves_on, of->arm->variant))
        return of->baseline;
    const double value = metric_of(a, of, of->improves_on, metric);
    return isnan(value) ? of->baseline : of->improves_on;
}

static int add_result(struct analysis *a, const struct declared *of, const struct expected_change *expected_change,
                      struct err *e)
{
    const char *against = judged_against(a, of, expected_change->metric);
    if (!*against)
        return 0;
    struct expected_change_result *r = ARRAY_PUSH(&a->expected_changes);
    if (!r)
        return err_memory(e);
    const char *parts[METRIC_PARTS_MAX];
    metric_parts(expected_change->metric, parts);
    const double base = metric_of(a, of, against, expected_change->metric);
    const double cand = metric_of(a, of, of->arm->variant, expected_change->metric);
    const double instructions =
        fmin(metric_of(a, of, against, METRIC_INSTRUCTIONS), metric_of(a, of, of->arm->variant, METRIC_INSTRUCTIONS));
    *r = (struct expected_change_result){
        .variant = arena_copy(&a->arena, of->arm->variant),
        .baseline = arena_copy(&a->arena, against),
        .config = arena_copy(&a->arena, of->arm->config),
        .expected_change = arena_copy(&a->arena, expected_change->text),
        .status = expected_change_judge(&a->thresholds, expected_change, base, cand, instructions),
        .baseline_value = base,
        .value = cand,
        .unit = (int)metric_unit(parts[0]),
        .change = counter_change_words(&a->arena, &a->thresholds, expected_change->metric, base, cand, instructions),
    };
    if (isnan(base) || isnan(cand))
        r->change = arena_printf(&a->arena, "not counted of %s, or of each of several kernels or GPUs",
                                 isnan(cand) ? of->arm->variant : against);
    return 0;
}

/* What cannot be read is said, and what stands before it still counts. */
static int note_unreadable(struct analysis *a, const struct declared *of, const struct err *why, struct err *e)
{
    if (why->code != ERR_USAGE)
        return err_set(e, why->code, "%s", why->text);
    const char *claim = arena_printf(&a->arena, "its expected signals cannot be read: %s", why->text);
    return analysis_finding(a, "signals-unreadable", SEVERITY_WARNING, of->arm->variant, of->arm->config, claim)
               ? 0
               : err_memory(e);
}

static int read_expected_changes(struct analysis *a, const struct declared *of, const char *text, struct err *e)
{
    const char *at = text;
    int rc = 0;
    while (!rc && *at) {
        struct expected_change expected_change;
        struct err why = {0};
        if (expected_change_parse(&expected_change, &at, &why))
            return note_unreadable(a, of, &why, e);
        rc = add_result(a, of, &expected_change, e);
        expected_change_release(&expected_change);
    }
    return rc;
}

int counters_as_expected_analyze(struct analysis *a, struct err *e)
{
    const struct table *t = &a->bundle->tables[BUNDLE_VARIANTS];
    int rc = 0;
    for (size_t row = 0; row < table_rows(t) && !rc; row++) {
        const struct declared of = {a->run->tables[BUNDLE_VARIANTS].arms[row], table_text(t, row, VARIANTS_BASELINE),
                                    table_text(t, row, VARIANTS_IMPROVES_ON)};
        if (*of.baseline || *of.improves_on)
            rc = read_expected_changes(a, &of, table_text(t, row, VARIANTS_SIGNALS), e);
    }
    return rc;
}
