/* Does each solution of a task pass, and how fast is it? */
#include <math.h>
#include <string.h>

#include "analyzers/entries.h"
#include "core/base/array.h"
#include "core/base/count_of.h"
#include "core/base/str.h"
#include "core/run/timed_outputs.h"
#include "core/run/timing_arms.h"

/* ---- pass, or why not ---- */

/* "up to 99.7% of the values at gpt2 are wrong with inputs constant, sorted, not with random, one-hot: hint" */
static const char *wrong_words(struct analysis *a, const struct correctness *c)
{
    char share[UNITS_TEXT_BYTES];
    const bool is_of_some = *c->wrong_inputs && *c->right_inputs;
    const char *inputs =
        is_of_some ? arena_printf(&a->arena, " with inputs %s, not with %s", c->wrong_inputs, c->right_inputs) : "";
    return arena_printf(&a->arena, "%s%s of the values at %s are wrong%s%s%s", is_of_some ? "up to " : "",
                        unit_format(share, UNIT_RATIO, c->bad_ratio), c->config, inputs ? inputs : "",
                        *c->hint ? ": " : "", c->hint);
}

static const char *unverified_words(struct analysis *a, const struct arm *arm)
{
    struct str text;
    str_init(&text);
    str_add(&text, "its outputs were not all verified");
    if (bundle_failure_of(a->bundle, "verify", arm->variant, NULL)) {
        str_add(&text, ": ");
        bundle_failure_of(a->bundle, "verify", arm->variant, &text);
    }
    const char *why = arena_copy(&a->arena, str_text(&text));
    str_release(&text);
    return why;
}

/* Why a process failed that had no other solution, as `find` has it; NULL: none did. */
static const char *failure_words(struct analysis *a, const struct arm *arm,
                                 bool (*find)(const struct bundle *b, const char *variant, struct str *out))
{
    struct str text;
    str_init(&text);
    const char *why = find(a->bundle, arm->variant, &text) ? arena_copy(&a->arena, str_text(&text)) : NULL;
    str_release(&text);
    return why;
}

/* Why the runner did not start it; NULL: it did. */
static const char *refusal(const struct analysis *a, const struct solution *s)
{
    const struct arm_table *variants = &a->run->tables[BUNDLE_VARIANTS];
    const struct arm_places places = arm_table_rows(variants, s->arm);
    const bool refused = places.count && !bundle_is_runnable(variants->table, places.items[0]);
    return refused ? table_text(variants->table, places.items[0], VARIANTS_STATUS) : NULL;
}

static void judge(struct analysis *a, struct solution *s)
{
    const struct witness_check *contradiction = analysis_contradiction(a, s->arm);
    const struct correctness *wrong = analysis_wrong_result(a, s->arm);
    const struct selection_check *selection = analysis_selection(a, s->arm);
    const char *broken = failure_words(a, s->arm, bundle_broke_off),
               *dishonest = failure_words(a, s->arm, bundle_was_dishonest);
    s->status = VERDICT_FAIL;
    if (wrong)
        s->why = wrong_words(a, wrong);
    else if (selection && selection->status == VERDICT_FAIL)
        s->why = selection->detail;
    else if (contradiction)
        s->why = contradiction->detail;
    else if (dishonest)
        s->why = dishonest;
    else if (refusal(a, s))
        s->status = VERDICT_INCONCLUSIVE, s->why = refusal(a, s);
    else if (!analysis_is_right(a, s->arm))
        s->status = VERDICT_INCONCLUSIVE, s->why = unverified_words(a, s->arm);
    else if (broken)
        s->status = VERDICT_INCONCLUSIVE, s->why = broken;
    else if (!selection || selection->status != VERDICT_PASS)
        s->status = VERDICT_INCONCLUSIVE, s->why = selection ? selection->detail : "nothing shows what it launched";
    else
        s->status = VERDICT_PASS;
}

/* ---- time ---- */

static void take_comparison(struct solution *s, const struct comparison *c)
{
    if (isfinite(c->candidate_ns))
        s->time_ns = c->candidate_ns;
    s->verdict = comparison_verdict_name(c->verdict);
    s->verdict_words = comparison_verdict_words(c);
    s->speedup = c->speedup;
    s->ci_low = 1 / c->ci_high;
    s->ci_high = 1 / c->ci_low;
}

static void compare(const struct analysis *a, struct solution *s)
{
    for (size_t i = 0; i < a->comparisons.count; i++) {
        const struct comparison *c = &a->comparisons.items[i];
        if (strcmp(c->cache, s->cache) != 0)
            continue;
        if (c->cand.arm == s->arm)
            take_comparison(s, c);
        if (c->base.arm != s->arm)
            continue;
        s->verdict = s->verdict_words = "baseline";
        if (isfinite(c->baseline_ns)) /* it is the same in all that it has */
            s->time_ns = c->baseline_ns;
    }
}

/* ---- light ---- */

static double height_of(const struct roof *r)
{
    return isnan(r->measured) ? r->peak : r->measured;
}

static void take_light(struct solution *s, double amount, const struct roof *r)
{
    const double share = amount / height_of(r) * 1e9 / s->time_ns;
    if (!(share > 0) || share <= s->light)
        return;
    s->light = share;
    s->light_by = r->name;
}

