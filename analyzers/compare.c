/* Is it faster beyond doubt? (docs/statistics.md) */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/entries.h"
#include "base/array.h"
#include "model/ratio_decision.h"
#include "model/timing_arms.h"

/* One median per process of each arm; base[i] and cand[i] belong together when paired. */
struct medians {
    double *base, *cand;
    size_t base_count, cand_count;
    int64_t samples;
    bool paired;
};

static void medians_release(struct medians *m)
{
    free(m->base);
    free(m->cand);
}

static void take_base(struct medians *m, const struct timing_process *p)
{
    m->base[m->base_count++] = p->median_ns;
    m->samples += (int64_t)p->samples;
}

static void take_cand(struct medians *m, const struct timing_process *p)
{
    m->cand[m->cand_count++] = p->median_ns;
    m->samples += (int64_t)p->samples;
}

/* The processes that measured both arms. Processes ascend in both lists. */
static void take_pairs(struct medians *m, const struct timing_arm *base, const struct timing_arm *cand)
{
    for (size_t i = 0, j = 0; i < base->processes.count && j < cand->processes.count;) {
        const struct timing_process *b = &base->processes.items[i], *c = &cand->processes.items[j];
        if (b->process == c->process) {
            take_base(m, b);
            take_cand(m, c);
        }
        i += b->process <= c->process;
        j += c->process <= b->process;
    }
}

/* Pairs where there are any: what slows one process down slows both arms in it.
 * Else each process ran one arm and the arms are independent. */
static int gather_medians(struct medians *m, const struct timing_arm *base, const struct timing_arm *cand,
                          struct err *e)
{
    m->base = calloc(base->processes.count, sizeof *m->base);
    m->cand = calloc(cand->processes.count, sizeof *m->cand);
    if (!m->base || !m->cand)
        return err_memory(e);
    take_pairs(m, base, cand);
    m->paired = m->base_count > 0;
    for (size_t i = 0; i < base->processes.count && !m->paired; i++)
        take_base(m, &base->processes.items[i]);
    for (size_t i = 0; i < cand->processes.count && !m->paired; i++)
        take_cand(m, &cand->processes.items[i]);
    return 0;
}

static void measure(struct comparison *c, struct medians *m)
{
    const struct ratio_medians medians = {m->base, m->cand, m->base_count, m->cand_count, m->paired};
    const struct ratio_decision decision = ratio_decide(&medians, c->margin);
    c->ratio = decision.interval.ratio;
    c->speedup = 1 / c->ratio;
    c->gain = 1 - c->ratio;
    c->ci_low = decision.interval.low;
    c->ci_high = decision.interval.high;
    c->mde = decision.mde;
    c->verdict = decision.verdict;
    c->reason = decision.reason;
    c->n_processes = (int64_t)(m->base_count < m->cand_count ? m->base_count : m->cand_count);
    c->n_samples = m->samples;
    c->baseline_ns = median(m->base, m->base_count); /* sorts: last */
    c->candidate_ns = median(m->cand, m->cand_count);
}

/* A wrong result at a shape that is only verified says that the variant is
 * wrong, at a shape that is compared too it says so for that one. */
static bool is_wrong(const struct analysis *a, const char *variant, const char *shape)
{
    for (size_t i = 0; i < a->correctness.count; i++) {
        const struct correctness *row = &a->correctness.items[i];
        if (row->status != VERDICT_FAIL || strcmp(row->variant, variant) != 0)
            continue;
        if (!strcmp(row->shape, shape) || !analysis_selection(a, variant, row->shape))
            return true;
    }
    return false;
}

static bool ran_another_kernel(const struct analysis *a, const char *variant, const char *shape)
{
    const struct selection_check *check = analysis_selection(a, variant, shape);
    return check && check->status == VERDICT_FAIL;
}

static bool has_failed(const struct analysis *a, const char *variant, const char *shape)
{
    const struct selection_check *check = analysis_selection(a, variant, shape);
    return check && !strcmp(check->reason, "program_failed");
}

/* Why the two arms must not be compared; NULL when they may. */
static const char *why_unusable(const struct analysis *a, const struct comparison *c)
{
    if (has_failed(a, c->candidate, c->shape) || has_failed(a, c->baseline, c->shape))
        return "program_failed";
    if (ran_another_kernel(a, c->candidate, c->shape) || ran_another_kernel(a, c->baseline, c->shape))
        return "wrong_kernel";
    if (is_wrong(a, c->candidate, c->shape) || is_wrong(a, c->baseline, c->shape))
        return "failed_verification";
    return NULL;
}

