/* What bounds it: the host, latency, a compute pipe, or a memory unit? */
#include <math.h>
#include <string.h>

#include "analyzers/analyzer.h"
#include "analyzers/arm_differences.h"
#include "analyzers/bound_decision.h"
#include "analyzers/bounds/bound_advice.h"
#include "analyzers/bounds/bound_cause.h"
#include "analyzers/bounds/bound_inputs.h"
#include "analyzers/bounds/bound_repeats.h"
#include "analyzers/bounds/bound_steps.h"
#include "analyzers/bounds/closed_kernels.h"
#include "analyzers/bounds/counting_advice.h"
#include "analyzers/bounds/lost_time.h"
#include "analyzers/counted_thresholds.h"
#include "analyzers/entries.h"
#include "core/base/array.h"
#include "core/base/count_of.h"
#include "core/base/str.h"
#include "core/gpu/thresholds.h"
#include "core/run/instrumented_arm.h"

/* The share of the time lost on SMs that the grid has no block for. */
static double lost_to_small_grid(const struct bound *b, const struct bound_inputs *in)
{
    for (size_t i = 0; i < b->lost_count; i++)
        if (b->lost[i].kind == LOST_SMALL_GRID)
            return b->lost[i].share;
    return 1 - in->grid_blocks / in->sm_count; /* without the counters that know how long they were idle */
}

/* A few SMs without a block stay the cause, but are no reason to leave the others alone. */
static const struct metric *stall_before_grid(const struct bound *b, const struct bound_inputs *in,
                                              const struct bound_record *made)
{
    if (made->class_ != BOUND_LATENCY || made->latency_cause != LATENCY_SMALL_GRID ||
        threshold_reached(lost_to_small_grid(b, in), threshold(in->thresholds, THRESHOLD_SMALL_GRID)))
        return NULL;
    return in->counters ? counters_leading_stall(in->counters) : NULL;
}

/* Operands of tcgen05 fill shared memory. Do most blocks share them in pairs already? */
static const char *operands_key(const struct bound_inputs *in)
{
    const bool are_pairs =
        counters_value(in->counters, METRIC_TCGEN05_PAIRS) >= counters_value(in->counters, METRIC_TCGEN05) / 2;
    return are_pairs ? BOUND_ADVICE_PAIRS : BOUND_ADVICE_OPERANDS;
}

/* Behind split_time. */
static int advise(struct analysis *a, struct bound *b, const struct bound_inputs *in, const struct bound_record *made,
                  struct err *e)
{
    const struct metric *stall = stall_before_grid(b, in, made);
    b->advised_by = made->is_short ? BOUND_ADVICE_SHORT : stall ? stall->group : b->bound_by;
    if (b->class_ == BOUND_MEMORY && in->memory_unit == metric_by_id(METRIC_OPERANDS_SHARE))
        b->advised_by = operands_key(in);
    const char *library = closed_kernel_library(b->kernel);
    const char *closed = library ? closed_kernel_advice(b->class_, library, &a->arena) : NULL;
    if (closed) { /* nobody changes it */
        b->advice = closed;
        b->will_not_help = "";
        return 0;
    }
    const struct bound_advice *found = bound_advice_for(b->class_, b->advised_by);
    b->advice = found ? found->advice : "";
    b->will_not_help = found ? found->will_not_help : "";
    if (stall)
        b->advice = arena_printf(&a->arena, "%s; %s", b->advice, bound_advice_for(b->class_, b->bound_by)->advice);
    return b->advice ? 0 : err_memory(e);
}

static int add_metric(struct analysis *a, struct bound *b, const struct counters *c, const struct metric *m,
                      struct err *e)
{
    bool share = m->role == METRIC_COMPUTE || m->role == METRIC_MEMORY;
    double value = share ? counters_share(c, m) : counters_value(c, m->id);
    return evidence_add(&a->arena, &b->evidence, m->name, value, m->unit, e);
}

/* Both may be the same: SM throughput explains a unit, and stands for pipes that were not counted. */
static bool is_shown(const struct bound_inputs *in, const struct metric *m)
{
    return m == in->compute_unit || m == in->memory_unit;
}

