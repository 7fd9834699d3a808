/* Does the trace keep the rules? Each rule is judged on every (rank, device)
 * that has its operands; what cannot be judged never passes. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/base/array.h"
#include "rules/rule_judge.h"

static struct rule_scope scope_on(const struct rule_judge *j, const struct rule_term *t,
                                  const struct timeline_device *d)
{
    struct rule_scope s = {.device = d};
    const int a = t->operands[0] ? rule_find_set(j->evidence->query, t->operands[0]) : -1;
    const int b = t->operands[1] ? rule_find_set(j->evidence->query, t->operands[1]) : -1;
    const int pair = rule_find_pair(j->evidence->query, a, b);
    if (a >= 0)
        s.a = &d->sets[a];
    if (b >= 0)
        s.b = &d->sets[b];
    if (pair >= 0)
        s.pair = &d->pairs[pair];
    return s;
}

static bool set_occurs(const struct timeline_set *set)
{
    return set->count > set->unfinished;
}

static bool set_occurs_anywhere(const struct rule_judge *j, int set)
{
    for (size_t i = 0; i < j->evidence->timeline->device_count; i++)
        if (set_occurs(&j->evidence->timeline->devices[i].sets[set]))
            return true;
    return false;
}

/* Nothing runs beside A on a device without B. Where B names some of a kind, and none of them is anywhere, more likely
 * the name is wrong; where a device is not known, B may be on it. */
static bool does_without_b(const struct rule_judge *j, const struct rule_term *t, const struct timeline_device *d)
{
    const struct selector *b = t->operands[1];
    if (!t->function->wants_a_alone || selector_is_of_host(b) || d->device < 0 ||
        !selector_allows(b, d->rank, d->device))
        return false;
    return selector_is_bare(b) || set_occurs_anywhere(j, rule_find_set(j->evidence->query, b));
}

static bool term_occurs(const struct rule_judge *j, const struct rule_term *t, const struct rule_scope *s)
{
    if (!t->function)
        return true;
    if (t->function->is_total) /* 0 is a count, but host events are on no device */
        return s->device->device < 0 || !selector_is_of_host(t->operands[0]);
    return (!s->a || set_occurs(s->a)) && (!s->b || set_occurs(s->b) || does_without_b(j, t, s->device));
}

static double term_value(const struct rule_term *t, const struct rule_scope *s)
{
    return t->function ? t->factor * t->function->value(s) : t->value;
}

/* Written per cents and products of a factor are not exact in binary: what
 * differs by a few units in the last place is equal. */
static bool is_equal(double a, double b)
{
    return fabs(a - b) <= 4 * DBL_EPSILON * fmax(fabs(a), fabs(b));
}

bool rule_holds(enum rule_comparison comparison, double a, double b)
{
    const bool equal = is_equal(a, b);
    switch (comparison) {
    case RULE_AT_LEAST: return equal || a > b;
    case RULE_AT_MOST: return equal || a < b;
    case RULE_MORE: return !equal && a > b;
    case RULE_LESS: return !equal && a < b;
    case RULE_EQUAL: return equal;
    case RULE_UNEQUAL: return !equal;
    }
    return false;
}

static bool left_is_too_large(enum rule_comparison comparison, double a, double b)
{
    return comparison == RULE_LESS || comparison == RULE_AT_MOST || (comparison == RULE_EQUAL && a > b);
}

static void show_term(const struct rule_term *t, const struct rule_scope *s, bool too_large,
                      struct timeline_examples *out)
{
    if (t->function && t->function->show && !out->count)
        t->function->show(s, too_large, out);
}

static int add_counterexamples(struct rule_judge *j, struct rule_result *row, const struct timeline_examples *found,
                               struct err *e)
{
    if (!found->count)
        return 0;
    const size_t bytes = found->count * sizeof found->items[0];
    struct timeline_example *copy = arena_alloc(&j->out->arena, bytes);
    if (!copy)
        return err_memory(e);
    row->counterexamples = memcpy(copy, found->items, bytes);
    row->counterexample_count = found->count;
    return 0;
}

