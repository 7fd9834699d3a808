/* Which rules are there, and which sets of events do they need? */
#define _POSIX_C_SOURCE 200809L
#include "rules/rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/checksum.h"
#include "core/base/files.h"
#include "rules/rule_judge.h"

enum { RULES_FILE_BYTES_MAX = 1 << 20 };

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
    free(rules->wrong_file);
    free(rules);
}

static int keep_rule(struct rule_list *rules, struct rule *rule, struct err *e)
{
    struct rule *place = ARRAY_PUSH(rules);
    if (!place) {
        rule_release(rule);
        return err_memory(e);
    }
    *place = *rule;
    return 0;
}

int rule_list_add(struct rule_list *rules, const char *text, const char *where, struct err *e)
{
    struct rule rule;
    const char *at = rule_expected_changes(text);
    if (!at) {
        const int code = rule_parse(&rule, text, where, e);
        return code ? code : keep_rule(rules, &rule, e);
    }
    int code;
    do {
        code = rule_parse_expected_change(&rule, text, &at, where, e);
        if (!code)
            code = keep_rule(rules, &rule, e);
    } while (!code && at[strspn(at, " \t")]);
    return code;
}

static int blame(struct rule_list *rules, const char *file, size_t line, struct err *e)
{
    char *copy = strdup(file);
    if (!copy)
        return err_memory(e);
    free(rules->wrong_file);
    rules->wrong_file = copy;
    rules->wrong_line = line;
    return 0;
}

const char *rule_list_wrong_place(const struct rule_list *rules, size_t *line)
{
    *line = rules->wrong_line;
    return rules->wrong_file;
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
    size_t first = rules->count;
    int code = where.failed ? err_memory(e) : rule_list_add(rules, line, str_text(&where), e);
    str_release(&where);
    if (code == ERR_USAGE && blame(rules, path, number, e))
        return ERR_MEMORY;
    for (; !code && first < rules->count; first++) {
        rules->items[first].line = number;
        rules->items[first].file = strdup(path);
        code = rules->items[first].file ? 0 : err_memory(e);
    }
    return code;
}

/* Editors of Windows begin a file with the mark of UTF-8. */
static char *skip_mark(char *text)
{
    return text && !strncmp(text, "\xef\xbb\xbf", 3) ? text + 3 : text;
}

int rule_list_read(struct rule_list *rules, const char *path, struct err *e)
{
    struct str content;
    str_init(&content);
    const size_t before = rules->count;
    struct err why = {0};
    int code = files_read(path, RULES_FILE_BYTES_MAX, &content, &why);
    if (code)
        code = err_set(e, code == ERR_INPUT ? ERR_USAGE : code, "cannot read the rules file '%s': %s", path, why.text);
    if (!code && content.length && memchr(content.text, '\0', content.length))
        code = err_set(e, ERR_USAGE, "'%s' is no text file: rules stand one a line", path);
    char *line = skip_mark(content.text);
    for (size_t number = 1; !code && line && *line; number++) {
        char *end = line + strcspn(line, "\n");
        char *next = *end ? end + 1 : end;
        code = add_line(rules, line, end, path, number, e);
        line = next;
    }
    if (!code && rules->count == before)
        code = err_set(e, ERR_USAGE, "no rule in '%s': write one a line", path);
    if (code == ERR_USAGE && !rules->wrong_file && blame(rules, path, 0, e))
        code = ERR_MEMORY;
    str_release(&content);
    return code;
}

uint32_t rule_list_key(const struct rule_list *rules)
{
    uint32_t key = 0;
    for (size_t i = 0; i < rules->count; i++) {
        const struct rule *r = &rules->items[i];
        key = checksum_crc32(key, r->text, strlen(r->text) + 1);
        key = checksum_crc32(key, r->where, strlen(r->where) + 1);
    }
    return key;
}

size_t rule_list_count(const struct rule_list *rules)
{
    return rules->count;
}

static const struct rule *first_of_run(const struct rule_list *rules)
{
    for (size_t i = 0; i < rules->count; i++)
        if (rule_is_of_run(&rules->items[i]))
            return &rules->items[i];
    return NULL;
}

const char *rule_list_of_run(const struct rule_list *rules)
{
    const struct rule *rule = first_of_run(rules);
    return rule ? rule->text : NULL;
}

const char *rule_list_place_of_run(const struct rule_list *rules)
{
    const struct rule *rule = first_of_run(rules);
    return rule && rule->file ? rule->where : "";
}

int rule_list_blame_of_run(struct rule_list *rules, struct err *e)
{
    const struct rule *rule = first_of_run(rules);
    return rule && rule->file ? blame(rules, rule->file, rule->line, e) : 0;
}

