/* analyzer.h - questions are asked, each once, where somebody needs them. */
#ifndef CPPROF_ANALYZER_H
#define CPPROF_ANALYZER_H

#include "analyzers/analysis.h"
#include "analyzers/entries.h"
#include "core/base/err.h"
#include "core/run/imported_launches.h"

/* Adds what these questions need, directly or not. */
uint32_t questions_with_needs(uint32_t questions);

/* Joins the run and asks these questions (analyzers/entries.h) with all that they need, in the order of their list. */
int analyzers_run(struct analysis *a, uint32_t questions, struct err *e);

/* Judges the variants of one bundle against those of another, as independent
 * groups of processes: comparisons, sweeps and findings go to `out`, which is
 * initialised with the candidate's bundle and has its margin. Variants join by
 * name and config, or by config when each bundle has one. What is in `across`
 * differs on purpose (analyzers/arm_differences.h). ERR_INPUT when nothing joins. */
int compare_bundles(struct analysis *out, const struct analysis *base, const struct analysis *cand, const char *across,
                    struct err *e);

/* What became different between the arms of the comparisons of two bundles, into `out`. */
int transitions_of_bundles(struct analysis *out, const struct analysis *base, const struct analysis *cand,
                           struct err *e);

/* What bounds each launch that another tool counted, into an analysis without a
 * bundle: one bound each, in their order. The launches must outlive it. */
int bound_analyze_counted(struct analysis *a, const struct imported_launches *launches, struct err *e);

#endif
