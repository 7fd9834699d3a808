/* rule_parse.h - one rule as text becomes one rule as a value. */
#ifndef CPPROF_RULE_PARSE_H
#define CPPROF_RULE_PARSE_H

#include "core/base/err.h"
#include "core/gpu/expected_change.h"
#include "core/trace/selector.h"
#include "rules/rule_functions.h"

enum { RULE_BYTES_MAX = 1000 };

enum rule_comparison { RULE_AT_LEAST, RULE_AT_MOST, RULE_MORE, RULE_LESS, RULE_EQUAL, RULE_UNEQUAL };

/* factor * function(operands), or a value. */
struct rule_term {
    const struct rule_function *function; /* NULL: a value */
    struct selector *operands[2];         /* owned; idle() has `any`, functions of a variant have none */
    char *variant, *metric;               /* owned; NULL where the function takes none */
    enum unit unit;
    int rank;         /* of a function that takes one; -1: any */
    double factor;    /* of a function, 1 when not written */
    double value;     /* base units; of a word its number */
    const char *word; /* a value that is a word; else NULL */
    bool is_decimal;  /* a value written with KB, MB or GB */
};

struct rule {
    char *text;  /* as written, without spaces around it */
    char *where; /* its place, as in messages */
    char *file;  /* for who reads rules from files; NULL: none */
    size_t line;
    struct rule_term left, right; /* a predicate on its own: left <= 0 */
    enum rule_comparison comparison;
    bool is_expected_change; /* no terms: each candidate's counters against its baseline's */
    struct expected_change expected_change;
};

/* ERR_USAGE messages start with "WHERE:COLUMN: ", columns count bytes from 1. */
int rule_parse(struct rule *out, const char *text, const char *where, struct err *e);
void rule_release(struct rule *rule);

/* "expect" stands before the first expected change of a line; NULL when the text is no such line. */
const char *rule_expected_changes(const char *text);
/* The rule of the expected change at `*at`, which moves behind it. */
int rule_parse_expected_change(struct rule *out, const char *text, const char **at, const char *where, struct err *e);

/* True when it asks about variants of a run, false when about a trace. */
bool rule_is_of_run(const struct rule *rule);

/* The word of a value of such a function; NULL for a number that stands for none. */
const char *rule_word(double value);

#endif