/* One kernel, launched alike, under two names. */
static bool is_one_kernel(const struct analysis *a, const struct comparison *c)
{
    for (size_t i = 0; i < a->identical.count; i++) {
        const struct identical_code *same = &a->identical.items[i];
        const bool pair = (!strcmp(same->a, c->baseline) && !strcmp(same->b, c->candidate)) ||
                          (!strcmp(same->b, c->baseline) && !strcmp(same->a, c->candidate));
        if (pair && same->launched_alike && !strcmp(same->shape, c->shape))
            return true;
    }
    return false;
}

/* A difference must survive in clock cycles: less time alone may be the clock.
 * Without clocks nothing is known against it. */
static int check_clock(struct analysis *a, struct comparison *c, struct err *e)
{
    const double cycles_ratio = c->ratio * c->clock_ratio;
    const bool lost =
        (c->verdict == COMPARE_FASTER && c->ci_high * c->clock_ratio >= 1 - c->margin) ||
        (c->verdict == COMPARE_SLOWER && c->ci_low * c->clock_ratio <= 1 / (1 - c->margin));
    if (!lost)
        return 0;
    c->verdict = COMPARE_INCONCLUSIVE;
    c->reason = "clock_difference";
    const char *claim =
        arena_printf(&a->arena, "the difference between %s and %s at %s may be one of the SM clock: in cycles it is "
                     "within the margin", c->baseline, c->candidate, c->shape);
    struct finding *finding =
        analysis_finding(a, "clock-difference", SEVERITY_WARNING, c->candidate, c->shape, claim);
    if (!finding)
        return err_memory(e);
    finding->advice = "repeat the run interleaved and on an idle, cool GPU, or with locked clocks";
    int rc = evidence_add(a, &finding->evidence, "time_ratio", c->ratio, UNIT_FACTOR, e);
    if (!rc)
        rc = evidence_add(a, &finding->evidence, "clock_ratio", c->clock_ratio, UNIT_FACTOR, e);
    return rc ? rc : evidence_add(a, &finding->evidence, "cycles_ratio", cycles_ratio, UNIT_FACTOR, e);
}

static struct comparison *add_comparison(struct analysis *a, const char *baseline, const char *candidate,
                                         const char *shape)
{
    struct comparison *c = ARRAY_PUSH(&a->comparisons);
    if (c)
        *c = (struct comparison){
            .baseline = arena_copy(&a->arena, baseline),
            .candidate = arena_copy(&a->arena, candidate),
            .shape = arena_copy(&a->arena, shape),
            .ratio = NAN, .speedup = NAN, .gain = NAN,
            .ci_low = NAN, .ci_high = NAN, .confidence = RATIO_CONFIDENCE,
            .margin = a->margin,
            .mde = NAN,
            .verdict = COMPARE_INCONCLUSIVE,
            .reason = "no_timing",
            .baseline_ns = NAN, .candidate_ns = NAN, .clock_ratio = NAN,
        };
    return c;
}

static int compare(struct analysis *a, struct comparison *c, const struct timing_arms *arms, struct err *e)
{
    const char *unusable = why_unusable(a, c);
    if (unusable) {
        c->verdict = COMPARE_UNUSABLE;
        c->reason = unusable;
        return 0;
    }
    const struct timing_arm *base = timing_arms_find(arms, c->baseline, c->shape);
    const struct timing_arm *cand = timing_arms_find(arms, c->candidate, c->shape);
    if (!base || !cand || strcmp(base->cache, cand->cache) != 0)
        return 0;
    const bool mixed = base->batch != cand->batch; /* NAN, mixed within an arm, is unequal too */
    struct medians m = {0};
    int rc = gather_medians(&m, base, cand, e);
    if (!rc) {
        measure(c, &m);
        c->clock_ratio = timing_arm_clock_hz(cand) / timing_arm_clock_hz(base);
        rc = check_clock(a, c, e);
        if (mixed || is_one_kernel(a, c)) {
            c->verdict = COMPARE_INCONCLUSIVE;
            c->reason = mixed ? "mixed_timing" : "identical_code";
        }
    }
    medians_release(&m);
    return rc;
}

int compare_analyze(struct analysis *a, struct err *e)
{
    const struct table *variants = &a->bundle->tables[BUNDLE_VARIANTS];
    struct timing_arms arms = {0};
    int rc = timing_arms_read(&arms, &a->bundle->tables[BUNDLE_TIMING], e);
    for (size_t row = 0; row < table_rows(variants) && !rc; row++) {
        const char *candidate = table_text(variants, row, VARIANTS_VARIANT);
        const char *baseline = table_text(variants, row, VARIANTS_BASELINE);
        if (!baseline[0] || !strcmp(baseline, candidate))
            continue;
        struct comparison *c = add_comparison(a, baseline, candidate, table_text(variants, row, VARIANTS_SHAPE));
        rc = c ? compare(a, c, &arms, e) : err_memory(e);
    }
    timing_arms_release(&arms);
    return rc;
}
