/* Is it faster beyond doubt? (docs/statistics.md) */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/analyzer.h"
#include "analyzers/arm_differences.h"
#include "analyzers/compare/measures.h"
#include "analyzers/entries.h"
#include "core/base/array.h"
#include "core/run/arm_ratio.h"
#include "core/run/instrumented_arm.h"
#include "core/run/timed_outputs.h"
#include "core/run/timing_arms.h"
#include "core/stats/sequential_looks.h"
#include "core/stats/statistics.h"

/* Two bundles, or one that is both sides. */
struct sides {
    struct analysis *out;
    const struct analysis *base, *cand;
    const struct timing_arms *base_arms, *cand_arms;
    struct arm_differences machines;
    size_t joined; /* pairs of arms that were found on both sides */
};

/* Two arms that are to be compared, and in what else they differ. */
struct pair {
    struct arm_place base, cand;
    struct arm_differences work;
};

/* ---- the verdict of one row ---- */

/* Gives the row this verdict, with the reason's sentence. */
static void decide(struct analysis *a, struct comparison *c, enum comparison_verdict verdict,
                   enum comparison_reason reason, const char *detail)
{
    const char *sentence = comparison_reasons[reason].sentence;
    c->verdict = verdict;
    c->reason = reason;
    c->detail = *detail ? arena_printf(&a->arena, "%s (%s)", sentence, detail) : sentence;
}

/* The check of an arm that did not run as it was meant; NULL: it did, as far as is known. */
static const struct selection_check *failed_selection(const struct arm_place *arm)
{
    const struct selection_check *check = analysis_selection(arm->analysis, arm->arm);
    return check && analysis_is_wrong_kernel(arm->analysis, check) ? check : NULL;
}

/* Arms that must not be compared at all. */
static bool decide_failed_arms(struct analysis *a, struct comparison *c, const struct pair *pair)
{
    const struct arm_place *arms[] = {&pair->cand, &pair->base};
    for (size_t i = 0; i < 2; i++) {
        const struct selection_check *failed = failed_selection(arms[i]);
        if (failed) {
            decide(a, c, COMPARE_UNUSABLE,
                   failed->reason == SELECTION_PROGRAM_FAILED ? COMPARISON_PROGRAM_FAILED : COMPARISON_WRONG_KERNEL,
                   failed->detail);
            return true;
        }
    }
    for (size_t i = 0; i < 2; i++) {
        const struct witness_check *against = analysis_contradiction(arms[i]->analysis, arms[i]->arm);
        if (against) {
            decide(a, c, COMPARE_CONTRADICTED, COMPARISON_CONTRADICTED,
                   arena_printf(&a->arena, "%s: %s", against->variant, against->detail));
            return true;
        }
    }
    for (size_t i = 0; i < 2; i++) {
        const struct correctness *wrong = analysis_wrong_result(arms[i]->analysis, arms[i]->arm);
        if (wrong) {
            decide(a, c, COMPARE_UNUSABLE, i ? COMPARISON_WRONG_BASELINE : COMPARISON_FAILED_VERIFICATION,
                   arena_printf(&a->arena, "%s failed %lld of %lld checks at %s", wrong->variant,
                                (long long)wrong->failed, (long long)wrong->checks, wrong->config));
            return true;
        }
    }
    return false;
}

static const struct arm_difference *gravest(const struct sides *s, const struct pair *pair,
                                            enum difference_weight least)
{
    const struct arm_difference *machine = arm_differences_first(&s->machines, least);
    const struct arm_difference *work = arm_differences_first(&pair->work, least);
    return machine && (!work || machine->weight >= work->weight) ? machine : work;
}

/* Why the times of either arm say nothing; "" when they do. */
static const char *no_verdict(const struct pair *pair)
{
    const char *why = arm_no_verdict(pair->cand.analysis, pair->cand.arm);
    return *why ? why : arm_no_verdict(pair->base.analysis, pair->base.arm);
}

static bool is_difference(enum comparison_verdict v)
{
    return v == COMPARE_FASTER || v == COMPARE_SLOWER;
}

