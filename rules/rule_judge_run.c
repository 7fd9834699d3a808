/* Does the run keep a rule about its variants? It is judged at every config that
 * all of them have, and must hold at each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/arm_differences.h"
#include "analyzers/bounds/bound_rows.h"
#include "analyzers/compare/aa_comparisons.h"
#include "analyzers/counter_absence.h"
#include "core/base/array.h"
#include "core/base/count_of.h"
#include "core/base/json.h"
#include "core/base/nearest_word.h"
#include "core/bundle/capture_map.h"
#include "core/gpu/metrics.h"
#include "core/run/instrumented_arm.h"
#include "rules/rule_judge.h"

/* The distinct variants or configs of a run, in the order of its table. */
struct names {
    const char **items;
    size_t count, capacity;
};

static bool has_name(const struct names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (!strcmp(names->items[i], name))
            return true;
    return false;
}

static int add_name(struct names *names, const char *name, struct err *e)
{
    if (!*name || has_name(names, name))
        return 0;
    const char **slot = ARRAY_PUSH(names);
    if (!slot)
        return err_memory(e);
    *slot = name;
    return 0;
}

static int add_column(struct names *names, const struct table *t, size_t column, struct err *e)
{
    int code = 0;
    for (size_t row = 0; !code && row < table_rows(t); row++)
        code = add_name(names, table_text(t, row, column), e);
    return code;
}

/* All that rules about this run choose from. */
struct cast {
    struct names configs, variants, baselines;
    struct names candidates; /* variants that are no other's baseline, and no build with marks */
};

static void cast_release(struct cast *cast)
{
    free(cast->configs.items);
    free(cast->variants.items);
    free(cast->baselines.items);
    free(cast->candidates.items);
}

/* A build with marks is compared with the variant that it is of, which does not make that one a baseline. */
static int add_baselines(struct cast *cast, const struct table *t, struct err *e)
{
    int code = 0;
    for (size_t row = 0; !code && row < table_rows(t); row++)
        if (!variant_is_instrumented(table_text(t, row, VARIANTS_VARIANT)))
            code = add_name(&cast->baselines, table_text(t, row, VARIANTS_BASELINE), e);
    return code;
}

static int cast_read(struct cast *cast, const struct analysis *run, struct err *e)
{
    const struct table *t = &run->bundle->tables[BUNDLE_VARIANTS];
    int code = add_column(&cast->configs, t, VARIANTS_SHAPE, e);
    if (!code)
        code = add_column(&cast->variants, t, VARIANTS_VARIANT, e);
    if (!code)
        code = add_baselines(cast, t, e);
    for (size_t i = 0; !code && i < cast->variants.count; i++)
        if (!has_name(&cast->baselines, cast->variants.items[i]) && !variant_is_instrumented(cast->variants.items[i]))
            code = add_name(&cast->candidates, cast->variants.items[i], e);
    for (size_t i = 0; !code && i < run->correctness.count; i++)
        code = add_name(&cast->configs, run->correctness.items[i].config, e);
    return code;
}

/* A rule with the variants that its letters mean. */
struct question {
    const struct rule *rule;
    const char *left, *right; /* variants; NULL: a value */
    const char *candidate;    /* what B stands for; NULL: the rule has no B, or only one is meant */
};

static bool is_letter(const struct rule_term *t, char letter)
{
    return t->variant && t->variant[0] == letter && !t->variant[1];
}

static bool has_letter(const struct rule *rule, char letter)
{
    return is_letter(&rule->left, letter) || is_letter(&rule->right, letter);
}

/* Beside B its baseline, alone the only one. */
static int find_a(const struct rule_judge *j, const struct cast *cast, const struct rule *rule, const char *candidate,
                  const char **out, struct err *e)
{
    *out = candidate ? run_facts_baseline(j->facts, candidate) : "";
    if (!candidate && cast->baselines.count == 1)
        *out = cast->baselines.items[0];
    if (**out)
        return 0;
    if (candidate)
        return err_set(e, ERR_USAGE, "%s: '%s' has no baseline, so 'A' names none; write the variant's name",
                       rule->where, candidate);
    return err_set(e, ERR_USAGE, "%s: the run has %zu baselines, so 'A' names none of them; write the variant's name",
                   rule->where, cast->baselines.count);
}

