/* What would a change bring, by the counters of the kernel as it is? */
#include "analyzers/bounds/gain_prediction.h"

#include <math.h>
#include <string.h>

#include "core/gpu/scheduler_model.h"
#include "core/gpu/thresholds.h"

enum { SCHEDULERS_PER_SM = 4, WARP_THREADS = 32 };

/* No interval is finer: timers, clocks and the placement of code alone move times by as much. */
#define NARROWEST 0.02

/* Rates of the scheduler's model at two numbers of warps are off by different amounts; on the
 * runs of examples/ by 1% to 2%. With the same warps before and after that cancels. */
#define MODEL_ERROR 0.02

/* A unit that shares the time with other work hardly gets busier than this share of what it can reach. */
#define SURELY_REACHED 0.9

static const struct {
    const char *id, *change, *assumption;
} kinds[PREDICTION_KINDS] = {
    [PREDICT_LAUNCH_GAP] = {"launch-gap", "launches without gaps (a CUDA graph, fewer launches)",
                            "half to all of the gap goes"},
    [PREDICT_SMALL_GRID] = {"small-grid", "work for every SM (more, smaller blocks)",
                            "half to all of what idle SMs lose is won, as far as no unit is full"},
    [PREDICT_TAIL] = {"tail", "all SMs end at once (smaller blocks, a grid of whole waves)",
                      "none to all of the SMs' idle time goes"},
    [PREDICT_MEMORY_TRAFFIC] = {"memory-traffic", "half the memory traffic",
                                "time that memory alone takes is halved; at best it was the limit throughout"},
    [PREDICT_COMPUTE_WORK] = {"compute-work", "half the work of the busiest compute unit",
                              "time that the unit alone takes is halved; at best it was the limit throughout"},
    [PREDICT_LOAD_AHEAD] =
        {"load-ahead", "load a tile ahead (cp.async or TMA, two buffers)",
         "at best waits for loads go, barriers with them, and dispatch stalls; at worst barriers stay, "
         "instructions are added and loads take longer as memory gets busier"},
    [PREDICT_LOAD_FURTHER] = {"load-further", "load two tiles ahead (three buffers)",
                              "as with one tile, of a wait that is longer than the work on one tile"},
    [PREDICT_STAGE] = {"stage", "one more stage",
                       "at best there are two now, at worst four; a loop over another number of buffers has a few "
                       "instructions more or less"},
    [PREDICT_BLOCKS] =
        {"blocks", "twice the blocks per SM",
         "at best each warp waits as long as now; at worst twice as long for loads, barriers and busy units"},
};

const char *prediction_id(enum prediction_kind kind)
{
    return kinds[kind].id;
}

const char *prediction_change(enum prediction_kind kind)
{
    return kinds[kind].change;
}

const char *prediction_assumption(enum prediction_kind kind)
{
    return kinds[kind].assumption;
}

/* ---- what the kernel is like now ---- */

/* One scheduler and its warps. Cycles are those of a warp per instruction that it issues. */
struct view {
    const struct thresholds *thresholds;
    double latency, queue, loads, barrier; /* the whole; of it turns to issue, loads, barriers */
    double throttled;                      /* for a unit that other warps keep busy */
    double dispatch;                       /* chosen, but held back by the dispatcher */
    double warps;                          /* resident, mean over the time that SMs are at work */
    struct scheduler_blocks blocks;
    double queue_ratio; /* turns to issue over those of the model */
    double active;      /* share of the time in which SMs have warps */
    double load_stores; /* instructions to load and store, per instruction */
    double memory;      /* busiest memory unit, of what it can reach */
    double busiest;     /* of all units and issue slots: no change of waits makes it shorter than this */
};

static double share_of(const struct counters *c, const char *id)
{
    const double share = counters_share(c, metric_by_id(id));
    return isfinite(share) ? share : 0;
}

static double amount_of(const struct counters *c, const char *id)
{
    const double value = counters_value(c, id);
    return value > 0 ? value : 0;
}

static double memory_reached(const struct bound_inputs *in)
{
    const double dram = share_of(in->counters, METRIC_DRAM_SHARE) / in->dram_reach;
    return fmin(1, fmax(in->shares.memory, dram));
}

