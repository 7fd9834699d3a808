/* rule_parse.h - one rule as text becomes one rule as a value. */
#ifndef CPPROF_RULE_PARSE_H
#define CPPROF_RULE_PARSE_H

#include "base/err.h"
#include "model/rule_functions.h"
#include "model/selector.h"

enum { RULE_BYTES_MAX = 1000 };

enum rule_comparison { RULE_AT_LEAST, RULE_AT_MOST, RULE_MORE, RULE_LESS, RULE_EQUAL, RULE_UNEQUAL };

/* factor * function(operands), or a value. */
struct rule_term {
    const struct rule_function *function; /* NULL: a value */
    struct selector *operands[2];         /* owned; idle() has `any` */
    double factor;                        /* of a function, 1 when not written */
    double value;                         /* base units */
};

struct rule {
    char *text;                   /* as written, without spaces around it */
    struct rule_term left, right; /* a predicate on its own: left <= 0 */
    enum rule_comparison comparison;
};

/* ERR_USAGE messages start with "WHERE:COLUMN: ", columns count bytes from 1. */
int rule_parse(struct rule *out, const char *text, const char *where, const char *comm_pattern, struct err *e);
void rule_release(struct rule *rule);

#endif
