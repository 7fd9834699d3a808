/* How did a kernel get here, stage by stage? */
#include "analyzers/compare/evolution.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/arm_differences.h"
#include "core/base/array.h"
#include "core/base/count_of.h"
#include "core/base/strtab.h"
#include "core/run/arm_ratio.h"
#include "core/run/instrumented_arm.h"
#include "core/run/timing_arms.h"
#include "core/stats/sequential_looks.h"

static const struct bounded unknown = {NAN, NAN, NAN};

const char *stage_status_name(enum stage_status s)
{
    static const char *const names[] = {
        [STAGE_REFERENCE] = "reference",
        [STAGE_MERGED] = "merged",
        [STAGE_MARGINAL] = "marginal",
        [STAGE_BELOW_TARGET] = "below target",
        [STAGE_VALID_NEGATIVE] = "valid negative",
        [STAGE_REGRESSION] = "regression",
        [STAGE_CORRECTNESS] = "correctness",
        [STAGE_WRONG_KERNEL] = "wrong kernel",
        [STAGE_CONTRADICTED] = "contradicted",
        [STAGE_INCONCLUSIVE] = "inconclusive",
    };
    return names[s];
}

/* What is wrong, or is not what it says, is nothing to compare with. */
static bool is_no_reference(enum stage_status s)
{
    return s == STAGE_CORRECTNESS || s == STAGE_WRONG_KERNEL || s == STAGE_CONTRADICTED;
}

/* ---- what is read from the bundles ---- */

struct day {
    const struct evolution_source *source;
    const struct timing_arms *arms;
    struct strtab baselines; /* their names */
};

struct making {
    struct evolution *out;
    struct day *days;
    size_t day_count;
};

/* At which config, with the caches in which state. */
struct key {
    const char *config, *cache;
};

struct keys {
    struct key *items;
    size_t count, capacity;
};

static int add_key(struct keys *keys, const char *config, const char *cache, struct err *e)
{
    for (size_t i = 0; i < keys->count; i++)
        if (!strcmp(keys->items[i].config, config) && !strcmp(keys->items[i].cache, cache))
            return 0;
    struct key *key = ARRAY_PUSH(keys);
    if (!key)
        return err_memory(e);
    *key = (struct key){config, cache};
    return 0;
}

static const struct table *variants_of(const struct day *day)
{
    return &day->source->analysis->bundle->tables[BUNDLE_VARIANTS];
}

static const struct arm *const *arms_of_table(const struct day *day)
{
    return day->source->analysis->run->tables[BUNDLE_VARIANTS].arms;
}

/* Days meet by names: NULL when this one has no such arm. */
static const struct arm *arm_at(const struct day *day, const char *variant, const struct key *key)
{
    return analysis_arm(day->source->analysis, variant, key->config);
}

static const struct timing_arm *timed_at(const struct day *day, const struct arm *arm, const struct key *key)
{
    const struct timing_arm *timed = timing_arms_at(day->arms, arm, key->cache);
    return timed && timed->samples.count ? timed : NULL;
}

static const struct timing_arm *arm_of(const struct day *day, const char *variant, const struct key *key)
{
    return timed_at(day, arm_at(day, variant, key), key);
}

/* Every config of the table; where it was timed, each state of the caches. */
static int find_keys(const struct making *m, struct keys *keys, struct err *e)
{
    static const char *const states[] = {"hot", "rotated", "cold"};
    int code = 0;
    for (size_t s = 0; s < m->day_count; s++) {
        const struct table *t = variants_of(&m->days[s]);
        for (size_t row = 0; row < table_rows(t); row++)
            for (size_t c = 0; c < COUNT_OF(states) && !code; c++) {
                const struct arm *arm = arms_of_table(&m->days[s])[row];
                const struct key key = {arm->config, states[c]};
                if (timed_at(&m->days[s], arm, &key))
                    code = add_key(keys, key.config, key.cache, e);
            }
    }
    return code;
}

/* ---- ratios ---- */

/* A ratio of times with its interval, and what it is called. */
struct relation {
    struct bounded ratio;
    enum comparison_verdict verdict;
    const char *doubt; /* why nothing follows from it; "" */
};

static const struct relation no_relation = {{NAN, NAN, NAN}, COMPARE_INCONCLUSIVE, ""};