/* Cycles between two instructions of a warp in which it does not queue. */
static double think_cycles(const struct view *v)
{
    return fmax(0, v->latency - 1 - v->queue);
}

static double model_queue(const struct scheduler_mean *m, double think)
{
    return m->rate > 0 ? fmax(0, m->warps / m->rate - 1 - think) : 0;
}

/* All blocks are there from the start when they fit at once. How far the oldest goes
 * first shows in the warps that were counted: fewer than the most, because blocks ended
 * early. Of blocks that follow each other only that mean is known. */
static void read_blocks(struct view *v, const struct bound_inputs *in)
{
    v->blocks = (struct scheduler_blocks){1, v->warps, 0};
    if (!in->resource || !(in->waves > 0 && in->waves <= 1) || !(in->grid_blocks > in->sm_count) ||
        !(in->grid_blocks <= SCHEDULER_BLOCKS_MAX * in->sm_count) || !(in->resource->block_threads > 0))
        return;
    v->blocks.count = (size_t)ceil(in->grid_blocks / in->sm_count);
    v->blocks.warps_per_block = ceil(in->resource->block_threads / WARP_THREADS) / SCHEDULERS_PER_SM;
    v->blocks.order = 1;
    const double most = (double)v->blocks.count * v->blocks.warps_per_block;
    const double ordered = scheduler_run(&v->blocks, think_cycles(v)).warps;
    v->blocks.order = most > ordered ? fmin(1, fmax(0, (most - v->warps) / (most - ordered))) : 0;
}

static bool read_view(struct view *v, const struct bound_inputs *in)
{
    const struct counters *c = in->counters;
    *v = (struct view){.thresholds = in->thresholds,
                       .latency = counters_value(c, METRIC_WARP_LATENCY),
                       .queue = amount_of(c, METRIC_STALL_NOT_SELECTED),
                       .loads = counters_value(c, METRIC_STALL_LONG_SCOREBOARD),
                       .barrier = counters_value(c, METRIC_STALL_BARRIER),
                       .throttled = amount_of(c, METRIC_STALL_MATH_PIPE_THROTTLE) +
                                    amount_of(c, METRIC_STALL_MIO_THROTTLE) + amount_of(c, METRIC_STALL_LG_THROTTLE),
                       .dispatch = amount_of(c, METRIC_STALL_DISPATCH_STALL),
                       .warps = counters_value(c, METRIC_WARPS_PER_SM) / SCHEDULERS_PER_SM,
                       .active = counters_value(c, METRIC_ACTIVE_CYCLES) / counters_value(c, METRIC_ELAPSED_CYCLES),
                       .memory = memory_reached(in)};
    const double issued = share_of(c, METRIC_ISSUE_SHARE);
    if (!(v->latency >= 1 && v->loads >= 0 && v->barrier >= 0 && v->warps > 0 && v->active > 0 && issued > 0) ||
        v->loads + v->barrier + v->queue + 1 > v->latency)
        return false;
    v->active = fmin(1, v->active);
    v->load_stores = share_of(c, METRIC_LSU_SHARE) / (SCHEDULERS_PER_SM * issued); /* of one a cycle and SM, of four */
    v->busiest = fmin(1, fmax(fmax(v->memory, in->shares.compute), issued));
    read_blocks(v, in);
    const struct scheduler_mean now = scheduler_run(&v->blocks, think_cycles(v));
    const double queue = model_queue(&now, think_cycles(v));
    v->queue_ratio = queue > 0 ? fmin(1, v->queue / queue) : 1;
    return true;
}

/* ---- what it would be like ---- */

/* Two readings of one model. The plain one takes its rates as they are. The hopeful
 * one takes its queues, as much shorter as they are now: warps that run in step
 * meet less than the model has it. */
enum reading { PLAIN, HOPEFUL };

static double rate_of(const struct view *v, enum reading reading, const struct scheduler_blocks *blocks, double think)
{
    const struct scheduler_mean now = scheduler_run(&v->blocks, think_cycles(v)), then = scheduler_run(blocks, think);
    if (reading == PLAIN)
        return then.rate;
    return fmin(1, v->warps * then.warps / now.warps / (1 + think + v->queue_ratio * model_queue(&then, think)));
}