/* Neither shown first nor among what explains. */
static int add_other_units(struct analysis *a, struct bound *b, const struct bound_inputs *in, struct err *e)
{
    const struct metric *metric;
    int rc = 0;
    for (enum metric_role side = METRIC_COMPUTE; side <= METRIC_MEMORY; side++)
        for (size_t at = 0; !rc && (metric = counters_next_unit(side, &at));)
            if (metric->role == side && !is_shown(in, metric))
                rc = add_metric(a, b, in->counters, metric, e);
    return rc;
}

/* The units that decided come first, then what explains them, then the rest. */
static int add_counters(struct analysis *a, struct bound *b, const struct bound_inputs *in, struct err *e)
{
    static const char *const explaining[] = {METRIC_SM_THROUGHPUT, METRIC_MEMORY_THROUGHPUT, METRIC_ISSUE_SHARE,
                                             METRIC_ACHIEVED_OCCUPANCY, METRIC_WARP_LATENCY};
    const struct metric *stall = counters_leading_stall(in->counters);
    int rc = 0;
    if (in->compute_unit)
        rc = add_metric(a, b, in->counters, in->compute_unit, e);
    if (!rc && in->memory_unit)
        rc = add_metric(a, b, in->counters, in->memory_unit, e);
    for (size_t i = 0; i < COUNT_OF(explaining) && !rc; i++)
        if (!is_shown(in, metric_by_id(explaining[i])))
            rc = add_metric(a, b, in->counters, metric_by_id(explaining[i]), e);
    if (stall && !rc)
        rc = add_metric(a, b, in->counters, stall, e);
    return rc ? rc : add_other_units(a, b, in, e);
}

static int add_evidence(struct analysis *a, struct bound *b, const struct bound_inputs *in, struct err *e)
{
    const struct {
        const char *name;
        double value;
        enum unit unit;
    } others[] = {
        {"grid_blocks", in->grid_blocks, UNIT_COUNT},
        {"sm_count", in->sm_count, UNIT_COUNT},
        {"waves", in->waves, UNIT_NONE},
        {"dram_reach_measured", in->dram_reach_is_measured ? in->dram_reach : NAN, UNIT_RATIO},
        {"launch_idle_ratio", in->shares.launch_idle, UNIT_RATIO},
        {"launch_copy_ratio", in->shares.copying > 0 ? in->shares.copying : NAN, UNIT_RATIO},
        {"launch_other_work_ratio", in->shares.other_work > 0 ? in->shares.other_work : NAN, UNIT_RATIO},
        {"kernel_median_ns", in->launch ? in->launch->kernel_median_ns : NAN, UNIT_NS},
        {"launch_interval_median_ns", in->launch ? in->launch->interval_median_ns : NAN, UNIT_NS},
    };
    int rc = in->counters ? add_counters(a, b, in, e) : 0;
    for (size_t i = 0; i < COUNT_OF(others) && !rc; i++)
        rc = evidence_add(&a->arena, &b->evidence, others[i].name, others[i].value, others[i].unit, e);
    return rc;
}

/* Loads and stores need issue slots, too: until these are the limit they lean to no side, and the pipes say which. */
static const struct metric *leaning_pipe(const struct bound *b, const struct bound_inputs *in, double *share)
{
    double pipe_share;
    const struct metric *pipe = in->counters ? bound_inputs_pipe(in, &pipe_share) : NULL;
    const bool are_limit = b->class_ == BOUND_COMPUTE || b->class_ == BOUND_BALANCED;
    if (!pipe || are_limit || in->compute_busiest != metric_by_id(METRIC_ISSUE_SHARE))
        return in->compute_unit;
    *share = pipe_share;
    return pipe;
}

/* A limit by the SMs that have a block, or by as many times what these may take, is no hint how busy a side is. */
static bool lead_is_by_grid(const struct bound_inputs *in)
{
    const bool is_compute = in->shares.compute >= in->shares.memory;
    return (is_compute ? in->compute_is : in->memory_is) == SHARE_AT_MOST &&
           (is_compute ? in->shares.compute : in->shares.memory) >= in->grid_blocks / in->sm_count;
}