int rule_judge_add_row(struct rule_judge *j, const struct rule *rule, struct rule_result **out, struct err *e)
{
    *out = ARRAY_PUSH(j->out);
    if (!*out)
        return err_memory(e);
    const struct rule_term *call = rule->left.function ? &rule->left : &rule->right;
    **out = (struct rule_result){.rule = arena_copy(&j->out->arena, rule->text),
                                 .index = j->index,
                                 .file = arena_copy(&j->out->arena, rule->file),
                                 .line = rule->line,
                                 .rank = -1,
                                 .device = -1,
                                 .status = RULE_VACUOUS,
                                 .reason = "",
                                 .failure = "",
                                 .note = "",
                                 .value = NAN,
                                 .threshold = rule->right.function ? NAN : rule->right.value,
                                 .unit = (int)call->unit,
                                 .is_decimal = rule->left.is_decimal || rule->right.is_decimal};
    return 0;
}

static bool has_unfinished(const struct rule_scope *s)
{
    return (s->a && s->a->unfinished) || (s->b && s->b->unfinished);
}

/* What was not recorded of a rank cannot be counted: none is no evidence that there were none. */
static const char *unrecorded(const struct timeline *t, const struct timeline_rank *r, const struct selector *operand)
{
    const enum event_class asked = selector_class(operand);
    const bool has_host = r->has_calls || r->has_ranges || r->has_waits;
    if (selector_is_of_host(operand) && !has_host)
        return "the trace has no events of the host";
    if (asked == CLASS_API && !r->has_calls)
        return "no calls were recorded";
    if (asked == CLASS_SYNC && !r->has_waits && r->calls_that_wait)
        return "the trace has waits as calls only: api[name=~Synchronize]";
    if (asked == CLASS_SYNC && !r->has_waits && (!r->has_calls || t->may_lack_waits))
        return "no waits were recorded";
    if ((asked == CLASS_NVTX || (selector_is_by_range(operand) && has_host)) && !r->has_ranges)
        return "no NVTX was recorded";
    return "";
}

/* Is the operand counted on this rank? Host events are, whatever work of the rank the scope leaves. */
static bool counts_on(const struct timeline *t, const struct timeline_rank *r, const struct selector *operand)
{
    if (selector_is_of_host(operand))
        return selector_allows_rank(operand, r->rank);
    for (size_t i = 0; i < t->device_count; i++)
        if (t->devices[i].of_rank == r && t->devices[i].events &&
            selector_allows(operand, r->rank, t->devices[i].device))
            return true;
    return false;
}

/* What the trace cannot say of this operand, on a device or (NULL) on all ranks. */
static const char *blindness_of(const struct timeline *t, const struct selector *operand,
                                const struct timeline_device *only)
{
    for (size_t i = 0; i < t->rank_count; i++) {
        const struct timeline_rank *r = &t->ranks[i];
        const bool asked = only ? only->of_rank == r : counts_on(t, r, operand);
        const char *missing = asked ? unrecorded(t, r, operand) : "";
        if (*missing)
            return missing;
    }
    if (!selector_is_by_range(operand))
        return "";
    if (t->unlaunched == t->gpu_events)
        return "the trace does not say where its work was launched";
    if (!selector_is_of_host(operand) && t->unlaunched)
        return "some work has no recorded call: it may belong to the range";
    return "";
}

/* Which call started the work decides what a rule on ranges or launches is about. */
static bool joins_calls(const struct rule_term *term)
{
    bool joins = term->function && term->function->wants_launches;
    for (size_t i = 0; i < 2 && term->operands[i]; i++)
        joins |= selector_is_by_range(term->operands[i]);
    return joins;
}

/* Does the scope, or --comm, take or leave work of the term by a call that is not known? */
static bool takes_by_unknown_call(const struct timeline *t, const struct rule_term *term)
{
    const struct rule_function *f = term->function;
    bool of_work = f && (!f->operand_count || f->of_ranks || f->wants_launches), of_comm = f && f->of_ranks;
    for (size_t i = 0; i < 2 && term->operands[i]; i++) {
        of_work |= !selector_is_of_host(term->operands[i]);
        of_comm |= selector_class(term->operands[i]) == CLASS_COMM;
    }
    return (t->call_doubt.of_scope && of_work) || (t->call_doubt.of_comm && of_comm);
}

static bool is_by_unknown_call(const struct timeline *t, const struct rule_term *term)
{
    return (t->doubtful && joins_calls(term)) || takes_by_unknown_call(t, term);
}

const char *rule_judge_identity(const struct rule_judge *j, const struct rule *rule)
{
    const struct timeline *t = j->evidence->timeline;
    if (t->is_mixed)
        return "whose work is whose, or on which GPU it ran, is not known, see the caveats";
    return is_by_unknown_call(t, &rule->left) || is_by_unknown_call(t, &rule->right)
               ? "which call started some work is not known: several have its correlation id"
               : "";
}