/* What a change makes of a warp's waits. */
struct change {
    enum prediction_kind kind;
    enum reading reading;
    double depth;             /* tiles in flight: with a load ahead then, with a stage now */
    double barrier;           /* what becomes of a wait at barriers: 0 goes, 1 stays, 2 doubles */
    double throttled;         /* the same of the wait for busy units */
    double dispatch;          /* and of being held back by the dispatcher */
    double more_instructions; /* per instruction */
};

/* What is left of the wait for loads, when each takes `slower` times as long. A tile that
 * is loaded during the work on `depth` others has that much time. In a ring in which
 * warps wait nevertheless, a load takes as long as the work and the wait for all in flight. */
static double loads_left(const struct view *v, const struct change *c, double slower)
{
    const double work = v->latency - v->loads - v->barrier - v->dispatch * (1 - c->dispatch);
    switch (c->kind) {
    case PREDICT_STAGE:
        return fmin(v->loads * slower, fmax(0, (work + v->loads) * slower * c->depth / (c->depth + 1) - work));
    case PREDICT_BLOCKS: return v->loads * fmax(slower, c->throttled);
    default: return fmin(v->loads * slower, fmax(0, v->loads * slower / c->depth - work));
    }
}

/* Time after over time before, of the SMs at work. */
static double time_ratio(const struct view *v, const struct change *c, double slower)
{
    struct scheduler_blocks blocks = v->blocks;
    const double think = fmax(0, think_cycles(v) + loads_left(v, c, slower) - v->loads + v->barrier * (c->barrier - 1) +
                                     v->throttled * (c->throttled - 1) + v->dispatch * (c->dispatch - 1));
    if (c->kind == PREDICT_BLOCKS)
        blocks.count *= 2;
    return rate_of(v, c->reading, &v->blocks, think_cycles(v)) / rate_of(v, c->reading, &blocks, think) *
           (1 + c->more_instructions);
}

/* Loads take longer as memory gets busier, by 1 / (1 - u); how busy it gets depends on the
 * time that is asked for. Shorter times mean longer loads: one time fits. */