static const char *describe_interval(struct analysis *a, const struct comparison *c)
{
    if (!isfinite(c->ratio))
        return "";
    if (!isfinite(c->ci_high))
        return arena_printf(&a->arena, "ratio %.4f of %lld process%s, no interval", c->ratio, (long long)c->n_processes,
                            c->n_processes == 1 ? "" : "es");
    return arena_printf(&a->arena, "ratio %.4f, %.0f%% interval %.4f to %.4f, margin %.4g%%", c->ratio,
                        c->confidence * 100, c->ci_low, c->ci_high, c->margin * 100);
}

static void take_ratio(struct analysis *a, struct comparison *c, const struct arm_ratio *r)
{
    c->ratio = r->time.interval.ratio;
    c->speedup = 1 / c->ratio;
    c->gain = 1 - c->ratio;
    c->ci_low = r->time.interval.low;
    c->ci_high = r->time.interval.high;
    c->mde = r->time.mde;
    c->p_value = r->time.p_value;
    c->n_processes = (int64_t)r->processes;
    c->n_samples = (int64_t)r->samples;
    c->baseline_ns = r->base_ns;
    c->candidate_ns = r->cand_ns;
    c->cycles_ratio = r->cycles.interval.ratio;
    c->paired = r->paired;
    decide(a, c, r->time.verdict, comparison_reason_of_ratio(r->time.reason), describe_interval(a, c));
}

static int add_clock_finding(struct analysis *a, const struct comparison *c, struct err *e)
{
    const char *claim =
        arena_printf(&a->arena,
                     "the difference between %s and %s at %s may be one of the SM clock: in cycles it is "
                     "within the margin",
                     c->baseline, c->candidate, c->config);
    struct finding *finding = analysis_finding(a, "clock-difference", SEVERITY_WARNING, c->candidate, c->config, claim);
    if (!finding)
        return err_memory(e);
    finding->advice = "repeat the run interleaved and on an idle, cool GPU, or with locked clocks";
    int rc = evidence_add(&a->arena, &finding->evidence, "time_ratio", c->ratio, UNIT_FACTOR, e);
    if (!rc)
        rc = evidence_add(&a->arena, &finding->evidence, "clock_ratio", c->clock_ratio, UNIT_FACTOR, e);
    return rc ? rc : evidence_add(&a->arena, &finding->evidence, "cycles_ratio", c->cycles_ratio, UNIT_FACTOR, e);
}

/* A difference must survive in clock cycles, each block's by its own clock: less
 * time alone may be the clock. */
static int check_clock(struct analysis *a, struct comparison *c, const struct arm_ratio *r, struct err *e)
{
    if (!arm_ratio_is_of_the_clock(r))
        return 0;
    decide(a, c, COMPARE_INCONCLUSIVE, COMPARISON_CLOCK_DIFFERENCE,
           arena_printf(&a->arena, "time %.4f, cycles %.4f, %.0f%% interval %.4f to %.4f", c->ratio, c->cycles_ratio,
                        c->confidence * 100, r->cycles.interval.low, r->cycles.interval.high));
    return add_clock_finding(a, c, e);
}

/* When two names are one kernel, no ratio says anything about either. In two
 * bundles a variant may well be unchanged: then only a difference is not its
 * own, unless the machines are what is compared. */
static void check_confounders(const struct sides *s, struct comparison *c, const struct pair *pair)
{
    const bool one_variant = !strcmp(c->baseline, c->candidate);
    const struct arm_difference *difference = gravest(s, pair, DIFFERENCE_CONFOUNDS);
    const bool matters = !one_variant || (is_difference(c->verdict) && !s->machines.count);
    if (matters && arms_are_one_kernel(&pair->base, &pair->cand))
        decide(s->out, c, COMPARE_INCONCLUSIVE, COMPARISON_IDENTICAL_CODE, "");
    else if (difference && c->verdict != COMPARE_INCONCLUSIVE)
        decide(s->out, c, COMPARE_INCONCLUSIVE, difference->reason, difference->text);
}

/* ---- what a solution has to show ---- */