static const char *join_doubt(const struct timeline *t, const struct rule_term *term)
{
    return joins_calls(term) && t->early ? "some work starts before the call that is said to have started it" : "";
}

/* The collector records calls that launch, copy, set or wait. Where a trace has no others, an operand that found none,
 * or could take others, may lack some. */
static const char *unasked(const struct timeline *t, const struct selector *operand, const struct timeline_set *set,
                           const struct timeline_device *only)
{
    if (selector_class(operand) != CLASS_API || !set || (set->count && !selector_takes_other_calls(operand)))
        return "";
    for (size_t i = 0; i < t->rank_count; i++) {
        const struct timeline_rank *r = &t->ranks[i];
        if ((only ? only->of_rank == r : counts_on(t, r, operand)) && r->has_calls && !r->has_other_calls)
            return "the trace has only calls that launch, copy, set or wait";
    }
    return "";
}

static const char *blindness(const struct timeline *t, const struct rule_term *term, const struct rule_scope *scope)
{
    const char *blind = join_doubt(t, term);
    for (size_t i = 0; i < 2 && term->operands[i] && !*blind; i++)
        blind = blindness_of(t, term->operands[i], scope->device);
    return blind;
}

static const char *missing_calls(const struct timeline *t, const struct rule_term *term, const struct rule_scope *scope)
{
    const char *blind = "";
    for (size_t i = 0; i < 2 && term->operands[i] && !*blind; i++)
        blind = unasked(t, term->operands[i], i ? scope->b : scope->a, scope->device);
    return blind;
}

/* count(...) >= 5: it holds whatever else there was. */
static bool holds_with_more(const struct rule *rule)
{
    return rule->left.function && rule->left.function->is_total && rule->left.factor > 0 && !rule->right.function &&
           (rule->comparison == RULE_AT_LEAST || rule->comparison == RULE_MORE);
}

/* In a bundle another file than the trace may be damaged: the reason names it. */
static const char *damage(const struct caveat_list *caveats)
{
    const char *elsewhere = "";
    for (size_t i = 0; i < caveats->count; i++) {
        if (caveats->items[i].kind == CAVEAT_TRUNCATED && !caveats->items[i].elsewhere)
            return "the input is truncated";
        if (caveats->items[i].kind == CAVEAT_TRUNCATED && !*elsewhere)
            elsewhere = caveats->items[i].text;
    }
    return elsewhere;
}

static bool asks(const struct rule *rule, bool (*is_so)(const struct selector *s))
{
    const struct rule_term *const terms[] = {&rule->left, &rule->right};
    for (size_t t = 0; t < 2; t++)
        for (size_t i = 0; i < 2 && terms[t]->operands[i]; i++)
            if (is_so(terms[t]->operands[i]))
                return true;
    return false;
}

static bool is_of_ranges(const struct selector *s)
{
    return selector_class(s) == CLASS_NVTX;
}

static bool is_of_kernels(const struct selector *s)
{
    const enum event_class c = selector_class(s);
    return c == CLASS_KERNEL || c == CLASS_COMM || c == CLASS_COMPUTE || c == CLASS_ANY;
}

/* Does the operand take kernels that the rank's process may have run and no record shows? */
static bool may_lack(const struct selector *s, const struct timeline_rank *r)
{
    return r->hides_kernels && is_of_kernels(s) && selector_allows_rank(s, r->rank);
}

/* Does the term count or measure kernels, or all GPU work, of such a process, on a device or (NULL) anywhere? The host
 * has launched none of the hidden ones. */
static bool term_lacks_kernels(const struct timeline *t, const struct rule_term *term,
                               const struct timeline_device *only)
{
    if (!term->function || term->function->wants_launches)
        return false;
    bool of_all = !term->function->operand_count || term->function->of_ranks, of_kernels = of_all, found = false;
    for (size_t i = 0; i < 2 && term->operands[i]; i++)
        of_kernels |= is_of_kernels(term->operands[i]);
    if (!of_kernels || t->hides_anywhere || only)
        return of_kernels && (t->hides_anywhere || only->hides_kernels);
    for (size_t i = 0; i < t->rank_count; i++) {
        found |= of_all && t->ranks[i].hides_kernels;
        for (size_t k = 0; k < 2 && term->operands[k]; k++)
            found |= may_lack(term->operands[k], &t->ranks[i]);
    }
    return found;
}