static bool has_of_ranks(const struct rule_list *rules, bool with_across)
{
    for (size_t i = 0; i < rules->count; i++) {
        const struct rule_term *call = rules->items[i].left.function ? &rules->items[i].left : &rules->items[i].right;
        if (call->function && (call->function->of_ranks || (with_across && call->function->across)))
            return true;
    }
    return false;
}

bool rule_list_wants_ranks(const struct rule_list *rules)
{
    return has_of_ranks(rules, true);
}

bool rule_list_compares_ranks(const struct rule_list *rules)
{
    return has_of_ranks(rules, false);
}

bool rule_list_has_of_trace(const struct rule_list *rules)
{
    for (size_t i = 0; i < rules->count; i++)
        if (!rule_is_of_run(&rules->items[i]))
            return true;
    return false;
}

/* "10% <= gain(B)" is "gain(B) >= 10%". */
static bool wants_at_least(const struct rule *rule)
{
    const bool more = rule->comparison == RULE_AT_LEAST || rule->comparison == RULE_MORE;
    const bool less = rule->comparison == RULE_AT_MOST || rule->comparison == RULE_LESS;
    return rule->left.function ? more : less;
}

static bool wants_at_most(const struct rule *rule)
{
    const bool more = rule->comparison == RULE_AT_LEAST || rule->comparison == RULE_MORE;
    const bool less = rule->comparison == RULE_AT_MOST || rule->comparison == RULE_LESS;
    return rule->left.function ? less : more;
}

double rule_list_target(const struct rule_list *rules)
{
    for (size_t i = 0; i < rules->count; i++) {
        const struct rule *rule = &rules->items[i];
        const struct rule_term *call = rule->left.function ? &rule->left : &rule->right;
        const struct rule_term *value = rule->left.function ? &rule->right : &rule->left;
        if (!call->function || value->function || !call->variant || strcmp(call->variant, "B") != 0 ||
            !(call->factor > 0))
            continue;
        const double number = value->value / call->factor;
        if (call->function->fact == fact_gain && wants_at_least(rule))
            return number;
        if (call->function->fact == fact_speedup && wants_at_least(rule))
            return 1 - 1 / number;
        if (call->function->fact == fact_ratio && wants_at_most(rule))
            return 1 - number;
    }
    return NAN;
}

int rule_find_set(const struct timeline_query *query, const struct selector *selector)
{
    for (size_t i = 0; i < query->set_count; i++)
        if (!strcmp(selector_text(query->sets[i]), selector_text(selector)))
            return (int)i;
    return -1;
}

int rule_find_pair(const struct timeline_query *query, int a, int b)
{
    for (size_t i = 0; i < query->pair_count; i++)
        if (query->pairs[i].a == a && query->pairs[i].b == b)
            return (int)i;
    return -1;
}

static int need_set(struct timeline_query *query, struct selector *selector, int *index, struct err *e)
{
    *index = rule_find_set(query, selector);
    if (*index >= 0) {
        query->is_brief[*index] = false;
        return 0;
    }
    if (query->set_count == TIMELINE_SETS_MAX)
        return err_set(e, ERR_USAGE, "the rules name more than %d different selectors; check them in two calls",
                       TIMELINE_SETS_MAX);
    *index = (int)query->set_count;
    query->sets[query->set_count++] = selector;
    return 0;
}

static int need_pair(struct timeline_query *query, int a, int b, struct err *e)
{
    const int found = rule_find_pair(query, a, b);
    if (found >= 0) {
        query->pairs[found].is_brief = false;
        return 0;
    }
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

void rule_results_release(struct rule_results *r)
{
    arena_release(&r->arena);
    free(r->items);
    free(r->absences.items);
    *r = (struct rule_results){0};
}

static const enum exit_status statuses[RULE_STATUSES] = {[RULE_PASS] = EXIT_PASS,
                                                         [RULE_FAIL] = EXIT_CHECK_FAILED,
                                                         [RULE_VACUOUS] = EXIT_UNUSABLE_INPUT,
                                                         [RULE_INCONCLUSIVE] = EXIT_INCONCLUSIVE};

void rule_results_count(const struct rule_results *r, size_t counts[RULE_STATUSES])
{
    memset(counts, 0, RULE_STATUSES * sizeof *counts);
    for (size_t i = 0; i < r->count;) {
        const size_t rule = r->items[i].index;
        enum rule_status worst = r->items[i].status;
        for (; i < r->count && r->items[i].index == rule; i++)
            if (exit_status_worse(statuses[worst], statuses[r->items[i].status]) != statuses[worst])
                worst = r->items[i].status;
        counts[worst]++;
    }
}

enum exit_status rule_results_status(const struct rule_results *r)
{
    enum exit_status worst = EXIT_PASS;
    for (size_t i = 0; i < r->count; i++)
        worst = exit_status_worse(worst, statuses[r->items[i].status]);
    return worst;
}