/* All of its samples count, or none: it does not choose which. */
static const struct timing_arm *uncounted_arm(const struct pair *pair, const struct timing_arm *base,
                                              const struct timing_arm *cand)
{
    if (cand && cand->untimed && analysis_has_task(pair->cand.analysis))
        return cand;
    return base && base->untimed && analysis_has_task(pair->base.analysis) ? base : NULL;
}

static const char *describe_untimed(struct analysis *a, const struct timing_arm *arm)
{
    return arena_printf(&a->arena, "%s: %zu of %zu samples have no time", arm->variant, arm->untimed,
                        arm->untimed + arm->samples.count);
}

static struct timed_outputs outputs_of(const struct arm_place *arm, const char *cache)
{
    return timed_outputs_of(&arm->analysis->run->tables[BUNDLE_VERIFY], arm->arm, cache);
}

/* Launches on new inputs take longer than those on inputs that were there before, as earlier versions timed them. */
static const char *timed_otherwise(const struct pair *pair, const char *cache)
{
    if (pair->base.analysis == pair->cand.analysis || !analysis_has_task(pair->base.analysis) ||
        !analysis_has_task(pair->cand.analysis))
        return "";
    const bool base = outputs_of(&pair->base, cache).is_counted, cand = outputs_of(&pair->cand, cache).is_counted;
    return base == cand ? "" : cand ? "only the candidate on new inputs" : "only the baseline on new inputs";
}

static void check_verified(struct sides *s, struct comparison *c, const struct pair *pair)
{
    if (c->verdict != COMPARE_FASTER || !analysis_has_task(pair->cand.analysis))
        return;
    const struct timed_outputs t = outputs_of(&pair->cand, c->cache);
    const double gain = 1 - c->ci_high;
    if (!timed_outputs_suffice(&t, gain))
        decide(s->out, c, COMPARE_INCONCLUSIVE, t.without_gate ? COMPARISON_WITHOUT_GATE : COMPARISON_FEW_VERIFIED,
               arena_printf(
                   &s->out->arena,
                   "%.0f were right: up to %.2g%% of the launches may be wrong unseen, the gain is at least %.2g%%",
                   t.right, 100 * timed_outputs_unseen(&t), 100 * gain));
}

static bool is_unsteady(const struct arm_place *place, const struct comparison_arm *arm)
{
    return arm_is_unsteady(place->analysis, place->arm, arm->processes, arm->process_count);
}

/* Also where the interval crosses the margin: a rule with another threshold would rest on it. */
static void check_ranks(struct sides *s, struct comparison *c, const struct pair *pair)
{
    const bool has_doubt = c->verdict == COMPARE_INCONCLUSIVE && c->reason != COMPARISON_INTERVAL_CROSSES_MARGIN;
    if (has_doubt || (!is_unsteady(&pair->base, &c->base) && !is_unsteady(&pair->cand, &c->cand)))
        return;
    decide(s->out, c, COMPARE_INCONCLUSIVE, COMPARISON_UNSTEADY_RANKS,
           arena_printf(&s->out->arena, "every other process and the rest: baseline %.2g%% apart, candidate %.2g%%",
                        100 * arm_own_difference(c->base.processes, c->base.process_count),
                        100 * arm_own_difference(c->cand.processes, c->cand.process_count)));
}

/* ---- one row ---- */

static int describe_arm(struct comparison_arm *out, struct arena *arena, const struct arm_place *place,
                        const struct timing_arm *arm, struct err *e)
{
    const struct table *variants = &place->analysis->bundle->tables[BUNDLE_VARIANTS];
    const long row = arm_row(place->analysis, place->arm);
    if (row >= 0) {
        out->bytes = table_number(variants, (size_t)row, VARIANTS_BYTES);
        out->flops = table_number(variants, (size_t)row, VARIANTS_FLOPS);
        out->bus_factor = table_number(variants, (size_t)row, VARIANTS_BUS_FACTOR);
        out->no_verdict = arena_copy(arena, arm_no_verdict(place->analysis, place->arm));
    }
    out->discarded_blocks = arm ? (int64_t)arm->discarded.count : 0;
    out->batch = arm ? arm->batch : NAN;
    const size_t count = arm ? arm->processes.count : 0;
    struct timing_process *processes = count ? arena_alloc(arena, count * sizeof *processes) : NULL;
    if (count && !processes)
        return err_memory(e);
    if (count)
        memcpy(processes, arm->processes.items, count * sizeof *processes);
    out->processes = processes;
    out->process_count = count;
    return 0;
}

