/* rule_court.h - what the files of the rule engine share; its interface is rules.h. */
#ifndef CPPROF_RULE_COURT_H
#define CPPROF_RULE_COURT_H

#include "rules/rule_parse.h"
#include "rules/rules.h"

struct rule_list {
    struct rule *items;
    size_t count, capacity;
    char *comm_pattern;
    char *wrong_file; /* where the rule stands that is wrong; NULL: in none */
    size_t wrong_line;
};

/* One list of rules against what there is. */
struct rule_court {
    const struct rule_evidence *evidence;
    struct run_facts *facts; /* NULL: no rule asks for them, or there is no run */
    struct rule_results *out;
    size_t index; /* of the rule */
};

/* Indices into the query, -1 when it has none such. */
int rule_find_set(const struct timeline_query *query, const struct selector *selector);
int rule_find_pair(const struct timeline_query *query, int a, int b);

/* A new row, vacuous until somebody knows better. */
int rule_court_row(struct rule_court *c, const struct rule *rule, struct rule_result **out, struct err *e);

bool rule_holds(enum rule_comparison comparison, double a, double b);

/* rule_judge_run.c: a rule about variants, at every config. */
int rule_judge_on_run(struct rule_court *c, const struct rule *rule, struct err *e);

#endif