/* One counter may limit units of both sides: SM throughput includes the pipes, and the loads and stores of LSU. And two
 * sides that are at least so busy cannot be compared, unless one of them is a limit. */
static bool lean_is_open(const struct bound_inputs *in)
{
    const bool are_open = in->compute_is == SHARE_AT_LEAST && in->memory_is == SHARE_AT_LEAST;
    const double most = fmax(in->shares.compute, in->shares.memory);
    if (in->counted_nothing || lead_is_by_grid(in) ||
        (are_open && !threshold_reached(most, threshold(in->thresholds, THRESHOLD_HIGH_SHARE))))
        return true;
    return in->compute_is == SHARE_AT_MOST && in->memory_is == SHARE_AT_MOST && in->shares.compute == in->shares.memory;
}

/* Compute or memory? Answered whenever both sides were measured, else by the
 * throughputs that Nsight Compute goes by. A unit is named that was counted. */
static void lean(struct bound *b, const struct bound_inputs *in)
{
    double compute = in->shares.compute, memory = in->shares.memory;
    const struct metric *pipe = leaning_pipe(b, in, &compute);
    b->lean = b->unit = "";
    b->unit_share = NAN;
    if (in->counters && (!isfinite(compute) || !isfinite(memory))) {
        compute = counters_share(in->counters, metric_by_id(METRIC_SM_THROUGHPUT));
        memory = counters_share(in->counters, metric_by_id(METRIC_MEMORY_THROUGHPUT));
    }
    if (!isfinite(compute) || !isfinite(memory) || lean_is_open(in) || bound_contradicts(&in->contradiction))
        return;
    const bool is_compute = compute >= memory;
    const struct metric *unit = is_compute ? pipe : in->memory_unit;
    b->lean = is_compute ? "compute" : "memory";
    if (unit && counters_share(in->counters, unit) > 0 && unit != metric_by_id(METRIC_SM_THROUGHPUT) &&
        !b->unit_is_open)
        b->unit = unit->group;
    b->unit_share = *b->unit ? counters_share(in->counters, unit) : NAN;
}

/* What the variant says of itself. */
static const char *stated_bound(const struct analysis *a, const struct arm *arm)
{
    const long row = arm_row(a, arm);
    return row < 0 ? "" : table_text(&a->bundle->tables[BUNDLE_VARIANTS], (size_t)row, VARIANTS_BOUND);
}

static int split_time(struct analysis *a, struct bound *b, const struct bound_inputs *in, struct err *e)
{
    struct lost_part parts[LOST_PARTS_MAX];
    const size_t count = lost_time_split(in, parts);
    struct lost_part *kept = arena_alloc(&a->arena, (count + 1) * sizeof *kept);
    if (!kept)
        return err_memory(e);
    memcpy(kept, parts, count * sizeof *kept);
    b->lost = kept;
    b->lost_count = count;
    return 0;
}

static int add_steps(struct analysis *a, struct bound *b, const struct bound_inputs *in,
                     const struct bound_record *made, struct err *e)
{
    const char *steps[BOUND_STEPS_MAX];
    const size_t count = bound_steps(in, made, b, &a->arena, steps);
    const char **kept = arena_alloc(&a->arena, (count + 1) * sizeof *kept);
    if (!kept)
        return err_memory(e);
    memcpy(kept, steps, count * sizeof *kept);
    b->steps = kept;
    b->step_count = count;
    return 0;
}