/* What a build with marks costs is no result: verdicts, counts, predictions and rules read the other list. */
static struct comparison_list *list_of(struct analysis *a, const struct pair *pair)
{
    return arm_is_instrumented(pair->cand.arm) ? &a->mark_costs : &a->comparisons;
}

static struct comparison *add_comparison(struct analysis *a, const struct pair *pair, const char *cache)
{
    static const struct comparison_arm unknown = {
        .bytes = NAN, .flops = NAN, .bus_factor = NAN, .batch = NAN, .no_verdict = ""};
    struct comparison_list *list = list_of(a, pair);
    struct comparison *c = ARRAY_PUSH(list);
    if (c)
        *c = (struct comparison){
            .baseline = arena_copy(&a->arena, pair->base.variant),
            .candidate = arena_copy(&a->arena, pair->cand.variant),
            .config = arena_copy(&a->arena, pair->cand.config),
            .cache = arena_copy(&a->arena, cache),
            .ratio = NAN,
            .speedup = NAN,
            .gain = NAN,
            .ci_low = NAN,
            .ci_high = NAN,
            .confidence = RATIO_CONFIDENCE,
            .margin = a->margin,
            .mde = NAN,
            .p_value = NAN,
            .p_holm = NAN,
            .verdict = COMPARE_INCONCLUSIVE,
            .detail = comparison_reasons[COMPARISON_NO_TIMING].sentence,
            .baseline_ns = NAN,
            .candidate_ns = NAN,
            .clock_ratio = NAN,
            .cycles_ratio = NAN,
            .measure = "",
            .by = {{NAN, NAN, NAN, NAN, NAN, 0}, {NAN, NAN, NAN, NAN, NAN, 0}, {NAN, NAN, NAN, NAN, NAN, 0}},
            .base = unknown,
            .cand = unknown,
        };
    if (!c)
        return NULL;
    c->base.arm = pair->base.arm;
    c->cand.arm = pair->cand.arm;
    if (list == &a->comparisons)
        analysis_note(a, ARM_COMPARISONS, c->cand.arm, list->count - 1);
    return c;
}

/* Both arms have samples. */
static int judge_timing(struct sides *s, struct comparison *c, const struct pair *pair, const struct timing_arm *base,
                        const struct timing_arm *cand, struct err *e)
{
    const struct arm_pair arms = {base, cand, s->base == s->cand};
    struct arm_ratio ratio;
    int rc = arm_ratio_measure(&ratio, &arms, c->margin, s->out->looks, e);
    if (rc)
        return rc;
    take_ratio(s->out, c, &ratio);
    c->clock_ratio = timing_arm_clock_hz(cand) / timing_arm_clock_hz(base);
    rc = check_clock(s->out, c, &ratio, e);
    if (!rc)
        check_confounders(s, c, pair);
    if (!rc)
        check_verified(s, c, pair);
    if (!rc)
        check_ranks(s, c, pair);
    return rc ? rc : measures_compare(s->out, c, &pair->base, &pair->cand, e);
}

static const char *describe_batches(struct analysis *a, const struct timing_arm *base, const struct timing_arm *cand)
{
    if (isnan(base->batch) || isnan(cand->batch))
        return arena_printf(&a->arena,
                            "the %s has samples of single launches and of graphs, or some whose batch is not known",
                            !isnan(cand->batch)  ? "baseline"
                            : isnan(base->batch) ? "baseline and the candidate each"
                                                 : "candidate");
    return arena_printf(&a->arena, "launches per sample: baseline %.0f, candidate %.0f", base->batch, cand->batch);
}

