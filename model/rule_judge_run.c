/* Does the run keep a rule about its variants? It is judged at every shape that
 * all of them have, and must hold at each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/str.h"
#include "model/aa_pool.h"
#include "model/rule_court.h"

/* The distinct variants or shapes of a run, in the order of its table. */
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

/* The one baseline, or the one variant that is none. */
static int resolve_letter(const struct table *variants, bool is_baseline, const char **out, struct err *e)
{
    struct names baselines = {0}, all = {0}, wanted = {0};
    int code = add_column(&baselines, variants, VARIANTS_BASELINE, e);
    if (!code)
        code = add_column(&all, variants, VARIANTS_VARIANT, e);
    for (size_t i = 0; !code && i < all.count; i++)
        if (has_name(&baselines, all.items[i]) == is_baseline)
            code = add_name(&wanted, all.items[i], e);
    if (!code && wanted.count == 1)
        *out = wanted.items[0];
    else if (!code)
        code =
            err_set(e, ERR_USAGE, "the run has %zu %s, so '%s' names none of them; write the variant's name",
                    wanted.count, is_baseline ? "baselines" : "variants that are no baseline", is_baseline ? "A" : "B");
    free(baselines.items);
    free(all.items);
    free(wanted.items);
    return code;
}

static int resolve(const struct rule_court *c, const struct rule *rule, const struct rule_term *t, const char **out,
                   struct err *e)
{
    *out = t->variant;
    if (!t->variant || (strcmp(t->variant, "A") != 0 && strcmp(t->variant, "B") != 0))
        return 0;
    const struct table *variants = &c->evidence->run->bundle->tables[BUNDLE_VARIANTS];
    int code = resolve_letter(variants, *t->variant == 'A', out, e);
    return code == ERR_USAGE ? err_context(e, "%s", rule->where) : code;
}

/* A rule with the variants that its letters mean. */
struct question {
    const struct rule *rule;
    const char *left, *right; /* variants; NULL: a value */
};

static bool runs_at(const struct rule_court *c, const struct rule_term *t, const char *variant, const char *shape)
{
    if (!variant)
        return true;
    const struct analysis *run = c->evidence->run;
    const struct table *variants = &run->bundle->tables[BUNDLE_VARIANTS];
    for (size_t row = 0; row < table_rows(variants); row++)
        if (!strcmp(table_text(variants, row, VARIANTS_VARIANT), variant) &&
            !strcmp(table_text(variants, row, VARIANTS_SHAPE), shape))
            return true;
    return t->function->is_of_outputs && analysis_correctness(run, variant, shape);
}

static double term_value(const struct rule_court *c, const struct rule_term *t, const char *variant, const char *shape)
{
    if (!t->function)
        return t->value;
    return t->factor * t->function->fact(c->facts, &(struct fact_place){variant, shape, t->metric});
}

/* Why a rule that holds must not pass: a variant that is wrong is not fast. */
static const char *distrust(struct rule_court *c, const char *variant, const char *shape)
{
    const struct analysis *run = c->evidence->run;
    const struct correctness *output = variant ? analysis_correctness(run, variant, shape) : NULL;
    const struct selection_check *selection = variant ? analysis_selection(run, variant, shape) : NULL;
    if (output && output->status == VERDICT_FAIL)
        return arena_printf(&c->out->arena, "'%s' computes wrong results", variant);
    if (selection && selection->status == VERDICT_FAIL)
        return arena_printf(&c->out->arena, "'%s' did not run the kernel that was meant", variant);
    return "";
}

static const char *weakness(struct rule_court *c, const struct question *q, const char *shape)
{
    const struct caveat_list *caveats = &c->evidence->run->bundle->caveats;
    if (caveat_has(caveats, CAVEAT_TRUNCATED))
        return "a table of the bundle is truncated";
    if (caveat_has(caveats, CAVEAT_WEAKENS))
        return "evidence may be missing, see the caveats";
    const char *left = distrust(c, q->left, shape);
    return *left ? left : distrust(c, q->right, shape);
}

static const char *unknown(struct rule_court *c, const struct rule_term *t, const char *variant)
{
    return t->metric ? arena_printf(&c->out->arena, "the run has no %s of '%s', or one for each of several kernels",
                                    t->metric, variant)
                     : arena_printf(&c->out->arena, "the run has no %s of '%s'", t->function->name, variant);
}

