/* What does 'overlap(h2d, kernel) >= 80%' say? A recursive descent over the
 * grammar of docs/rules.md; every complaint names its column. */
#define _POSIX_C_SOURCE 200809L
#include "rules/rule_parse.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/analysis.h"
#include "core/base/count_of.h"
#include "core/base/str.h"
#include "core/gpu/metric_choice.h"
#include "core/gpu/metrics.h"

struct cursor {
    const char *text; /* the whole rule */
    const char *at;
    const char *where;
    struct err *e;
};

__attribute__((format(printf, 3, 4))) static int fail(const struct cursor *c, const char *at, const char *format, ...)
{
    char problem[900];
    va_list args;
    va_start(args, format);
    vsnprintf(problem, sizeof problem, format, args);
    va_end(args);
    return err_set(c->e, ERR_USAGE, "%s:%td: %s", c->where, at - c->text + 1, problem);
}

static void skip_spaces(struct cursor *c)
{
    while (*c->at == ' ' || *c->at == '\t')
        c->at++;
}

static int word_length(const char *text)
{
    int length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    return length;
}

static int expect(struct cursor *c, char wanted, const struct rule_function *f)
{
    skip_spaces(c);
    if (*c->at != wanted)
        return fail(c, c->at, "expected '%c': it is %s", wanted, f->signature);
    c->at++;
    return 0;
}

/* PROBLEM and all functions that there are. */
__attribute__((format(printf, 3, 4))) static int fail_with_list(const struct cursor *c, const char *at,
                                                                const char *format, ...)
{
    struct str text;
    str_init(&text);
    va_list args;
    va_start(args, format);
    str_addv(&text, format, args);
    va_end(args);
    for (size_t i = 0; i < rule_function_count; i++)
        str_addf(&text, " %s", rule_functions[i].signature);
    str_add(&text, "; V is a variant's name, A or B");
    int code = fail(c, at, "%s", str_text(&text));
    str_release(&text);
    return code;
}

static int parse_operand(struct cursor *c, struct selector **out)
{
    struct err why = {0};
    int code = selector_parse(out, &c->at, NULL, &why);
    if (code == ERR_USAGE)
        return fail(c, c->at, "%s", why.text);
    return code ? err_set(c->e, code, "%s", why.text) : 0;
}

/* A name is "quoted", or runs up to a space, a comma, a quote or a parenthesis. */
static int parse_name(struct cursor *c, const char *what, char **out)
{
    skip_spaces(c);
    const bool quoted = *c->at == '"';
    const char *start = c->at + quoted;
    const size_t length = strcspn(start, quoted ? "\"" : " \t,()\"");
    if (quoted && !start[length])
        return fail(c, c->at, "the quote is never closed");
    if (!length)
        return fail(c, c->at, "expected %s", what);
    *out = strndup(start, length);
    c->at = start + length + quoted;
    return *out ? 0 : err_memory(c->e);
}

/* All names of CUPTI's have a "__": one that has none and looks like one of ours is misspelt. */
static int check_counter(const struct cursor *c, const char *at, const char *name)
{
    struct str near;
    str_init(&near);
    if (!strstr(name, "__") && !metric_word_is_ours(name))
        metric_words_near(&near, name);
    const int code = near.failed   ? err_memory(c->e)
                     : near.length ? fail(c, at, "unknown counter '%s'; did you mean '%.*s'?", name,
                                          (int)strcspn(str_text(&near), ","), str_text(&near))
                                   : 0;
    str_release(&near);
    return code;
}

static int parse_variant(struct cursor *c, const struct rule_function *f, struct rule_term *out)
{
    int code = parse_name(c, "a variant: its name, A (the baseline) or B", &out->variant);
    if (code || (!f->takes_metric && !f->takes_phase))
        return code;
    code = expect(c, ',', f);
    if (code)
        return code;
    if (f->takes_phase)
        return parse_name(c, "the name of a phase", &out->metric);
    skip_spaces(c);
    const char *start = c->at;
    code = parse_name(c, "the name of a counter", &out->metric);
    if (!code)
        code = check_counter(c, start, out->metric);
    if (code)
        return code;
    const char *parts[METRIC_PARTS_MAX];
    metric_parts(out->metric, parts);
    out->unit = metric_unit(parts[0]);
    return 0;
}