static double time_ratio_loaded(const struct view *v, const struct change *c)
{
    const double idle = 1 - fmin(v->memory, 0.999);
    double low = v->memory, high = 4;
    for (int i = 0; i < 50; i++) {
        const double middle = (low + high) / 2;
        const double idle_then = 1 - fmin(v->memory / middle, 0.999);
        if (time_ratio(v, c, fmax(1, idle / idle_then)) > middle)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* The worst of the waits, a busiest unit that is never quite full, and SMs idle as long as
 * now; the best of them, and SMs idle as much less as they are at work. */
static struct predicted predict(const struct view *v, const struct change *worst, const struct change *best)
{
    const double after = fmax(time_ratio_loaded(v, worst), fmin(1, v->busiest / SURELY_REACHED));
    return (struct predicted){best->kind, (1 - after) * v->active, 1 - fmax(time_ratio(v, best, 1), v->busiest)};
}

/* A barrier that waits for loads waits no longer than they do. */
static double barriers_of_others(const struct view *v)
{
    return v->barrier > 0 ? fmax(0, v->barrier - v->loads) / v->barrier : 0;
}

/* What the dispatcher holds back is code: registers of one bank in one instruction, results that come back together.
 * A loop whose loads do not pass registers is another loop, and at best it has none of that. */
static struct predicted predict_ahead(const struct view *v, enum prediction_kind kind)
{
    const double depth = kind == PREDICT_LOAD_AHEAD ? 1 : 2;
    const double more = threshold(v->thresholds, THRESHOLD_AHEAD_COST) * v->load_stores;
    const struct change worst = {kind, PLAIN, depth, 1, 1, 1, more};
    const struct change best = {kind, HOPEFUL, depth, barriers_of_others(v), 1, 0, 0};
    return predict(v, &worst, &best);
}

static struct predicted predict_stage(const struct view *v)
{
    const double more = threshold(v->thresholds, THRESHOLD_STAGE_COST) * v->load_stores;
    const struct change worst = {PREDICT_STAGE, PLAIN, 3, 1, 1, 1, more};
    const struct change best = {PREDICT_STAGE, HOPEFUL, 1, barriers_of_others(v), 1, 1, -more};
    return predict(v, &worst, &best);
}

static struct predicted predict_blocks(const struct view *v)
{
    const struct change worst = {PREDICT_BLOCKS, PLAIN, 0, 2, 2, 1, MODEL_ERROR};
    const struct change best = {PREDICT_BLOCKS, HOPEFUL, 0, 1, 1, 1, 0};
    return predict(v, &worst, &best);
}

/* ---- limits that are lifted ---- */

/* The busiest pipe of another group than `unit`. */
static double busiest_other_pipe(const struct bound_inputs *in, const struct metric *unit)
{
    const struct metric *metric;
    double busiest = 0;
    for (size_t at = 0; (metric = counters_next_unit(METRIC_COMPUTE, &at));)
        if (metric->role == METRIC_COMPUTE && strcmp(metric->group, unit->group))
            busiest = fmax(busiest, counters_share(in->counters, metric)); /* fmax passes NAN over */
    return busiest;
}

/* A unit at work for `share` of the time, for `reached` of it if it is the limit whenever
 * it can be; half of its work goes, other limits stay. */
static struct predicted halve(enum prediction_kind kind, double share, double reached, double next_low,
                              double next_high)
{
    return (struct predicted){kind, fmax(0, share - fmax(share / 2, next_low)),
                              fmax(0, 1 - fmax(reached / 2, next_high))};
}

static struct predicted halve_memory(const struct bound_inputs *in)
{
    const double next = fmax(in->shares.compute, share_of(in->counters, METRIC_ISSUE_SHARE));
    return halve(PREDICT_MEMORY_TRAFFIC, fmin(1, in->shares.memory), memory_reached(in), next, next);
}

/* Half of the instructions go: those of no pipe, or those that keep the pipes busy. */
static struct predicted halve_issue(const struct bound_inputs *in)
{
    const double share = fmin(1, in->compute_unit_share), memory = memory_reached(in);
    const double pipes = busiest_other_pipe(in, in->compute_unit);
    return halve(PREDICT_COMPUTE_WORK, share, share, fmax(pipes, memory), fmax(pipes / 2, memory));
}

/* Instructions that go leave their issue slots; how many these are is counted of FMAs only. */
static struct predicted halve_compute(const struct bound_inputs *in)
{
    if (in->compute_unit == metric_by_id(METRIC_ISSUE_SHARE))
        return halve_issue(in);
    const double share = fmin(1, in->compute_unit_share), issue = share_of(in->counters, METRIC_ISSUE_SHARE);
    const double next = fmax(busiest_other_pipe(in, in->compute_unit), memory_reached(in));
    const double fmas = amount_of(in->counters, METRIC_FFMA_THREADS) / WARP_THREADS;
    const bool counted = !strcmp(in->compute_unit->group, "fma") && amount_of(in->counters, METRIC_INSTRUCTIONS) > fmas;
    const double part = counted ? fmas / amount_of(in->counters, METRIC_INSTRUCTIONS) : 0;
    const double slots_low = issue * (1 - part / 2);
    const double slots_high = counted ? slots_low : fmax(0, issue - share / 2);
    return halve(PREDICT_COMPUTE_WORK, share, share, fmax(next, slots_low), fmax(next, slots_high));
}

/* ---- which of them, and in which order ---- */

struct list {
    struct predicted *out;
    size_t count;
};

/* Where readings cross, which counters that do not fit each other make them do, either may be right. */
static void add(struct list *l, struct predicted p)
{
    const double middle = (p.low + p.high) / 2;
    if (!isfinite(middle))
        return;
    l->out[l->count++] = (struct predicted){p.kind, fmin(fmin(p.low, p.high), middle - NARROWEST / 2),
                                            fmax(fmax(p.low, p.high), middle + NARROWEST / 2)};
}

/* Share of the time in which SMs have no warp; NAN unknown. */
static double idle_share(const struct counters *c)
{
    const double active = counters_value(c, METRIC_ACTIVE_CYCLES) / counters_value(c, METRIC_ELAPSED_CYCLES);
    return isnan(active) ? NAN : fmin(1, fmax(0, 1 - active));
}

static void add_gap(struct list *l, const struct bound_inputs *in)
{
    const double gap = in->gap_most < in->shares.launch_idle ? in->gap_most : in->shares.launch_idle; /* not for NAN */
    if (gap >= threshold(in->thresholds, THRESHOLD_SMALL_GAIN))
        add(l, (struct predicted){PREDICT_LAUNCH_GAP, gap / 2, gap});
}

static void add_idle(struct list *l, const struct bound_inputs *in)
{
    if (in->grid_blocks < in->sm_count) {
        const double fullest = fmin(1, fmax(in->shares.compute, memory_reached(in)));
        const double won = 1 - fmax(in->grid_blocks / in->sm_count, fullest);
        add(l, (struct predicted){PREDICT_SMALL_GRID, won / 2, won});
        return;
    }
    const double idle = idle_share(in->counters);
    if (in->waves > 1 && idle >= threshold(in->thresholds, THRESHOLD_SMALL_GAIN))
        add(l, (struct predicted){PREDICT_TAIL, 0, idle});
}

static void add_limit(struct list *l, const struct bound_inputs *in, enum bound_class class_)
{
    const double bound = threshold(in->thresholds, THRESHOLD_LATENCY_SHARE);
    if (class_ != BOUND_MEMORY && threshold_reached(in->shares.compute, bound))
        add(l, halve_compute(in));
    if (class_ != BOUND_COMPUTE && threshold_reached(in->shares.memory, bound))
        add(l, halve_memory(in));
}

static void add_hiding(struct list *l, const struct bound_inputs *in)
{
    struct view v;
    const double copies_ahead = counters_value(in->counters, METRIC_LDGSTS);
    if (!read_view(&v, in))
        return;
    if (threshold_reached(in->shares.memory, threshold(in->thresholds, THRESHOLD_HIDDEN_MEMORY)) &&
        isfinite(copies_ahead)) {
        if (copies_ahead > 0) {
            add(l, predict_stage(&v));
        } else {
            const struct predicted one = predict_ahead(&v, PREDICT_LOAD_AHEAD),
                                   two = predict_ahead(&v, PREDICT_LOAD_FURTHER);
            add(l, one);
            if (two.high - one.high >= NARROWEST / 2)
                add(l, two);
        }
    }
    if (in->waves > 0 && in->waves <= 0.5 && in->grid_blocks >= in->sm_count)
        add(l, predict_blocks(&v));
}

size_t prediction_make(const struct bound_inputs *in, enum bound_class class_, struct predicted out[PREDICTION_KINDS])
{
    struct list l = {out, 0};
    if (class_ == BOUND_INCONCLUSIVE || !in->counters || !in->compute_unit || !in->memory_unit)
        return 0;
    add_gap(&l, in);
    if (bound_is_of_gaps(class_)) /* a shorter kernel makes the gap longer, and nothing else */
        return l.count;
    add_idle(&l, in);
    add_limit(&l, in, class_);
    add_hiding(&l, in);
    return l.count;
}

enum prediction_kind prediction_recognise(const struct bound_inputs *base, const struct bound_inputs *cand)
{
    if (!base->counters || !cand->counters || !base->resource || !cand->resource ||
        base->grid_blocks != cand->grid_blocks || base->resource->block_threads != cand->resource->block_threads ||
        !counters_same_operations(base->counters, cand->counters))
        return PREDICTION_KINDS;
    const double before = counters_value(base->counters, METRIC_LDGSTS),
                 after = counters_value(cand->counters, METRIC_LDGSTS);
    const double more = cand->resource->shared_bytes / base->resource->shared_bytes;
    if (before == 0 && after > 0)
        return more > 2 ? PREDICT_LOAD_FURTHER : PREDICT_LOAD_AHEAD;
    return before > 0 && after > 0 && more > 1 && more <= 1.5 ? PREDICT_STAGE : PREDICTION_KINDS;
}
