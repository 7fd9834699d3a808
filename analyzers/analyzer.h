/* analyzer.h - one question, one file, one line in the table. */
#ifndef CPPROF_ANALYZER_H
#define CPPROF_ANALYZER_H

#include "analyzers/analysis.h"
#include "core/base/err.h"
#include "core/run/imported_launches.h"

struct analyzer {
    const char *name;
    const char *question;
    int (*run)(struct analysis *a, struct err *e); /* nothing to go by is no error: it adds what it can */
};

/* In the order in which they run: each may read what earlier ones said. */
extern const struct analyzer analyzer_table[];
extern const size_t analyzer_count;

int analyzers_run(struct analysis *a, struct err *e);

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