/* Is it about the ratio of two times, and finer than this machine can tell? */
static int refuse_too_fine(struct rule_court *c, const struct question *q, const char *shape, struct rule_result *row,
                           struct err *e)
{
    const struct rule_term *left = &q->rule->left, *right = &q->rule->right;
    const struct aa_pool *pool = c->evidence->run->aa;
    if (!pool || !left->function || !right->function || left->function->fact != fact_time ||
        right->function->fact != fact_time || !(left->factor > 0) || !(right->factor > 0))
        return 0;
    const size_t processes[] = {run_facts_processes(c->facts, q->left, shape), run_facts_processes(c->facts, q->right, shape)};
    struct aa_effect effect;
    int code = aa_pool_effect(pool, row->threshold / right->factor, processes[processes[1] < processes[0]],
                              c->evidence->run->margin, &effect, e);
    if (code)
        return code;
    const double threshold = right->factor / left->factor;
    const struct aa_gate gate = {threshold, row->value / row->threshold * threshold, row->status == RULE_FAIL};
    row->reason = aa_gate_refusal(&c->out->arena, &gate, &effect);
    return 0;
}

static int judge_at(struct rule_court *c, const struct question *q, const char *shape, struct err *e)
{
    struct rule_result *row;
    int code = rule_court_row(c, q->rule, &row, e);
    if (code)
        return code;
    const struct rule_term *left = &q->rule->left, *right = &q->rule->right;
    row->shape = arena_copy(&c->out->arena, shape);
    row->value = term_value(c, left, q->left, shape);
    row->threshold = term_value(c, right, q->right, shape);
    if ((left->function ? left : right)->function->is_word) {
        row->value_word = rule_word(row->value);
        row->threshold_word = rule_word(row->threshold);
    }
    if (isnan(row->value) || isnan(row->threshold)) {
        row->reason = isnan(row->value) ? unknown(c, left, q->left) : unknown(c, right, q->right);
        return 0;
    }
    row->status = rule_holds(q->rule->comparison, row->value, row->threshold) ? RULE_PASS : RULE_FAIL;
    if (row->status == RULE_PASS)
        row->reason = weakness(c, q, shape);
    if (!*row->reason)
        code = refuse_too_fine(c, q, shape, row, e);
    if (*row->reason)
        row->status = RULE_INCONCLUSIVE;
    return code;
}

static const char *no_common_shape(struct rule_court *c, const struct question *q, const struct names *variants)
{
    const char *const asked[] = {q->left, q->right};
    for (size_t i = 0; i < 2; i++)
        if (asked[i] && !has_name(variants, asked[i]))
            return arena_printf(&c->out->arena, "the run has no variant '%s'", asked[i]);
    return "its variants have no shape in common";
}

static int judge_at_shapes(struct rule_court *c, const struct question *q, const struct names *shapes,
                           const struct names *variants, struct err *e)
{
    const struct rule *rule = q->rule;
    bool judged = false;
    int code = 0;
    for (size_t i = 0; !code && i < shapes->count; i++) {
        const char *shape = shapes->items[i];
        if (!runs_at(c, &rule->left, q->left, shape) || !runs_at(c, &rule->right, q->right, shape))
            continue;
        judged = true;
        code = judge_at(c, q, shape, e);
    }
    struct rule_result *row;
    if (code || judged)
        return code;
    code = rule_court_row(c, rule, &row, e);
    if (!code)
        row->reason = no_common_shape(c, q, variants);
    return code;
}

int rule_judge_on_run(struct rule_court *c, const struct rule *rule, struct err *e)
{
    if (!c->facts)
        return err_set(e, ERR_USAGE, "%s: '%s' asks about a variant: give 'cpprof check' the bundle of a 'cpprof run'",
                       rule->where, rule->text);
    const struct analysis *run = c->evidence->run;
    struct names shapes = {0}, variants = {0};
    struct question q = {.rule = rule};
    int code = resolve(c, rule, &rule->left, &q.left, e);
    if (!code)
        code = resolve(c, rule, &rule->right, &q.right, e);
    if (!code)
        code = add_column(&shapes, &run->bundle->tables[BUNDLE_VARIANTS], VARIANTS_SHAPE, e);
    if (!code)
        code = add_column(&variants, &run->bundle->tables[BUNDLE_VARIANTS], VARIANTS_VARIANT, e);
    for (size_t i = 0; !code && i < run->correctness.count; i++)
        code = add_name(&shapes, run->correctness.items[i].shape, e);
    if (!code)
        code = judge_at_shapes(c, &q, &shapes, &variants, e);
    free(shapes.items);
    free(variants.items);
    return code;
}