/* "3", or "any". */
static int parse_rank(struct cursor *c, struct rule_term *out)
{
    char *end;
    skip_spaces(c);
    out->rank = -1;
    if (!strncmp(c->at, "any", 3) && word_length(c->at) == 3) {
        c->at += 3;
        return 0;
    }
    const long rank = isdigit((unsigned char)*c->at) ? strtol(c->at, &end, 10) : -1;
    if (rank < 0 || rank > INT16_MAX)
        return fail(c, c->at, "expected the number of a rank, or any");
    out->rank = (int)rank;
    c->at = end;
    return 0;
}

/* Collectives of all communicators are compared, or none. */
static int check_comm(const struct cursor *c, const char *at, const struct rule_term *t)
{
    if (!t->function->takes_comm || !strcmp(selector_text(t->operands[0]), "comm"))
        return 0;
    return fail(c, at, "%s takes comm, without filters", t->function->name);
}

/* What the function is asked about. */
static int parse_operands(struct cursor *c, const struct rule_function *f, struct rule_term *out)
{
    if (f->takes_path)
        return parse_name(c, "a member of the manifest, such as gpu.uuid", &out->metric);
    if (f->fact)
        return parse_variant(c, f, out);
    if (f->takes_rank)
        return parse_rank(c, out);
    const char *start = c->at;
    int code = 0;
    for (unsigned i = 0; !code && i < f->operand_count; i++) {
        code = i ? expect(c, ',', f) : 0;
        if (!code)
            code = parse_operand(c, &out->operands[i]);
    }
    if (!code && !f->operand_count)
        code = selector_new(&out->operands[0], CLASS_ANY, c->e);
    return code ? code : check_comm(c, start, out);
}

static int parse_call(struct cursor *c, struct rule_term *out)
{
    const int length = word_length(c->at);
    const struct rule_function *f = rule_function_find(c->at, (size_t)length);
    if (!length)
        return fail_with_list(c, c->at, "expected a function or a value; functions:");
    if (!f)
        return fail_with_list(c, c->at, "unknown function '%.*s'; known:", length > 80 ? 80 : length, c->at);
    out->function = f;
    out->unit = f->unit;
    c->at += length;
    int code = expect(c, '(', f);
    if (!code)
        code = parse_operands(c, f, out);
    return code ? code : expect(c, ')', f);
}

/* A number: a value with its unit, or the factor of a function. */
static int parse_number(struct cursor *c, struct rule_term *out, enum unit *unit)
{
    const char *start = c->at;
    const size_t used = unit_parse(start, &out->value, unit);
    if (!used)
        return fail(c, start, "'%.*s' is no number with a unit of %% ns us ms s B KB KiB MB MiB GB GiB",
                    (int)strcspn(start, " \t<>=!*"), start);
    c->at += used;
    out->is_decimal = used > 2 && c->at[-1] == 'B' && strchr("KMG", c->at[-2]);
    skip_spaces(c);
    if (*c->at != '*')
        return 0;
    if (*unit != UNIT_NONE)
        return fail(c, start, "the factor before '*' has a unit; write a plain number");
    c->at++;
    skip_spaces(c);
    out->factor = out->value;
    return parse_call(c, out);
}

const char *rule_word(double value)
{
    for (int class_ = BOUND_INCONCLUSIVE; class_ <= BOUND_BALANCED; class_++)
        if (value == class_)
            return bound_class_name((enum bound_class)class_);
    return NULL;
}

/* A class of bounds, if one stands here. */
static bool parse_word(struct cursor *c, struct rule_term *out)
{
    size_t length = 0;
    while (isalpha((unsigned char)c->at[length]) || c->at[length] == '-')
        length++;
    const char *word;
    for (int number = 0; (word = rule_word(number)); number++)
        if (strlen(word) == length && !memcmp(word, c->at, length)) {
            out->word = word;
            out->value = number;
            c->at += length;
            return true;
        }
    return false;
}

static int parse_term(struct cursor *c, struct rule_term *out, enum unit *unit)
{
    skip_spaces(c);
    *out = (struct rule_term){.factor = 1};
    *unit = UNIT_NONE;
    const char *start = c->at;
    const bool is_number = *start && (isdigit((unsigned char)*start) || strchr("+-.", *start));
    if (!is_number && parse_word(c, out))
        return 0;
    int code = is_number ? parse_number(c, out, unit) : parse_call(c, out);
    if (!code && out->function)
        *unit = out->unit;
    return code;
}