/* What both kinds of input have in common: launches of other tools (`arm` NULL) and arms of a bundle. */
static int add_bound_of(struct analysis *a, const struct bound_inputs *in, const struct bound_record *made,
                        const struct arm *arm, const char *kernel, struct err *e)
{
    struct bound *b = ARRAY_PUSH(&a->bounds);
    if (!b)
        return err_memory(e);
    analysis_note(a, ARM_BOUNDS, arm, a->bounds.count - 1);
    const struct counters *counters = in->counters;
    struct str cause;
    str_init(&cause);
    bound_cause_add(&cause, in, made);
    b->class_ = made->class_;
    b->margin = made->margin;
    b->bound_by = made->bound_by;
    b->unit_is_open = made->unit_is_open;
    lean(b, in);
    b->arm = arm;
    b->variant = arena_copy(&a->arena, arm ? arm->variant : "");
    b->config = arena_copy(&a->arena, arm ? arm->config : "");
    b->kernel = arena_copy(&a->arena, *kernel ? kernel : in->resource ? in->resource->kernel : "");
    b->cause = arena_copy(&a->arena, str_text(&cause));
    b->stated = "";
    b->compute_share = in->shares.compute;
    b->memory_share = in->shares.memory;
    b->compute_is = in->compute_is;
    b->memory_is = in->memory_is;
    b->sm_throughput = counters ? counters_share(counters, metric_by_id(METRIC_SM_THROUGHPUT)) : NAN;
    b->memory_throughput = counters ? counters_share(counters, metric_by_id(METRIC_MEMORY_THROUGHPUT)) : NAN;
    if (counters)
        b->ncu_rule = bound_ncu_rule(in->thresholds, b->sm_throughput, b->memory_throughput, in->waves);
    int rc = cause.failed ? err_memory(e) : add_evidence(a, b, in, e);
    if (!rc)
        rc = split_time(a, b, in, e);
    if (!rc)
        rc = advise(a, b, in, made, e);
    if (!rc)
        rc = add_steps(a, b, in, made, e);
    str_release(&cause);
    return rc;
}

/* `counters` is of the list, or NULL. */
static int add_bound(struct analysis *a, const struct counters_list *list, const struct counters *counters,
                     const struct arm *arm, const char *kernel, struct err *e)
{
    const struct bound_inputs in = bound_inputs_gather(a, counters, arm, kernel);
    const struct bound_record made = bound_inputs_decide(&in);
    const int rc = add_bound_of(a, &in, &made, arm, kernel, e);
    if (rc)
        return rc;
    struct bound *b = &a->bounds.items[a->bounds.count - 1];
    b->stated = arena_copy(&a->arena, stated_bound(a, arm));
    return bound_judge_repeats(a, b, list, counters, e);
}

int bound_analyze_counted(struct analysis *a, const struct imported_launches *launches, struct err *e)
{
    struct counting_advice counting;
    int rc = 0;
    counting_advice_init(&counting, &a->arena, launches);
    for (size_t i = 0; i < launches->count && !rc; i++) {
        const struct imported_launch *l = &launches->items[i];
        const struct bound_inputs in = bound_inputs_of(l, counted_thresholds_of(a, l));
        const struct bound_record made = bound_inputs_decide(&in);
        rc = add_bound_of(a, &in, &made, NULL, l->kernel, e);
        if (rc)
            break;
        struct bound *b = &a->bounds.items[a->bounds.count - 1];
        b->counted = l;
        if (b->class_ == BOUND_INCONCLUSIVE || b->unit_is_open)
            rc = counting_advice_find(&counting, &in, &made, &b->advice, e);
    }
    counting_advice_release(&counting);
    return rc;
}

int bound_analyze(struct analysis *a, struct err *e)
{
    const struct counters_list *counters = &a->run->counters;
    int rc = 0;
    for (size_t i = 0; i < counters->count && !rc; i++)
        if (!arm_is_partial(counters->items[i].arm))
            rc = add_bound(a, counters, &counters->items[i], counters->items[i].arm, counters->items[i].kernel, e);

    /* An arm without counters still gets a row that says so. */
    const struct arm_table *variants = &a->run->tables[BUNDLE_VARIANTS];
    for (size_t i = 0; i < table_rows(variants->table) && !rc; i++)
        if (!analysis_bound(a, variants->arms[i]) && !arm_is_altered(variants->arms[i]))
            rc = add_bound(a, counters, NULL, variants->arms[i], "", e);
    return rc;
}
