/* run_facts.h - what does a run say about one variant at one shape, in one
 * number or word? The functions of the rule language that name a variant. */
#ifndef CPPROF_RUN_FACTS_H
#define CPPROF_RUN_FACTS_H

#include "base/err.h"
#include "model/analysis.h"

struct run_facts;

/* `a` must outlive it; what the analyzers say has to be in it already. */
int run_facts_new(struct run_facts **out, const struct analysis *a, struct err *e);
void run_facts_free(struct run_facts *f);
const struct analysis *run_facts_analysis(const struct run_facts *f);

/* Which fact: `metric` is a counter's name, ours or CUPTI's, where one is asked for. */
struct fact_place {
    const char *variant, *shape, *metric;
};

/* In base units; NAN where the run does not say. */
double fact_time(const struct run_facts *f, const struct fact_place *p); /* median of the processes' medians, caches hot if timed so */
size_t run_facts_processes(const struct run_facts *f, const char *variant, const char *shape); /* that timed it */
double fact_registers(const struct run_facts *f, const struct fact_place *p);
double fact_shared(const struct run_facts *f, const struct fact_place *p);
double fact_spills(const struct run_facts *f, const struct fact_place *p);
double fact_occupancy(const struct run_facts *f, const struct fact_place *p);
double fact_max_abs_err(const struct run_facts *f, const struct fact_place *p); /* worst over seeds and phases */
double fact_bad_ratio(const struct run_facts *f, const struct fact_place *p);
/* Of a variant that launches several kernels: the sum of counts, times and
 * sizes; a share of several kernels is not known. */
double fact_metric(const struct run_facts *f, const struct fact_place *p);
/* enum bound_class, the same for all of its kernels. */
double fact_class(const struct run_facts *f, const struct fact_place *p);

#endif
