/* run_report.h - the parts of a run's report, in their order (run_report.c). */
#ifndef CPPROF_RUN_REPORT_H
#define CPPROF_RUN_REPORT_H

#include "analyzers/analysis.h"
#include "analyzers/compare/comparison_words.h"
#include "core/base/json.h"
#include "core/base/units.h"
#include "core/trace/short_names.h"
#include "reports/document/document.h"

/* One screen: the verdict as the first heading, a table, a picture, and a line for each question. */
void run_screen_add(const struct analysis *a, struct document *d);

/* The tables of comparisons and of sweeps (comparison_tables.c); nothing without any. */
/* All solutions of a task, in one table; false without a task. */
bool run_solutions_screen(const struct analysis *a, struct document *d);
void run_solutions_checked(const struct analysis *a, struct document *d); /* how many pass */
size_t run_solution_rows(const struct analysis *a);                       /* one for each at each shape; 0: no task */
bool run_solutions_are_few(const struct analysis *a);                     /* so that a screen has room for a picture */
void run_solutions_add(const struct analysis *a, struct document *d);
void comparison_tables_add(const struct analysis *a, struct document *d);
void comparison_basis_add(const struct analysis *a,
                          struct document *d); /* what each rests on; is among them but on a screen */
void mark_costs_add(const struct analysis *a, struct document *d); /* of builds with marks, which are no results */
void sweep_tables_add(const struct analysis *a, struct document *d);

/* A section with tables for each question that has an answer. */
void run_selection_add(const struct analysis *a, struct document *d);
void run_correctness_add(const struct analysis *a, struct document *d);
void run_speed_add(const struct analysis *a, struct document *d);
void run_bounds_add(const struct analysis *a, struct document *d);
void run_roofline_add(const struct analysis *a, struct document *d);
void run_predictions_add(const struct analysis *a, struct document *d);
void run_thresholds_add(const struct analysis *a, struct document *d); /* of the bounds */
/* Only then, or when they are overridden: whether. */
bool run_thresholds_asked(const struct analysis *a, bool explain, struct document *d);
void run_thresholds_hint(struct document *d);                          /* else: where they are found */
void run_hotspots_add(const struct analysis *a, struct document *d);   /* of runs with --hotspots */
void run_inside_add(const struct analysis *a, struct document *d);     /* of runs with --inside */
void run_inside_answer(const struct inside *row, struct document *d);  /* one arm's sentence */
void run_inside_verdict(const struct inside *row, struct document *d); /* whether the copy is hidden, or who waits; */
void run_inside_rest(const struct inside *row, struct document *d);    /* the other one of the two */
void run_inside_line(const struct inside *row, struct document *d);    /* both in one line of the first screen */
void run_inside_counts(const struct analysis *a, struct document *d);  /* one of several arms */
void run_inside_fold_answers(const struct analysis *a, struct document *d); /* of arms whose launches were folded */
void run_inside_fold_add(const struct analysis *a, struct document *d);     /* the numbers, and why others were not */
void run_slack_answer(const struct slack *row, struct document *d);         /* of one phase */
void run_slack_counts(const struct analysis *a, struct document *d);
bool run_headline_hang(const struct analysis *a, struct document *d);   /* of a launch that does not end, or false */
void run_progress_screen(const struct analysis *a, struct document *d); /* that watched launches ended */
void run_progress_add(const struct analysis *a, struct document *d);    /* of those that did not */
void run_slack_add(const struct analysis *a, struct document *d);       /* of runs with --slack */
void run_links_add(const struct analysis *a, struct document *d);       /* of runs that counted NVLink's bytes */
bool run_has_evolution(const struct analysis *a);
void run_evolution_add(const struct analysis *a, struct document *d);   /* of ladders with more than two stages */
void run_transitions_add(const struct analysis *a, struct document *d); /* a part of Speed */
void run_expected_changes_add(const struct analysis *a, struct document *d);
bool expected_change_is_against_another(const struct analysis *a,
                                        const struct expected_change_result *s); /* than the run's baseline */
void run_findings_add(const struct analysis *a, struct document *d);
void run_launches_add(const struct analysis *a, struct document *d);
void run_resources_add(const struct analysis *a, struct document *d);
void run_timeline_add(const struct analysis *a, struct document *d);

/* What is reported of programs: their iterations, what their arrays were held against, where they come from. */
void run_iterations_add(const struct analysis *a, struct document *d);
void run_iterations_compared(const struct analysis *a, struct document *d);
void run_witnesses_add(const struct analysis *a, struct document *d);
void run_last_words_add(const struct analysis *a, struct document *d);
void run_programs_add(const struct analysis *a, struct document *d);
void run_libraries_add(const json_t *manifest, struct document *d); /* of users' own variants; nothing without one */

/* Caveats, where and with what it was measured, and how to do it again. */
void run_provenance_add(const struct analysis *a, struct document *d);

/* Why no more processes were timed, of manifests that say so: one bullet (run_stop.c). */
void run_stop_add(const json_t *manifest, struct document *d);
json_t *json_stop(const json_t *manifest); /* null of one that does not say */

/* What was not measured, and why, of the run and of its processes; each once. Returns how many more there are than a
 * report shows. */
size_t run_missing_each(const struct analysis *a, struct document *d,
                        void (*write_one)(struct document *d, const char *what, const char *why));

/* What the bundle and its trace must say besides the data. */
void run_caveats_each(const struct analysis *a, struct document *d,
                      void (*write_one)(struct document *d, const struct caveat *caveat));

/* What was asked for and could not be run here: a bullet each. */
void run_refused_each(const struct analysis *a, struct document *d);

/* Both as plain bullets, at the end of a report that has no line of its own for them. */
void run_notes_add(const struct analysis *a, struct document *d);

/* Words that several parts use. */
void words_arm(struct document *d, const char *variant, const char *config); /* `variant` at config */

/* The kernels of an analysis as its tables name them: as short as they can be told apart; release with
 * short_names_release. */
void kernel_names_of(struct short_names *names, const struct analysis *a, struct document *d);
uint32_t kernel_names_add(struct document *d, struct short_names *names,
                          const char *symbol); /* one more; 0: no memory */
void cell_kernel(struct document *d, struct short_names *names, const char *symbol);
const char *words_case(struct document *d, const char *config, const char *cache); /* "mission", "mission, cold L2" */
void words_kernel(struct document *d, const char *symbol);                         /* demangled, short */
void words_unit(struct document *d, enum unit unit, double value);
void cells_gain(struct document *d, const struct comparison *c);       /* two cells: the gain, and its interval */
void words_bound(struct document *d, const struct bound *b);           /* "memory-bound (dram)" */
void words_class_counts(struct document *d, const struct analysis *a); /* ": 5 compute-bound, 1 memory-bound" */
void words_repeats(struct document *d,
                   const struct bound *b); /* ", margin 28.0%, 18 of 20 readings (2 balanced)"; nothing of one */

/* `candidate` beside `baseline` at config: what became different, one paragraph or bullet each (run_changes.c). */
void words_transition(struct document *d, const struct transition *t);

/* True for a pair (b, a) behind (a, b): the same time, not to be shown twice. */
bool mirrors_earlier_pair(const struct timeline_query *query, size_t at);

#endif
