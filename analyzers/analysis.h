/* analysis.h - everything that the analyzers say about one bundle. Each
 * analyzer appends its values here and may read what earlier ones said; the
 * reports show it, the command judges by it. A verdict starts inconclusive and
 * is upgraded only by evidence. */
#ifndef CPPROF_ANALYSIS_H
#define CPPROF_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzers/arm_doubt.h"
#include "analyzers/bounds/bound_rows.h"
#include "analyzers/changes/change_rows.h"
#include "analyzers/compare/compare_rows.h"
#include "analyzers/compare/sweep_rows.h"
#include "analyzers/correctness/correctness_rows.h"
#include "analyzers/finding.h"
#include "analyzers/hotspots/hotspot_rows.h"
#include "analyzers/inside/inside_rows.h"
#include "analyzers/launch/launch_rows.h"
#include "analyzers/progress/progress_rows.h"
#include "analyzers/resources/resource_rows.h"
#include "analyzers/selection/selection_rows.h"
#include "analyzers/slack/slack_rows.h"
#include "analyzers/solutions/solution_rows.h"
#include "analyzers/witness/witness_rows.h"
#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/err.h"
#include "core/bundle/bundle.h"
#include "core/gpu/thresholds.h"
#include "core/run/roofline.h"
#include "core/run/run.h"
#include "core/trace/timeline.h"

struct aa_comparisons;

/* The lists below whose rows are found by their arm. */
enum arm_list {
    ARM_SELECTION,
    ARM_CORRECTNESS,
    ARM_WITNESSES,
    ARM_COMPARISONS, /* by candidate */
    ARM_TIMINGS,
    ARM_BOUNDS,
    ARM_ROOFLINES,
    ARM_LAUNCHES,
    ARM_RESOURCES,
    ARM_INSIDES, /* by the arm that records */
    ARM_SLACKS,  /* by the arm without marks */
    ARM_LISTS
};

/* The rows of one arm in a list: `count` of those from `first` up to `end`, which mostly are all. */
struct arm_rows {
    size_t first, end, count;
};

struct analysis {
    struct arena arena; /* owns all strings and the inner arrays above */
    const struct bundle *bundle;
    struct run *run; /* of the bundle, for the questions; NULL before analysis_join */
    struct run own_run;
    struct arm_rows *arm_rows;    /* ARM_LISTS for each arm of the own run */
    const char **baselines;       /* of each variant, by the index of its first arm; NULL: it states none */
    struct thresholds thresholds; /* of the bounds: those of the bundle's chip, or of a file */
    ARRAY_OF(struct capability_thresholds) by_capability; /* of launches that another tool counted; empty of a bundle */
    double margin;                                        /* of the comparison */
    int looks; /* after any of which what is judged here may have been stopped (core/stats/sequential_looks.h) */
    const struct aa_comparisons *aa; /* what this machine can tell, for gates on times; not owned, NULL unknown */
    const char *aa_doubt;            /* why that may be less than the pool says; NULL: it is not */
    ARRAY_OF(struct selection_check) selection;
    ARRAY_OF(struct correctness) correctness;
    ARRAY_OF(struct witness_check) witnesses; /* arm by arm */
    struct comparison_list comparisons; /* results: no build with marks or without a part of its work is in them */
    struct comparison_list mark_costs;  /* builds that record or show progress against their variants; no results */
    ARRAY_OF(struct sweep) sweeps;      /* their rows are in `comparisons`, which is complete then */
    ARRAY_OF(struct timing_summary) timings;
    ARRAY_OF(struct bound) bounds;
    ARRAY_OF(struct roofline) rooflines; /* of kernels whose operations were counted */
    ARRAY_OF(struct solution) solutions; /* of a run with a task */
    ARRAY_OF(struct prediction) predictions;
    ARRAY_OF(struct launch_cost) launches;
    ARRAY_OF(struct resource) resources;
    ARRAY_OF(struct identical_code) identical;
    ARRAY_OF(struct expected_change_result) expected_changes;
    ARRAY_OF(struct transition) transitions;
    ARRAY_OF(struct hotspots) hotspots;
    ARRAY_OF(struct inside) insides; /* of arms that record */
    ARRAY_OF(struct slack) slacks;   /* of marks that may wait */
    ARRAY_OF(struct hang) hangs;     /* launches that did not end */
    ARRAY_OF(struct finding) findings;
    bool has_timeline;
    struct timeline timeline;    /* classes of the traced process */
    struct timeline_query query; /* sets of rules may be added before the analyzers run; they stay the rules' */
    size_t own_sets_first, own_sets_count; /* of the query: what the overlap analyzer added, released here */
};

/* With the thresholds of an unknown chip. */
void analysis_init(struct analysis *a, const struct bundle *bundle);
void analysis_release(struct analysis *a);

/* Joins the run of the bundle, before the first question is asked. */
int analysis_join(struct analysis *a, struct err *e);
/* The trace, for its names and caveats; NULL without one that can be read. */
struct event_stream *analysis_stream(const struct analysis *a);

/* The arm of these names in its run; NULL when there is none. */
const struct arm *analysis_arm(const struct analysis *a, const char *variant, const char *config);

/* Whoever appends a row of an arm of the own run to one of these lists notes it. */
void analysis_note(struct analysis *a, enum arm_list list, const struct arm *arm, size_t row);
struct arm_rows analysis_rows(const struct analysis *a, enum arm_list list, const struct arm *arm);