static const char *variant_of(const struct rule_term *t, const char *a, const char *b)
{
    return is_letter(t, 'A') ? a : is_letter(t, 'B') ? b : t->variant;
}

/* NULL of a value, and of a variant that the run does not have at this config. */
static const struct arm *arm_at(const struct rule_judge *j, const char *variant, const char *config)
{
    return variant ? analysis_arm(j->evidence->run, variant, config) : NULL;
}

static bool runs_at(const struct rule_judge *j, const struct rule_term *t, const char *variant, const char *config)
{
    const struct analysis *run = j->evidence->run;
    const struct arm *arm = arm_at(j, variant, config);
    return !variant || arm_row(run, arm) >= 0 ||
           (t->function && t->function->is_of_outputs && analysis_correctness(run, arm));
}

/* ---- values and what is known of them ---- */

/* A number, exact or up to an interval. */
struct known {
    double value, low, high;
    const char *doubt; /* why nothing follows from it; "" */
};

static struct known exact(double value)
{
    return (struct known){value, value, value, ""};
}

static int know_term(const struct rule_judge *j, const struct rule_term *t, const char *variant, const char *config,
                     struct known *out, struct err *e)
{
    if (!t->function) {
        *out = exact(t->value);
        return 0;
    }
    const struct fact_place place = {arm_at(j, variant, config), t->metric};
    *out = exact(t->factor * t->function->fact(j->facts, &place));
    struct fact_interval interval;
    const int code = t->function->interval ? t->function->interval(j->facts, &place, &interval, e) : 0;
    if (code || !t->function->interval)
        return code;
    const double ends[] = {t->factor * interval.low, t->factor * interval.high};
    *out = (struct known){out->value, fmin(ends[0], ends[1]), fmax(ends[0], ends[1]), interval.doubt};
    return 0;
}

/* Does it hold for all that the sides may be, for nothing of it, or is it open? */
static enum rule_status judge_known(enum rule_comparison comparison, const struct known *left,
                                    const struct known *right)
{
    const bool wants_more = comparison == RULE_AT_LEAST || comparison == RULE_MORE;
    const bool overlaps = left->low <= right->high && right->low <= left->high;
    const bool exact_sides = left->low == left->high && right->low == right->high;
    if (exact_sides || (comparison != RULE_EQUAL && comparison != RULE_UNEQUAL)) {
        const double worst = wants_more ? left->low : left->high, best = wants_more ? left->high : left->low;
        const double against_worst = wants_more ? right->high : right->low;
        const double against_best = wants_more ? right->low : right->high;
        return rule_holds(comparison, worst, against_worst) ? RULE_PASS
               : rule_holds(comparison, best, against_best) ? RULE_INCONCLUSIVE
                                                            : RULE_FAIL;
    }
    if (overlaps)
        return RULE_INCONCLUSIVE; /* no measurement proves that two times are equal */
    return comparison == RULE_EQUAL ? RULE_FAIL : RULE_PASS;
}

/* The ratio of two times is known better than each of them. */
static bool is_of_two_times(const struct question *q)
{
    const struct rule_term *left = &q->rule->left, *right = &q->rule->right;
    return q->left && q->right && left->function && right->function && left->function->fact == fact_time &&
           right->function->fact == fact_time && left->factor > 0 && right->factor > 0 &&
           strcmp(q->left, q->right) != 0;
}

static const char *open_ratio(struct rule_judge *j, const struct question *q, const struct known *ratio,
                              double threshold)
{
    return arena_printf(&j->out->arena,
                        "within the uncertainty: %s takes %.4f to %.4f of the time of %s (95%% interval), the "
                        "rule's threshold is %.4f",
                        q->left, ratio->low, ratio->high, q->right, threshold);
}

static const char *open_number(struct rule_judge *j, const struct known *left, const struct known *right, int unit)
{
    const struct known *open = left->low < left->high ? left : right;
    char low[UNITS_TEXT_BYTES], high[UNITS_TEXT_BYTES];
    return arena_printf(&j->out->arena, "within the uncertainty: the 95%% interval is %s to %s",
                        unit_format(low, (enum unit)unit, open->low), unit_format(high, (enum unit)unit, open->high));
}