/* count(...) <= 5: it fails whatever else there was. */
static bool fails_with_more(const struct rule *rule)
{
    return rule->left.function && rule->left.function->is_total && rule->left.factor > 0 && !rule->right.function &&
           (rule->comparison == RULE_AT_MOST || rule->comparison == RULE_LESS);
}

const char *rule_judge_hidden(const struct rule_judge *j, const struct rule *rule, const struct timeline_device *only,
                              bool holds)
{
    const struct timeline *t = j->evidence->timeline;
    if (holds ? holds_with_more(rule) : fails_with_more(rule))
        return "";
    return term_lacks_kernels(t, &rule->left, only) || term_lacks_kernels(t, &rule->right, only)
               ? "kernels that launch kernels ran, and those are in no record: see the caveats"
               : "";
}

/* Does the term count or measure migrations, or all GPU work? idle() does, and has no operand. */
static bool term_lacks_migrations(const struct rule_term *term)
{
    const struct rule_function *f = term->function;
    bool of_migrations = f && !f->operand_count && !f->of_ranks && !f->wants_launches;
    for (size_t i = 0; i < 2 && term->operands[i]; i++)
        of_migrations |=
            selector_class(term->operands[i]) == CLASS_MIGRATION || selector_class(term->operands[i]) == CLASS_ANY;
    return of_migrations;
}

/* Migrations that were not recorded may fill gaps, and add to what is counted. */
static const char *lacks_migrations(const struct rule_judge *j, const struct rule *rule, bool holds)
{
    if (!j->evidence->timeline->lacks_migrations || (holds ? holds_with_more(rule) : fails_with_more(rule)))
        return "";
    return term_lacks_migrations(&rule->left) || term_lacks_migrations(&rule->right)
               ? "migrations of managed memory, or the first of them, were not recorded: see the caveats"
               : "";
}

static const char ranges_are_missing[] = "NVTX ranges may be missing, see the caveats";

/* More ranges would be more of an operand, or another one altogether: nothing follows from what is there. */
static bool lacks_ranges(const struct rule_judge *j, const struct rule *rule)
{
    return caveat_has(j->evidence->caveats, CAVEAT_RANGES) && asks(rule, selector_is_by_range);
}

/* Nothing is known of the GPU around a moment at which recording went on again. */
static bool hides_gaps(const struct rule_term *term, const struct rule_scope *scope)
{
    return term->function && term->function->is_of_gaps && scope && scope->a && scope->a->unrecorded_ns;
}

const char *rule_judge_weakness(const struct rule_judge *j, const struct rule *rule, const struct rule_scope *left,
                                const struct rule_scope *right)
{
    const char *damaged = damage(j->evidence->caveats);
    if (*damaged)
        return damaged;
    if (caveat_first(j->evidence->caveats, CAVEAT_WEAKENS))
        return "evidence may be missing, see the caveats";
    if (caveat_has(j->evidence->caveats, CAVEAT_RANGES) && asks(rule, is_of_ranges))
        return ranges_are_missing;
    if (has_unfinished(left) || has_unfinished(right))
        return "some of its events never ended";
    if (hides_gaps(&rule->left, left) || hides_gaps(&rule->right, right))
        return "recording paused: how long nothing ran before and behind that is not known";
    const struct timeline *t = j->evidence->timeline;
    const char *blind = blindness(t, &rule->left, left);
    blind = *blind ? blind : blindness(t, &rule->right, right);
    if (*blind || holds_with_more(rule))
        return blind;
    blind = missing_calls(t, &rule->left, left);
    return *blind ? blind : missing_calls(t, &rule->right, right);
}

static const char times_are_false[] = "rows that belong to it are left out, as their times cannot be: see the caveats";
static const char times_are_doubtful[] = "the times of some of its events may be false: see the caveats";

/* A doubtful time changes no count and no number of bytes. */
static const char *time_doubt(const struct timeline *t, const struct rule_term *term, const struct rule_scope *scope)
{
    if (!term->function)
        return "";
    const struct timeline_set *const sets[] = {scope->a, scope->b};
    const bool of_all = !scope->a && scope->device;
    int64_t false_times = of_all ? scope->device->false_times : 0;
    int64_t doubtful_times = of_all ? scope->device->doubtful_times : 0;
    for (size_t i = 0; i < 2; i++) {
        false_times += sets[i] ? sets[i]->false_times : 0;
        doubtful_times += sets[i] ? sets[i]->doubtful_times : 0;
    }
    if (false_times || t->has_false_alone)
        return times_are_false;
    return doubtful_times && !term->function->is_total ? times_are_doubtful : "";
}

