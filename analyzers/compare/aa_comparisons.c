/* What does this machine find where nothing is, and what where something is? */
#include "analyzers/compare/aa_comparisons.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/str.h"
#include "core/bundle/bundle_tables.h"
#include "core/run/arm_ratio.h"
#include "core/run/case_key.h"

static const double rate_confidence = 0.95;

/* ---- reading ---- */

void aa_comparisons_release(struct aa_comparisons *pool)
{
    for (size_t i = 0; i < pool->count; i++) {
        free(pool->items[i].base);
        free(pool->items[i].cand);
    }
    free(pool->items);
    timing_arms_release(&pool->arms);
    arm_table_release(&pool->timing);
    arms_release(&pool->names);
    *pool = (struct aa_comparisons){0};
}

/* One value of each process that measured both. */
static int fill_pair(struct aa_pair *pair, const struct arm_processes *p, struct err *e)
{
    const size_t count = p->paired ? p->base_count : 0;
    pair->base = calloc(count + 1, sizeof *pair->base);
    pair->cand = calloc(count + 1, sizeof *pair->cand);
    if (!pair->base || !pair->cand)
        return err_memory(e);
    for (; pair->count < count; pair->count++) {
        pair->base[pair->count] = p->base[pair->count]->typical_ns;
        pair->cand[pair->count] = p->cand[pair->count]->typical_ns;
    }
    return 0;
}

static int add_pair(struct aa_comparisons *pool, const struct timing_arm *base, const struct timing_arm *cand,
                    double share, struct err *e)
{
    const struct arm_pair arms = {base, cand, true};
    struct arm_processes processes;
    struct aa_pair *pair = ARRAY_PUSH(pool);
    if (!pair)
        return err_memory(e);
    *pair = (struct aa_pair){.arm = base->arm, .variant = base->variant, .config = base->config, .share = share};
    int rc = arm_processes_init(&processes, &arms, e);
    if (!rc)
        rc = fill_pair(pair, &processes, e);
    arm_processes_release(&processes);
    return rc;
}

/* The arm whose second copy `second` is; NULL when it is no second copy. */
static const struct timing_arm *first_of(const struct aa_comparisons *pool, const struct timing_arm *second)
{
    const size_t length = strlen(second->variant), suffix = strlen(POOL_SECOND_ARM);
    if (length <= suffix || strcmp(second->variant + length - suffix, POOL_SECOND_ARM))
        return NULL;
    struct str name;
    str_init(&name);
    str_add_bytes(&name, second->variant, length - suffix);
    const struct arm *arm = arms_find(&pool->names, str_text(&name), second->config);
    str_release(&name);
    return timing_arms_at(&pool->arms, arm, second->cache);
}

static int add_selves(struct aa_comparisons *pool, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < pool->arms.count && !rc; i++) {
        const struct timing_arm *first = first_of(pool, &pool->arms.items[i]);
        if (first)
            rc = add_pair(pool, first, &pool->arms.items[i], 0, e);
    }
    return rc;
}

static bool is_in_a_pair(const struct aa_comparisons *pool, const struct timing_arm *arm)
{
    for (size_t i = 0; i < pool->count; i++)
        if (pool->items[i].arm == arm->arm)
            return true;
    return false;
}

/* Is `arm` the arm `base` but for more extra work? Then the share of it, else 0. */
static double planted_share(const struct timing_arm *base, const struct timing_arm *arm, struct str *base_rest,
                            struct str *arm_rest)
{
    long base_ppm, arm_ppm;
    if (base->arm->variant != arm->arm->variant || strcmp(base->cache, arm->cache) ||
        !case_key_split(base->config, POOL_PLANTED, &base_ppm, base_rest) ||
        !case_key_split(arm->config, POOL_PLANTED, &arm_ppm, arm_rest) ||
        strcmp(str_text(base_rest), str_text(arm_rest)) || base_ppm < 0 || arm_ppm <= base_ppm)
        return 0;
    return (1e6 + (double)arm_ppm) / (1e6 + (double)base_ppm) - 1;
}

