/* Does the trace keep the rules? Each rule is judged on every (rank, device)
 * that has its operands; what cannot be judged never passes. */
#define _POSIX_C_SOURCE 200809L
#include "model/rules.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/files.h"
#include "model/rule_parse.h"

enum { RULES_FILE_BYTES_MAX = 1 << 20 };

struct rule_list {
    struct rule *items;
    size_t count, capacity;
    char *comm_pattern;
};

const char *rule_status_name(enum rule_status s)
{
    static const char *const names[] = {
        [RULE_PASS] = "pass", [RULE_FAIL] = "fail", [RULE_VACUOUS] = "vacuous", [RULE_INCONCLUSIVE] = "inconclusive"};
    return names[s];
}

int rule_list_new(struct rule_list **out, struct err *e)
{
    *out = calloc(1, sizeof **out);
    return *out ? 0 : err_memory(e);
}

void rule_list_free(struct rule_list *rules)
{
    if (!rules)
        return;
    for (size_t i = 0; i < rules->count; i++)
        rule_release(&rules->items[i]);
    free(rules->items);
    free(rules->comm_pattern);
    free(rules);
}

int rule_list_set_comm_pattern(struct rule_list *rules, const char *regex, struct err *e)
{
    char *copy = regex ? strdup(regex) : NULL;
    if (regex && !copy)
        return err_memory(e);
    free(rules->comm_pattern);
    rules->comm_pattern = copy;
    return 0;
}

int rule_list_add(struct rule_list *rules, const char *text, const char *where, struct err *e)
{
    struct rule rule;
    int code = rule_parse(&rule, text, where, rules->comm_pattern, e);
    if (code)
        return code;
    struct rule *place = ARRAY_PUSH(rules);
    if (!place) {
        rule_release(&rule);
        return err_memory(e);
    }
    *place = rule;
    return 0;
}

/* `line` ends before `end`; both it and its line break are cut. */
static int add_line(struct rule_list *rules, char *line, char *end, const char *path, size_t number, struct err *e)
{
    while (end > line && (end[-1] == '\r' || end[-1] == ' ' || end[-1] == '\t'))
        end--;
    *end = '\0';
    const char *text = line + strspn(line, " \t");
    if (!*text || *text == '#')
        return 0;
    struct str where;
    str_init(&where);
    str_addf(&where, "%s:%zu", path, number);
    int code = where.failed ? err_memory(e) : rule_list_add(rules, line, str_text(&where), e);
    str_release(&where);
    return code;
}

int rule_list_read(struct rule_list *rules, const char *path, struct err *e)
{
    struct str content;
    str_init(&content);
    const size_t before = rules->count;
    int code = files_read(path, RULES_FILE_BYTES_MAX, &content, e);
    if (code == ERR_INPUT)
        code = err_set(e, ERR_USAGE, "cannot read the rules file '%s'", path);
    if (!code && content.length && memchr(content.text, '\0', content.length))
        code = err_set(e, ERR_USAGE, "'%s' is no text file: rules stand one a line", path);
    char *line = content.text;
    for (size_t number = 1; !code && line && *line; number++) {
        char *end = line + strcspn(line, "\n");
        char *next = *end ? end + 1 : end;
        code = add_line(rules, line, end, path, number, e);
        line = next;
    }
    if (!code && rules->count == before)
        code = err_set(e, ERR_USAGE, "no rule in '%s': write one a line", path);
    str_release(&content);
    return code;
}

size_t rule_list_count(const struct rule_list *rules)
{
    return rules->count;
}

static int find_set(const struct timeline_query *query, const struct selector *selector)
{
    for (size_t i = 0; i < query->set_count; i++)
        if (!strcmp(selector_text(query->sets[i]), selector_text(selector)))
            return (int)i;
    return -1;
}

static int find_pair(const struct timeline_query *query, int a, int b)
{
    for (size_t i = 0; i < query->pair_count; i++)
        if (query->pairs[i].a == a && query->pairs[i].b == b)
            return (int)i;
    return -1;
}

static int need_set(struct timeline_query *query, struct selector *selector, int *index, struct err *e)
{
    *index = find_set(query, selector);
    if (*index >= 0)
        return 0;
    if (query->set_count == TIMELINE_SETS_MAX)
        return err_set(e, ERR_USAGE, "the rules name more than %d different selectors; check them in two calls",
                       TIMELINE_SETS_MAX);
    *index = (int)query->set_count;
    query->sets[query->set_count++] = selector;
    return 0;
}

static int need_pair(struct timeline_query *query, int a, int b, struct err *e)
{
    if (find_pair(query, a, b) >= 0)
        return 0;
    if (query->pair_count == TIMELINE_SETS_MAX)
        return err_set(e, ERR_USAGE,
                       "the rules name more than %d different pairs of selectors; check them in two calls",
                       TIMELINE_SETS_MAX);
    query->pairs[query->pair_count].a = (uint8_t)a;
    query->pairs[query->pair_count].b = (uint8_t)b;
    query->pair_count++;
    return 0;
}

