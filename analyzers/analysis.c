/* What do all the answers about a bundle come to? */
#include "analyzers/analysis.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/json.h"
#include "gpu/chips.h"
#include "stats/ratio_decision.h"

void analysis_init(struct analysis *a, const struct bundle *bundle)
{
    *a = (struct analysis){.bundle = bundle, .margin = RATIO_MARGIN, .looks = 1};
    thresholds_resolve(&a->thresholds, NULL, NULL);
    arena_init(&a->arena);
    run_init(&a->own_run);
}

void analysis_release(struct analysis *a)
{
    run_release(&a->own_run);
    free(a->selection.items);
    free(a->correctness.items);
    free(a->witnesses.items);
    free(a->comparisons.items);
    free(a->sweeps.items);
    free(a->timings.items);
    free(a->bounds.items);
    free(a->rooflines.items);
    free(a->predictions.items);
    free(a->launches.items);
    free(a->resources.items);
    free(a->identical.items);
    free(a->expected_changes.items);
    free(a->transitions.items);
    free(a->findings.items);
    for (size_t i = 0; i < a->hotspots.count; i++) {
        free(a->hotspots.items[i].reasons.items);
        free(a->hotspots.items[i].instructions.items);
    }
    free(a->hotspots.items);
    if (a->has_timeline)
        timeline_release(&a->timeline);
    for (size_t i = 0; i < a->own_sets_count; i++)
        selector_free(a->query.sets[a->own_sets_first + i]);
    arena_release(&a->arena);
    *a = (struct analysis){0};
}

int analysis_join(struct analysis *a, struct err *e)
{
    run_release(&a->own_run);
    a->run = &a->own_run;
    return run_join(a->run, a->bundle, e);
}

struct event_stream *analysis_stream(const struct analysis *a)
{
    return a->run ? a->run->stream : NULL;
}

const char *witness_status_name(enum witness_status s)
{
    static const char *const names[] = {
        [WITNESS_NOT_CHECKED] = "not checked", [WITNESS_AGREES] = "agrees", [WITNESS_CONTRADICTED] = "contradicted"};
    return names[s];
}

const char *bound_class_name(enum bound_class c)
{
    static const char *const names[] = {
        [BOUND_INCONCLUSIVE] = "inconclusive",   [BOUND_COMPUTE] = "compute-bound", [BOUND_MEMORY] = "memory-bound",
        [BOUND_LATENCY] = "latency-bound",       [BOUND_LAUNCH] = "launch-bound",   [BOUND_COPY] = "copy-bound",
        [BOUND_OTHER_WORK] = "other-work-bound", [BOUND_BALANCED] = "balanced"};
    return names[c];
}

const struct selection_check *analysis_selection(const struct analysis *a, const char *variant, const char *config)
{
    for (size_t i = 0; i < a->selection.count; i++)
        if (!strcmp(a->selection.items[i].variant, variant) && !strcmp(a->selection.items[i].config, config))
            return &a->selection.items[i];
    return NULL;
}

const struct correctness *analysis_correctness(const struct analysis *a, const char *variant, const char *config)
{
    for (size_t i = 0; i < a->correctness.count; i++)
        if (!strcmp(a->correctness.items[i].variant, variant) && !strcmp(a->correctness.items[i].config, config))
            return &a->correctness.items[i];
    return NULL;
}

const struct witness_check *analysis_contradiction(const struct analysis *a, const char *variant, const char *config)
{
    for (size_t i = 0; i < a->witnesses.count; i++) {
        const struct witness_check *w = &a->witnesses.items[i];
        if (w->status == WITNESS_CONTRADICTED && !strcmp(w->variant, variant) && !strcmp(w->config, config))
            return w;
    }
    return NULL;
}

bool analysis_is_contradicted(const struct analysis *a)
{
    for (size_t i = 0; i < a->witnesses.count; i++)
        if (a->witnesses.items[i].status == WITNESS_CONTRADICTED)
            return true;
    return false;
}

bool analysis_is_wrong_kernel(const struct analysis *a, const struct selection_check *check)
{
    return check->status == VERDICT_FAIL &&
           (strcmp(check->reason, "not_launched") || !analysis_contradiction(a, check->variant, check->config));
}