static int parse_comparison(struct cursor *c, enum rule_comparison *out)
{
    static const struct {
        const char *text;
        enum rule_comparison comparison;
    } table[] = {{">=", RULE_AT_LEAST}, {"<=", RULE_AT_MOST}, {"==", RULE_EQUAL},
                 {"!=", RULE_UNEQUAL},  {">", RULE_MORE},     {"<", RULE_LESS}};
    skip_spaces(c);
    for (size_t i = 0; i < COUNT_OF(table); i++)
        if (!strncmp(c->at, table[i].text, strlen(table[i].text))) {
            *out = table[i].comparison;
            c->at += strlen(table[i].text);
            return 0;
        }
    return fail(c, c->at, "expected one of >= <= > < == !=");
}

/* The words that a function may be compared with. */
static int expect_word(const struct cursor *c, const char *at, const struct rule_function *f)
{
    struct str words;
    str_init(&words);
    const char *word;
    for (int number = 0; (word = rule_word(number)); number++)
        str_addf(&words, " %s", word);
    int code = fail(c, at, "%s is a word:%s", f->signature, str_text(&words));
    str_release(&words);
    return code;
}

/* A written value must say the unit that the function has. */
static int check_value(const struct cursor *c, const char *at, const struct rule_term *written, enum unit unit,
                       const struct rule_term *call)
{
    const struct rule_function *f = call->function;
    const double value = written->value;
    if (f->is_word)
        return written->word ? 0 : expect_word(c, at, f);
    if (written->word)
        return fail(c, at, "%s is no word: compare it with a number", f->signature);
    switch (call->unit) {
    case UNIT_NS:
        if (unit != UNIT_NS)
            return fail(c, at, "%s is a time: write the value with ns, us, ms or s", f->name);
        return 0;
    case UNIT_RATIO:
        if (unit != UNIT_RATIO && unit != UNIT_NONE)
            return fail(c, at, "%s is a share: write the value with %% or as a number from 0 to 1", f->name);
        if (!f->takes_metric && ((value < 0 && !f->is_signed) || value > 1))
            return fail(c, at, "%s is a share: the value is not %s%s", f->name,
                        f->is_signed ? "100% or less" : "within 0% and 100%",
                        unit == UNIT_NONE ? " (a percentage needs its sign)" : "");
        return 0;
    case UNIT_BYTES:
        if (unit != UNIT_BYTES && unit != UNIT_NONE)
            return fail(c, at, "%s is a size: write the value with B KB KiB MB MiB GB GiB or none", f->name);
        return 0;
    default:
        if (unit != UNIT_NONE)
            return fail(c, at, "%s is a plain number: write the value without a unit", f->name);
        return 0;
    }
}

struct written {
    const char *at;
    enum unit unit;
};

static int check_two_calls(const struct cursor *c, const struct rule *r, const char *at)
{
    const struct rule_function *a = r->left.function, *b = r->right.function;
    if (b->is_predicate)
        return fail(c, at, "%s stands alone in a rule", b->signature);
    if (!a->fact != !b->fact)
        return fail(c, at, "%s is of a trace and %s of a run's variant: they cannot be compared",
                    a->fact ? b->signature : a->signature, a->fact ? a->signature : b->signature);
    if (a->of_ranks || a->across || b->of_ranks || b->across)
        return fail(c, at, "%s is of all ranks together: compare it with a value",
                    a->of_ranks || a->across ? a->signature : b->signature);
    if (a->is_word != b->is_word || r->left.unit != r->right.unit)
        return fail(c, at, "%s and %s have different units", a->name, b->name);
    return 0;
}

static int check_units(const struct cursor *c, const struct rule *r, const struct written *left,
                       const struct written *right)
{
    const struct rule_function *a = r->left.function, *b = r->right.function;
    int code;
    if (!a && !b)
        code = fail_with_list(c, left->at, "a rule that compares two values asks nothing; functions:");
    else if (a && b)
        code = check_two_calls(c, r, right->at);
    else if (b && b->is_predicate)
        code = fail(c, right->at, "%s stands alone in a rule", b->signature);
    else
        code = a ? check_value(c, right->at, &r->right, right->unit, &r->left)
                 : check_value(c, left->at, &r->left, left->unit, &r->right);
    const bool of_words = (a && a->is_word) || (b && b->is_word);
    if (!code && of_words && r->comparison != RULE_EQUAL && r->comparison != RULE_UNEQUAL)
        code = fail(c, left->at, "a class is equal to another one or not: compare with == or !=");
    if (!code && of_words && (r->left.factor != 1 || r->right.factor != 1))
        code = fail(c, left->at, "a class takes no factor");
    return code;
}

static int parse_end(struct cursor *c)
{
    skip_spaces(c);
    return *c->at ? fail(c, c->at, "'%.40s' stands behind the end of the rule", c->at) : 0;
}