/* What is right keeps its time, though there is nothing to compare it with. */
static int keep_time(const struct sides *s, struct comparison *c, const struct timing_arm *cand, struct err *e)
{
    struct ratio_interval interval = {NAN, NAN, NAN};
    if (c->reason != COMPARISON_WRONG_BASELINE || !cand || !cand->samples.count)
        return 0;
    const int rc = arm_time_interval(cand, s->out->looks, &interval, e);
    c->candidate_ns = interval.ratio;
    return rc;
}

static int judge(struct sides *s, struct comparison *c, const struct pair *pair, struct err *e)
{
    const struct timing_arm *base = timing_arms_at(s->base_arms, pair->base.arm, c->cache);
    const struct timing_arm *cand = timing_arms_at(s->cand_arms, pair->cand.arm, c->cache);
    const struct arm_difference *forbids = gravest(s, pair, DIFFERENCE_FORBIDS);
    int rc = describe_arm(&c->base, &s->out->arena, &pair->base, base, e);
    if (!rc)
        rc = describe_arm(&c->cand, &s->out->arena, &pair->cand, cand, e);
    if (rc || decide_failed_arms(s->out, c, pair))
        return rc ? rc : keep_time(s, c, cand, e);
    if (forbids)
        decide(s->out, c, COMPARE_UNUSABLE, forbids->reason, forbids->text);
    else if (*no_verdict(pair))
        decide(s->out, c, COMPARE_INCONCLUSIVE,
               bundle_programs(pair->cand.analysis->bundle) ? COMPARISON_WORK_VARIES : COMPARISON_TIMES_SAY_NOTHING,
               no_verdict(pair));
    else if (!base || !cand)
        decide(s->out, c, COMPARE_INCONCLUSIVE, COMPARISON_NO_TIMING, "");
    else if (uncounted_arm(pair, base, cand))
        decide(s->out, c, COMPARE_INCONCLUSIVE, COMPARISON_UNCOUNTED,
               describe_untimed(s->out, uncounted_arm(pair, base, cand)));
    else if (!base->samples.count || !cand->samples.count)
        decide(s->out, c, COMPARE_INCONCLUSIVE, COMPARISON_THROTTLED, "");
    else if (!timing_arms_are_alike(base, cand))
        decide(s->out, c, COMPARE_UNUSABLE, COMPARISON_MIXED_TIMING, describe_batches(s->out, base, cand));
    else if (*timed_otherwise(pair, c->cache))
        decide(s->out, c, COMPARE_UNUSABLE, COMPARISON_MIXED_TIMING, timed_otherwise(pair, c->cache));
    else
        rc = judge_timing(s, c, pair, base, cand, e);
    return rc;
}

/* ---- which rows ---- */

/* "work_differs" as a finding is "work-differs". */
static int note_difference(struct analysis *a, const struct arm_difference *difference, const char *variant,
                           const char *config, struct err *e)
{
    const struct reason *reason = &comparison_reasons[difference->reason];
    char id[64];
    size_t length = 0;
    for (; reason->key[length] && length + 1 < sizeof id; length++)
        id[length] = reason->key[length] == '_' ? '-' : reason->key[length];
    id[length] = '\0';
    const char *claim = arena_printf(&a->arena, "%s (%s)", reason->sentence, difference->text);
    struct finding *finding = analysis_finding(a, id, SEVERITY_WARNING, variant, config, claim);
    return finding ? 0 : err_memory(e);
}

/* A row at this state, unless neither arm was timed in it. */
static int add_row(struct sides *s, const struct pair *pair, const char *cache, struct err *e)
{
    if (!timing_arms_at(s->base_arms, pair->base.arm, cache) && !timing_arms_at(s->cand_arms, pair->cand.arm, cache))
        return 0;
    struct comparison *c = add_comparison(s->out, pair, cache);
    return c ? judge(s, c, pair, e) : err_memory(e);
}

/* A row for each state of the caches in which either arm was timed, hot ones
 * first; one without any state when neither was. */
static int add_rows(struct sides *s, const struct pair *pair, struct err *e)
{
    const struct comparison_list *list = list_of(s->out, pair);
    const size_t first = list->count;
    int rc = 0;
    for (size_t i = 0; i < TIMING_CACHES && !rc; i++)
        rc = add_row(s, pair, timing_caches[i], e);
    if (!rc && list->count == first) {
        struct comparison *c = add_comparison(s->out, pair, "");
        rc = c ? judge(s, c, pair, e) : err_memory(e);
    }
    return rc;
}

