/* What does a run say about one variant at one shape? */
#include "model/run_facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/metrics.h"
#include "model/statistics.h"
#include "model/timing_arms.h"

struct run_facts {
    const struct analysis *analysis;
    struct timing_arms arms;
    double *medians; /* room for the processes of any arm */
};

int run_facts_new(struct run_facts **out, const struct analysis *a, struct err *e)
{
    *out = NULL;
    struct run_facts *f = calloc(1, sizeof *f);
    if (!f)
        return err_memory(e);
    f->analysis = a;
    int code = timing_arms_read(&f->arms, &a->bundle->tables[BUNDLE_TIMING], e);
    size_t most = 1;
    for (size_t i = 0; i < f->arms.count; i++)
        if (f->arms.items[i].processes.count > most)
            most = f->arms.items[i].processes.count;
    f->medians = calloc(most, sizeof *f->medians);
    if (!code && !f->medians)
        code = err_memory(e);
    if (code)
        run_facts_free(f);
    else
        *out = f;
    return code;
}

void run_facts_free(struct run_facts *f)
{
    if (!f)
        return;
    timing_arms_release(&f->arms);
    free(f->medians);
    free(f);
}

const struct analysis *run_facts_analysis(const struct run_facts *f)
{
    return f->analysis;
}

double fact_time(const struct run_facts *f, const struct fact_place *p)
{
    const struct timing_arm *arm = timing_arms_find(&f->arms, p->variant, p->shape);
    if (!arm)
        return NAN;
    for (size_t i = 0; i < arm->processes.count; i++)
        f->medians[i] = arm->processes.items[i].typical_ns;
    return median(f->medians, arm->processes.count);
}

size_t run_facts_processes(const struct run_facts *f, const char *variant, const char *shape)
{
    const struct timing_arm *arm = timing_arms_find(&f->arms, variant, shape);
    return arm ? arm->processes.count : 0;
}

static double of_resources(const struct run_facts *f, const struct fact_place *p, size_t column)
{
    const struct table *t = &f->analysis->bundle->tables[BUNDLE_RESOURCES];
    for (size_t row = 0; row < table_rows(t); row++)
        if (!strcmp(table_text(t, row, RESOURCES_VARIANT), p->variant) &&
            !strcmp(table_text(t, row, RESOURCES_SHAPE), p->shape))
            return table_number(t, row, column);
    return NAN;
}

double fact_registers(const struct run_facts *f, const struct fact_place *p)
{
    return of_resources(f, p, RESOURCES_REGISTERS);
}

double fact_shared(const struct run_facts *f, const struct fact_place *p)
{
    return of_resources(f, p, RESOURCES_SHARED);
}

double fact_spills(const struct run_facts *f, const struct fact_place *p)
{
    return of_resources(f, p, RESOURCES_SPILL);
}

double fact_occupancy(const struct run_facts *f, const struct fact_place *p)
{
    return of_resources(f, p, RESOURCES_OCCUPANCY);
}

double fact_max_abs_err(const struct run_facts *f, const struct fact_place *p)
{
    const struct correctness *c = analysis_correctness(f->analysis, p->variant, p->shape);
    return c ? c->max_abs_err : NAN;
}

double fact_bad_ratio(const struct run_facts *f, const struct fact_place *p)
{
    const struct correctness *c = analysis_correctness(f->analysis, p->variant, p->shape);
    return c ? c->bad_ratio : NAN;
}

static bool adds_up(enum unit unit)
{
    return unit == UNIT_COUNT || unit == UNIT_NS || unit == UNIT_BYTES || unit == UNIT_CYCLES;
}

double fact_metric(const struct run_facts *f, const struct fact_place *p)
{
    const struct table *t = &f->analysis->bundle->tables[BUNDLE_METRICS];
    const struct metric *ours = metric_by_id(p->metric);
    const char *name = ours ? ours->name : p->metric;
    double sum = NAN;
    for (size_t row = 0; row < table_rows(t); row++) {
        const double value = table_number(t, row, METRICS_VALUE);
        if (strcmp(table_text(t, row, METRICS_METRIC), name) != 0 ||
            strcmp(table_text(t, row, METRICS_VARIANT), p->variant) != 0 ||
            strcmp(table_text(t, row, METRICS_SHAPE), p->shape) != 0)
            continue;
        if (isnan(sum))
            sum = value;
        else if (adds_up(metric_unit(name)))
            sum += value;
        else
            return NAN;
    }
    return sum;
}

double fact_class(const struct run_facts *f, const struct fact_place *p)
{
    const struct bound *found = NULL;
    for (size_t i = 0; i < f->analysis->bounds.count; i++) {
        const struct bound *bound = &f->analysis->bounds.items[i];
        if (strcmp(bound->variant, p->variant) != 0 || strcmp(bound->shape, p->shape) != 0)
            continue;
        if (found && found->class_ != bound->class_)
            return NAN;
        found = bound;
    }
    return found ? (double)found->class_ : NAN;
}
