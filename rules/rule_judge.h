/* rule_judge.h - who judges a list of rules, by which evidence and where the results go: what the files of the rule
 * engine share. Its interface is rules.h. */
#ifndef CPPROF_RULE_JUDGE_H
#define CPPROF_RULE_JUDGE_H

#include "rules/rule_parse.h"
#include "rules/rules.h"

struct rule_list {
    struct rule *items;
    size_t count, capacity;
    char *wrong_file; /* where the rule stands that is wrong; NULL: in none */
    size_t wrong_line;
};

/* Judges one list of rules by what there is. */
struct rule_judge {
    const struct rule_evidence *evidence;
    struct run_facts *facts; /* NULL: no rule asks for them, or there is no run */
    struct rule_results *out;
    size_t index; /* of the rule */
};

/* Indices into the query, -1 when it has no set of that kind. */
int rule_find_set(const struct timeline_query *query, const struct selector *selector);
int rule_find_pair(const struct timeline_query *query, int a, int b);

/* A new row, vacuous until somebody knows better. */
int rule_judge_add_row(struct rule_judge *j, const struct rule *rule, struct rule_result **out, struct err *e);

bool rule_holds(enum rule_comparison comparison, double a, double b);

/* Why nothing follows from the trace, neither a pass nor a failure, as it does not say who is who; "" when it does. */
const char *rule_judge_identity(const struct rule_judge *j, const struct rule *rule);

/* Why a rule that holds must not pass; "" when it may. Scopes without a device are of the whole input. */
const char *rule_judge_weakness(const struct rule_judge *j, const struct rule *rule, const struct rule_scope *left,
                                const struct rule_scope *right);

/* Why kernels that no record shows leave the rule open on a device, or (NULL) altogether, whether it holds or not; ""
 * when they do not. */
const char *rule_judge_hidden(const struct rule_judge *j, const struct rule *rule, const struct timeline_device *only,
                              bool holds);

/* Why rows whose times cannot be leave a rule about all ranks open; "" when there are none. */
const char *rule_judge_time_doubt(const struct rule_judge *j);

/* rule_judge_ranks.c: is the rule about all ranks together? It has one row, of no rank and no device. */
bool rule_is_of_ranks(const struct rule *rule);
int rule_judge_ranks(struct rule_judge *j, const struct rule *rule, struct err *e);

/* rule_judge_run.c: a rule about variants, at every config. */
int rule_judge_on_run(struct rule_judge *j, const struct rule *rule, struct err *e);

#endif