/* What was said about one arm; NULL when nothing was, and for NULL. */
const struct selection_check *analysis_selection(const struct analysis *a, const struct arm *arm);
const struct correctness *analysis_correctness(const struct analysis *a, const struct arm *arm);
const struct bound *analysis_bound(const struct analysis *a, const struct arm *arm);       /* of its first kernel */
const struct resource *analysis_resource(const struct analysis *a, const struct arm *arm); /* likewise */
const struct launch_cost *analysis_launch_cost(const struct analysis *a, const struct arm *arm);
/* Its times with caches that were not emptied. */
const struct timing_summary *analysis_timing(const struct analysis *a, const struct arm *arm);
const struct inside *analysis_inside(const struct analysis *a, const struct arm *arm); /* of the arm that records */

/* What bounds an arm of one kernel; NULL of a program of several, where the first speaks for none of the others. */
const struct bound *analysis_only_bound(const struct analysis *a, const struct arm *arm);

/* Its wrong result, at this config or at one that is only verified, which says that the variant is wrong. */
const struct correctness *analysis_wrong_result(const struct analysis *a, const struct arm *arm);

/* Did all checks of it pass, also those at configs that are only verified? A program of which `run --unverified`
 * accepted that nobody compares its results has none. */
bool analysis_is_right(const struct analysis *a, const struct arm *arm);

/* Was another kernel launched than the one that was meant, or none? That none was is left to the contradiction where
 * launches contradict each other. */
bool analysis_is_wrong_kernel(const struct analysis *a, const struct selection_check *check);

/* The first contradiction about an arm; NULL when there is none. */
const struct witness_check *analysis_contradiction(const struct analysis *a, const struct arm *arm);

/* Is any arm contradicted by its witnesses? */
bool analysis_is_contradicted(const struct analysis *a);

/* Was it shown that the arm ran what was meant, and that its results are right? A
 * check that failed, decided nothing or was not made is no proof, nor is any while the arm's witnesses contradict each
 * other. */
bool analysis_is_proven(const struct analysis *a, const struct arm *arm);
/* Why not; ARM_DOUBT_NONE when it was. */
enum arm_doubt analysis_doubt_of_arm(const struct analysis *a, const struct arm *arm);

/* ---- programs whose results nobody compared (docs/programs.md) ---- */

/* Is the arm a program that wrote no array, or one with nothing to hold against it? Not where some of its arrays were
 * compared, nor where checks are missing from a damaged bundle. */
bool analysis_is_uncompared(const struct analysis *a, const struct arm *arm);

/* Does the bundle say that its programs may stay uncompared? */
bool analysis_accepts_uncompared(const struct analysis *a);

/* Is it one whose results were to be compared? */
bool analysis_lacks_results(const struct analysis *a, const struct arm *arm);

/* Are all arms of the run uncompared programs? */
bool analysis_all_uncompared(const struct analysis *a);

/* Why the first of them was not compared, in the words of the bundle; "" where none is. */
const char *analysis_uncompared_reason(const struct analysis *a);

/* Is it of solutions, which a task judges? */
bool analysis_has_task(const struct analysis *a);

/* Is it a solution that is a function of a Python file? Its launches wait for Python where they are no graphs. */
bool analysis_is_python(const struct analysis *a, const struct arm *arm);

/* What a variant is compared with; "" for the baseline itself, and without one. */
const char *analysis_baseline_of(const struct analysis *a, const char *variant);

/* Can its GPU load tiles by TMA? Of asynchronous copies only cp.async is counted (ldgsts), so that a kernel without
 * any may load ahead nevertheless. */
bool analysis_has_tma(const struct analysis *a);

/* Returns the chip that the bundle was recorded on; NULL without a bundle, and for one that no row tells of. */
const struct chip *analysis_chip(const struct analysis *a);

/* Classifies wrong outputs: "new" when the baseline's are right at this config,
 * "baseline fails too" when not; "" when there is nothing to say. */
const char *analysis_failure(const struct analysis *a, const struct correctness *c);

/* A new finding; its texts are copied. NULL when memory is out. */
struct finding *analysis_finding(struct analysis *a, const char *id, enum severity severity, const char *variant,
                                 const char *config, const char *claim);

/* Selection, witnesses, correctness, whether launches end, and the comparisons where there is a baseline: 0, 1, 3, or 5
 * when there was nothing to judge. Evidence that is missing (a process that died, dropped records) makes a pass
 * inconclusive; a table that breaks off is 5. */
enum exit_status analysis_status(const struct analysis *a);

/* 1 when a launch does not end, 3 when its warps still move and it may only be long, else 0. */
enum exit_status hangs_status(const struct analysis *a);

/* 1 when a candidate is slower or an arm is contradicted, 5 unusable, 3 inconclusive, 0 when each is
 * faster or equivalent; 5 when there is no comparison. The arms of `verdicts` are those of `base` and `cand`. */
enum exit_status comparisons_status(const struct analysis *verdicts, const struct analysis *base,
                                    const struct analysis *cand);

/* Communication and compute of a launch, on the device that communicates longest, and which share of the shorter one
 * the median launch saves of both one after the other. NAN unless the run timed one arm that has both. */
struct both_parts {
    double comm_ns, compute_ns, hidden;
};
struct both_parts analysis_both_parts(const struct analysis *a);

#endif
