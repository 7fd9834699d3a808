/* How do two arms of one run differ in time, and how sure is the time of one? */
#include "model/arm_ratio.h"

#include <math.h>
#include <stdlib.h>

typedef double observation_of(const struct timing_process *p);

static double in_time(const struct timing_process *p)
{
    return p->typical_ns;
}

static double in_cycles(const struct timing_process *p)
{
    return p->typical_cycles;
}

static double unchanging(const struct timing_process *p)
{
    (void)p;
    return 1;
}

/* One number a process: base[i] and cand[i] belong together when paired. */
struct observed {
    double *base, *cand;
    struct ratio_medians medians;
};

static int observed_init(struct observed *o, const struct timing_arm *base, const struct timing_arm *cand,
                         struct err *e)
{
    *o = (struct observed){calloc(base->processes.count + 1, sizeof *o->base),
                           calloc(cand->processes.count + 1, sizeof *o->cand), {0}};
    o->medians.base = o->base;
    o->medians.cand = o->cand;
    return o->base && o->cand ? 0 : err_memory(e);
}

static void observed_release(struct observed *o)
{
    free(o->base);
    free(o->cand);
}

/* Processes ascend in both arms. */
static void take_pairs(struct observed *o, const struct timing_arm *base, const struct timing_arm *cand,
                       observation_of *value)
{
    for (size_t i = 0, j = 0; i < base->processes.count && j < cand->processes.count;) {
        const struct timing_process *b = &base->processes.items[i], *c = &cand->processes.items[j];
        if (b->process == c->process) {
            o->base[o->medians.base_count++] = value(b);
            o->cand[o->medians.cand_count++] = value(c);
        }
        i += b->process <= c->process;
        j += c->process <= b->process;
    }
    o->medians.paired = o->medians.base_count > 0;
}

static void take_all(double *out, size_t *count, const struct timing_arm *arm, observation_of *value)
{
    for (size_t i = 0; i < arm->processes.count; i++)
        out[(*count)++] = value(&arm->processes.items[i]);
}

static void observe(struct observed *o, const struct timing_arm *base, const struct timing_arm *cand,
                    observation_of *value)
{
    o->medians.base_count = o->medians.cand_count = 0;
    take_pairs(o, base, cand, value);
    if (o->medians.paired)
        return;
    take_all(o->base, &o->medians.base_count, base, value);
    take_all(o->cand, &o->medians.cand_count, cand, value);
}

/* Without clocks nothing is known against a difference. */
static void check_clock(struct ratio_decision *time, const struct ratio_decision *cycles)
{
    const bool is_difference = time->verdict == COMPARE_FASTER || time->verdict == COMPARE_SLOWER;
    if (!is_difference || isnan(cycles->interval.ratio) || cycles->verdict == time->verdict)
        return;
    time->verdict = COMPARE_INCONCLUSIVE;
    time->reason = "clock_difference";
}

int arm_ratio_decide(const struct timing_arm *base, const struct timing_arm *cand, double margin, int looks,
                     struct ratio_decision *out, struct err *e)
{
    struct observed o;
    const int code = observed_init(&o, base, cand, e);
    if (!code) {
        observe(&o, base, cand, in_time);
        *out = ratio_decide_looks(&o.medians, margin, looks);
        observe(&o, base, cand, in_cycles);
        const struct ratio_decision cycles = ratio_decide_looks(&o.medians, margin, looks);
        check_clock(out, &cycles);
    }
    observed_release(&o);
    return code;
}

int arm_time_interval(const struct timing_arm *arm, int looks, struct ratio_interval *out, struct err *e)
{
    struct observed o;
    const int code = observed_init(&o, arm, arm, e);
    if (!code) {
        take_all(o.base, &o.medians.base_count, arm, unchanging);
        take_all(o.cand, &o.medians.cand_count, arm, in_time);
        o.medians.paired = true;
        *out = ratio_decide_looks(&o.medians, RATIO_MARGIN, looks).interval;
    }
    observed_release(&o);
    return code;
}