static const char *unknown(struct rule_judge *j, const struct rule_term *t, const char *variant, const char *config)
{
    const struct fact_place place = {arm_at(j, variant, config), t->metric};
    if (t->function->takes_phase)
        return arena_printf(&j->out->arena, "the run has no %s phase '%s' of '%s'",
                            t->function->fact == fact_phase ? "recorded" : "delayed", t->metric, variant);
    return t->metric ? counter_absence(j->evidence->run, &place, variant, &j->out->arena)
                     : arena_printf(&j->out->arena, "the run has no %s of '%s'", t->function->name, variant);
}

static const char *doubted(struct rule_judge *j, const char *doubt)
{
    return *doubt ? arena_printf(&j->out->arena, "nothing follows from these times: %s", doubt) : "";
}

/* Fills value, threshold, status and reason. */
static int judge_numbers(struct rule_judge *j, const struct question *q, const char *config, struct rule_result *row,
                         struct err *e)
{
    const struct rule_term *of_left = &q->rule->left, *of_right = &q->rule->right;
    struct known left, right;
    int code = know_term(j, of_left, q->left, config, &left, e);
    if (!code)
        code = know_term(j, of_right, q->right, config, &right, e);
    if (code)
        return code;
    row->value = left.value;
    row->threshold = right.value;
    row->reason = doubted(j, *left.doubt ? left.doubt : right.doubt);
    if (isnan(left.value) || isnan(right.value)) {
        if (*row->reason)
            row->status = RULE_INCONCLUSIVE;
        else
            row->reason =
                isnan(left.value) ? unknown(j, of_left, q->left, config) : unknown(j, of_right, q->right, config);
        return 0;
    }
    const bool by_ratio = is_of_two_times(q);
    if (by_ratio) {
        struct fact_interval interval;
        right = exact(of_right->factor / of_left->factor);
        code = run_facts_time_ratio(j->facts, arm_at(j, q->left, config), arm_at(j, q->right, config), &left.value,
                                    &interval, e);
        left = (struct known){left.value, interval.low, interval.high, interval.doubt};
        row->reason = doubted(j, left.doubt);
    }
    row->status = *row->reason ? RULE_INCONCLUSIVE : judge_known(q->rule->comparison, &left, &right);
    if (row->status == RULE_INCONCLUSIVE && !*row->reason)
        row->reason = by_ratio ? open_ratio(j, q, &left, right.value) : open_number(j, &left, &right, row->unit);
    return code;
}

/* ---- what takes a pass away, and what a failure says ---- */

/* Why a rule that holds must not pass: a variant that is wrong is not fast. */
static const char *distrust(struct rule_judge *j, const char *variant, const char *config)
{
    const struct analysis *run = j->evidence->run;
    const struct arm *arm = arm_at(j, variant, config);
    const struct correctness *output = analysis_correctness(run, arm);
    const struct selection_check *selection = analysis_selection(run, arm);
    if (output && output->status == VERDICT_FAIL)
        return arena_printf(&j->out->arena, "'%s' computes wrong results", variant);
    if (selection && selection->status == VERDICT_FAIL)
        return arena_printf(&j->out->arena, "'%s' did not run the kernel that was meant", variant);
    return "";
}

static const char *damage(struct rule_judge *j)
{
    const struct caveat_list *caveats = &j->evidence->run->bundle->caveats;
    const char *first = caveat_first(caveats, CAVEAT_TRUNCATED);
    if (first)
        return arena_printf(&j->out->arena, "the bundle is damaged: %s", first);
    return caveat_has(caveats, CAVEAT_WEAKENS) ? "evidence may be missing, see the caveats" : "";
}

static const char *weakness(struct rule_judge *j, const struct question *q, const char *config)
{
    const char *damaged = damage(j);
    if (*damaged)
        return damaged;
    const char *left = distrust(j, q->left, config);
    return *left ? left : distrust(j, q->right, config);
}