static int add_planted(struct aa_comparisons *pool, struct err *e)
{
    struct str base_rest, arm_rest;
    str_init(&base_rest);
    str_init(&arm_rest);
    const size_t selves = pool->count;
    int rc = 0;
    for (size_t i = 0; i < selves && !rc; i++) {
        const struct timing_arm *base = timing_arms_find(&pool->arms, pool->items[i].arm);
        for (size_t a = 0; a < pool->arms.count && !rc; a++) {
            const struct timing_arm *arm = &pool->arms.items[a];
            const double share = planted_share(base, arm, &base_rest, &arm_rest);
            if (share > 0 && !first_of(pool, arm) && !is_in_a_pair(pool, arm))
                rc = add_pair(pool, base, arm, share, e);
        }
    }
    str_release(&base_rest);
    str_release(&arm_rest);
    return rc;
}

int aa_comparisons_read(struct aa_comparisons *out, const struct bundle *bundle, struct err *e)
{
    *out = (struct aa_comparisons){0};
    arms_init(&out->names);
    int rc = arm_table_read(&out->timing, &bundle->tables[BUNDLE_TIMING], BUNDLE_TIMING, &out->names, e);
    if (!rc)
        rc = timing_arms_read(&out->arms, &out->timing, e);
    if (!rc)
        rc = add_selves(out, e);
    if (!rc && !out->count)
        rc = err_set(e, ERR_INPUT, "'%s' is no pool: nothing in it was timed twice; 'cpprof aa VARIANT' records one",
                     bundle->path);
    return rc ? rc : add_planted(out, e);
}

/* ---- judging ---- */

/* What the comparisons of one pair come to. */
struct tally {
    size_t comparisons, covered;
    size_t verdicts[AA_VERDICTS];
    double *detectable, *mde; /* one per comparison, infinite for one without a limit */
};

static void tally_release(struct tally *t)
{
    free(t->detectable);
    free(t->mde);
}

static int tally_init(struct tally *t, size_t comparisons, struct err *e)
{
    *t = (struct tally){.detectable = calloc(comparisons + 1, sizeof *t->detectable),
                        .mde = calloc(comparisons + 1, sizeof *t->mde)};
    return t->detectable && t->mde ? 0 : err_memory(e);
}

/* A candidate that were slower by a factor would have its interval moved by it:
 * called slower from (1 + d) low = 1 / (1 - margin) on. */
static double detectable_slowdown(const struct ratio_interval *interval, double margin)
{
    return 1 / ((1 - margin) * interval->low) - 1;
}

static void tally_add(struct tally *t, const struct aa_pair *pair, size_t processes, double margin)
{
    for (size_t at = 0; at + processes <= pair->count; at += processes) {
        const struct arm_values values = {pair->base + at, pair->cand + at, processes, processes, true};
        const struct ratio_decision decision = ratio_decide(&values, margin);
        t->covered += decision.interval.low <= 1 && 1 <= decision.interval.high;
        t->verdicts[decision.verdict]++;
        t->detectable[t->comparisons] = detectable_slowdown(&decision.interval, margin);
        t->mde[t->comparisons++] = isfinite(decision.mde) ? decision.mde : INFINITY;
    }
}

/* The smallest of the values that at least this share of them do not exceed. */
static double reached_by(const double *sorted, size_t count, double share)
{
    if (!count)
        return NAN;
    const size_t at = (size_t)ceil(share * (double)count - 1e-9);
    return sorted[at ? at - 1 : 0];
}

static struct rate_interval rate_of(size_t hits, const struct tally *t)
{
    return binomial_interval(hits, t->comparisons, rate_confidence);
}

static void sum_up_self(struct aa_self *self, struct tally *t)
{
    sort_doubles(t->detectable, t->comparisons);
    sort_doubles(t->mde, t->comparisons);
    self->comparisons = t->comparisons;
    self->covered = t->covered;
    memcpy(self->verdicts, t->verdicts, sizeof self->verdicts);
    self->coverage = rate_of(t->covered, t);
    self->false_positives = rate_of(t->verdicts[COMPARE_FASTER] + t->verdicts[COMPARE_SLOWER], t);
    self->equivalent = rate_of(t->verdicts[COMPARE_EQUIVALENT], t);
    self->detectable_80 = reached_by(t->detectable, t->comparisons, 0.80);
    self->detectable_95 = reached_by(t->detectable, t->comparisons, 0.95);
    self->mde_50 = reached_by(t->mde, t->comparisons, 0.50);
    self->mde_90 = reached_by(t->mde, t->comparisons, 0.90);
}

