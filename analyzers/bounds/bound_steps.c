/* How was a bound decided, step by step? The order is that of docs/bounds.md. */
#include "analyzers/bounds/bound_steps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/units.h"
#include "core/gpu/thresholds.h"

struct step_list {
    const struct bound_inputs *in;
    const struct bound_record *made;
    const struct bound *b;
    struct arena *arena;
    const char **steps;
    size_t count;
};

/* Shares and times of a sentence: as many as it has. */
struct shown {
    char text[UNITS_TEXT_BYTES];
};

static struct shown show(enum unit unit, double value)
{
    struct shown s;
    unit_format(s.text, unit, value);
    return s;
}
#define PERCENT(share) show(UNIT_RATIO, share).text
#define LIMIT(id)      PERCENT(threshold(t->in->thresholds, id))

#define ADD_STEP(t, ...)                                                                                               \
    do {                                                                                                               \
        if ((t)->count < BOUND_STEPS_MAX)                                                                              \
            (t)->steps[(t)->count++] = arena_printf((t)->arena, __VA_ARGS__);                                          \
    } while (0)

static const char *yes_no(bool yes)
{
    return yes ? "yes" : "no";
}

/* Said where there is any of it. */
static void add_wait(struct step_list *t, enum bound_class class_, const char *doing, double share)
{
    if (share > 0)
        ADD_STEP(t,
                 "%s? between two launches the device %s for %s of the launch interval, %s and the most would do: %s",
                 bound_class_name(class_), doing, PERCENT(share), LIMIT(THRESHOLD_LAUNCH_IDLE),
                 yes_no(t->made->class_ == class_));
}

/* False: decided here. */
static bool add_launch(struct step_list *t)
{
    const double idle = t->in->shares.launch_idle;
    if (isnan(idle))
        ADD_STEP(t, "launch-bound? %s: not asked",
                 t->in->is_python ? "timed launches are graphs, and traced ones wait for Python"
                 : t->in->launch  ? "the kernel is no shorter than its launch interval"
                                  : "no launches were traced");
    else
        ADD_STEP(t, "launch-bound? the device is idle for %s of the launch interval, %s%s would do: %s", PERCENT(idle),
                 LIMIT(THRESHOLD_LAUNCH_IDLE),
                 t->in->shares.copying > 0 || t->in->shares.other_work > 0 ? " and the most" : "",
                 yes_no(t->made->class_ == BOUND_LAUNCH));
    add_wait(t, BOUND_COPY, "copies", t->in->shares.copying);
    add_wait(t, BOUND_OTHER_WORK, "runs other kernels or memsets", t->in->shares.other_work);
    return !bound_is_of_gaps(t->made->class_);
}

static bool add_missing(struct step_list *t)
{
    if (bound_contradicts(&t->in->contradiction))
        ADD_STEP(t, "do the numbers agree? no: %s", t->b->cause);
    else if (t->made->unknown_unit)
        ADD_STEP(t, "every unit known? no: %s", t->b->cause);
    else if (t->made->class_ == BOUND_INCONCLUSIVE)
        ADD_STEP(t, "every unit counted? no: %s", t->b->cause);
    else if (t->made->unit_is_open)
        ADD_STEP(t, "every unit counted, or limited by a counter that includes it? yes, but not which one is busiest");
    else
        ADD_STEP(t, t->in->busy_at_most ? "every unit counted, or limited by a counter that includes it? yes"
                                        : "every unit counted? yes");
    return t->made->class_ != BOUND_INCONCLUSIVE;
}