static struct bounded reciprocal(struct bounded b)
{
    return (struct bounded){1 / b.value, 1 / b.high, 1 / b.low};
}

static struct bounded gain_of(struct bounded ratio)
{
    return (struct bounded){1 - ratio.value, 1 - ratio.high, 1 - ratio.low};
}

/* Measured on two days: errors on the log scale are independent. */
static struct bounded chain(struct bounded a, struct bounded b)
{
    const double value = a.value * b.value;
    const double below = hypot(log(a.value / a.low), log(b.value / b.low));
    const double above = hypot(log(a.high / a.value), log(b.high / b.value));
    return (struct bounded){value, value * exp(-below), value * exp(above)};
}

/* The interval at 95% inside the margin is more than equivalence asks for. */
static enum comparison_verdict verdict_of(struct bounded ratio, double margin)
{
    const double below = 1 - margin, above = 1 / (1 - margin);
    return ratio.high < below                        ? COMPARE_FASTER
           : ratio.low > above                       ? COMPARE_SLOWER
           : ratio.low > below && ratio.high < above ? COMPARE_EQUIVALENT
                                                     : COMPARE_INCONCLUSIVE;
}

static const char *doubt_of(enum comparison_reason reason)
{
    return comparison_is_doubted(reason) ? comparison_reasons[reason].key : "";
}

static const struct comparison *find_comparison(const struct analysis *a, const struct arm *base,
                                                const struct arm *cand, const char *cache)
{
    const struct arm_rows rows = analysis_rows(a, ARM_COMPARISONS, cand);
    for (size_t i = rows.first; i < rows.end; i++) {
        const struct comparison *c = &a->comparisons.items[i];
        if (c->base.arm == base && c->cand.arm == cand && !strcmp(c->cache, cache))
            return c;
    }
    return NULL;
}

/* Two arms of one day: as the comparison has it, else from the arms. */
static int relate(const struct making *m, const struct day *day, const char *base, const char *cand,
                  const struct key *key, struct relation *out, struct err *e)
{
    const struct analysis *a = day->source->analysis;
    const struct arm_place base_place = arm_place_named(a, base, key->config),
                           cand_place = arm_place_named(a, cand, key->config);
    const struct comparison *c = find_comparison(a, base_place.arm, cand_place.arm, key->cache);
    if (c) {
        *out = (struct relation){{c->ratio, c->ci_low, c->ci_high}, c->verdict, doubt_of(c->reason)};
        return 0;
    }
    *out = no_relation;
    const struct timing_arm *of_base = timed_at(day, base_place.arm, key),
                            *of_cand = timed_at(day, cand_place.arm, key);
    if (!of_base || !of_cand)
        return 0;
    if (*arm_no_verdict(a, base_place.arm) || *arm_no_verdict(a, cand_place.arm)) {
        out->doubt = comparison_reasons[COMPARISON_TIMES_SAY_NOTHING].key;
        return 0;
    }
    struct ratio_decision decision;
    const int code = arm_ratio_decide(of_base, of_cand, m->out->margin,
                                      sequential_looks_of_manifest(a->bundle->manifest), &decision, e);
    if (code)
        return code;
    const enum comparison_reason reason = !timing_arms_are_alike(of_base, of_cand) ? COMPARISON_MIXED_TIMING
                                          : arms_are_one_kernel(&base_place, &cand_place)
                                              ? COMPARISON_IDENTICAL_CODE
                                              : comparison_reason_of_ratio(decision.reason);
    *out = (struct relation){
        {decision.interval.ratio, decision.interval.low, decision.interval.high}, decision.verdict, doubt_of(reason)};
    return 0;
}

/* ---- is a stage what it says it is? ---- */

static bool ran_another_kernel(const struct analysis *a, const struct arm *arm)
{
    const struct selection_check *check = analysis_selection(a, arm);
    return check && check->status == VERDICT_FAIL;
}

static bool is_sound(const struct day *day, const char *variant, const struct key *key)
{
    const struct analysis *a = day->source->analysis;
    const struct arm *arm = arm_at(day, variant, key);
    return !analysis_wrong_result(a, arm) && !ran_another_kernel(a, arm);
}

/* ---- stages ---- */

static struct evolution_stage *find_stage(const struct evolution_ladder *ladder, const char *variant)
{
    for (size_t i = 0; i < ladder->count; i++)
        if (!strcmp(ladder->items[i].variant, variant))
            return &ladder->items[i];
    return NULL;
}