/* No rule on a variant holds while its witnesses contradict each other. */
static void fail_contradicted(struct rule_judge *j, const struct question *q, const char *config,
                              struct rule_result *row)
{
    const char *const variants[] = {q->left, q->right};
    for (size_t i = 0; i < COUNT_OF(variants) && row->status != RULE_VACUOUS; i++) {
        const struct witness_check *against = analysis_contradiction(j->evidence->run, arm_at(j, variants[i], config));
        if (!against)
            continue;
        row->status = RULE_FAIL;
        row->reason = arena_printf(&j->out->arena, "'%s' is contradicted: %s (%s)", variants[i], against->detail,
                                   against->witness);
        return;
    }
}

static void lose_pass(struct rule_result *row, const char *why)
{
    if (row->status != RULE_PASS || !*why)
        return;
    row->status = RULE_INCONCLUSIVE;
    row->reason = why;
}

/* Why nothing follows from a program whose results nobody compared: it may be fast because it does nothing. */
static const char *uncompared(struct rule_judge *j, const struct question *q, const char *config)
{
    const struct analysis *run = j->evidence->run;
    const char *const variants[] = {q->left, q->right};
    for (size_t i = 0; i < COUNT_OF(variants); i++)
        if (analysis_lacks_results(run, arm_at(j, variants[i], config)))
            return arena_printf(&j->out->arena, "results not compared: %s; run --unverified accepts that",
                                analysis_uncompared_reason(run));
    return "";
}

static bool is_of_time(const struct rule_term *t)
{
    return t->function && (t->function->fact == fact_time || t->function->fact == fact_ratio ||
                           t->function->fact == fact_speedup || t->function->fact == fact_gain);
}

/* No rule on it passes, and on its time none fails either, as `compare` says neither faster nor slower. */
static void leave_open(struct rule_judge *j, const struct question *q, const char *config, struct rule_result *row)
{
    const char *why = uncompared(j, q, config);
    lose_pass(row, why);
    if (!*why || row->status != RULE_FAIL || !(is_of_time(&q->rule->left) || is_of_time(&q->rule->right)))
        return;
    row->status = RULE_INCONCLUSIVE;
    row->reason = why;
}

/* Is this side a class that was measured, and was it not decided? */
static bool is_open_class(const struct rule_term *term, double value)
{
    return term->function && value == BOUND_INCONCLUSIVE;
}

/* An open class is no other class, and not the same: only a rule that names the word "inconclusive" asks for it. */
static void open_class(const struct rule *rule, struct rule_result *row)
{
    const bool is_named = (!rule->left.function && rule->left.value == BOUND_INCONCLUSIVE) ||
                          (!rule->right.function && rule->right.value == BOUND_INCONCLUSIVE);
    if (is_named || (!is_open_class(&rule->left, row->value) && !is_open_class(&rule->right, row->threshold)))
        return;
    row->status = RULE_INCONCLUSIVE;
    if (!*row->reason)
        row->reason = "what bounds it is inconclusive: `cpprof classify` says why";
}

/* selection(V): what ran instead, or why that is not known. */
static void set_selection_reason(struct rule_judge *j, const struct question *q, const char *config,
                                 struct rule_result *row)
{
    const struct rule_function *asked = q->rule->left.function;
    const struct selection_check *check = asked && asked->fact == fact_wrong_kernels
                                              ? analysis_selection(j->evidence->run, arm_at(j, q->left, config))
                                              : NULL;
    if (!check || check->status == VERDICT_PASS)
        return;
    row->reason = arena_copy(&j->out->arena, check->detail);
    if (check->status == VERDICT_INCONCLUSIVE)
        row->status = RULE_INCONCLUSIVE;
}

/* When a rule about one variant failed: did its baseline keep it? */
static int set_failure(struct rule_judge *j, const struct question *q, const char *config, struct rule_result *row,
                       struct err *e)
{
    const char *variant = q->left ? q->left : q->right;
    const char *baseline =
        row->status == RULE_FAIL && !(q->left && q->right) ? run_facts_baseline(j->facts, variant) : "";
    if (!*baseline)
        return 0;
    const struct question of_baseline = {q->rule, q->left ? baseline : NULL, q->right ? baseline : NULL, NULL};
    struct rule_result other = {.status = RULE_VACUOUS, .reason = "", .unit = row->unit};
    const int code = judge_numbers(j, &of_baseline, config, &other, e);
    if (other.status == RULE_PASS)
        row->failure = "new";
    else if (other.status == RULE_FAIL)
        row->failure = "baseline fails too";
    return code;
}