const char *rule_judge_time_doubt(const struct rule_judge *j)
{
    const struct timeline *t = j->evidence->timeline;
    if (t->false_times || t->has_false_alone)
        return times_are_false;
    return t->doubtful_times ? times_are_doubtful : "";
}

/* Why times that cannot be leave the rule open, whether it holds or not; "" when they do not. */
static const char *rule_time_doubt(const struct rule_judge *j, const struct rule *rule, const struct rule_scope *left,
                                   const struct rule_scope *right, bool holds)
{
    if (holds ? holds_with_more(rule) : fails_with_more(rule))
        return "";
    const char *doubt = time_doubt(j->evidence->timeline, &rule->left, left);
    return *doubt ? doubt : time_doubt(j->evidence->timeline, &rule->right, right);
}

/* The values that a term may have. */
struct span {
    double low, high;
};

/* The same place among the devices of a trace whose events are shorter or longer: they are the same ones. */
static const struct timeline_device *twin(const struct timeline *of, const struct timeline *t,
                                          const struct timeline_device *d)
{
    return &of->devices[d - t->devices];
}

static struct span term_span(const struct rule_judge *j, const struct rule_term *t, const struct rule_scope *told,
                             double value)
{
    const struct rule_evidence *e = j->evidence;
    struct span span = {value, value};
    if (!t->function || !t->function->range || !e->narrow || !told->device || t->factor == 0)
        return span;
    const struct rule_scope narrow = scope_on(j, t, twin(e->narrow, e->timeline, told->device));
    const struct rule_scope wide = scope_on(j, t, twin(e->wide, e->timeline, told->device));
    const struct rule_motion motion = {told, &narrow, &wide, (double)e->timeline->time_error_ns};
    span = (struct span){value / t->factor, value / t->factor};
    t->function->range(&motion, &span.low, &span.high);
    span = (struct span){fmin(span.low, value / t->factor), fmax(span.high, value / t->factor)};
    return t->factor < 0 ? (struct span){t->factor * span.high, t->factor * span.low}
                         : (struct span){t->factor * span.low, t->factor * span.high};
}

/* Whether the rule holds for all values of its terms, or for none. */
static bool is_settled(enum rule_comparison comparison, struct span left, struct span right)
{
    const bool low_low = rule_holds(comparison, left.low, right.high);
    const bool high_high = rule_holds(comparison, left.high, right.low);
    if (comparison != RULE_EQUAL && comparison != RULE_UNEQUAL)
        return low_low == high_high;
    const bool apart = rule_holds(RULE_MORE, left.low, right.high) || rule_holds(RULE_LESS, left.high, right.low);
    const bool same = is_equal(left.low, left.high) && is_equal(right.low, right.high);
    return apart || same;
}

static const char *coarse_reason(struct rule_judge *j, const struct rule *rule, struct span left, struct span right)
{
    const bool of_left = left.high > left.low;
    const struct span span = of_left ? left : right;
    const enum unit unit = of_left ? rule->left.unit : rule->right.unit;
    char low[UNITS_TEXT_BYTES], high[UNITS_TEXT_BYTES];
    return arena_printf(&j->out->arena, "times are rounded, each is off by up to %lld ns: it is between %s and %s",
                        (long long)j->evidence->timeline->time_error_ns, unit_format(low, unit, span.low),
                        unit_format(high, unit, span.high));
}

/* How many events are in a set, on a device or (NULL) on all. */
static int64_t count_of(const struct timeline *t, int set, const struct timeline *told,
                        const struct timeline_device *only)
{
    int64_t count = 0;
    for (size_t i = 0; i < t->device_count; i++)
        if (!only || only == &told->devices[i])
            count += t->devices[i].sets[set].count;
    return count;
}