/* The operations are held against the precision that needs most of the kernel's time. */
static void measure_light(const struct analysis *a, struct solution *s)
{
    const struct arm_rows rows = analysis_rows(a, ARM_ROOFLINES, s->arm);
    const struct arm_table *variants = &a->run->tables[BUNDLE_VARIANTS];
    const struct arm_places places = arm_table_rows(variants, s->arm);
    if (!rows.count || !places.count)
        return;
    const struct roofline *r = &a->rooflines.items[rows.first];
    const enum roof_level level = !strcmp(s->cache, "hot") ? ROOF_L2 : ROOF_DRAM;
    take_light(s, table_number(variants->table, places.items[0], VARIANTS_BYTES), &r->levels[level]);
    if (r->precision_count)
        take_light(s, table_number(variants->table, places.items[0], VARIANTS_FLOPS), &r->precisions[0]);
}

/* ---- what was verified ---- */

static void count_verified(struct analysis *a, struct solution *s)
{
    const struct timed_outputs t = timed_outputs_of(&a->run->tables[BUNDLE_VERIFY], s->arm, s->cache);
    const struct {
        bool holds;
        const char *words;
    } lacks[] = {{t.judged_inside, "inside"}, {t.judged_on_host, "on the host"}, {t.without_gate, "without a gate"}};
    for (size_t i = 0; i < COUNT_OF(lacks); i++)
        if (lacks[i].holds)
            s->judged = arena_printf(&a->arena, "%s%s%s", s->judged, *s->judged ? ", " : "", lacks[i].words);
    s->verified = t.is_counted ? t.right : NAN;
    s->unseen = timed_outputs_unseen(&t);
    s->set_up_ns = t.set_up_ns;
}

/* ---- copies ---- */

static double kernels_ns(const struct variant_launches *launches, const struct arm *arm)
{
    const struct arm_places own = variant_launches_of(launches, arm);
    double sum = 0;
    for (size_t i = 0; i < own.count; i++) {
        const struct variant_launch *launch = &launches->items[own.items[i]];
        if (launch->phase == LAUNCH_PHASE_MEASURE && launch->has_kernel)
            sum += (double)(launch->kernel_end_ns - launch->kernel_start_ns);
    }
    return sum;
}

static double calls_of(const struct variant_launches *launches, const struct arm *arm)
{
    const struct arm_places own = variant_launches_of(launches, arm);
    double count = 0;
    for (size_t i = 0; i < own.count; i++) {
        const struct variant_launch *launch = &launches->items[own.items[i]];
        count += launch->phase == LAUNCH_PHASE_MEASURE && launch->has_kernel && !launch->part;
    }
    return count;
}

static void measure_copies(const struct analysis *a, struct solution *s)
{
    const struct variant_launches *launches = &a->run->launches;
    const struct arm_places ranges = variant_ranges_of(launches, s->arm);
    const double kernels = kernels_ns(launches, s->arm), calls = calls_of(launches, s->arm);
    double copy_ns = 0, copies = 0;
    for (size_t i = 0; i < ranges.count; i++) {
        const struct variant_range *range = &launches->ranges.items[ranges.items[i]];
        if (range->phase != LAUNCH_PHASE_MEASURE)
            continue;
        copy_ns += range->copy_ns;
        copies += range->copies;
    }
    if (launches->partial || !(kernels > 0))
        return;
    s->copied = copy_ns / (copy_ns + kernels);
    s->copies = copies / calls;
}

/* ---- rows ---- */

static int add(struct analysis *a, const struct arm *arm, const char *cache, double p50_ns, struct err *e)
{
    struct solution s = {.arm = arm,
                         .variant = arena_copy(&a->arena, arm->variant),
                         .config = arena_copy(&a->arena, arm->config),
                         .cache = cache,
                         .why = "",
                         .time_ns = p50_ns,
                         .speedup = NAN,
                         .ci_low = NAN,
                         .ci_high = NAN,
                         .verdict = "",
                         .verdict_words = "",
                         .light = NAN,
                         .light_by = "",
                         .copied = NAN,
                         .copies = NAN,
                         .verified = NAN,
                         .unseen = NAN,
                         .set_up_ns = NAN,
                         .judged = ""};
    judge(a, &s);
    if (*cache) {
        compare(a, &s);
        measure_light(a, &s);
        measure_copies(a, &s);
        count_verified(a, &s);
    }
    struct solution *slot = ARRAY_PUSH(&a->solutions);
    if (!slot)
        return err_memory(e);
    *slot = s;
    return 0;
}

/* NAN: it was not timed, or not all of its samples count. */
static double median_ns(const struct analysis *a, const struct timing_arm *arm)
{
    for (size_t i = 0; i < a->timings.count && !arm->untimed; i++)
        if (a->timings.items[i].arm == arm->arm && !strcmp(a->timings.items[i].cache, arm->cache))
            return a->timings.items[i].p50_ns;
    return NAN;
}

static int add_arm(struct analysis *a, const struct arm *arm, struct err *e)
{
    const struct arm_places own = timing_arms_of(&a->run->timing, arm);
    size_t added = 0;
    int rc = 0;
    for (size_t i = 0; i < own.count && !rc; i++) {
        const struct timing_arm *timed = &a->run->timing.items[own.items[i]];
        if (!timed->samples.count && !timed->untimed)
            continue;
        rc = add(a, arm, timed->cache, median_ns(a, timed), e);
        added++;
    }
    return rc || added ? rc : add(a, arm, "", NAN, e);
}

/* In the order of the plan: by shape, the baseline first. */
int solutions_analyze(struct analysis *a, struct err *e)
{
    const struct table *variants = &a->bundle->tables[BUNDLE_VARIANTS];
    int rc = 0;
    for (size_t row = 0; analysis_has_task(a) && row < table_rows(variants) && !rc; row++) {
        const struct arm *arm =
            analysis_arm(a, table_text(variants, row, VARIANTS_VARIANT), table_text(variants, row, VARIANTS_SHAPE));
        if (arm)
            rc = add_arm(a, arm, e);
    }
    return rc;
}
