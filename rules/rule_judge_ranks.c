/* Do all ranks together keep a rule? */
#include <math.h>

#include "analyzers/ranks/ranks_words.h"
#include "rules/rule_judge.h"

static const struct rule_term *call_of(const struct rule *rule)
{
    return rule->left.function ? &rule->left : &rule->right;
}

bool rule_is_of_ranks(const struct rule *rule)
{
    const struct rule_function *f = rule->is_expected_change ? NULL : call_of(rule)->function;
    return f && (f->of_ranks || f->across);
}

static struct rank_value exactly(double value)
{
    return (struct rank_value){value, value, value};
}

static struct rank_value value_of(const struct rule_judge *j, const struct rule_term *t)
{
    if (!t->function)
        return exactly(t->value);
    if (t->function->across) {
        const int set = rule_find_set(j->evidence->query, t->operands[0]);
        return exactly(set < 0 ? NAN : t->factor * t->function->across(j->evidence->timeline, (size_t)set));
    }
    if (!j->evidence->ranks || !j->evidence->ranks->rows.count)
        return exactly(NAN);
    const struct rank_value v = t->function->of_ranks(j->evidence->ranks, t->rank);
    return (struct rank_value){t->factor * v.value, t->factor * v.low, t->factor * v.high};
}

/* Does the rule hold with all values that a term may have as it does with the told one? */
static bool is_decided(const struct rule *rule, const struct rank_value *left, const struct rank_value *right)
{
    const bool holds = rule_holds(rule->comparison, left->value, right->value);
    const double lefts[] = {left->low, left->high}, rights[] = {right->low, right->high};
    for (size_t i = 0; i < 4; i++)
        if (isnan(lefts[i / 2]) || isnan(rights[i % 2])
                ? holds
                : rule_holds(rule->comparison, lefts[i / 2], rights[i % 2]) != holds)
            return false;
    return true;
}

/* Why the collectives do not decide the rule; "" when they do. */
static const char *doubt_of(const struct rule_judge *j, const struct rule *rule, const struct rank_value *left,
                            const struct rank_value *right)
{
    const struct rule_term *call = call_of(rule);
    const struct ranks *r = j->evidence->ranks;
    if (j->evidence->ranks_doubt && *j->evidence->ranks_doubt)
        return j->evidence->ranks_doubt;
    if (call->function->across)
        return "";
    const bool holds = rule_holds(rule->comparison, left->value, right->value);
    if (!r->costs.verdict && holds)
        return rank_doubt_sentence(r->costs.doubt);
    if (r->lacks_notes && holds)
        return rank_doubt_sentence(DOUBT_UNNOTED);
    return is_decided(rule, left, right) ? "" : call->function->open;
}

/* There are collectives of the rank, and none of them can be judged. */
static int judge_unknown(struct rule_judge *j, const struct rule *rule, struct rule_result *row)
{
    const struct rule_term *call = call_of(rule);
    const struct ranks *r = j->evidence->ranks;
    if (!call->function->of_ranks || !r || r->arrivals.doubt || !ranks_has(r, call->rank))
        return 0;
    row->status = RULE_INCONCLUSIVE;
    row->reason = r->costs.verdict ? "no collective of the rank has a verdict" : rank_doubt_sentence(r->costs.doubt);
    return 0;
}

int rule_judge_ranks(struct rule_judge *j, const struct rule *rule, struct err *e)
{
    struct rule_result *row;
    const struct rule_scope whole = {0};
    int code = rule_judge_add_row(j, rule, &row, e);
    if (code)
        return code;
    const struct rank_value left = value_of(j, &rule->left), right = value_of(j, &rule->right);
    row->value = left.value;
    row->threshold = right.value;
    row->reason = call_of(rule)->function->undefined;
    if (isnan(row->value) || isnan(row->threshold))
        return judge_unknown(j, rule, row);
    const bool holds = rule_holds(rule->comparison, row->value, row->threshold);
    row->reason = doubt_of(j, rule, &left, &right);
    if (holds && !*row->reason)
        row->reason = rule_judge_weakness(j, rule, &whole, &whole);
    if (*row->reason)
        row->status = RULE_INCONCLUSIVE;
    else
        row->status = holds ? RULE_PASS : RULE_FAIL;
    return 0;
}