/* What the next stage is held against. */
static const struct evolution_stage *predecessor(const struct evolution_ladder *ladder)
{
    for (size_t i = ladder->count; i-- > 1;)
        if (ladder->items[i].status == STAGE_MERGED)
            return &ladder->items[i];
    return &ladder->items[0];
}

static const struct timing_summary *timing_of(const struct day *day, const char *variant, const struct key *key)
{
    const struct analysis *a = day->source->analysis;
    const struct arm *arm = arm_at(day, variant, key);
    const struct arm_rows rows = analysis_rows(a, ARM_TIMINGS, arm);
    for (size_t i = rows.first; i < rows.end; i++)
        if (a->timings.items[i].arm == arm && !strcmp(a->timings.items[i].cache, key->cache))
            return &a->timings.items[i];
    return NULL;
}

/* A failure of its own, whatever its times are. */
static bool decide_failure(struct making *m, const struct day *day, struct evolution_stage *stage,
                           const struct key *key)
{
    const struct analysis *a = day->source->analysis;
    const struct arm *arm = arm_at(day, stage->variant, key);
    const struct correctness *wrong = analysis_wrong_result(a, arm);
    if (ran_another_kernel(a, arm)) {
        stage->status = STAGE_WRONG_KERNEL;
        stage->reason = analysis_selection(a, arm)->detail;
        return true;
    }
    const struct witness_check *against = analysis_contradiction(a, arm);
    if (against) {
        stage->status = STAGE_CONTRADICTED;
        stage->reason = against->detail;
        return true;
    }
    if (!wrong)
        return false;
    const char *failure = analysis_failure(a, wrong);
    stage->status = STAGE_CORRECTNESS;
    stage->reason =
        arena_printf(&m->out->arena, "failed%s%s%s: %lld of %lld checks at %s", *failure ? " (" : "", failure,
                     *failure ? ")" : "", (long long)wrong->failed, (long long)wrong->checks, wrong->config);
    return true;
}

static void decide_by_ratio(const struct making *m, struct evolution_stage *stage, const struct relation *relation)
{
    const double target = m->out->target;
    stage->reason = relation->doubt;
    if (*relation->doubt || isnan(relation->ratio.value))
        stage->status = STAGE_INCONCLUSIVE;
    else if (relation->verdict == COMPARE_SLOWER)
        stage->status = STAGE_REGRESSION;
    else if (relation->verdict == COMPARE_EQUIVALENT)
        stage->status = STAGE_VALID_NEGATIVE;
    else if (relation->verdict != COMPARE_FASTER)
        stage->status = STAGE_MARGINAL;
    else if (isnan(target) || stage->gain.low >= target)
        stage->status = STAGE_MERGED;
    else
        stage->status = stage->gain.high < target ? STAGE_BELOW_TARGET : STAGE_MARGINAL;
}

static bool is_other_code(const struct day *a, const struct day *b, const char *variant, const struct key *key)
{
    const struct resource *one = analysis_resource(a->source->analysis, arm_at(a, variant, key));
    const struct resource *other = analysis_resource(b->source->analysis, arm_at(b, variant, key));
    return one && other && *one->code_hash && *other->code_hash && strcmp(one->code_hash, other->code_hash) != 0;
}

/* Is the day's arm of this name the stage, and fit to be held against? It may be other code by then, or wrong. */
static bool is_the_same(const struct making *m, const struct day *day, const struct evolution_stage *stage,
                        const struct key *key)
{
    return arm_of(day, stage->variant, key) && is_sound(day, stage->variant, key) &&
           !is_other_code(&m->days[stage->source], day, stage->variant, key);
}

/* How the stage stands to `over` and to the reference; `anchor` is on the ladder and was measured on its day. */
struct standing {
    const struct evolution_stage *over, *anchor;
    struct relation to_over;
    struct bounded to_reference; /* a ratio */
};

/* The ratio of a stage of the ladder to its reference. */
static struct bounded ratio_to_reference(const struct evolution_ladder *ladder, const struct evolution_stage *stage)
{
    if (stage == &ladder->items[0])
        return (struct bounded){1, 1, 1};
    return gain_of(stage->cumulative); /* 1 - (1 - ratio) */
}

