/* Do all ranks together keep a rule? */
#include <math.h>
#include <stdlib.h>

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
    return (struct rank_value){value, value, value, -1, -1};
}

static struct rank_value scaled(struct rank_value v, double factor)
{
    v.value *= factor;
    v.low *= factor;
    v.high *= factor;
    return v;
}

static struct rank_value value_of(const struct rule_judge *j, const struct rule_term *t)
{
    if (!t->function)
        return exactly(t->value);
    if (t->function->across) {
        const int set = rule_find_set(j->evidence->query, t->operands[0]);
        return scaled(set < 0 ? exactly(NAN) : t->function->across(j->evidence->timeline, (size_t)set), t->factor);
    }
    if (!j->evidence->ranks || !j->evidence->ranks->rows.count)
        return exactly(NAN);
    return scaled(t->function->of_ranks(j->evidence->ranks, t->rank), t->factor);
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

/* Work that never came closer than this is not of one run, unless clocks are off by as much. */
static const int64_t apart_ns = INT64_C(30000000000);

static int by_start(const void *left, const void *right)
{
    const struct timeline_device *const *a = left, *const *b = right;
    return ((*a)->first_start_ns > (*b)->first_start_ns) - ((*a)->first_start_ns < (*b)->first_start_ns);
}

/* Finds a device whose work begins long after all earlier work has ended; NULL: there is none. */
static int find_apart(const struct timeline *t, const struct timeline_device **out, struct err *e)
{
    const struct timeline_device **all = calloc(t->device_count + 1, sizeof *all);
    int64_t end_ns = INT64_MAX;
    size_t count = 0;
    *out = NULL;
    if (!all)
        return err_memory(e);
    for (size_t i = 0; i < t->device_count; i++)
        if (t->devices[i].events)
            all[count++] = &t->devices[i];
    if (count)
        qsort(all, count, sizeof *all, by_start);
    for (size_t i = 0; i < count && !*out; i++) {
        if (end_ns < all[i]->first_start_ns && all[i]->first_start_ns - end_ns > apart_ns)
            *out = all[i];
        end_ns = i && end_ns > all[i]->last_end_ns ? end_ns : all[i]->last_end_ns;
    }
    free(all);
    return 0;
}

/* What does not match on a communicator that is noted; without notes matching is a guess. */
static const char *noted_mismatch(const struct rule_judge *j)
{
    const struct ranks *r = j->evidence->ranks;
    const struct ranks_context c = {.arena = &j->out->arena, .r = r};
    bool has_notes = false;
    if (j->evidence->is_scoped)
        return "";
    for (size_t i = 0; r && i < r->meetings.mismatches.count; i++)
        if (r->arrivals.communicators.items[r->meetings.mismatches.items[i].communicator].group)
            return rank_mismatch_sentence(&c, &r->meetings.mismatches.items[i]);
    for (size_t i = 0; r && i < r->arrivals.communicators.count; i++)
        has_notes |= r->arrivals.communicators.items[i].group != 0;
    return has_notes ? rank_clocks_contradiction(&c) : "";
}

/* "rank 3", "rank 3, device 1" where the rank has several devices, "device 1" where there are no ranks. */
static const char *device_name(struct arena *arena, const struct timeline *t, const struct timeline_device *d)
{
    size_t of_rank = 0;
    if (d->rank < 0)
        return arena_printf(arena, "device %d", (int)d->device);
    for (size_t i = 0; i < t->device_count; i++)
        of_rank += t->devices[i].rank == d->rank && t->devices[i].events;
    return of_rank > 1 ? arena_printf(arena, "rank %d, device %d", (int)d->rank, (int)d->device)
                       : arena_printf(arena, "rank %d", (int)d->rank);
}

/* Finds why the ranks may not be of one run; "" when nothing is known against them. */
static int doubt_one_run(const struct rule_judge *j, const char **out, struct err *e)
{
    const struct timeline *t = j->evidence->timeline;
    struct arena *arena = &j->out->arena;
    const struct timeline_device *d;
    const char *mismatch = noted_mismatch(j);
    *out = "";
    if (*mismatch) {
        *out = arena_printf(arena, "%s: a trace may be of another run, or of other steps", mismatch);
        return 0;
    }
    const int rc = find_apart(t, &d, e);
    if (!rc && d)
        *out = arena_printf(arena, "%s worked more than 30 s after others had ended: its trace may be of another run",
                            device_name(arena, t, d));
    return rc;
}

/* Finds why the collectives do not decide the rule; "" when they do. */
static int doubt_rule(const struct rule_judge *j, const struct rule *rule, const struct rank_value *left,
                      const struct rank_value *right, const char **out, struct err *e)
{
    const struct rule_term *call = call_of(rule);
    const struct ranks *r = j->evidence->ranks;
    const struct ranks_context c = {.arena = &j->out->arena, .r = r};
    const bool holds = rule_holds(rule->comparison, left->value, right->value);
    *out = "";
    if (j->evidence->ranks_doubt && *j->evidence->ranks_doubt)
        *out = j->evidence->ranks_doubt;
    else if (call->function->across)
        return holds ? doubt_one_run(j, out, e) : 0;
    else if (!r->costs.verdict && holds)
        *out = rank_doubt_reason(&c, r->costs.doubt);
    else if (r->lacks_notes && holds)
        *out = rank_doubt_sentence(DOUBT_UNNOTED);
    else if (!is_decided(rule, left, right))
        *out = call->function->open;
    return 0;
}

/* There are collectives of the rank, and none of them can be judged. */
static int judge_unknown(struct rule_judge *j, const struct rule *rule, struct rule_result *row)
{
    const struct rule_term *call = call_of(rule);
    const struct ranks *r = j->evidence->ranks;
    if (!call->function->of_ranks || !r || r->arrivals.doubt || !ranks_has(r, call->rank))
        return 0;
    const struct ranks_context c = {.arena = &j->out->arena, .r = r};
    row->status = RULE_INCONCLUSIVE;
    row->reason = r->costs.verdict ? "no collective of the rank has a verdict" : rank_doubt_reason(&c, r->costs.doubt);
    return 0;
}

/* Whose value breaks the rule, and what is behind it. The row stays that of all: its place does not move from run to
 * run. */
static const char *note_of(struct rule_judge *j, const struct rule *rule, const struct rank_value *v)
{
    const struct rule_function *f = call_of(rule)->function;
    const char *why = f->ranks_note ? f->ranks_note(&j->out->arena, j->evidence->ranks, v->rank) : "";
    if (v->rank < 0 && v->device < 0)
        return why;
    const char *who = v->rank < 0     ? arena_printf(&j->out->arena, "device %d", v->device)
                      : v->device < 0 ? arena_printf(&j->out->arena, "rank %d", v->rank)
                                      : arena_printf(&j->out->arena, "rank %d, device %d", v->rank, v->device);
    return *why ? arena_printf(&j->out->arena, "%s: %s", who, why) : arena_printf(&j->out->arena, "most on %s", who);
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
    code = doubt_rule(j, rule, &left, &right, &row->reason, e);
    if (code)
        return code;
    if (!*row->reason)
        row->reason = rule_judge_identity(j, rule);
    if (!*row->reason)
        row->reason = rule_judge_hidden(j, rule, NULL, holds);
    if (!*row->reason)
        row->reason = rule_judge_time_doubt(j);
    if (holds && !*row->reason)
        row->reason = rule_judge_weakness(j, rule, &whole, &whole);
    if (*row->reason)
        row->status = RULE_INCONCLUSIVE;
    else
        row->status = holds ? RULE_PASS : RULE_FAIL;
    if (row->status == RULE_FAIL)
        row->note = note_of(j, rule, rule->left.function ? &left : &right);
    return 0;
}
