/* run_facts.h - what does a run say about one variant at one config, in one
 * number or word? The functions of the rule language that name a variant. */
#ifndef CPPROF_RUN_FACTS_H
#define CPPROF_RUN_FACTS_H

#include "analyzers/analysis.h"
#include "core/base/err.h"

struct run_facts;

/* `a` must outlive it; what the analyzers say has to be in it already. */
int run_facts_new(struct run_facts **out, const struct analysis *a, struct err *e);
void run_facts_free(struct run_facts *f);
const struct analysis *run_facts_analysis(const struct run_facts *f);

/* Which fact of which arm: `metric` is a counter's name, ours or CUPTI's, where one is asked for. */
struct fact_place {
    const struct arm *arm; /* NULL: the run has no such arm, so that nothing is known */
    const char *metric;    /* or a phase's */
};

/* In base units; NAN where the run does not say. */
double fact_time(const struct run_facts *f,
                 const struct fact_place *p); /* typical over the processes, caches hot if timed so */
size_t run_facts_processes(const struct run_facts *f, const struct arm *arm); /* that timed it */
double fact_registers(const struct run_facts *f, const struct fact_place *p);
double fact_local(const struct run_facts *f, const struct fact_place *p);
double fact_waves(const struct run_facts *f, const struct fact_place *p);
double fact_launches(const struct run_facts *f,
                     const struct fact_place *p); /* kernels that the first traced call launched */
double fact_shared(const struct run_facts *f, const struct fact_place *p);
double fact_spills(const struct run_facts *f, const struct fact_place *p);
double fact_occupancy(const struct run_facts *f, const struct fact_place *p);
double fact_max_abs_err(const struct run_facts *f, const struct fact_place *p);   /* worst over seeds and phases */
double fact_wrong_kernels(const struct run_facts *f, const struct fact_place *p); /* 0 or 1 */
double fact_bad_ratio(const struct run_facts *f, const struct fact_place *p);
/* The mean over the readings of `--count-repeats`. When a variant launches several kernels, or was counted on
 * several GPUs: the sum of counts, times and sizes; a share of several is not known. One unknown reading makes it
 * unknown. */
double fact_metric(const struct run_facts *f, const struct fact_place *p);
/* The same of kernels alone: what a GPU counts of a whole launch is as long as what it waits for. */
double metric_of_arm(const struct analysis *a, const struct fact_place *p);
/* enum bound_class, the same for all of its kernels. */
double fact_class(const struct run_facts *f, const struct fact_place *p);

/* From the comparison with its baseline, with hot caches if it was timed so. */
double fact_ratio(const struct run_facts *f, const struct fact_place *p);
double fact_speedup(const struct run_facts *f, const struct fact_place *p);
double fact_gain(const struct run_facts *f, const struct fact_place *p);

/* From the arm that records the inside of a kernel (docs/inside.md). The place names that arm, or the one without marks
 * that it comes from. */
double fact_exposed_wait(const struct run_facts *f, const struct fact_place *p);
double fact_savable(const struct run_facts *f, const struct fact_place *p);        /* by tiles that come earlier */
double fact_inside_overlap(const struct run_facts *f, const struct fact_place *p); /* E of a block by itself */
/* ns a tile of the phase that `metric` names; of several of that name the longest. */
double fact_phase(const struct run_facts *f, const struct fact_place *p);

/* From the arms whose marks wait. The place names the arm without marks and a phase; of several of that name the one
 * that has least slack. */
double fact_slack(const struct run_facts *f, const struct fact_place *p);    /* ns that it may begin later for free */
double fact_critical(const struct run_facts *f, const struct fact_place *p); /* cost of a small delay over the delay */

/* What is measured is known up to an interval only. */
struct fact_interval {
    double low, high;
    const char *doubt; /* why nothing may be concluded from it, a sentence; "" when something may */
};
int fact_time_interval(const struct run_facts *f, const struct fact_place *p, struct fact_interval *out, struct err *e);
int fact_ratio_interval(const struct run_facts *f, const struct fact_place *p, struct fact_interval *out,
                        struct err *e);
int fact_speedup_interval(const struct run_facts *f, const struct fact_place *p, struct fact_interval *out,
                          struct err *e);
int fact_gain_interval(const struct run_facts *f, const struct fact_place *p, struct fact_interval *out, struct err *e);
int fact_exposed_wait_interval(const struct run_facts *f, const struct fact_place *p, struct fact_interval *out,
                               struct err *e);
int fact_savable_interval(const struct run_facts *f, const struct fact_place *p, struct fact_interval *out,
                          struct err *e);
int fact_inside_overlap_interval(const struct run_facts *f, const struct fact_place *p, struct fact_interval *out,
                                 struct err *e);
int fact_phase_interval(const struct run_facts *f, const struct fact_place *p, struct fact_interval *out,
                        struct err *e);

int fact_slack_interval(const struct run_facts *f, const struct fact_place *p, struct fact_interval *out,
                        struct err *e);
int fact_critical_interval(const struct run_facts *f, const struct fact_place *p, struct fact_interval *out,
                           struct err *e);

/* The ratio of the times of two arms at one config: the comparison's where
 * there is one, whichever of them is its baseline. NAN when one was not timed. */
int run_facts_time_ratio(const struct run_facts *f, const struct arm *numerator, const struct arm *denominator,
                         double *ratio, struct fact_interval *out, struct err *e);

/* Its comparison with its baseline, hot caches if it was timed so; NULL without one. */
const struct comparison *run_facts_comparison(const struct run_facts *f, const struct arm *arm);

/* The variant that this one is compared with; "" without one. */
const char *run_facts_baseline(const struct run_facts *f, const char *variant);

/* What the manifest says at "gpu.uuid", for people; "" when it says nothing. */
const char *run_facts_recorded(const struct run_facts *f, const char *path, struct arena *arena);

#endif
