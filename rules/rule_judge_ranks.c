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

static double value_of(const struct rule_judge *j, const struct rule_term *t)
{
    if (!t->function)
        return t->value;
    if (t->function->across) {
        const int set = rule_find_set(j->evidence->query, t->operands[0]);
        return set < 0 ? NAN : t->factor * t->function->across(j->evidence->timeline, (size_t)set);
    }
    return j->evidence->ranks && j->evidence->ranks->rows.count
               ? t->factor * t->function->of_ranks(j->evidence->ranks, t->rank)
               : NAN;
}

/* By how much the arrivals of two ranks may be off, at the least certain collective that was judged. */
static double uncertainty(const struct ranks *r)
{
    int64_t most_ns = 0;
    for (size_t i = 0; i < r->meetings.items.count; i++)
        if (r->meetings.items.items[i].verdict && r->meetings.items.items[i].uncertain_ns > most_ns)
            most_ns = r->meetings.items.items[i].uncertain_ns;
    return (double)most_ns;
}

/* Why the collectives do not decide the rule; "" when they do. */
static const char *doubt_of(const struct rule_judge *j, const struct rule *rule, const struct rule_result *row,
                            bool holds)
{
    const struct rule_term *call = call_of(rule);
    const struct ranks *r = j->evidence->ranks;
    if (call->function->across)
        return "";
    if (holds && !r->costs.verdict)
        return rank_doubt_sentence(r->costs.doubt);
    const double off = call->unit == UNIT_NS ? fabs(call->factor) * uncertainty(r) : 0;
    const double left = call == &rule->left ? off : 0, right = call == &rule->left ? 0 : off;
    const bool low = rule_holds(rule->comparison, row->value - left, row->threshold - right);
    const bool high = rule_holds(rule->comparison, row->value + left, row->threshold + right);
    return low == high ? "" : "the clocks of the ranks are not known well enough";
}

static bool has_rank(const struct ranks *r, int rank)
{
    bool is_there = rank < 0;
    for (size_t i = 0; i < r->arrivals.places.count; i++)
        is_there |= r->arrivals.places.items[i].rank == rank;
    return is_there;
}

/* There are collectives of the rank, and none of them can be judged. */
static bool is_unjudged(const struct rule_judge *j, const struct rule_term *call)
{
    const struct ranks *r = j->evidence->ranks;
    return call->function->of_ranks && r && !r->arrivals.doubt && !r->costs.verdict && has_rank(r, call->rank);
}

static int judge_unknown(struct rule_judge *j, const struct rule *rule, struct rule_result *row)
{
    if (!is_unjudged(j, call_of(rule)))
        return 0;
    row->status = RULE_INCONCLUSIVE;
    row->reason = rank_doubt_sentence(j->evidence->ranks->costs.doubt);
    return 0;
}

int rule_judge_ranks(struct rule_judge *j, const struct rule *rule, struct err *e)
{
    struct rule_result *row;
    const struct rule_scope whole = {0};
    int code = rule_judge_add_row(j, rule, &row, e);
    if (code)
        return code;
    row->value = value_of(j, &rule->left);
    row->threshold = value_of(j, &rule->right);
    row->reason = call_of(rule)->function->undefined;
    if (isnan(row->value) || isnan(row->threshold))
        return judge_unknown(j, rule, row);
    const bool holds = rule_holds(rule->comparison, row->value, row->threshold);
    row->reason = doubt_of(j, rule, row, holds);
    if (holds && !*row->reason)
        row->reason = rule_judge_weakness(j, rule, &whole, &whole);
    if (*row->reason)
        row->status = RULE_INCONCLUSIVE;
    else
        row->status = holds ? RULE_PASS : RULE_FAIL;
    return 0;
}