static void add_latency_cause(struct step_list *t)
{
    const struct bound_inputs *in = t->in;
    const enum latency_cause cause = t->made->latency_cause;
    if (isfinite(in->grid_blocks) && isfinite(in->sm_count))
        ADD_STEP(t, "small grid? %.0f block%s for %.0f SMs: %s", in->grid_blocks, in->grid_blocks == 1 ? "" : "s",
                 in->sm_count, yes_no(cause == LATENCY_SMALL_GRID));
    else
        ADD_STEP(t, "small grid? blocks or SMs are not known: not asked");
    if (cause == LATENCY_SMALL_GRID)
        return;
    if (isnan(in->waves))
        ADD_STEP(t, "tail? waves are not known: not asked");
    else
        ADD_STEP(t, "tail? %.2f waves; between 1 and %.0f with a last one less than %s full would be: %s", in->waves,
                 threshold(t->in->thresholds, THRESHOLD_TAIL_WAVES), LIMIT(THRESHOLD_TAIL_LAST_WAVE),
                 yes_no(cause == LATENCY_TAIL));
    const struct metric *stall = counters_leading_stall(in->counters);
    if (cause == LATENCY_STALL && stall)
        ADD_STEP(t, "what do warps wait for? mostly %s, %s of their cycles: %s", stall->group,
                 PERCENT(counters_stall_share(in->counters, stall)), stall->meaning);
    if (cause == LATENCY_STALL && isfinite(t->made->active_share))
        ADD_STEP(
            t,
            "are starting and ending most of it? SMs have warps for %s of %s; less than %s of less than %s would be: %s",
            PERCENT(t->made->active_share), show(UNIT_NS, counters_value(in->counters, METRIC_DURATION)).text,
            LIMIT(THRESHOLD_SHORT_ACTIVE), show(UNIT_NS, threshold(t->in->thresholds, THRESHOLD_SHORT_KERNEL)).text,
            yes_no(t->made->is_short));
}

static bool add_latency(struct step_list *t)
{
    const struct bound_inputs *in = t->in;
    const bool compute = in->shares.compute >= in->shares.memory;
    const bool is_latency = t->made->class_ == BOUND_LATENCY;
    ADD_STEP(t, "latency-bound? the busiest unit is %s with %s of its peak, less than %s would do: %s",
             compute ? in->compute_busiest->group : in->memory_busiest->group,
             PERCENT(fmax(in->shares.compute, in->shares.memory)), LIMIT(THRESHOLD_LATENCY_SHARE), yes_no(is_latency));
    if (is_latency)
        add_latency_cause(t);
    return !is_latency;
}

static void add_compute_unit(struct step_list *t)
{
    double share;
    const struct bound_inputs *in = t->in;
    const struct metric *pipe = bound_inputs_pipe(in, &share);
    if (t->made->unit_is_open) {
        ADD_STEP(t, "which compute unit? open: %s", t->b->cause);
        return;
    }
    if (in->compute_busiest == metric_by_id(METRIC_TMEM_SHARE) && in->compute_unit != in->compute_busiest)
        ADD_STEP(
            t,
            "which compute unit? tensor memory is busiest with %s; the tensor cores, whose instructions use it, are at %s; "
            "half of it, and at most %s below, would do: %s",
            PERCENT(in->shares.compute), PERCENT(in->compute_unit_share), LIMIT(THRESHOLD_PIPE_PREFERENCE),
            in->compute_unit->group);
    if (pipe && in->compute_busiest == metric_by_id(METRIC_ISSUE_SHARE))
        ADD_STEP(
            t,
            "which compute unit? the issue slots are busiest with %s; %s is at %s; half of it, and at most %s below, would do: %s",
            PERCENT(in->shares.compute), pipe->group, PERCENT(share), LIMIT(THRESHOLD_PIPE_PREFERENCE),
            in->compute_unit->group);
}

