/* reports.h - what can be written about an analysis, a timeline, a bound. */
#ifndef CPPROF_REPORTS_H
#define CPPROF_REPORTS_H

#include "analyzers/analysis.h"
#include "analyzers/compare/evolution.h"
#include "analyzers/overlap/overlap_cost.h"
#include "analyzers/overlap/overlap_rows.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/run/imported_launches.h"
#include "core/trace/rank_starts.h"
#include "core/trace/timeline.h"
#include "reports/document/document.h"
#include "rules/rules.h"

/* The report of a run: one screen of verdict first (selection, correctness,
 * speed, bound, launch, overlap, resources), then tables, provenance and the
 * command to reproduce last. */
int report_run(const struct analysis *a, struct document *out, struct err *e);

/* What `overlap` prints: the matrix of classes per device, assertions, caveats. */
struct overlap_report {
    const char *source; /* the trace as given */
    const struct strtab *strings;
    const struct timeline_query *query;
    const struct timeline *timeline;
    const struct rule_results *assertions;
    const struct caveat_list *caveats;
    const enum event_class *classes; /* class of each of the first class_count sets of the query */
    size_t class_count;
    const struct rank_starts *starts; /* of all ranks of the input: windows count from there */
    enum dependent_launch dependent_launch;
    bool is_part; /* of a larger document, which says elsewhere what it is measured on */
    bool is_full; /* each of many devices is shown, not one for all that are alike */
};
/* For the columns of its devices (analyzers/overlap/overlap_rows.h). */
struct overlap_context overlap_context_of(const struct overlap_report *r, struct arena *arena);
int report_overlap(const struct overlap_report *r, struct document *out, struct err *e);

/* What `overlap --cost` prints. */
struct cost_report {
    const struct overlap_cost *cost;
    const struct caveat_list *caveats[3]; /* of a, b, both */
};
int report_cost(const struct cost_report *r, struct document *out, struct err *e);
json_t *json_cost(const struct cost_report *r); /* cpprof.cost/1 */

/* What `check` prints: the results of rules, whatever they were judged on. */
struct check_report {
    const char *source;              /* the input as given */
    const struct strtab *strings;    /* of the counterexamples' names; NULL without a trace */
    const struct timeline *timeline; /* empty without a trace */
    const struct rule_results *results;
    const struct rank_starts
        *starts; /* of all ranks of the trace: starts of events are shown from there; NULL without one */
    const struct caveat_list *caveats;
    bool is_full; /* each of many rows of a rule is shown */
};
struct check_report check_report_of(const struct overlap_report *r);
int report_check(const struct check_report *r, struct document *out, struct err *e);
json_t *json_check(const struct check_report *r); /* cpprof.check/1 */
int junit_check(const struct check_report *r, struct str *out,
                struct err *e); /* JUnit's XML: reports/junit.c says which */
int github_check(const struct check_report *r, struct str *out,
                 struct err *e); /* workflow commands of GitHub Actions */

/* The same, of a check that could not be made: `why` instead of results. */
struct check_failure {
    const char *source, *why;
    const char *file; /* of the rule that is wrong; NULL: in none */
    size_t line;      /* 0: the file as a whole */
};
json_t *json_check_error(const struct check_failure *f);
int junit_check_error(const struct check_failure *f, struct str *out, struct err *e);
int github_check_error(const struct check_failure *f, struct str *out, struct err *e);

/* Stages of a kernel over one or more bundles: cpprof.evolution/1 as JSON. */
struct evolution_report {
    const struct evolution *evolution;
    const struct evolution_source *sources;
    size_t source_count;
};
int report_evolution(const struct evolution_report *r, struct document *out, struct err *e);
json_t *json_evolution(const struct evolution_report *r);

/* `explain`: with each step of each decision. */
int report_bounds(const struct analysis *a, bool explain, struct document *out, struct err *e);

/* The bounds of launches that another tool counted; `path` is the file as given. */
int report_counted(const struct analysis *a, const struct imported_launches *launches, const char *path, bool explain,
                   struct document *out, struct err *e);
json_t *json_counted(const struct analysis *a, const struct imported_launches *launches); /* cpprof.classify/1 */

/* cpprof.overlap/1, cpprof.classify/1, cpprof.compare/1 (docs/json.md). */
json_t *json_overlap(const struct overlap_report *r);
json_t *json_classify(const struct analysis *a);
json_t *json_compare(const struct analysis *a);

/* cpprof.brief/1: the first screen of a report that was made in `d`, in at most 2 KiB; and what of it is the document's
 * `facts`, of a run. */
json_t *json_brief(const char *path, const struct document *d);
json_t *json_brief_facts(const struct analysis *a);

/* What `inside` prints, and as cpprof.inside/1. */
int report_inside(const struct analysis *a, struct document *out, struct err *e);
json_t *json_inside(const struct analysis *a);

/* What `slack` prints, and as cpprof.slack/1. */
int report_slack(const struct analysis *a, struct document *out, struct err *e);
json_t *json_slack(const struct analysis *a);

#endif