/* One stage of the ladder to another: both have a ratio to the reference. */
static struct bounded between(const struct evolution_ladder *ladder, const struct evolution_stage *stage,
                              const struct evolution_stage *over)
{
    return chain(ratio_to_reference(ladder, stage), reciprocal(ratio_to_reference(ladder, over)));
}

static int stand(const struct making *m, const struct day *day, const struct evolution_ladder *ladder,
                 const char *variant, const struct key *key, struct standing *s, struct err *e)
{
    const struct evolution_stage *reference = &ladder->items[0];
    struct relation to_anchor = no_relation, direct = no_relation;
    int code = 0;
    if (is_the_same(m, day, s->over, key)) {
        s->anchor = s->over;
        code = relate(m, day, s->over->variant, variant, key, &s->to_over, e);
        to_anchor = s->to_over;
    } else if (s->anchor) {
        code = relate(m, day, s->anchor->variant, variant, key, &to_anchor, e);
        s->to_over = to_anchor;
        s->to_over.ratio = chain(to_anchor.ratio, between(ladder, s->anchor, s->over));
        s->to_over.verdict = verdict_of(s->to_over.ratio, m->out->margin);
    }
    if (!code && is_the_same(m, day, reference, key))
        code = relate(m, day, reference->variant, variant, key, &direct, e);
    s->to_reference = unknown;
    if (isfinite(direct.ratio.value))
        s->to_reference = direct.ratio;
    else if (s->anchor)
        s->to_reference = chain(to_anchor.ratio, ratio_to_reference(ladder, s->anchor));
    return code;
}

/* The first stage of a ladder has nothing before it. */
static void decide_reference(struct making *m, const struct day *day, struct evolution_stage *stage,
                             const struct key *key)
{
    stage->status = STAGE_REFERENCE;
    stage->scaled_ns = stage->timing ? stage->timing->p50_ns : NAN;
    stage->cumulative = stage->gain = unknown;
    decide_failure(m, day, stage, key);
}

static int decide_stage(struct making *m, const struct day *day, const struct evolution_ladder *ladder,
                        struct evolution_stage *stage, const struct key *key, const struct evolution_stage *anchor,
                        struct err *e)
{
    struct standing s = {.over = predecessor(ladder), .anchor = anchor, .to_over = no_relation};
    stage->over = s.over->variant;
    if (decide_failure(m, day, stage, key))
        return 0;
    if (!stage->timing) {
        const long row = arm_row(day->source->analysis, arm_at(day, stage->variant, key));
        const char *status = row < 0 ? "ready" : table_text(variants_of(day), (size_t)row, VARIANTS_STATUS);
        stage->reason = strcmp(status, "ready") ? status : "not timed";
        return 0;
    }
    if (is_no_reference(s.over->status)) {
        stage->reason = "what it would be compared with is no valid reference";
        return 0;
    }
    const int code = stand(m, day, ladder, stage->variant, key, &s, e);
    if (code)
        return code;
    if (s.anchor && s.anchor != s.over)
        stage->through = s.anchor->variant;
    stage->gain = gain_of(s.to_over.ratio);
    stage->cumulative = gain_of(s.to_reference);
    stage->scaled_ns = ladder->items[0].scaled_ns * s.to_reference.value;
    decide_by_ratio(m, stage, &s.to_over);
    return 0;
}

static int add_stage(struct making *m, size_t day, struct evolution_ladder *ladder, const char *variant,
                     const struct key *key, const struct evolution_stage *anchor, struct err *e)
{
    struct evolution_stage stage = {.source = day,
                                    .variant = variant,
                                    .over = "",
                                    .through = "",
                                    .gain = unknown,
                                    .cumulative = unknown,
                                    .scaled_ns = NAN,
                                    .status = STAGE_INCONCLUSIVE,
                                    .reason = ""};
    stage.timing = timing_of(&m->days[day], variant, key);
    int code = 0;
    if (ladder->count)
        code = decide_stage(m, &m->days[day], ladder, &stage, key, anchor, e);
    else
        decide_reference(m, &m->days[day], &stage, key);
    struct evolution_stage *slot = code ? NULL : ARRAY_PUSH(ladder);
    if (slot)
        *slot = stage;
    return code ? code : slot ? 0 : err_memory(e);
}

/* ---- joining days ---- */

static bool has_standing(const struct evolution_ladder *ladder, const struct evolution_stage *stage)
{
    return stage->timing && !is_no_reference(stage->status) &&
           (stage == &ladder->items[0] || isfinite(stage->cumulative.value));
}