static int compare_arms(struct sides *s, struct pair *pair, struct err *e)
{
    int rc = arm_differences_of_work(&pair->work, &s->out->arena, &pair->base, &pair->cand, e);
    for (size_t i = 0; i < pair->work.count && !rc; i++)
        rc = note_difference(s->out, &pair->work.items[i], pair->cand.variant, pair->cand.config, e);
    if (!rc)
        rc = add_rows(s, pair, e);
    arm_differences_release(&pair->work);
    s->joined++;
    return rc;
}

/* Among many tests some look decided by chance: what does not hold for the whole table is taken back. */
static int adjust_table(struct analysis *a, struct comparison_list *list, struct err *e)
{
    const size_t count = list->count;
    if (!count)
        return 0;
    double *p = calloc(2 * count, sizeof *p);
    if (!p)
        return err_memory(e);
    size_t tests = 0;
    for (size_t i = 0; i < count; i++) {
        p[i] = list->items[i].p_value;
        tests += isnan(p[i]) ? 0 : 1;
    }
    holm_adjust(p, count, p + count);
    for (size_t i = 0; i < count; i++) {
        struct comparison *c = &list->items[i];
        c->p_holm = p[count + i];
        c->alone = c->verdict;
        if (is_difference(c->verdict) && !(c->p_holm < 1 - RATIO_CONFIDENCE))
            decide(a, c, COMPARE_INCONCLUSIVE, COMPARISON_HOLM,
                   arena_printf(&a->arena, "%s alone, p = %.2g; among %zu comparisons %.2g",
                                comparison_verdict_name(c->alone), c->p_value, tests, c->p_holm));
    }
    free(p);
    return 0;
}

static void sides_release(struct sides *s)
{
    arm_differences_release(&s->machines);
}

int compare_analyze(struct analysis *a, struct err *e)
{
    const struct table *variants = &a->bundle->tables[BUNDLE_VARIANTS];
    struct sides s = {.out = a, .base = a, .cand = a};
    a->looks = sequential_looks_of_manifest(a->bundle->manifest);
    s.base_arms = s.cand_arms = &a->run->timing;
    int rc = 0;
    for (size_t row = 0; row < table_rows(variants) && !rc; row++) {
        const struct arm *candidate = a->run->tables[BUNDLE_VARIANTS].arms[row];
        const char *baseline = table_text(variants, row, VARIANTS_BASELINE);
        struct pair pair = {arm_place_named(a, baseline, candidate->config), arm_place_of(a, candidate), {0}};
        if (baseline[0] && strcmp(baseline, candidate->variant) && !arm_is_altered(candidate))
            rc = compare_arms(&s, &pair, e);
    }
    if (!rc)
        rc = adjust_table(a, &a->comparisons, e);
    if (!rc)
        rc = adjust_table(a, &a->mark_costs, e);
    sides_release(&s);
    return rc;
}

/* ---- two bundles ---- */

static const struct table *variants_of(const struct analysis *a)
{
    return &a->bundle->tables[BUNDLE_VARIANTS];
}

/* Does variants.csv state any arm of that name? */
static bool has_variant(const struct analysis *a, const char *name)
{
    for (const struct arm *arm = arms_of_variant(&a->run->arms, name); arm; arm = arm->next)
        if (arm_row(a, arm) >= 0)
            return true;
    return false;
}

static bool have_common_variant(const struct analysis *base, const struct analysis *cand)
{
    for (size_t row = 0; row < table_rows(variants_of(base)); row++)
        if (has_variant(cand, table_text(variants_of(base), row, VARIANTS_VARIANT)))
            return true;
    return false;
}

/* Returns the variant, if there is one alone. Builds with marks are not looked at. */
static const char *only_variant(const struct table *variants)
{
    const char *only = NULL;
    for (size_t row = 0; row < table_rows(variants); row++) {
        const char *name = table_text(variants, row, VARIANTS_VARIANT);
        if (variant_is_instrumented(name))
            continue;
        if (only && strcmp(name, only) != 0)
            return NULL;
        only = name;
    }
    return only;
}