static int median_of(const double *values, size_t count, double *out, struct err *e)
{
    double *copy = calloc(count + 1, sizeof *copy);
    if (!copy)
        return err_memory(e);
    memcpy(copy, values, count * sizeof *copy);
    *out = median(copy, count);
    free(copy);
    return 0;
}

/* Its comparisons count for `all`, too. */
static int judge_self(const struct aa_pair *pair, struct aa_result *out, struct tally *all, struct err *e)
{
    struct tally own;
    struct aa_self *self = ARRAY_PUSH(out);
    int rc = tally_init(&own, pair->count / out->processes, e);
    if (!rc && !self)
        rc = err_memory(e);
    if (!rc) {
        *self = (struct aa_self){
            .arm = pair->arm, .variant = pair->variant, .config = pair->config, .processes = pair->count};
        rc = median_of(pair->base, pair->count, &self->time_ns, e);
    }
    if (!rc) {
        tally_add(&own, pair, out->processes, out->margin);
        memcpy(all->detectable + all->comparisons, own.detectable, own.comparisons * sizeof *own.detectable);
        memcpy(all->mde + all->comparisons, own.mde, own.comparisons * sizeof *own.mde);
        all->comparisons += own.comparisons;
        all->covered += own.covered;
        for (size_t v = 0; v < AA_VERDICTS; v++)
            all->verdicts[v] += own.verdicts[v];
        sum_up_self(self, &own);
    }
    tally_release(&own);
    return rc;
}

static int measure_effect(const struct aa_pair *pair, struct median_interval *out, struct err *e)
{
    double *slowdowns = calloc(pair->count + 1, sizeof *slowdowns);
    if (!slowdowns)
        return err_memory(e);
    for (size_t i = 0; i < pair->count; i++)
        slowdowns[i] = pair->cand[i] / pair->base[i] - 1;
    *out = median_interval(slowdowns, pair->count, rate_confidence);
    free(slowdowns);
    return 0;
}

/* Where the pool itself does not know on which side of the margin the effect is, neither verdict is wrong. */
static size_t count_wrong(const struct aa_planted *p, double margin)
{
    const double limit = 1 / (1 - margin) - 1;
    size_t wrong = p->verdicts[COMPARE_FASTER];
    if (p->effect.low > limit)
        wrong += p->verdicts[COMPARE_EQUIVALENT];
    if (p->effect.high < limit)
        wrong += p->verdicts[COMPARE_SLOWER];
    return wrong;
}

static int judge_planted(const struct aa_pair *pair, struct aa_result *out, struct err *e)
{
    struct tally tally;
    struct aa_planted *planted = ARRAY_PUSH(&out->planted);
    int rc = tally_init(&tally, pair->count / out->processes, e);
    if (!rc && !planted)
        rc = err_memory(e);
    if (!rc) {
        *planted = (struct aa_planted){.arm = pair->arm,
                                       .variant = pair->variant,
                                       .config = pair->config,
                                       .share = pair->share,
                                       .processes = pair->count};
        rc = measure_effect(pair, &planted->effect, e);
    }
    if (!rc) {
        tally_add(&tally, pair, out->processes, out->margin);
        planted->comparisons = tally.comparisons;
        memcpy(planted->verdicts, tally.verdicts, sizeof planted->verdicts);
        planted->wrong = count_wrong(planted, out->margin);
        planted->found = rate_of(tally.verdicts[COMPARE_SLOWER], &tally);
    }
    tally_release(&tally);
    return rc;
}

const struct reason aa_reasons[] = {AA_REASONS(REASON_ROW)};

/* The limits may hold as far as this many comparisons can tell for coverage, and must be shown to hold for false
 * positives. */
static void conclude(struct aa_result *r)
{
    const struct {
        bool holds;
        enum verdict_status status;
        enum aa_reason reason;
    } rules[] = {
        {r->all.comparisons < AA_COMPARISONS_MIN, VERDICT_INCONCLUSIVE, AA_TOO_FEW_COMPARISONS},
        {r->all.coverage.high < AA_COVERAGE_LEAST || r->all.coverage.low > AA_COVERAGE_MOST, VERDICT_FAIL,
         AA_COVERAGE_OUTSIDE},
        {r->all.false_positives.high > AA_FALSE_POSITIVES_MOST, VERDICT_FAIL, AA_FALSE_POSITIVES_ABOVE},
        {true, VERDICT_PASS, AA_WITHIN_LIMITS},
    };
    size_t i = 0;
    while (!rules[i].holds)
        i++;
    r->status = rules[i].status;
    r->reason = rules[i].reason;
}