static void add_memory_unit(struct step_list *t)
{
    const struct bound_inputs *in = t->in;
    const struct metric *shared = in->memory_unit;
    if (!strcmp(shared->group, "shared") && in->memory_busiest != shared) {
        ADD_STEP(t, "which memory unit? %s is busiest with %s; shared, a part of it, is at %s; %s of it would do: %s",
                 in->memory_busiest->group, PERCENT(in->shares.memory), PERCENT(counters_share(in->counters, shared)),
                 LIMIT(THRESHOLD_SHARED_PREFERENCE), in->memory_unit->group);
        return;
    }
    const double dram = counters_share(in->counters, metric_by_id(METRIC_DRAM_SHARE));
    if (isnan(dram))
        return;
    ADD_STEP(
        t,
        "which memory unit? %s is busiest with %s; dram, %s of its peak, is at %s of what it can reach (%s%s); half of it, "
        "and at most %s below, would do: %s",
        in->memory_busiest->group, PERCENT(in->shares.memory), PERCENT(dram), PERCENT(fmin(1, dram / in->dram_reach)),
        PERCENT(in->dram_reach), in->dram_reach_is_measured ? " as measured on this GPU" : "",
        LIMIT(THRESHOLD_DRAM_PREFERENCE), in->memory_unit->group);
}

static void add_sides(struct step_list *t)
{
    const struct bound_shares *s = &t->in->shares;
    ADD_STEP(t,
             "does one side lead? compute %s (%s), memory %s: %.1f points; %s, or %s on one side alone, would do: %s",
             PERCENT(s->compute), t->in->compute_busiest->group, PERCENT(s->memory), 100 * fabs(s->compute - s->memory),
             LIMIT(THRESHOLD_LEAD), LIMIT(THRESHOLD_HIGH_SHARE),
             t->made->class_ == BOUND_BALANCED ? "no, balanced"
             : s->compute > s->memory          ? "compute"
                                               : "memory");
}

static void add_ncu(struct step_list *t)
{
    if (!t->b->ncu_rule)
        return;
    const struct counters *c = t->in->counters;
    char waves[UNITS_TEXT_BYTES] = "unknown";
    if (isfinite(t->in->waves))
        snprintf(waves, sizeof waves, "%.2f", t->in->waves);
    ADD_STEP(t, "Nsight Compute's rule: SM throughput %s (issue slots count there), memory throughput %s, %s waves: %s",
             PERCENT(counters_value(c, METRIC_SM_THROUGHPUT)), PERCENT(counters_value(c, METRIC_MEMORY_THROUGHPUT)),
             waves, t->b->ncu_rule);
}

/* The rules of thumb: tensor pipe over a half, FMA or XU high, DRAM under a half. */
static void add_notes(struct step_list *t)
{
    const struct counters *c = t->in->counters;
    const double tensor = counters_tensor_busy(c);
    const double dram = counters_share(c, metric_by_id(METRIC_DRAM_SHARE));
    const double pipes =
        fmax(counters_share(c, metric_by_id(METRIC_FMA_SHARE)), counters_share(c, metric_by_id(METRIC_XU_SHARE)));
    const double half = threshold(t->in->thresholds, THRESHOLD_RULE_OF_THUMB);
    if (isnan(tensor) || isnan(dram) || isnan(pipes))
        return;
    ADD_STEP(
        t,
        "rules of thumb: tensor pipe %s, %sthe limit; FMA or XU %s, %sthe limit; dram %s, %sthe limit (from %s on each)",
        PERCENT(tensor), threshold_reached(tensor, half) ? "" : "not ", PERCENT(pipes),
        threshold_reached(pipes, half) ? "" : "not ", PERCENT(dram), threshold_reached(dram, half) ? "may be " : "not ",
        PERCENT(half));
}

size_t bound_steps(const struct bound_inputs *in, const struct bound_record *made, const struct bound *b,
                   struct arena *arena, const char *steps[BOUND_STEPS_MAX])
{
    struct step_list t = {in, made, b, arena, steps, 0};
    if (add_launch(&t) && add_missing(&t) && add_latency(&t)) {
        add_compute_unit(&t);
        add_memory_unit(&t);
        add_sides(&t);
    }
    if (isfinite(made->margin))
        ADD_STEP(&t, "margin: %.1f points to the nearest other class", 100 * made->margin);
    if (in->counters) {
        add_ncu(&t);
        add_notes(&t);
    }
    return t.count;
}
