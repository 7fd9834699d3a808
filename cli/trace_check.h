/* trace_check.h - traces opened, measured and held against rules: what overlap
 * and check have in common, with the options that say so. */
#ifndef CPPROF_TRACE_CHECK_H
#define CPPROF_TRACE_CHECK_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "analyzers/compare/aa_comparisons.h"
#include "analyzers/ranks/ranks_rows.h"
#include "cli/analyse.h"
#include "core/trace/class_sets.h"
#include "core/trace/stream_scope.h"
#include "reports/reports.h"
#include "rules/rules.h"

/* Rules stay in the order of the command line, --rules files among --assert. */
struct rule_option {
    const char *text;
    bool is_file;
};

struct trace_check_options {
    const char **traces; /* and rules: one for each word of the command line is enough */
    size_t trace_count;
    struct rule_option *rules;
    size_t rule_count;
    size_t jobs;       /* traces that are read at once */
    bool needs_events; /* the stream is read again */
    bool is_full;      /* documents show each of many devices */
    const char *aa;    /* a pool of this machine against itself; NULL: gates on times are taken as they are */
    struct stream_scope scope;
};

/* Room for as many traces and rules as there are words; release even after an error. */
int trace_check_options_init(struct trace_check_options *o, int words, struct err *e);
void trace_check_options_release(struct trace_check_options *o);

/* --assert, --rules and --comm, the scope and the operands, as a child of a
 * command's argp; its input is the struct above. */
extern const struct argp trace_check_argp;

struct trace_check {
    struct class_sets sets;
    struct timeline_query query;
    struct rule_list *rules;
    struct event_stream *stream; /* NULL: a run without a trace */
    struct timeline timeline;
    struct ranks ranks;           /* measured where a rule asks for it */
    struct timeline narrow, wide; /* measured where times are rounded and a rule asks about them */
    struct rule_results results;
    bool has_run;
    struct analysed run; /* when it has one and a rule asks about its variants */
    struct bundle aa_bundle;
    struct aa_comparisons aa; /* with --aa and a run */
};

/* Reads the rules, then the traces (several: a rank each), measures, judges.
 * `with_runs`: a rule may ask about the variants of the one bundle that is given. */
int trace_check_do(struct trace_check *c, const struct trace_check_options *o, bool with_runs, struct err *e);
void trace_check_release(struct trace_check *c); /* of a zeroed one, too */

/* Returns what reports need. It points into both arguments. */
struct check_report trace_check_report(const struct trace_check *c, const struct trace_check_options *o);

/* By the rules, and 5 for a truncated input or one without GPU events. */
enum exit_status trace_check_status(const struct trace_check *c);

/* On standard error: what changes the status and is no rule. */
void trace_check_print_caveats(const struct trace_check *c, const struct trace_check_options *o);

#endif