/* ---- rows ---- */

static int judge_expected_change(struct rule_judge *j, const struct question *q, const char *config,
                                 struct rule_result *row)
{
    static const enum rule_status statuses[] = {
        [VERDICT_INCONCLUSIVE] = RULE_INCONCLUSIVE, [VERDICT_PASS] = RULE_PASS, [VERDICT_FAIL] = RULE_FAIL};
    const struct expected_change *expected_change = &q->rule->expected_change;
    const char *parts[METRIC_PARTS_MAX];
    metric_parts(expected_change->metric, parts);
    const struct arm *left = arm_at(j, q->left, config), *right = arm_at(j, q->right, config);
    row->unit = (int)metric_unit(parts[0]);
    const struct fact_place of_left = {left, expected_change->metric}, of_right = {right, expected_change->metric};
    row->value = fact_metric(j->facts, &of_left);
    row->threshold = fact_metric(j->facts, &of_right);
    const double instructions = fmin(fact_metric(j->facts, &(struct fact_place){left, METRIC_INSTRUCTIONS}),
                                     fact_metric(j->facts, &(struct fact_place){right, METRIC_INSTRUCTIONS}));
    const struct thresholds *t = &j->evidence->run->thresholds;
    const enum verdict_status verdict =
        expected_change_judge(t, expected_change, row->threshold, row->value, instructions);
    const char *change =
        counter_change_words(&j->out->arena, t, expected_change->metric, row->threshold, row->value, instructions);
    row->status = statuses[verdict];
    if (isnan(row->value) || isnan(row->threshold))
        row->reason = isnan(row->value) ? counter_absence(j->evidence->run, &of_left, q->left, &j->out->arena)
                                        : counter_absence(j->evidence->run, &of_right, q->right, &j->out->arena);
    else if (verdict == VERDICT_INCONCLUSIVE)
        row->reason = change;
    else
        row->note = arena_printf(&j->out->arena, "%s: %s", expected_change_verdict_name(verdict), change);
    lose_pass(row, damage(j));
    fail_contradicted(j, q, config, row);
    return 0;
}

/* A rule on how two times relate, as a threshold on their ratio. */
struct ratio_gate {
    struct aa_gate gate;
    double baseline_ns;
    size_t processes;
};

static double ratio_of_number(const struct rule_function *f, double number)
{
    return f->fact == fact_gain ? 1 - number : f->fact == fact_speedup ? 1 / number : number;
}

/* ratio(B), speedup(B) or gain(B) beside a number. */
static bool gate_of_comparison(const struct rule_judge *j, const struct question *q, const char *config,
                               const struct rule_result *row, struct ratio_gate *out)
{
    const struct rule_term *left = &q->rule->left, *right = &q->rule->right, *call = left->function ? left : right;
    const struct comparison *comparison =
        run_facts_comparison(j->facts, arm_at(j, left->function ? q->left : q->right, config));
    const bool of_ratio =
        call->function->fact == fact_ratio || call->function->fact == fact_speedup || call->function->fact == fact_gain;
    if (!of_ratio || (left->function && right->function) || !comparison)
        return false;
    const double number = (left->function ? right : left)->value / call->factor;
    out->gate = (struct aa_gate){ratio_of_number(call->function, number), comparison->ratio, row->status == RULE_FAIL};
    out->baseline_ns = comparison->baseline_ns;
    out->processes = (size_t)comparison->n_processes;
    return true;
}

static bool gate_of_times(const struct rule_judge *j, const struct question *q, const char *config,
                          const struct rule_result *row, struct ratio_gate *out)
{
    if (!is_of_two_times(q))
        return false;
    const double threshold = q->rule->right.factor / q->rule->left.factor;
    const size_t of_left = run_facts_processes(j->facts, arm_at(j, q->left, config));
    const size_t of_right = run_facts_processes(j->facts, arm_at(j, q->right, config));
    out->gate = (struct aa_gate){threshold, row->value / row->threshold * threshold, row->status == RULE_FAIL};
    out->baseline_ns = row->threshold / q->rule->right.factor;
    out->processes = of_left < of_right ? of_left : of_right;
    return true;
}

