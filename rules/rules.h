/* rules.h - the one rule and gate engine: parses the rule language, says which
 * sets of events a list of rules needs, and judges. docs/rules.md is the manual. */
#ifndef CPPROF_RULES_H
#define CPPROF_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/caveat.h"
#include "core/base/err.h"
#include "core/trace/timeline.h"

enum rule_status { RULE_PASS, RULE_FAIL, RULE_VACUOUS, RULE_INCONCLUSIVE, RULE_STATUSES };

const char *rule_status_name(enum rule_status s); /* "pass" ... as in our JSON */

struct analysis;
struct rule_list;

int rule_list_new(struct rule_list **out, struct err *e);
void rule_list_free(struct rule_list *rules);

/* Adds one rule, or one for each signal of "expect SIGNAL; SIGNAL"; `where` is for messages ("--assert" or
 * "gates.rules:3"), which start with "WHERE:COLUMN: ". */
int rule_list_add(struct rule_list *rules, const char *text, const char *where, struct err *e);
/* One rule a line; blank lines and lines that start with # are skipped. A file
 * that cannot be read or has no rule is ERR_USAGE. */
int rule_list_read(struct rule_list *rules, const char *path, struct err *e);
size_t rule_list_count(const struct rule_list *rules);

/* Differs where the rules do, by their text, their order, and where they stand. */
uint32_t rule_list_key(const struct rule_list *rules);

/* Adds the sets and pairs that the rules need to a query, which then points
 * into `rules`. */
int rule_list_query(struct rule_list *rules, struct timeline_query *query, struct err *e);

/* The first rule that asks about variants of a run, for a message; NULL when
 * all are about a trace. */
const char *rule_list_of_run(const struct rule_list *rules);
/* Where that one stands: "gates.rules:3", "" when in no file. */
const char *rule_list_place_of_run(const struct rule_list *rules);
/* After ERR_USAGE: the file of the rule that is wrong, its line in *line (0: the file as a whole); NULL when it is in
 * none. Valid until the list is changed. */
const char *rule_list_wrong_place(const struct rule_list *rules, size_t *line);
/* The first rule that asks about variants is the one that is wrong. */
int rule_list_blame_of_run(struct rule_list *rules, struct err *e);
/* Does any need what 'cpprof ranks' measures, if only to know that the ranks are of one run? */
bool rule_list_wants_ranks(const struct rule_list *rules);
/* Does any ask when ranks arrive, on one clock? */
bool rule_list_compares_ranks(const struct rule_list *rules);
bool rule_list_has_of_trace(const struct rule_list *rules);
/* The least gain that the rules ask of B, by its first rule on gain, speedup or
 * ratio: 0.1 for "gain(B) >= 10%"; NAN when they ask for none. */
double rule_list_target(const struct rule_list *rules);

/* One row per rule and device on which its operands occur (one row with device
 * -1 and status vacuous where they occur nowhere). A rule of count and bytes
 * alone is one row over the whole input. A rule about variants is one row per
 * config that all of them have; with B one for each candidate, A being its
 * baseline. */
struct rule_result {
    const char *rule;    /* as written */
    size_t index;        /* of the rule in the list: rows of one rule stand together */
    const char *file;    /* where the rule stands; "" when in none */
    size_t line;         /* from 1; 0 when in no file */
    int rank, device;    /* -1: not tied to one */
    const char *config;  /* rules about variants; else NULL */
    const char *variant; /* what B stands for, when there are several; else NULL */
    enum rule_status status;
    const char *reason;  /* vacuous, inconclusive: why; else "" */
    const char *failure; /* of a failed rule about one variant: "new", or "baseline fails too"; else "" */
    const char *note;    /* beside the numbers: "confirmed: up 60.1%"; else "" */
    double value;        /* left-hand side, base units; NAN when vacuous or not a number */
    double threshold;    /* right-hand side */
    int unit;            /* enum unit of both */
    bool is_decimal;     /* the rule writes its size with KB, MB or GB */
    const char *value_word,
        *threshold_word; /* classes and what is recorded are words; else NULL, also when undefined */
    const struct timeline_example *counterexamples; /* failed rules; in the results' arena */
    size_t counterexample_count;
};

/* Devices with GPU work on which a rule was not judged, as an operand does not occur there; it was on others. */
enum { RULE_ABSENCES_SHOWN = 8 };
struct rule_absence {
    const char *rule; /* as written */
    size_t devices;
    struct {
        int rank, device;
    } places[RULE_ABSENCES_SHOWN]; /* the first of them */
};

struct rule_results {
    struct arena arena;
    struct rule_result *items;
    size_t count, capacity;
    struct {
        struct rule_absence *items; /* at most one a rule */
        size_t count, capacity;
    } absences;
};

void rule_results_release(struct rule_results *r);

/* What the rules are judged on. */
struct rule_evidence {
    const struct timeline_query *query; /* what rule_list_query filled and timeline_measure answered */
    const struct timeline *timeline;
    const struct caveat_list *caveats; /* of the trace */
    const struct ranks *ranks;         /* NULL: no rule asks for it */
    bool is_scoped;                    /* events were left out on purpose: then ranks need not match */
    const char *ranks_doubt;           /* why the traces may not be those of all ranks, each once; NULL or "": none */
    const struct analysis *run;        /* for rules about variants; NULL without a run: they are ERR_USAGE */
    /* The timeline with every event as short and as long as rounded times allow (widen_ns); NULL: times are exact. */
    const struct timeline *narrow, *wide;
};

/* `out` need not be initialised; release it even after an error. */
int rule_list_judge(const struct rule_list *rules, const struct rule_evidence *evidence, struct rule_results *out,
                    struct err *e);

/* How many of the rules (not of their rows) have this as their worst row, in
 * the order of exit_status_worse; `counts` has one entry per enum rule_status. */
void rule_results_count(const struct rule_results *r, size_t counts[RULE_STATUSES]);

/* pass 0, fail 1, vacuous 5, inconclusive 3; the worst by exit_status_worse. */
enum exit_status rule_results_status(const struct rule_results *r);

#endif
