/* What do all the answers about a bundle come to? */
#include "analyzers/analysis.h"

#include <stdlib.h>
#include <string.h>

#include "analyzers/verdict_status.h"
#include "core/base/array.h"
#include "core/base/json.h"
#include "core/gpu/chips.h"
#include "core/stats/ratio_decision.h"

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
    free(a->arm_rows);
    free(a->baselines);
    free(a->by_capability.items);
    free(a->selection.items);
    free(a->correctness.items);
    free(a->witnesses.items);
    free(a->comparisons.items);
    free(a->mark_costs.items);
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
        free(a->hotspots.items[i].lines.items);
        free(a->hotspots.items[i].instructions.items);
    }
    free(a->hotspots.items);
    free(a->insides.items);
    free(a->slacks.items);
    free(a->solutions.items);
    free(a->hangs.items);
    if (a->has_timeline)
        timeline_release(&a->timeline);
    for (size_t i = 0; i < a->own_sets_count; i++)
        selector_free(a->query.sets[a->own_sets_first + i]);
    arena_release(&a->arena);
    *a = (struct analysis){0};
}

/* A variant may state its baseline in several rows: the first one counts. It is kept at the variant's first arm. */
static int note_baselines(struct analysis *a, struct err *e)
{
    const struct table *t = &a->bundle->tables[BUNDLE_VARIANTS];
    free(a->baselines);
    a->baselines = calloc(a->run->arms.list.count + 1, sizeof *a->baselines);
    if (!a->baselines)
        return err_memory(e);
    for (size_t row = 0; row < table_rows(t); row++) {
        const char *baseline = table_text(t, row, VARIANTS_BASELINE);
        const struct arm *arm = a->run->tables[BUNDLE_VARIANTS].arms[row];
        const char **slot = &a->baselines[arms_of_variant(&a->run->arms, arm->variant)->index];
        if (!*slot && *baseline)
            *slot = baseline;
    }
    return 0;
}

int analysis_join(struct analysis *a, struct err *e)
{
    run_release(&a->own_run);
    a->run = &a->own_run;
    const int rc = run_join(a->run, a->bundle, e);
    if (rc)
        return rc;
    free(a->arm_rows);
    a->arm_rows = calloc(a->run->arms.list.count + 1, ARM_LISTS * sizeof *a->arm_rows);
    return a->arm_rows ? note_baselines(a, e) : err_memory(e);
}

const struct arm *analysis_arm(const struct analysis *a, const char *variant, const char *config)
{
    return a->run ? arms_find(&a->run->arms, variant, config) : NULL;
}

/* NULL of an arm of another run. */
static struct arm_rows *rows_at(const struct analysis *a, enum arm_list list, const struct arm *arm)
{
    const bool is_own = arm && a->arm_rows && arms_has(&a->own_run.arms, arm);
    return is_own ? &a->arm_rows[arm->index * ARM_LISTS + list] : NULL;
}

void analysis_note(struct analysis *a, enum arm_list list, const struct arm *arm, size_t row)
{
    struct arm_rows *rows = rows_at(a, list, arm);
    if (!rows)
        return;
    rows->first = rows->count ? rows->first : row;
    rows->end = row + 1;
    rows->count++;
}