/* Does it depend on the rounding which events are in a range that the term names? */
static bool is_at_an_edge(const struct rule_judge *j, const struct rule_term *t, const struct timeline_device *only)
{
    const struct rule_evidence *e = j->evidence;
    for (size_t i = 0; e->narrow && i < 2 && t->operands[i]; i++) {
        const int set = rule_find_set(e->query, t->operands[i]);
        if (set >= 0 && selector_is_by_range(t->operands[i]) &&
            count_of(e->narrow, set, e->timeline, only) != count_of(e->wide, set, e->timeline, only))
            return true;
    }
    return false;
}

/* Why rounded times cannot decide the rule; "" when they can. */
static const char *coarseness(struct rule_judge *j, const struct rule *rule, const struct rule_scope *left,
                              const struct rule_scope *right, const struct rule_result *row)
{
    if (is_at_an_edge(j, &rule->left, left->device) || is_at_an_edge(j, &rule->right, right->device))
        return "times are rounded: they do not tell of all work whether it was launched in the range";
    const struct span on_left = term_span(j, &rule->left, left, row->value);
    const struct span on_right = term_span(j, &rule->right, right, row->threshold);
    return is_settled(rule->comparison, on_left, on_right) ? "" : coarse_reason(j, rule, on_left, on_right);
}

static const char *undefined_reason(const struct rule_term *t)
{
    return t->function && t->function->undefined ? t->function->undefined
                                                 : "all of its operands' events have a duration of 0";
}

static int judge_row(struct rule_judge *j, const struct rule *rule, const struct rule_scope *left,
                     const struct rule_scope *right, struct rule_result *row, struct err *e)
{
    row->value = term_value(&rule->left, left);
    row->threshold = term_value(&rule->right, right);
    if (isnan(row->value) || isnan(row->threshold)) {
        row->reason = undefined_reason(isnan(row->value) ? &rule->left : &rule->right);
        return 0;
    }
    if (rule->left.function && rule->left.function->remark)
        row->note = rule->left.function->remark(&j->out->arena, left);
    const bool holds = rule_holds(rule->comparison, row->value, row->threshold);
    row->reason = rule_judge_identity(j, rule);
    if (!*row->reason)
        row->reason = lacks_ranges(j, rule) ? ranges_are_missing : rule_judge_hidden(j, rule, left->device, holds);
    if (!*row->reason)
        row->reason = lacks_migrations(j, rule, holds);
    if (!*row->reason)
        row->reason = rule_time_doubt(j, rule, left, right, holds);
    if (!*row->reason)
        row->reason = coarseness(j, rule, left, right, row);
    if (*row->reason) {
        row->status = RULE_INCONCLUSIVE;
        return 0;
    }
    if (holds) {
        row->reason = rule_judge_weakness(j, rule, left, right);
        row->status = *row->reason ? RULE_INCONCLUSIVE : RULE_PASS;
        return 0;
    }
    row->status = RULE_FAIL;
    struct timeline_example room[TIMELINE_EXAMPLES];
    struct timeline_examples found = {.items = room};
    const bool too_large = left_is_too_large(rule->comparison, row->value, row->threshold);
    show_term(&rule->left, left, too_large, &found);
    show_term(&rule->right, right, !too_large, &found);
    return add_counterexamples(j, row, &found, e);
}

/* Which operand is missing, for the message of a vacuous rule. */
static const char *missing_operand(const struct rule_judge *j, const struct rule *rule)
{
    const struct rule_term *const terms[] = {&rule->left, &rule->right};
    for (size_t t = 0; t < 2; t++)
        for (size_t i = 0; i < 2 && terms[t]->operands[i] && !terms[t]->function->is_total; i++)
            if (!set_occurs_anywhere(j, rule_find_set(j->evidence->query, terms[t]->operands[i])))
                return arena_printf(&j->out->arena, "no %s is '%s'",
                                    j->evidence->timeline->unfinished ? "finished event" : "event",
                                    selector_text(terms[t]->operands[i]));
    return "its operands never occur on the same device";
}

/* Whether the operands could occur on this device, so that their absence is worth a word. */
static bool is_missed(const struct rule_term *t, const struct timeline_device *d)
{
    if (!t->function || t->function->is_total)
        return true;
    for (size_t i = 0; i < 2 && t->operands[i]; i++)
        if (selector_is_of_host(t->operands[i]) || !selector_allows(t->operands[i], d->rank, d->device))
            return false;
    return true;
}

static void note_absence(const struct rule *rule, const struct timeline_device *d, struct rule_absence *absence)
{
    if (!d->events || !is_missed(&rule->left, d) || !is_missed(&rule->right, d))
        return;
    if (absence->devices < RULE_ABSENCES_SHOWN) {
        absence->places[absence->devices].rank = d->rank;
        absence->places[absence->devices].device = d->device;
    }
    absence->devices++;
}

