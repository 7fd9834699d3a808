/* rule_functions.h - the functions of the rule language: names, operands, units, values. */
#ifndef CPPROF_RULE_FUNCTIONS_H
#define CPPROF_RULE_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzers/ranks/ranks_rows.h"
#include "analyzers/run_facts.h"
#include "core/base/units.h"
#include "core/trace/timeline.h"
#include "rules/rule_ranges.h"
#include "rules/rule_ranks.h"

struct rule_function {
    const char *name;
    const char *signature;  /* for messages and the manual */
    unsigned operand_count; /* 0: over all GPU work */
    enum unit unit;
    bool is_predicate; /* stands alone in a rule; holds when its value is <= 0 */
    bool is_total;     /* summed over the whole input, and 0 of nothing */
    bool wants_pair;
    bool wants_a_alone; /* defined also where there is an A and no B: all of A is without B */
    bool wants_durations;
    bool is_of_gaps; /* says something of time in which nothing ran */
    bool wants_launches;
    const char *undefined;                           /* why the value may be NAN; NULL: it has no duration */
    double (*value)(const struct rule_scope *scope); /* NAN: undefined on this scope */
    /* Between which values the true one lies (rule_ranges.c); NULL: it does not depend on times. */
    void (*range)(const struct rule_motion *m, double *low, double *high);
    /* Functions of a variant of a run: their operand is its name, or A or B. They have a fact and no value. */
    double (*fact)(const struct run_facts *f, const struct fact_place *p); /* NAN: the run does not say */
    /* A measured fact: its interval. NULL: the fact is exact. */
    int (*interval)(const struct run_facts *f, const struct fact_place *p, struct fact_interval *out, struct err *e);
    /* Functions of all ranks together, judged once. Both: NAN is undefined. */
    /* What 'cpprof ranks' measures, and between which values it lies; below 0: of any rank. */
    struct rank_value (*of_ranks)(const struct ranks *r, int rank);
    const char *open; /* why the value may lie on either side of a limit */
    const char *(*ranks_note)(struct arena *arena, const struct ranks *r, int rank); /* behind what breaks a rule */
    struct rank_value (*across)(const struct timeline *t, size_t set);               /* of a set on all devices */
    bool takes_rank;    /* the operand is the number of a rank, or "any" */
    bool takes_comm;    /* the operand is comm without filters */
    bool takes_metric;  /* a second operand names a counter, which decides the unit */
    bool takes_phase;   /* a second operand names a phase of a kernel that was recorded or delayed */
    bool takes_path;    /* the operand is no variant but a member of the manifest; a predicate, without a fact */
    bool is_signed;     /* a share that may be below 0 */
    bool is_word;       /* the value is a word's number: == and != only */
    bool is_of_outputs; /* known at configs that are only verified, too */
    /* What to show when the value is too large or too small; NULL: nothing. */
    void (*show)(const struct rule_scope *scope, bool too_large, struct timeline_examples *out);
    /* What the number leaves open; NULL: nothing. */
    const char *(*remark)(struct arena *arena, const struct rule_scope *scope);
};

extern const struct rule_function rule_functions[];
extern const size_t rule_function_count;

const struct rule_function *rule_function_find(const char *name, size_t length); /* NULL when unknown */

#endif