const char *analysis_baseline_of(const struct analysis *a, const char *variant)
{
    const struct table *t = &a->bundle->tables[BUNDLE_VARIANTS];
    for (size_t row = 0; row < table_rows(t); row++)
        if (!strcmp(table_text(t, row, VARIANTS_VARIANT), variant) && *table_text(t, row, VARIANTS_BASELINE))
            return table_text(t, row, VARIANTS_BASELINE);
    return "";
}

bool analysis_has_tma(const struct analysis *a)
{
    return chip_has_tma(json_get_text(json_object_get(a->bundle->manifest, "gpu"), "compute_capability", ""));
}

const char *analysis_failure(const struct analysis *a, const struct correctness *c)
{
    const struct correctness *base = analysis_correctness(a, analysis_baseline_of(a, c->variant), c->config);
    if (c->status != VERDICT_FAIL || !base || base->status == VERDICT_INCONCLUSIVE)
        return "";
    return base->status == VERDICT_FAIL ? "baseline fails too" : "new";
}

struct finding *analysis_finding(struct analysis *a, const char *id, enum severity severity, const char *variant,
                                 const char *config, const char *claim)
{
    struct finding *finding = ARRAY_PUSH(&a->findings);
    if (finding)
        *finding = (struct finding){
            .id = arena_copy(&a->arena, id),
            .severity = severity,
            .variant = arena_copy(&a->arena, variant),
            .config = arena_copy(&a->arena, config),
            .claim = arena_copy(&a->arena, claim),
            .advice = "",
        };
    return finding;
}

enum exit_status analysis_status(const struct analysis *a)
{
    if (!a->selection.count) /* says nothing, whatever else is there */
        return EXIT_UNUSABLE_INPUT;
    enum exit_status worst = EXIT_PASS;
    if (caveat_has(&a->bundle->caveats, CAVEAT_WEAKENS))
        worst = EXIT_INCONCLUSIVE;
    if (caveat_has(&a->bundle->caveats, CAVEAT_TRUNCATED) ||
        (analysis_stream(a) && caveat_has(event_stream_caveats(analysis_stream(a)), CAVEAT_TRUNCATED)))
        worst = EXIT_UNUSABLE_INPUT;
    for (size_t i = 0; i < a->selection.count; i++)
        worst = exit_status_worse(worst, verdict_exit_status(a->selection.items[i].status));
    if (analysis_is_contradicted(a))
        worst = exit_status_worse(worst, EXIT_CHECK_FAILED);
    for (size_t i = 0; i < a->correctness.count; i++)
        worst = exit_status_worse(worst, verdict_exit_status(a->correctness.items[i].status));
    return worst;
}

/* A config that is only verified counts for all: no selection was asked there. */
static bool is_right(const struct analysis *a, const char *variant, const char *config)
{
    bool checked = false;
    for (size_t i = 0; i < a->correctness.count; i++) {
        const struct correctness *row = &a->correctness.items[i];
        const bool here = !strcmp(row->config, config);
        if (strcmp(row->variant, variant) != 0 || (!here && analysis_selection(a, variant, row->config)))
            continue;
        if (row->status != VERDICT_PASS)
            return false;
        checked |= here;
    }
    return checked;
}

bool analysis_is_proven(const struct analysis *a, const char *variant, const char *config)
{
    const struct selection_check *check = analysis_selection(a, variant, config);
    return check && check->status == VERDICT_PASS && is_right(a, variant, config) &&
           !analysis_contradiction(a, variant, config);
}

enum exit_status comparisons_status(const struct analysis *a)
{
    static const enum exit_status table[] = {
        [COMPARE_INCONCLUSIVE] = EXIT_INCONCLUSIVE, [COMPARE_FASTER] = EXIT_PASS,
        [COMPARE_SLOWER] = EXIT_CHECK_FAILED,       [COMPARE_EQUIVALENT] = EXIT_PASS,
        [COMPARE_UNUSABLE] = EXIT_UNUSABLE_INPUT,   [COMPARE_CONTRADICTED] = EXIT_CHECK_FAILED};
    if (!a->comparisons.count)
        return EXIT_UNUSABLE_INPUT;
    enum exit_status worst = EXIT_PASS;
    for (size_t i = 0; i < a->comparisons.count; i++)
        worst = exit_status_worse(worst, table[a->comparisons.items[i].verdict]);
    return worst;
}