static int keep_absence(struct rule_judge *j, const struct rule *rule, const struct rule_absence *absence,
                        struct err *e)
{
    if (!absence->devices)
        return 0;
    struct rule_absence *kept = ARRAY_PUSH(&j->out->absences);
    if (!kept)
        return err_memory(e);
    *kept = *absence;
    kept->rule = arena_copy(&j->out->arena, rule->text);
    return 0;
}

static int judge_on_devices(struct rule_judge *j, const struct rule *rule, struct err *e)
{
    struct rule_result *row;
    struct rule_absence absence = {0};
    bool judged = false;
    int code = 0;
    for (size_t i = 0; !code && i < j->evidence->timeline->device_count; i++) {
        const struct timeline_device *d = &j->evidence->timeline->devices[i];
        const struct rule_scope left = scope_on(j, &rule->left, d), right = scope_on(j, &rule->right, d);
        if (!term_occurs(j, &rule->left, &left) || !term_occurs(j, &rule->right, &right)) {
            note_absence(rule, d, &absence);
            continue;
        }
        judged = true;
        code = rule_judge_add_row(j, rule, &row, e);
        if (code)
            return code;
        row->rank = d->rank;
        row->device = d->device;
        code = judge_row(j, rule, &left, &right, row, e);
    }
    if (code || judged)
        return code ? code : keep_absence(j, rule, &absence, e);
    code = rule_judge_add_row(j, rule, &row, e);
    if (!code && lacks_ranges(j, rule))
        row->status = RULE_INCONCLUSIVE;
    if (!code)
        row->reason = row->status == RULE_INCONCLUSIVE ? ranges_are_missing : missing_operand(j, rule);
    return code;
}

/* What count and bytes read, over all ranks and devices. */
static struct timeline_set total_of(const struct rule_judge *j, const struct rule_term *t)
{
    struct timeline_set total = {0};
    const int set = t->operands[0] ? rule_find_set(j->evidence->query, t->operands[0]) : -1;
    for (size_t i = 0; set >= 0 && i < j->evidence->timeline->device_count; i++) {
        const struct timeline_set *one = &j->evidence->timeline->devices[i].sets[set];
        total.count += one->count;
        total.unfinished += one->unfinished;
        total.false_times += one->false_times;
        if (__builtin_add_overflow(total.size_bytes, one->size_bytes, &total.size_bytes))
            total.size_bytes = INT64_MAX;
    }
    return total;
}

static int judge_total(struct rule_judge *j, const struct rule *rule, struct err *e)
{
    struct rule_result *row;
    int code = rule_judge_add_row(j, rule, &row, e);
    if (code)
        return code;
    const struct timeline_set left = total_of(j, &rule->left), right = total_of(j, &rule->right);
    return judge_row(j, rule, &(struct rule_scope){.a = &left}, &(struct rule_scope){.a = &right}, row, e);
}

static bool is_total(const struct rule_term *t)
{
    return !t->function || t->function->is_total;
}

static int judge_rule(struct rule_judge *j, const struct rule *rule, struct err *e)
{
    if (rule_is_of_run(rule))
        return rule_judge_on_run(j, rule, e);
    if (j->evidence->timeline->gpu_events && rule_is_of_ranks(rule))
        return rule_judge_ranks(j, rule, e);
    if (j->evidence->timeline->gpu_events)
        return is_total(&rule->left) && is_total(&rule->right) ? judge_total(j, rule, e) : judge_on_devices(j, rule, e);
    struct rule_result *row;
    int code = rule_judge_add_row(j, rule, &row, e);
    if (!code)
        row->reason = "the input has no GPU events";
    return code;
}

int rule_list_judge(const struct rule_list *rules, const struct rule_evidence *evidence, struct rule_results *out,
                    struct err *e)
{
    *out = (struct rule_results){0};
    arena_init(&out->arena);
    struct rule_judge j = {.evidence = evidence, .out = out};
    int code = 0;
    if (evidence->run && rule_list_of_run(rules))
        code = run_facts_new(&j.facts, evidence->run, e);
    for (; !code && j.index < rules->count; j.index++)
        code = judge_rule(&j, &rules->items[j.index], e);
    run_facts_free(j.facts);
    return code;
}