struct arm_rows analysis_rows(const struct analysis *a, enum arm_list list, const struct arm *arm)
{
    const struct arm_rows *rows = rows_at(a, list, arm);
    return rows ? *rows : (struct arm_rows){0};
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

const char *share_certainty_name(enum share_certainty c)
{
    static const char *const names[] = {
        [SHARE_UNKNOWN] = "", [SHARE_EXACT] = "exact", [SHARE_AT_MOST] = "at most", [SHARE_AT_LEAST] = "at least"};
    return names[c];
}

const char *bound_class_name(enum bound_class c)
{
    static const char *const names[] = {
        [BOUND_INCONCLUSIVE] = "inconclusive",   [BOUND_COMPUTE] = "compute-bound", [BOUND_MEMORY] = "memory-bound",
        [BOUND_LATENCY] = "latency-bound",       [BOUND_LAUNCH] = "launch-bound",   [BOUND_COPY] = "copy-bound",
        [BOUND_OTHER_WORK] = "other-work-bound", [BOUND_BALANCED] = "balanced"};
    return names[c];
}

const struct selection_check *analysis_selection(const struct analysis *a, const struct arm *arm)
{
    const struct arm_rows rows = analysis_rows(a, ARM_SELECTION, arm);
    return rows.count ? &a->selection.items[rows.first] : NULL;
}

const struct correctness *analysis_correctness(const struct analysis *a, const struct arm *arm)
{
    const struct arm_rows rows = analysis_rows(a, ARM_CORRECTNESS, arm);
    return rows.count ? &a->correctness.items[rows.first] : NULL;
}

const struct bound *analysis_bound(const struct analysis *a, const struct arm *arm)
{
    const struct arm_rows rows = analysis_rows(a, ARM_BOUNDS, arm);
    return rows.count ? &a->bounds.items[rows.first] : NULL;
}

const struct bound *analysis_only_bound(const struct analysis *a, const struct arm *arm)
{
    return analysis_rows(a, ARM_BOUNDS, arm).count == 1 ? analysis_bound(a, arm) : NULL;
}

const struct resource *analysis_resource(const struct analysis *a, const struct arm *arm)
{
    const struct arm_rows rows = analysis_rows(a, ARM_RESOURCES, arm);
    return rows.count ? &a->resources.items[rows.first] : NULL;
}

const struct launch_cost *analysis_launch_cost(const struct analysis *a, const struct arm *arm)
{
    const struct arm_rows rows = analysis_rows(a, ARM_LAUNCHES, arm);
    return rows.count ? &a->launches.items[rows.first] : NULL;
}

const struct timing_summary *analysis_timing(const struct analysis *a, const struct arm *arm)
{
    const struct arm_rows rows = analysis_rows(a, ARM_TIMINGS, arm);
    for (size_t i = rows.first; i < rows.end; i++)
        if (a->timings.items[i].arm == arm && strcmp(a->timings.items[i].cache, "cold") != 0)
            return &a->timings.items[i];
    return NULL;
}

const struct inside *analysis_inside(const struct analysis *a, const struct arm *arm)
{
    const struct arm_rows rows = analysis_rows(a, ARM_INSIDES, arm);
    return rows.count ? &a->insides.items[rows.first] : NULL;
}

const struct witness_check *analysis_contradiction(const struct analysis *a, const struct arm *arm)
{
    const struct arm_rows rows = analysis_rows(a, ARM_WITNESSES, arm);
    for (size_t i = rows.first; i < rows.end; i++)
        if (a->witnesses.items[i].arm == arm && a->witnesses.items[i].status == WITNESS_CONTRADICTED)
            return &a->witnesses.items[i];
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
           (check->reason != SELECTION_NOT_LAUNCHED || !analysis_contradiction(a, check->arm));
}

bool analysis_has_task(const struct analysis *a)
{
    return bundle_has_task(a->bundle);
}

/* `as` is "solution NAME:FUNCTION", the variant "TASK/NAME". */
bool analysis_is_python(const struct analysis *a, const struct arm *arm)
{
    static const char solution[] = "solution ";
    const json_t *libraries = a->bundle ? json_object_get(a->bundle->manifest, "libraries") : NULL;
    const char *slash = strrchr(arm->variant, '/'), *name = slash ? slash + 1 : arm->variant;
    for (size_t i = 0; i < json_array_size(libraries); i++) {
        const char *as = json_get_text(json_array_get(libraries, i), "as", "");
        if (!strncmp(as, solution, strlen(solution)) && !strncmp(as + strlen(solution), name, strlen(name)) &&
            as[strlen(solution) + strlen(name)] == ':')
            return true;
    }
    return false;
}

const char *analysis_baseline_of(const struct analysis *a, const char *variant)
{
    const struct arm *first = a->run ? arms_of_variant(&a->run->arms, variant) : NULL;
    const char *baseline = first && a->baselines ? a->baselines[first->index] : NULL;
    return baseline ? baseline : "";
}

const struct chip *analysis_chip(const struct analysis *a)
{
    const json_t *gpu = a->bundle ? json_object_get(a->bundle->manifest, "gpu") : NULL;
    return chip_by_capability(json_get_text(gpu, "compute_capability", ""));
}

bool analysis_has_tma(const struct analysis *a)
{
    return chip_has_tma(json_get_text(json_object_get(a->bundle->manifest, "gpu"), "compute_capability", ""));
}

const char *analysis_failure(const struct analysis *a, const struct correctness *c)
{
    const struct arm *baseline = analysis_arm(a, analysis_baseline_of(a, c->variant), c->config);
    const struct correctness *base = analysis_correctness(a, baseline);
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
            .arm = analysis_arm(a, variant, config),
            .variant = arena_copy(&a->arena, variant),
            .config = arena_copy(&a->arena, config),
            .claim = arena_copy(&a->arena, claim),
            .advice = "",
        };
    return finding;
}

enum exit_status hangs_status(const struct analysis *a)
{
    enum exit_status worst = EXIT_PASS;
    for (size_t i = 0; i < a->hangs.count; i++)
        worst = exit_status_worse(worst, a->hangs.items[i].moving ? EXIT_INCONCLUSIVE : EXIT_CHECK_FAILED);
    return worst;
}

bool analysis_is_uncompared(const struct analysis *a, const struct arm *arm)
{
    const struct correctness *row = arm && bundle_programs(a->bundle) ? analysis_correctness(a, arm) : NULL;
    return row && row->status == VERDICT_INCONCLUSIVE && !row->checks && !a->bundle->lacks_checks;
}

