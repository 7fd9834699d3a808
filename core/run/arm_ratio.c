/* How do two arms differ in time, and how precise is the time of one? */
#include "core/run/arm_ratio.h"

#include <math.h>
#include <stdlib.h>

/* ---- which processes ---- */

void arm_processes_release(struct arm_processes *p)
{
    free(p->base);
    free(p->cand);
    *p = (struct arm_processes){0};
}

/* The processes of both arms ascend. */
static void take_pairs(struct arm_processes *out, const struct timing_arm *base, const struct timing_arm *cand)
{
    for (size_t i = 0, j = 0; i < base->processes.count && j < cand->processes.count;) {
        const struct timing_process *b = &base->processes.items[i], *c = &cand->processes.items[j];
        if (b->process == c->process) {
            out->base[out->base_count++] = b;
            out->cand[out->cand_count++] = c;
        }
        i += b->process <= c->process;
        j += c->process <= b->process;
    }
}

static void take_all(const struct timing_process **out, size_t *count, const struct timing_arm *arm)
{
    for (size_t i = 0; i < arm->processes.count; i++)
        out[(*count)++] = &arm->processes.items[i];
}

int arm_processes_init(struct arm_processes *out, const struct arm_pair *arms, struct err *e)
{
    *out = (struct arm_processes){0};
    out->base = calloc(arms->base->processes.count + 1, sizeof(const struct timing_process *));
    out->cand = calloc(arms->cand->processes.count + 1, sizeof(const struct timing_process *));
    if (!out->base || !out->cand)
        return err_memory(e);
    if (arms->one_bundle)
        take_pairs(out, arms->base, arms->cand);
    out->paired = out->base_count > 0;
    if (out->paired)
        return 0;
    take_all(out->base, &out->base_count, arms->base);
    take_all(out->cand, &out->cand_count, arms->cand);
    return 0;
}

/* ---- what they measured ---- */

typedef double observation_of(const struct timing_process *p);

static double in_time(const struct timing_process *p)
{
    return p->typical_ns;
}

static double in_cycles(const struct timing_process *p)
{
    return p->typical_cycles;
}

/* Processes without the value are left out; of a pair, both. */
static size_t observe(double *out, const struct timing_process *const *own, const struct timing_process *const *other,
                      size_t count, observation_of *value)
{
    size_t taken = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(value(own[i])) && (!other || isfinite(value(other[i]))))
            out[taken++] = value(own[i]);
    return taken;
}

/* `memory` has room for one value of each process. */
static struct arm_values observe_both(double *memory, const struct arm_processes *p, observation_of *value)
{
    struct arm_values out = {.base = memory, .paired = p->paired};
    out.base_count = observe(memory, p->base, p->paired ? p->cand : NULL, p->base_count, value);
    out.cand = memory + out.base_count;
    out.cand_count = observe(memory + out.base_count, p->cand, p->paired ? p->base : NULL, p->cand_count, value);
    return out;
}

static size_t fewer(const struct arm_values *v)
{
    return v->base_count < v->cand_count ? v->base_count : v->cand_count;
}

static size_t count_samples(const struct timing_process *const *processes, size_t count)
{
    size_t samples = 0;
    for (size_t i = 0; i < count; i++)
        samples += processes[i]->samples;
    return samples;
}

static int measure(struct arm_ratio *out, const struct arm_processes *p, double margin, int looks, struct err *e)
{
    double *memory = calloc(p->base_count + p->cand_count + 1, sizeof *memory);
    if (!memory)
        return err_memory(e);
    const struct arm_values cycles = observe_both(memory, p, in_cycles);
    out->cycles = ratio_decide_looks(&cycles, margin, looks);
    out->clocked = fewer(&cycles);
    const struct arm_values time = observe_both(memory, p, in_time);
    out->time = ratio_decide_looks(&time, margin, looks);
    out->processes = fewer(&time);
    out->base_ns = typical_over_processes(memory, time.base_count); /* overwrites the memory, so it comes last */
    out->cand_ns = typical_over_processes(memory + time.base_count, time.cand_count);
    out->samples = count_samples(p->base, p->base_count) + count_samples(p->cand, p->cand_count);
    out->paired = p->paired;
    free(memory);
    return 0;
}

int arm_ratio_measure(struct arm_ratio *out, const struct arm_pair *arms, double margin, int looks, struct err *e)
{
    struct arm_processes processes;
    int code = arm_processes_init(&processes, arms, e);
    if (!code)
        code = measure(out, &processes, margin, looks, e);
    arm_processes_release(&processes);
    return code;
}

bool arm_ratio_is_of_the_clock(const struct arm_ratio *r)
{
    const bool is_difference = r->time.verdict == COMPARE_FASTER || r->time.verdict == COMPARE_SLOWER;
    return is_difference && r->clocked >= RATIO_PROCESSES_MIN && r->cycles.verdict != r->time.verdict;
}

int arm_ratio_decide(const struct timing_arm *base, const struct timing_arm *cand, double margin, int looks,
                     struct ratio_decision *out, struct err *e)
{
    const struct arm_pair arms = {base, cand, true};
    struct arm_ratio ratio;
    const int code = arm_ratio_measure(&ratio, &arms, margin, looks, e);
    if (code)
        return code;
    *out = ratio.time;
    if (arm_ratio_is_of_the_clock(&ratio)) {
        out->verdict = COMPARE_INCONCLUSIVE;
        out->reason = RATIO_OF_THE_CLOCK;
    }
    return 0;
}

double arm_own_difference(const struct timing_process *processes, size_t count)
{
    double sums[2] = {0}, counts[2] = {0};
    for (size_t i = 0; i < count; i++) {
        sums[i % 2] += log(processes[i].typical_ns);
        counts[i % 2]++;
    }
    return count > 1 ? expm1(fabs(sums[0] / counts[0] - sums[1] / counts[1])) : 0;
}

int arm_time_interval(const struct timing_arm *arm, int looks, struct ratio_interval *out, struct err *e)
{
    const size_t count = arm->processes.count;
    double *memory = calloc(2 * count + 1, sizeof *memory);
    if (!memory)
        return err_memory(e);
    for (size_t i = 0; i < count; i++) {
        memory[i] = 1;
        memory[count + i] = arm->processes.items[i].typical_ns;
    }
    const struct arm_values values = {memory, memory + count, count, count,
                                      false}; /* the times of one arm need not scatter symmetrically */
    *out = ratio_decide_looks(&values, RATIO_MARGIN, looks).interval;
    free(memory);
    return 0;
}