/* What stands beside class(V) is a word, a number, which is refused later, or another call. */
static int check_word_follows(const struct cursor *c, const struct rule_function *f)
{
    struct cursor ahead = *c;
    struct rule_term term = {0};
    const char *behind = c->at + word_length(c->at);
    if (!f || !f->is_word || parse_word(&ahead, &term) || isdigit((unsigned char)*c->at) ||
        behind[strspn(behind, " \t")] == '(')
        return 0;
    return expect_word(c, c->at, f);
}

static int parse_rule(struct cursor *c, struct rule *out)
{
    struct written left, right;
    skip_spaces(c);
    left.at = c->at;
    int code = parse_term(c, &out->left, &left.unit);
    if (code)
        return code;
    if (out->left.function && out->left.function->is_predicate) {
        out->comparison = RULE_AT_MOST;
        return out->left.factor == 1 ? parse_end(c) : fail(c, left.at, "%s takes no factor", out->left.function->name);
    }
    code = parse_comparison(c, &out->comparison);
    if (code)
        return code;
    skip_spaces(c);
    right.at = c->at;
    code = check_word_follows(c, out->left.function);
    if (!code)
        code = parse_term(c, &out->right, &right.unit);
    if (!code)
        code = check_units(c, out, &left, &right);
    return code ? code : parse_end(c);
}

/* Rules are shown on terminals and in reports, and their columns are counted. */
static int check_text(const struct cursor *c)
{
    size_t length = 0;
    for (; c->text[length]; length++) {
        const unsigned char byte = (unsigned char)c->text[length];
        if ((byte < ' ' && byte != '\t') || byte == 127)
            return fail(c, c->text + length, "the rule holds a control character");
        if (length == RULE_BYTES_MAX)
            return fail(c, c->text + length, "the rule is longer than %d bytes", RULE_BYTES_MAX);
    }
    return 0;
}

/* The rule without the spaces around it; NULL when memory is out. */
static char *trimmed_copy(const char *text)
{
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        length--;
    return strndup(text, length);
}

int rule_parse(struct rule *out, const char *text, const char *where, struct err *e)
{
    struct cursor c = {text, text, where, e};
    *out = (struct rule){0};
    int code = check_text(&c);
    if (!code)
        code = parse_rule(&c, out);
    if (!code) {
        out->text = trimmed_copy(text);
        out->where = strdup(where);
        code = out->text && out->where ? 0 : err_memory(e);
    }
    if (code)
        rule_release(out);
    return code;
}

const char *rule_expected_changes(const char *text)
{
    static const char keyword[] = "expect";
    text += strspn(text, " \t");
    const char *behind = text + sizeof keyword - 1;
    return !strncmp(text, keyword, sizeof keyword - 1) && (!*behind || strchr(" \t", *behind)) ? behind : NULL;
}

int rule_parse_expected_change(struct rule *out, const char *text, const char **at, const char *where, struct err *e)
{
    struct cursor c = {text, text, where, e};
    struct err why = {0};
    *out = (struct rule){.is_expected_change = true};
    int code = check_text(&c);
    if (code)
        return code;
    const char *start = *at + strspn(*at, " \t");
    code = expected_change_parse(&out->expected_change, at, &why);
    if (code)
        return code == ERR_USAGE ? fail(&c, *at, "%s", why.text) : err_set(e, code, "%s", why.text);
    code = check_counter(&c, start, out->expected_change.metric);
    if (code) {
        rule_release(out);
        return code;
    }
    struct str line;
    str_init(&line);
    str_addf(&line, "expect %s", out->expected_change.text);
    out->text = line.failed ? NULL : str_take(&line);
    out->where = strdup(where);
    str_release(&line);
    code = out->text && out->where ? 0 : err_memory(e);
    if (code)
        rule_release(out);
    return code;
}

bool rule_is_of_run(const struct rule *rule)
{
    if (rule->is_expected_change)
        return true;
    const struct rule_function *f = rule->left.function ? rule->left.function : rule->right.function;
    return f->fact || f->takes_path;
}

static void term_release(struct rule_term *t)
{
    selector_free(t->operands[0]);
    selector_free(t->operands[1]);
    free(t->variant);
    free(t->metric);
}

void rule_release(struct rule *rule)
{
    term_release(&rule->left);
    term_release(&rule->right);
    expected_change_release(&rule->expected_change);
    free(rule->text);
    free(rule->where);
    free(rule->file);
    *rule = (struct rule){0};
}