bool analysis_accepts_uncompared(const struct analysis *a)
{
    return bundle_programs(a->bundle) && json_is_true(json_object_get(a->bundle->manifest, "unverified"));
}

bool analysis_lacks_results(const struct analysis *a, const struct arm *arm)
{
    return !analysis_accepts_uncompared(a) && analysis_is_uncompared(a, arm);
}

bool analysis_all_uncompared(const struct analysis *a)
{
    for (size_t i = 0; i < a->correctness.count; i++)
        if (!analysis_is_uncompared(a, a->correctness.items[i].arm))
            return false;
    return a->correctness.count;
}

const char *analysis_uncompared_reason(const struct analysis *a)
{
    static const char what[] = "correctness of ";
    const json_t *missing = json_object_get(a->bundle->manifest, "missing");
    for (size_t i = 0; i < json_array_size(missing); i++) {
        const json_t *one = json_array_get(missing, i);
        if (!strncmp(json_get_text(one, "what", ""), what, sizeof what - 1))
            return json_get_text(one, "why", "");
    }
    return "";
}

/* A program whose results may stay uncompared. */
static bool is_accepted(const struct analysis *a, const struct correctness *row)
{
    return analysis_accepts_uncompared(a) && analysis_is_uncompared(a, row->arm);
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
    if (analysis_is_contradicted(a) || bundle_was_dishonest(a->bundle, NULL, NULL))
        worst = exit_status_worse(worst, EXIT_CHECK_FAILED);
    worst = exit_status_worse(worst, hangs_status(a));
    for (size_t i = 0; i < a->correctness.count; i++)
        if (!is_accepted(a, &a->correctness.items[i]))
            worst = exit_status_worse(worst, verdict_exit_status(a->correctness.items[i].status));
    if ((bundle_programs(a->bundle) || a->solutions.count) && a->comparisons.count)
        worst = exit_status_worse(worst, comparisons_status(a, a, a));
    return worst;
}

/* Is what was verified of `other` said of `arm`, too? It is of a config that is only verified, at which no selection
 * was asked. */
static bool counts_for(const struct analysis *a, const struct arm *other, const struct arm *arm)
{
    return other == arm || !analysis_selection(a, other);
}

const struct correctness *analysis_wrong_result(const struct analysis *a, const struct arm *arm)
{
    const struct correctness *first = NULL;
    for (const struct arm *other = arm ? arms_of_variant(&a->run->arms, arm->variant) : NULL; other;
         other = other->next) {
        const struct correctness *row = analysis_correctness(a, other);
        if (row && row->status == VERDICT_FAIL && counts_for(a, other, arm) && (!first || row < first))
            first = row;
    }
    return first;
}

bool analysis_is_right(const struct analysis *a, const struct arm *arm)
{
    for (const struct arm *other = arms_of_variant(&a->run->arms, arm->variant); other; other = other->next) {
        const struct correctness *row = analysis_correctness(a, other);
        if (row && row->status != VERDICT_PASS && counts_for(a, other, arm) && !is_accepted(a, row))
            return false;
    }
    return analysis_correctness(a, arm);
}

bool analysis_is_proven(const struct analysis *a, const struct arm *arm)
{
    const struct selection_check *check = analysis_selection(a, arm);
    return check && check->status == VERDICT_PASS && analysis_is_right(a, arm) && !analysis_contradiction(a, arm);
}

const struct reason arm_doubts[] = {ARM_DOUBTS(REASON_ROW)};

enum arm_doubt analysis_doubt_of_arm(const struct analysis *a, const struct arm *arm)
{
    if (analysis_contradiction(a, arm))
        return ARM_DOUBT_CONTRADICTED;
    if (analysis_wrong_result(a, arm))
        return ARM_DOUBT_WRONG_RESULT;
    const struct selection_check *check = analysis_selection(a, arm);
    if (!check || check->status != VERDICT_PASS)
        return ARM_DOUBT_NOT_SELECTED;
    return analysis_is_proven(a, arm) ? ARM_DOUBT_NONE : ARM_DOUBT_NOT_VERIFIED;
}

/* While nobody compared what two programs compute, neither is faster or slower. */
static enum exit_status row_status(const struct comparison *row, const struct analysis *base,
                                   const struct analysis *cand)
{
    const bool is_open = analysis_lacks_results(base, row->base.arm) || analysis_lacks_results(cand, row->cand.arm);
    return is_open && row->verdict < COMPARE_UNUSABLE ? EXIT_INCONCLUSIVE : verdict_status(row->verdict);
}

enum exit_status comparisons_status(const struct analysis *verdicts, const struct analysis *base,
                                    const struct analysis *cand)
{
    enum exit_status worst = verdicts->comparisons.count ? EXIT_PASS : EXIT_UNUSABLE_INPUT;
    for (size_t i = 0; i < verdicts->comparisons.count; i++)
        worst = exit_status_worse(worst, row_status(&verdicts->comparisons.items[i], base, cand));
    return worst;
}