/* An arm of the ladder that this day measured, too: the predecessor where it may be, else the first. */
static const struct evolution_stage *find_anchor(const struct making *m, const struct day *day,
                                                 const struct evolution_ladder *ladder, const struct key *key,
                                                 const char **changed)
{
    const struct evolution_stage *found = NULL, *wanted = predecessor(ladder);
    for (size_t i = 0; i < ladder->count; i++) {
        const struct evolution_stage *stage = &ladder->items[i];
        if (!has_standing(ladder, stage) || !arm_of(day, stage->variant, key) || !is_sound(day, stage->variant, key))
            continue;
        if (is_other_code(&m->days[stage->source], day, stage->variant, key))
            *changed = stage->variant;
        else if (!found || stage == wanted)
            found = stage;
    }
    return found;
}

static int add_note(struct making *m, const char *text, struct err *e)
{
    for (size_t i = 0; i < m->out->notes.count; i++)
        if (!strcmp(m->out->notes.items[i], text))
            return 0;
    const char **note = ARRAY_PUSH(&m->out->notes);
    if (!note)
        return err_memory(e);
    *note = text;
    return 0;
}

static const char *where(struct making *m, const struct key *key)
{
    return !strcmp(key->cache, "hot") ? key->config
                                      : arena_printf(&m->out->arena, "%s, %s L2", key->config, key->cache);
}

/* What the same arm took on both days, and what else differs between them. */
static int note_join(struct making *m, const struct day *day, const struct evolution_ladder *ladder,
                     const struct evolution_stage *anchor, const struct key *key, struct err *e)
{
    struct arena *arena = &m->out->arena;
    const struct day *first = &m->days[anchor->source];
    const struct timing_summary *here = timing_of(day, anchor->variant, key);
    char before[UNITS_TEXT_BYTES], now[UNITS_TEXT_BYTES];
    (void)ladder;
    int code = add_note(
        m,
        arena_printf(arena, "'%s' is joined to '%s' through '%s', which both measured: p50 %s there, %s here (at %s)",
                     day->source->path, first->source->path, anchor->variant,
                     unit_format(before, UNIT_NS, anchor->timing->p50_ns),
                     unit_format(now, UNIT_NS, here ? here->p50_ns : NAN), where(m, key)),
        e);
    struct arm_differences machines = {0};
    if (!code)
        code = arm_differences_of_machines(&machines, arena, first->source->analysis, day->source->analysis, NULL, e);
    for (size_t i = 0; i < machines.count && !code; i++)
        code = add_note(m,
                        arena_printf(arena, "'%s' (first) and '%s' (then) were not measured alike: %s",
                                     first->source->path, day->source->path, machines.items[i].text),
                        e);
    arm_differences_release(&machines);
    return code;
}

static struct evolution_ladder *new_ladder(struct making *m, const struct key *key, const char *apart)
{
    struct evolution_ladder *ladder = ARRAY_PUSH(&m->out->ladders);
    if (ladder)
        *ladder = (struct evolution_ladder){.config = arena_copy(&m->out->arena, key->config),
                                            .cache = arena_copy(&m->out->arena, key->cache),
                                            .apart = apart};
    return ladder;
}

/* The ladder at this key that the day can be joined to; else a new one that says why. */
static int find_ladder(struct making *m, const struct day *day, const struct key *key, size_t *index,
                       const struct evolution_stage **anchor, struct err *e)
{
    const char *changed = NULL, *before = NULL;
    *anchor = NULL;
    for (size_t i = 0; i < m->out->ladders.count && !*anchor; i++) {
        const struct evolution_ladder *ladder = &m->out->ladders.items[i];
        if (strcmp(ladder->config, key->config) != 0 || strcmp(ladder->cache, key->cache) != 0)
            continue;
        *index = i;
        *anchor = find_anchor(m, day, ladder, key, &changed);
        before = m->days[ladder->items[0].source].source->path;
    }
    if (*anchor)
        return note_join(m, day, &m->out->ladders.items[*index], *anchor, key, e);
    const char *apart = "";
    if (before && changed)
        apart =
            arena_printf(&m->out->arena, "not joined to '%s': '%s' is in both, but its machine code is not the same",
                         before, changed);
    else if (before)
        apart = arena_printf(&m->out->arena,
                             "not joined to '%s': no arm was measured in both as it was meant and with right "
                             "results, and times of another day or device are not the same measure",
                             before);
    *index = m->out->ladders.count;
    return new_ladder(m, key, apart) ? 0 : err_memory(e);
}