/* A row of the baseline that the candidate does not have is no pass. */
static int add_missing(struct sides *s, const struct pair *pair, struct err *e)
{
    struct comparison *c = add_comparison(s->out, pair, "");
    if (!c)
        return err_memory(e);
    decide(s->out, c, COMPARE_INCONCLUSIVE, COMPARISON_NOT_IN_CANDIDATE, "");
    return describe_arm(&c->base, &s->out->arena, &pair->base, NULL, e);
}

/* `candidate` NULL: the variant of the same name. */
static int join_row(struct sides *s, size_t row, const char *candidate, struct err *e)
{
    const struct arm *base = s->base->run->tables[BUNDLE_VARIANTS].arms[row];
    struct pair pair = {arm_place_of(s->base, base),
                        arm_place_named(s->cand, candidate ? candidate : base->variant, base->config),
                        {0}};
    return arm_row(s->cand, pair.cand.arm) < 0 ? add_missing(s, &pair, e) : compare_arms(s, &pair, e);
}

/* No two arms at one config: there is no ratio at all. */
static void decide_without_common_config(struct sides *s)
{
    for (size_t i = 0; i < s->out->comparisons.count; i++)
        decide(s->out, &s->out->comparisons.items[i], COMPARE_UNUSABLE, COMPARISON_SHAPES_DIFFER,
               arena_printf(&s->out->arena, "the candidate has none at %s", s->out->comparisons.items[i].config));
}

static int note_new_rows(struct sides *s, struct err *e)
{
    const struct table *cand = variants_of(s->cand);
    const bool joins_by_name = have_common_variant(s->base, s->cand);
    for (size_t row = 0; row < table_rows(cand) && joins_by_name; row++) {
        const struct arm *arm = s->cand->run->tables[BUNDLE_VARIANTS].arms[row];
        const struct arm_place old = arm_place_named(s->base, arm->variant, arm->config);
        if (arm_row(s->base, old.arm) < 0 && !arm_is_instrumented(arm) &&
            !analysis_finding(s->out, "only-in-candidate", SEVERITY_INFO, old.variant, old.config,
                              "the baseline does not have it: nothing to compare it with"))
            return err_memory(e);
    }
    return 0;
}

static int join(struct sides *s, struct err *e)
{
    const struct table *base = variants_of(s->base), *cand = variants_of(s->cand);
    const bool by_name = have_common_variant(s->base, s->cand);
    if (!by_name && (!only_variant(base) || !only_variant(cand)))
        return err_set(e, ERR_INPUT,
                       "the bundles have no variant in common, and not one each: which ones are meant to "
                       "be compared?");
    int rc = 0;
    for (size_t i = 0; i < s->machines.count && !rc; i++)
        rc = note_difference(s->out, &s->machines.items[i], "", "", e);
    for (size_t row = 0; row < table_rows(base) && !rc; row++)
        if (!arm_is_instrumented(s->base->run->tables[BUNDLE_VARIANTS].arms[row]))
            rc = join_row(s, row, by_name ? NULL : only_variant(cand), e);
    if (!rc && !s->joined)
        decide_without_common_config(s);
    return rc ? rc : note_new_rows(s, e);
}

int compare_bundles(struct analysis *out, const struct analysis *base, const struct analysis *cand, const char *across,
                    struct err *e)
{
    struct sides s = {.out = out, .base = base, .cand = cand};
    out->looks =
        sequential_looks_of_manifest(base->bundle->manifest) * sequential_looks_of_manifest(cand->bundle->manifest);
    s.base_arms = &base->run->timing;
    s.cand_arms = &cand->run->timing;
    out->run = cand->run;
    int rc = arm_differences_of_machines(&s.machines, &out->arena, base, cand, across, e);
    if (!rc)
        rc = join(&s, e);
    if (!rc)
        rc = adjust_table(out, &out->comparisons, e);
    if (!rc)
        rc = sweep_analyze(out, e);
    sides_release(&s);
    return rc;
}