static size_t comparisons_of_selves(const struct aa_comparisons *pool, size_t processes)
{
    size_t count = 0;
    for (size_t i = 0; i < pool->count; i++)
        count += pool->items[i].share == 0 ? pool->items[i].count / processes : 0;
    return count;
}

int aa_comparisons_judge(const struct aa_comparisons *pool, size_t processes, double margin, struct aa_result *out,
                         struct err *e)
{
    struct tally all;
    *out = (struct aa_result){.processes = processes, .margin = margin};
    int rc = tally_init(&all, comparisons_of_selves(pool, processes), e);
    for (size_t i = 0; i < pool->count && !rc; i++) {
        const struct aa_pair *pair = &pool->items[i];
        rc = pair->share > 0 ? judge_planted(pair, out, e) : judge_self(pair, out, &all, e);
        if (!rc && pair->share == 0 && pair->count > out->all.processes)
            out->all.processes = pair->count;
    }
    out->all.time_ns = NAN;
    if (!rc)
        sum_up_self(&out->all, &all);
    conclude(out);
    tally_release(&all);
    return rc;
}

void aa_result_release(struct aa_result *r)
{
    free(r->items);
    free(r->planted.items);
    *r = (struct aa_result){0};
}

/* ---- gates ---- */

static int nearest_in_time(const struct aa_comparisons *pool, double time_ns, const struct aa_pair **out, struct err *e)
{
    double nearest = INFINITY;
    int rc = 0;
    *out = NULL;
    for (size_t i = 0; i < pool->count && !rc; i++) {
        double pair_ns = NAN;
        if (pool->items[i].share > 0)
            continue;
        rc = median_of(pool->items[i].base, pool->items[i].count, &pair_ns, e);
        const double distance = fabs(log(time_ns / pair_ns));
        if (!rc && distance < nearest) {
            nearest = distance;
            *out = &pool->items[i];
        }
    }
    return rc;
}

int aa_comparisons_effect(const struct aa_comparisons *pool, double time_ns, size_t processes, double margin,
                          struct aa_effect *out, struct err *e)
{
    *out = (struct aa_effect){.effect = NAN, .processes = processes};
    int rc = nearest_in_time(pool, time_ns, &out->from, e);
    if (rc || !out->from || processes < RATIO_PROCESSES_MIN)
        return rc;
    out->comparisons = out->from->count / processes;
    if (out->comparisons < AA_EFFECT_COMPARISONS_MIN)
        return 0;
    struct tally tally;
    rc = tally_init(&tally, out->comparisons, e);
    if (!rc) {
        tally_add(&tally, out->from, processes, margin);
        sort_doubles(tally.detectable, tally.comparisons);
        out->effect = reached_by(tally.detectable, tally.comparisons, 0.80);
    }
    tally_release(&tally);
    return rc;
}

bool aa_gate_is_too_fine(double threshold_ratio, double effect)
{
    return !(fabs(log(threshold_ratio)) >= log1p(effect));
}

const char *aa_gate_refusal(struct arena *arena, const struct aa_gate *gate, const struct aa_effect *effect)
{
    if (!aa_gate_is_too_fine(gate->threshold, effect->effect))
        return "";
    if (isnan(effect->effect))
        return arena_printf(
            arena, "the pool of --aa has %zu comparisons of %zu processes, too few to say what this machine can tell",
            effect->comparisons, effect->processes);
    if (gate->failed && fabs(log(gate->measured / gate->threshold)) >= log1p(effect->effect))
        return "";
    return arena_printf(
        arena,
        "finer than this machine can tell: with %zu processes a slowdown of %.2f%% is found ('%s' at '%s' in the "
        "pool), the rule's threshold is %.2f%%",
        effect->processes, 100 * effect->effect, effect->from->variant, effect->from->config,
        100 * expm1(fabs(log(gate->threshold))));
}