/* Is it about the ratio of two times, and finer than this machine can tell? */
static int refuse_too_fine(struct rule_judge *j, const struct question *q, const char *config, struct rule_result *row,
                           struct err *e)
{
    const struct aa_comparisons *pool = j->evidence->run->aa;
    struct ratio_gate ratio;
    if (!pool || *row->reason || row->status == RULE_VACUOUS ||
        (!gate_of_times(j, q, config, row, &ratio) && !gate_of_comparison(j, q, config, row, &ratio)) ||
        !(ratio.gate.threshold > 0))
        return 0;
    if (j->evidence->run->aa_doubt) { /* no ground to pass on, and none to excuse a failure */
        if (row->status == RULE_PASS)
            row->reason = arena_printf(&j->out->arena, "what this machine can tell is not certain: %s",
                                       j->evidence->run->aa_doubt);
        row->status = row->status == RULE_PASS ? RULE_INCONCLUSIVE : row->status;
        return 0;
    }
    struct aa_effect effect;
    const int code =
        aa_comparisons_effect(pool, ratio.baseline_ns, ratio.processes, j->evidence->run->margin, &effect, e);
    if (code)
        return code;
    row->reason = aa_gate_refusal(&j->out->arena, &ratio.gate, &effect);
    if (*row->reason)
        row->status = RULE_INCONCLUSIVE;
    return 0;
}

static int judge_at(struct rule_judge *j, const struct question *q, const char *config, struct err *e)
{
    struct rule_result *row;
    int code = rule_judge_add_row(j, q->rule, &row, e);
    if (code)
        return code;
    row->config = arena_copy(&j->out->arena, config);
    row->variant = q->candidate ? arena_copy(&j->out->arena, q->candidate) : NULL;
    if (q->rule->is_expected_change)
        return judge_expected_change(j, q, config, row);
    code = judge_numbers(j, q, config, row, e);
    const struct rule_term *left = &q->rule->left, *right = &q->rule->right;
    if ((left->function ? left : right)->function->is_word) {
        row->value_word = rule_word(row->value);
        row->threshold_word = rule_word(row->threshold);
        open_class(q->rule, row);
    }
    set_selection_reason(j, q, config, row);
    lose_pass(row, weakness(j, q, config));
    leave_open(j, q, config, row);
    fail_contradicted(j, q, config, row);
    if (!code)
        code = refuse_too_fine(j, q, config, row, e);
    return code ? code : set_failure(j, q, config, row, e);
}

static const char *no_variant(struct rule_judge *j, const struct names *variants, const char *asked)
{
    struct nearest_word near = {0};
    for (size_t i = 0; i < variants->count; i++)
        nearest_word_offer(&near, asked, variants->items[i], variants->items[i]);
    char question[NEAREST_QUESTION_BYTES];
    return arena_printf(&j->out->arena, "the run has no variant '%s'%s", asked, nearest_word_question(&near, question));
}

static const char *no_common_config(struct rule_judge *j, const struct question *q, const struct cast *cast)
{
    const char *const asked[] = {q->left, q->right};
    for (size_t i = 0; i < 2; i++)
        if (asked[i] && !has_name(&cast->variants, asked[i]))
            return no_variant(j, &cast->variants, asked[i]);
    return "its variants have no shape in common";
}

static int judge_at_configs(struct rule_judge *j, const struct question *q, const struct cast *cast, struct err *e)
{
    const struct rule *rule = q->rule;
    bool judged = false;
    int code = 0;
    for (size_t i = 0; !code && i < cast->configs.count; i++) {
        const char *config = cast->configs.items[i];
        if (!runs_at(j, &rule->left, q->left, config) || !runs_at(j, &rule->right, q->right, config))
            continue;
        judged = true;
        code = judge_at(j, q, config, e);
    }
    struct rule_result *row;
    if (code || judged)
        return code;
    code = rule_judge_add_row(j, rule, &row, e);
    if (code)
        return code;
    row->reason = no_common_config(j, q, cast);
    row->variant = q->candidate ? arena_copy(&j->out->arena, q->candidate) : NULL;
    return 0;
}

