/* How do two arms of one run differ in time, and how sure is the time of one? */
#include "model/arm_ratio.h"

#include <stdlib.h>

static void take(double *values, size_t *count, const struct timing_process *p)
{
    values[(*count)++] = p->median_ns;
}

/* Processes ascend in both arms. */
static void take_pairs(double *base, double *cand, struct ratio_medians *m, const struct timing_arm *of_base,
                       const struct timing_arm *of_cand)
{
    for (size_t i = 0, j = 0; i < of_base->processes.count && j < of_cand->processes.count;) {
        const struct timing_process *b = &of_base->processes.items[i], *c = &of_cand->processes.items[j];
        if (b->process == c->process) {
            take(base, &m->base_count, b);
            take(cand, &m->cand_count, c);
        }
        i += b->process <= c->process;
        j += c->process <= b->process;
    }
    m->paired = m->base_count > 0;
}

int arm_ratio_decide(const struct timing_arm *base, const struct timing_arm *cand, double margin,
                     struct ratio_decision *out, struct err *e)
{
    double *of_base = calloc(base->processes.count + 1, sizeof *of_base);
    double *of_cand = calloc(cand->processes.count + 1, sizeof *of_cand);
    struct ratio_medians m = {.base = of_base, .cand = of_cand};
    const int code = of_base && of_cand ? 0 : err_memory(e);
    if (!code) {
        take_pairs(of_base, of_cand, &m, base, cand);
        for (size_t i = 0; i < base->processes.count && !m.paired; i++)
            take(of_base, &m.base_count, &base->processes.items[i]);
        for (size_t i = 0; i < cand->processes.count && !m.paired; i++)
            take(of_cand, &m.cand_count, &cand->processes.items[i]);
        *out = ratio_decide(&m, margin);
    }
    free(of_base);
    free(of_cand);
    return code;
}

int arm_time_interval(const struct timing_arm *arm, struct ratio_interval *out, struct err *e)
{
    const size_t count = arm->processes.count;
    double *ones = calloc(count + 1, sizeof *ones), *medians = calloc(count + 1, sizeof *medians);
    const int code = ones && medians ? 0 : err_memory(e);
    if (!code) {
        for (size_t i = 0; i < count; i++) {
            ones[i] = 1;
            medians[i] = arm->processes.items[i].median_ns;
        }
        *out = bootstrap_ratio(ones, count, medians, count, 1, RATIO_CONFIDENCE);
    }
    free(ones);
    free(medians);
    return code;
}