/* ---- all of it ---- */

static int begin_day(struct day *day, const struct evolution_source *source, struct err *e)
{
    day->source = source;
    day->arms = &source->analysis->run->timing;
    const struct table *t = variants_of(day);
    for (size_t row = 0; row < table_rows(t); row++)
        if (!arm_is_instrumented(arms_of_table(day)[row]) &&
            !strtab_add(&day->baselines, table_text(t, row, VARIANTS_BASELINE)))
            return err_memory(e);
    return 0;
}

static bool is_baseline(const struct day *day, const char *name)
{
    return strtab_find(&day->baselines, name) != 0;
}

/* An arm that has its place on the ladder already; what bears its name now may be something else. */
static int note_again(struct making *m, const struct day *day, const struct evolution_stage *stage,
                      const struct key *key, struct err *e)
{
    if (!is_other_code(&m->days[stage->source], day, stage->variant, key))
        return 0;
    return add_note(m,
                    arena_printf(&m->out->arena,
                                 "'%s' of '%s' is not the stage of that name, but other machine code: it is left out "
                                 "(at %s); under a name of its own it is a stage",
                                 stage->variant, day->source->path, where(m, key)),
                    e);
}

static bool is_at(const struct day *day, size_t row, const struct key *key)
{
    return !strcmp(arms_of_table(day)[row]->config, key->config);
}

/* Baselines first, then the order of the table. Builds with marks are no stages. */
static int add_day(struct making *m, size_t index, const struct key *key, struct err *e)
{
    const struct day *day = &m->days[index];
    const struct table *t = variants_of(day);
    const struct evolution_stage *anchor;
    size_t at = 0, anchor_at = 0;
    int code = find_ladder(m, day, key, &at, &anchor, e);
    if (code)
        return code;
    struct evolution_ladder *ladder = &m->out->ladders.items[at];
    if (anchor)
        anchor_at = (size_t)(anchor - ladder->items);
    for (int pass = 0; pass < 2; pass++)
        for (size_t row = 0; row < table_rows(t) && !code; row++) {
            const char *variant = arms_of_table(day)[row]->variant;
            if (!is_at(day, row, key) || arm_is_instrumented(arms_of_table(day)[row]) ||
                is_baseline(day, variant) != (pass == 0))
                continue;
            const struct evolution_stage *stage = find_stage(ladder, variant);
            code = stage ? note_again(m, day, stage, key, e)
                         : add_stage(m, index, ladder, variant, key, anchor ? &ladder->items[anchor_at] : NULL, e);
        }
    return code;
}

static bool has_arm(const struct day *day, const struct key *key)
{
    for (size_t row = 0; row < table_rows(variants_of(day)); row++)
        if (is_at(day, row, key) && timed_at(day, arms_of_table(day)[row], key))
            return true;
    return false;
}

int evolution_read(struct evolution *out, const struct evolution_source *sources, size_t count, double target,
                   struct err *e)
{
    *out = (struct evolution){.target = target, .margin = count ? sources[0].analysis->margin : RATIO_MARGIN};
    arena_init(&out->arena);
    struct making m = {out, calloc(count + 1, sizeof *m.days), count};
    struct keys keys = {0};
    int code = m.days ? 0 : err_memory(e);
    for (size_t i = 0; i < count && !code; i++)
        code = begin_day(&m.days[i], &sources[i], e);
    if (!code)
        code = find_keys(&m, &keys, e);
    for (size_t k = 0; k < keys.count && !code; k++)
        for (size_t i = 0; i < count && !code; i++)
            if (has_arm(&m.days[i], &keys.items[k]))
                code = add_day(&m, i, &keys.items[k], e);
    for (size_t i = 0; m.days && i < count; i++)
        strtab_release(&m.days[i].baselines);
    free(m.days);
    free(keys.items);
    return code;
}

void evolution_release(struct evolution *ev)
{
    for (size_t i = 0; i < ev->ladders.count; i++)
        free(ev->ladders.items[i].items);
    free(ev->ladders.items);
    free(ev->notes.items);
    arena_release(&ev->arena);
    *ev = (struct evolution){0};
}