/* B is each candidate in turn. */
static int judge_candidates(struct rule_judge *j, const struct rule *rule, const struct cast *cast, struct err *e)
{
    const char *damaged = caveat_first(&j->evidence->run->bundle->caveats, CAVEAT_TRUNCATED);
    if (!cast->candidates.count && damaged)
        return err_set(e, ERR_INPUT, "%s: what is left of the run has no variant for 'B': %s", rule->where, damaged);
    if (!cast->candidates.count)
        return err_set(e, ERR_USAGE,
                       "%s: the run has 0 variants that are no baseline, so 'B' names none of them; write "
                       "the variant's name",
                       rule->where);
    int code = 0;
    for (size_t i = 0; !code && i < cast->candidates.count; i++) {
        const char *b = cast->candidates.items[i], *a = "";
        if (rule->is_expected_change || has_letter(rule, 'A'))
            code = find_a(j, cast, rule, b, &a, e);
        struct question q = {rule, variant_of(&rule->left, a, b), variant_of(&rule->right, a, b),
                             cast->candidates.count > 1 ? b : NULL};
        if (rule->is_expected_change) {
            q.left = b;
            q.right = a;
        }
        if (!code)
            code = judge_at_configs(j, &q, cast, e);
    }
    return code;
}

static int judge_named(struct rule_judge *j, const struct rule *rule, const struct cast *cast, struct err *e)
{
    const char *a = "";
    int code = has_letter(rule, 'A') ? find_a(j, cast, rule, NULL, &a, e) : 0;
    const struct question q = {rule, variant_of(&rule->left, a, NULL), variant_of(&rule->right, a, NULL), NULL};
    return code ? code : judge_at_configs(j, &q, cast, e);
}

/* Changes that were never committed have no name. */
static bool names_no_source(const char *path, const char *text)
{
    static const char ending[] = "-dirty";
    const size_t length = strlen(text), tail = sizeof ending - 1;
    const char *last = strrchr(path, '.');
    return !strcmp(last ? last + 1 : path, "commit") && length > tail && !strcmp(text + length - tail, ending);
}

static int judge_recorded(struct rule_judge *j, const struct rule *rule, struct err *e)
{
    struct rule_result *row;
    int code = rule_judge_add_row(j, rule, &row, e);
    if (code)
        return code;
    const char *path = rule->left.metric, *text = run_facts_recorded(j->facts, path, &j->out->arena);
    row->value_word = *text ? text : "not recorded";
    row->threshold_word = "recorded";
    row->status = *text && !names_no_source(path, text) ? RULE_PASS : RULE_FAIL;
    if (*text && row->status == RULE_FAIL)
        row->note = "built from changes that are in no commit";
    lose_pass(row, damage(j));
    return 0;
}

static bool is_capture(const struct bundle *b)
{
    return !strcmp(json_get_text(b->manifest, "kind", ""), CAPTURE_KIND);
}

int rule_judge_on_run(struct rule_judge *j, const struct rule *rule, struct err *e)
{
    if (!j->facts)
        return err_set(e, ERR_USAGE, "%s: '%s' asks about a variant: give 'cpprof check' the bundle of a 'cpprof run'",
                       rule->where, rule->text);
    if (rule->left.function && rule->left.function->takes_path)
        return judge_recorded(j, rule, e);
    if (is_capture(j->evidence->run->bundle))
        return err_set(e, ERR_USAGE,
                       "%s: '%s' asks about a variant of a run, and '%s' is a capture, which has none; give "
                       "'cpprof check' the bundle of a 'cpprof run'",
                       rule->where, rule->text, j->evidence->run->bundle->path);
    struct cast cast = {0};
    int code = cast_read(&cast, j->evidence->run, e);
    if (!code)
        code = rule->is_expected_change || has_letter(rule, 'B') ? judge_candidates(j, rule, &cast, e)
                                                                 : judge_named(j, rule, &cast, e);
    cast_release(&cast);
    return code;
}