static int term_query(const struct rule_term *t, struct timeline_query *query, struct err *e)
{
    int index[2] = {-1, -1};
    for (int i = 0; i < 2; i++) {
        int code = t->operands[i] ? need_set(query, t->operands[i], &index[i], e) : 0;
        if (code)
            return code;
    }
    if (t->function && t->function->wants_durations)
        query->wants_durations[index[0]] = true;
    if (t->function && t->function->wants_launches)
        query->wants_launches[index[0]] = true;
    return t->function && t->function->wants_pair ? need_pair(query, index[0], index[1], e) : 0;
}

int rule_list_query(struct rule_list *rules, struct timeline_query *query, struct err *e)
{
    for (size_t i = 0; i < rules->count; i++) {
        int code = term_query(&rules->items[i].left, query, e);
        if (!code)
            code = term_query(&rules->items[i].right, query, e);
        if (code)
            return code;
    }
    return 0;
}

/* One list of rules against one timeline. */
struct court {
    const struct timeline_query *query;
    const struct timeline *timeline;
    const struct caveat_list *caveats;
    struct rule_results *out;
};

static struct rule_scope scope_on(const struct court *c, const struct rule_term *t, const struct timeline_device *d)
{
    struct rule_scope s = {0};
    const int a = t->operands[0] ? find_set(c->query, t->operands[0]) : -1;
    const int b = t->operands[1] ? find_set(c->query, t->operands[1]) : -1;
    const int pair = find_pair(c->query, a, b);
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

static bool term_occurs(const struct rule_term *t, const struct rule_scope *s)
{
    if (!t->function || t->function->is_total)
        return true;
    return (!s->a || set_occurs(s->a)) && (!s->b || set_occurs(s->b));
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

static bool holds(enum rule_comparison comparison, double a, double b)
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

static int add_counterexamples(struct court *c, struct rule_result *row, const struct timeline_examples *found,
                               struct err *e)
{
    if (!found->count)
        return 0;
    const size_t bytes = found->count * sizeof found->items[0];
    struct timeline_example *copy = arena_alloc(&c->out->arena, bytes);
    if (!copy)
        return err_memory(e);
    row->counterexamples = memcpy(copy, found->items, bytes);
    row->counterexample_count = found->count;
    return 0;
}

static int add_row(struct court *c, const struct rule *rule, struct rule_result **out, struct err *e)
{
    *out = ARRAY_PUSH(c->out);
    if (!*out)
        return err_memory(e);
    const struct rule_function *f = rule->left.function ? rule->left.function : rule->right.function;
    **out = (struct rule_result){.rule = arena_copy(&c->out->arena, rule->text),
                                 .rank = -1,
                                 .device = -1,
                                 .status = RULE_VACUOUS,
                                 .reason = "",
                                 .value = NAN,
                                 .threshold = rule->right.function ? NAN : rule->right.value,
                                 .unit = (int)f->unit};
    return 0;
}

static bool has_unfinished(const struct rule_scope *s)
{
    return (s->a && s->a->unfinished) || (s->b && s->b->unfinished);
}

/* Why a rule that holds must not pass; "" when it may. */
static const char *weakness(const struct court *c, const struct rule_scope *left, const struct rule_scope *right)
{
    if (caveat_has(c->caveats, CAVEAT_TRUNCATED))
        return "the input is truncated";
    if (caveat_has(c->caveats, CAVEAT_WEAKENS))
        return "evidence may be missing, see the caveats";
    return has_unfinished(left) || has_unfinished(right) ? "some of its events never ended" : "";
}

static const char *undefined_reason(const struct rule_term *t)
{
    return t->function && t->function->undefined ? t->function->undefined
                                                 : "all of its operands' events have a duration of 0";
}

static int judge_row(struct court *c, const struct rule *rule, const struct rule_scope *left,
                     const struct rule_scope *right, struct rule_result *row, struct err *e)
{
    row->value = term_value(&rule->left, left);
    row->threshold = term_value(&rule->right, right);
    if (isnan(row->value) || isnan(row->threshold)) {
        row->reason = undefined_reason(isnan(row->value) ? &rule->left : &rule->right);
        return 0;
    }
    if (holds(rule->comparison, row->value, row->threshold)) {
        row->reason = weakness(c, left, right);
        row->status = *row->reason ? RULE_INCONCLUSIVE : RULE_PASS;
        return 0;
    }
    row->status = RULE_FAIL;
    struct timeline_examples found = {.count = 0};
    const bool too_large = left_is_too_large(rule->comparison, row->value, row->threshold);
    show_term(&rule->left, left, too_large, &found);
    show_term(&rule->right, right, !too_large, &found);
    return add_counterexamples(c, row, &found, e);
}

static bool set_occurs_anywhere(const struct court *c, int set)
{
    for (size_t i = 0; i < c->timeline->device_count; i++)
        if (set_occurs(&c->timeline->devices[i].sets[set]))
            return true;
    return false;
}

/* Which operand is missing, for the message of a vacuous rule. */
static const char *missing_operand(const struct court *c, const struct rule *rule)
{
    const struct rule_term *const terms[] = {&rule->left, &rule->right};
    for (size_t t = 0; t < 2; t++)
        for (size_t i = 0; i < 2 && terms[t]->operands[i] && !terms[t]->function->is_total; i++)
            if (!set_occurs_anywhere(c, find_set(c->query, terms[t]->operands[i])))
                return arena_printf(&c->out->arena, "no %s is '%s'",
                                    c->timeline->unfinished ? "finished event" : "event",
                                    selector_text(terms[t]->operands[i]));
    return "its operands never occur on the same device";
}

static int judge_on_devices(struct court *c, const struct rule *rule, struct err *e)
{
    struct rule_result *row;
    bool judged = false;
    int code = 0;
    for (size_t i = 0; !code && i < c->timeline->device_count; i++) {
        const struct timeline_device *d = &c->timeline->devices[i];
        const struct rule_scope left = scope_on(c, &rule->left, d), right = scope_on(c, &rule->right, d);
        if (!term_occurs(&rule->left, &left) || !term_occurs(&rule->right, &right))
            continue;
        judged = true;
        code = add_row(c, rule, &row, e);
        if (code)
            return code;
        row->rank = d->rank;
        row->device = d->device;
        code = judge_row(c, rule, &left, &right, row, e);
    }
    if (code || judged)
        return code;
    code = add_row(c, rule, &row, e);
    if (!code)
        row->reason = missing_operand(c, rule);
    return code;
}

/* What count and bytes read, over all ranks and devices. */
static struct timeline_set total_of(const struct court *c, const struct rule_term *t)
{
    struct timeline_set total = {0};
    const int set = t->operands[0] ? find_set(c->query, t->operands[0]) : -1;
    for (size_t i = 0; set >= 0 && i < c->timeline->device_count; i++) {
        const struct timeline_set *one = &c->timeline->devices[i].sets[set];
        total.count += one->count;
        total.unfinished += one->unfinished;
        if (__builtin_add_overflow(total.size_bytes, one->size_bytes, &total.size_bytes))
            total.size_bytes = INT64_MAX;
    }
    return total;
}

static int judge_total(struct court *c, const struct rule *rule, struct err *e)
{
    struct rule_result *row;
    int code = add_row(c, rule, &row, e);
    if (code)
        return code;
    const struct timeline_set left = total_of(c, &rule->left), right = total_of(c, &rule->right);
    return judge_row(c, rule, &(struct rule_scope){.a = &left}, &(struct rule_scope){.a = &right}, row, e);
}

static bool is_total(const struct rule_term *t)
{
    return !t->function || t->function->is_total;
}

static int judge_rule(struct court *c, const struct rule *rule, struct err *e)
{
    if (c->timeline->gpu_events)
        return is_total(&rule->left) && is_total(&rule->right) ? judge_total(c, rule, e) : judge_on_devices(c, rule, e);
    struct rule_result *row;
    int code = add_row(c, rule, &row, e);
    if (!code)
        row->reason = "the input has no GPU events";
    return code;
}

void rule_results_release(struct rule_results *r)
{
    arena_release(&r->arena);
    free(r->items);
    *r = (struct rule_results){0};
}

int rule_list_judge(const struct rule_list *rules, const struct timeline_query *query, const struct timeline *timeline,
                    const struct caveat_list *caveats, struct rule_results *out, struct err *e)
{
    *out = (struct rule_results){0};
    arena_init(&out->arena);
    struct court c = {query, timeline, caveats, out};
    for (size_t i = 0; i < rules->count; i++) {
        int code = judge_rule(&c, &rules->items[i], e);
        if (code)
            return code;
    }
    return 0;
}

enum exit_status rule_results_status(const struct rule_results *r)
{
    static const enum exit_status statuses[] = {[RULE_PASS] = EXIT_PASS,
                                                [RULE_FAIL] = EXIT_CHECK_FAILED,
                                                [RULE_VACUOUS] = EXIT_UNUSABLE_INPUT,
                                                [RULE_INCONCLUSIVE] = EXIT_INCONCLUSIVE};
    enum exit_status worst = EXIT_PASS;
    for (size_t i = 0; i < r->count; i++)
        worst = exit_status_worse(worst, statuses[r->items[i].status]);
    return worst;
}
