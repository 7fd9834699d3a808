/* Which numbers decide what bounds a kernel, and which of them are missing? */
#include "analyzers/bounds/bound_inputs.h"

#include <math.h>
#include <string.h>

#include "core/base/count_of.h"
#include "core/base/json.h"
#include "core/gpu/ceilings.h"

/* A measurement below this is not of a whole GPU's memory: others were at work, or it is a part of one. */
#define DRAM_REACH_MIN 0.5

/* What differences of decimal shares are off by. */
#define ROUNDING 1e-9

/* Shares in sentences of Nsight Compute have one decimal; counters have more. */
#define SENTENCE_ROUNDING 0.001

/* Other launches have a counter that this one lacks: another counter of its unit may see less of it. */
static bool is_lacking(const struct bound_inputs *in, const struct metric *metric)
{
    const size_t at = counters_index(metric);
    return in->lacks && in->lacks[at] && isnan(in->counters->values[at]);
}

static bool is_known(const struct bound_inputs *in, const struct metric *unit)
{
    return !is_lacking(in, unit) && counters_unit_known(in->counters, in->chip, unit);
}

/* Returns those of the kernel of that name, else of the arm's first. */
static const struct resource *find_resource(const struct analysis *a, const struct arm *arm, const char *kernel)
{
    const struct arm_rows rows = analysis_rows(a, ARM_RESOURCES, arm);
    for (size_t i = rows.first; i < rows.end; i++)
        if (a->resources.items[i].arm == arm && !strcmp(a->resources.items[i].kernel, kernel))
            return &a->resources.items[i];
    return analysis_resource(a, arm);
}

static double sm_count_of(const struct bundle *bundle)
{
    long long count = bundle ? json_get_integer(json_object_get(bundle->manifest, "gpu"), "sm_count", 0) : 0;
    return count > 0 ? (double)count : NAN;
}

/* The shares of the launch interval in which the device waits, copies and does other work; NAN when the
 * kernel is no shorter than the interval or nothing was traced. */
static void take_gaps(struct bound_shares *shares, const struct launch_cost *launch)
{
    shares->launch_idle = shares->copying = shares->other_work = NAN;
    if (!launch || !(launch->interval_median_ns > 0) || !(launch->kernel_median_ns < launch->interval_median_ns))
        return;
    shares->launch_idle = launch->gap_median_ns / launch->interval_median_ns;
    shares->copying = launch->copy_median_ns / launch->interval_median_ns;
    shares->other_work = launch->other_median_ns / launch->interval_median_ns;
}

/* A launch in a graph has no gap that its time does not show. NAN: no graph was timed. */
static double gap_of_graphs(const struct analysis *a, const struct arm *arm, const struct launch_cost *launch)
{
    const struct timing_summary *t = launch ? analysis_timing(a, arm) : NULL;
    return t && t->batch > 1 ? fmax(0, 1 - launch->kernel_median_ns / t->p50_ns) : NAN;
}

/* What `run --ceilings` left in the manifest, over the peak that the counters are shares of. */
static void find_dram_reach(struct bound_inputs *in, const struct analysis *a)
{
    const json_t *gpu = a->bundle ? json_object_get(a->bundle->manifest, "ceilings") : NULL;
    const double counted = counters_value(in->counters, METRIC_PEAK_DRAM);
    const double peak = counted > 0 ? counted : ceiling_peak(gpu, CEILING_DRAM, NAN);
    const double reach = ceilings_measured(gpu, "dram") / peak;
    in->dram_reach_is_measured = reach >= DRAM_REACH_MIN && reach <= 1;
    if (in->dram_reach_is_measured)
        in->dram_reach = reach;
}

/* Loads and stores of threads, or operands of tcgen05? */
static const struct metric *busier_part_of_shared(const struct counters *c)
{
    const struct metric *threads = metric_by_id(METRIC_SHARED_SHARE), *operands = metric_by_id(METRIC_OPERANDS_SHARE);
    return counters_share(c, operands) > counters_share(c, threads) ? operands : threads;
}

/* DRAM is named when it is close to what it can reach, even if another unit of
 * the memory side is busier: every byte passes L2 on its way. Shared memory is a
 * part of L1 and is named when no other part of it is busier. */
static void choose_memory_unit(struct bound_inputs *in)
{
    const struct metric *dram = metric_by_id(METRIC_DRAM_SHARE), *shared = busier_part_of_shared(in->counters);
    double dram_share = counters_share(in->counters, dram), shared_share = counters_share(in->counters, shared);
    if (bound_prefers_dram(in->thresholds, dram_share, in->dram_reach, in->shares.memory)) {
        in->memory_unit = dram;
        in->memory_unit_share = dram_share;
    } else if (in->memory_busiest && !strcmp(in->memory_busiest->group, "l1") &&
               bound_prefers_shared(in->thresholds, shared_share, in->shares.memory)) {
        in->memory_unit = shared;
        in->memory_unit_share = shared_share;
    }
}

/* tcgen05 instructions keep their operands and sums in tensor memory. Where both are busy the pipe is named, as it is
 * for issue slots. That it is the limit was seen on no chip. */
static const struct metric *name_pipe(const struct bound_inputs *in, const struct metric *busiest, double *share)
{
    const struct metric *tc = metric_by_id(METRIC_TC_SHARE);
    const double its = counters_share(in->counters, tc);
    if (busiest != metric_by_id(METRIC_TMEM_SHARE) || !bound_prefers_pipe(in->thresholds, its, *share))
        return busiest;
    *share = its;
    return tc;
}

const struct metric *bound_inputs_pipe(const struct bound_inputs *in, double *share)
{
    const struct metric *busiest = counters_busiest_pipe(in->counters, share);
    return name_pipe(in, busiest, share);
}

/* The busiest pipe, if no pipe that was not counted can be busier; NULL else. */
static const struct metric *busiest_pipe_for_sure(const struct bound_inputs *in, double *share)
{
    const struct metric *metric, *pipe = bound_inputs_pipe(in, share);
    for (size_t at = 0; pipe && (metric = counters_next_unit(METRIC_COMPUTE, &at));)
        if (metric->role == METRIC_COMPUTE && !is_known(in, metric) &&
            !(in->busy_at_most && in->busy_at_most[counters_index(metric)] <= *share))
            return NULL;
    return pipe;
}

/* Each instruction of a pipe needs an issue slot: those of a full pipe are as full, and the pipe says more. Where they
 * were not counted, their limit says how full they can be. */
static void choose_compute_unit(struct bound_inputs *in)
{
    double share;
    const bool counted = in->compute_busiest == metric_by_id(METRIC_ISSUE_SHARE);
    const bool limited = in->compute_busiest == metric_by_id(METRIC_SM_THROUGHPUT);
    const struct metric *pipe = counted ? bound_inputs_pipe(in, &share) : busiest_pipe_for_sure(in, &share);
    if ((!counted && !limited) || !pipe || !bound_prefers_pipe(in->thresholds, share, in->shares.compute))
        return;
    in->compute_unit = pipe;
    in->compute_unit_share = share;
}

/* What the uncounted units of a side are no busier than, and
 * which metric that is; INFINITY when nothing limits one of them. */
static double limit_of(const struct bound_inputs *in, enum metric_role role, const struct metric **unit)
{
    double limit = -INFINITY;
    const struct metric *metric;
    for (size_t at = 0; (metric = counters_next_unit(role, &at));) {
        if (is_known(in, metric))
            continue;
        const double its = in->busy_at_most ? in->busy_at_most[counters_index(metric)] : NAN;
        if (!isfinite(its))
            return INFINITY;
        if (its > limit) {
            limit = its;
            *unit = metric;
        }
    }
    return limit;
}

/* A side is as busy as a unit of it may be that was not counted. Which pipe that
 * is nobody knows, so SM throughput, which limits pipes, is named. Where nothing limits such a unit the side is at
 * least as busy as those that were counted. */
static enum share_certainty raise_to_limit(const struct bound_inputs *in, enum metric_role role, double *share,
                                           const struct metric **unit)
{
    const struct metric *limited = NULL;
    const double limit = limit_of(in, role, &limited);
    if (limit == INFINITY)
        return isfinite(*share) ? SHARE_AT_LEAST : SHARE_UNKNOWN;
    if (!isfinite(limit) || limit <= *share)
        return SHARE_EXACT;
    *share = limit;
    *unit = role == METRIC_COMPUTE ? metric_by_id(METRIC_SM_THROUGHPUT) : limited;
    return SHARE_AT_MOST;
}

static void take_shares(struct bound_inputs *in)
{
    struct bound_shares *shares = &in->shares;
    in->compute_busiest = counters_busiest(in->counters, METRIC_COMPUTE, &shares->compute);
    in->memory_busiest = counters_busiest(in->counters, METRIC_MEMORY, &shares->memory);
    in->counted_nothing = shares->compute <= 0 && shares->memory <= 0; /* never for NAN */
    in->at_least = *shares;
    in->at_least.compute = fmax(0, shares->compute);
    in->at_least.memory = fmax(0, shares->memory);
    in->compute_is = raise_to_limit(in, METRIC_COMPUTE, &shares->compute, &in->compute_busiest);
    in->memory_is = raise_to_limit(in, METRIC_MEMORY, &shares->memory, &in->memory_busiest);
    in->memory_unit = in->memory_busiest;
    in->memory_unit_share = shares->memory;
    choose_memory_unit(in);
    in->compute_unit_share = shares->compute;
    in->compute_unit = name_pipe(in, in->compute_busiest, &in->compute_unit_share);
    choose_compute_unit(in);
}

/* A grid has blocks; what says otherwise is damaged. Waves may be so few that a tool rounds them to 0. */
static double at_least(double least, double value)
{
    return value >= least && isfinite(value) ? value : NAN;
}

static void take_grid(struct bound_inputs *in)
{
    in->sm_count = at_least(1, in->sm_count);
    in->grid_blocks = in->resource ? at_least(1, in->resource->grid_blocks) : NAN;
    in->waves = in->resource ? at_least(0, in->resource->waves) : NAN;
}

struct bound_inputs bound_inputs_gather(const struct analysis *a, const struct counters *counters,
                                        const struct arm *arm, const char *kernel)
{
    const bool is_python = analysis_is_python(a, arm);
    struct bound_inputs in = {.thresholds = &a->thresholds,
                              .counters = counters,
                              .chip = analysis_chip(a),
                              .resource = find_resource(a, arm, kernel),
                              .launch = is_python ? NULL : analysis_launch_cost(a, arm),
                              .is_python = is_python,
                              .sm_count = sm_count_of(a->bundle),
                              .shares = {NAN, NAN, NAN, NAN, NAN},
                              .at_least = {NAN, NAN, NAN, NAN, NAN},
                              .compute_unit_share = NAN,
                              .memory_unit_share = NAN,
                              .dram_reach = threshold(&a->thresholds, THRESHOLD_DRAM_CEILING)};
    take_grid(&in);
    take_gaps(&in.shares, in.launch);
    in.gap_most = gap_of_graphs(a, arm, in.launch);
    if (counters) {
        find_dram_reach(&in, a);
        take_shares(&in);
    }
    return in;
}

struct bound_inputs bound_inputs_of(const struct imported_launch *launch, const struct thresholds *thresholds)
{
    struct bound_inputs in = {.thresholds = thresholds,
                              .counters = &launch->counters,
                              .gap_most = NAN,
                              .chip = chip_by_capability(launch->compute_capability),
                              .resource = &launch->resource,
                              .busy_at_most = launch->busy_at_most,
                              .contradiction = bound_contradiction_find(launch),
                              .lacks = launch->lacks,
                              .sm_count = launch->sm_count,
                              .recorded_nothing = launch->recorded_nothing,
                              .shares = {NAN, NAN, NAN, NAN, NAN},
                              .dram_reach = threshold(thresholds, THRESHOLD_DRAM_CEILING)};
    take_grid(&in);
    take_shares(&in);
    return in;
}

/* Whatever the other side is, a side this idle changes no class: below the
 * latency share nothing wins, and from there on the other one leads. */
static bool decides_nothing(const struct thresholds *t, double share)
{
    return share < threshold(t, THRESHOLD_LATENCY_SHARE) - threshold(t, THRESHOLD_LEAD);
}

/* Is there another class when the units that were not counted are less busy
 * than their limits? Along each side the classes follow one another, so the
 * corners tell. */
static bool class_is_open(const struct bound_inputs *in, enum bound_class class_)
{
    double margin;
    const double computes[] = {in->at_least.compute, in->shares.compute};
    const double memories[] = {in->at_least.memory, in->shares.memory};
    for (size_t i = 0; i < 4; i++) {
        const struct bound_shares corner = {NAN, computes[i / 2], memories[i % 2], NAN, NAN};
        if (bound_decide(in->thresholds, &corner, &margin) != class_)
            return true;
    }
    return false;
}

/* What is named must have been counted. The unit of a compute bound may stay open (find_open_units). */
static bool limits_leave_doubt(const struct bound_inputs *in)
{
    double margin;
    if (isnan(in->shares.memory))
        return !decides_nothing(in->thresholds, in->shares.compute);
    if (isnan(in->shares.compute))
        return !decides_nothing(in->thresholds, in->shares.memory);
    const enum bound_class class_ = bound_decide(in->thresholds, &in->shares, &margin);
    if (class_is_open(in, class_))
        return true;
    const bool pipe_known = in->compute_unit && in->compute_unit->role == METRIC_COMPUTE;
    const bool compute_known = in->at_least.compute >= in->shares.compute || pipe_known;
    const bool memory_known = in->at_least.memory >= in->shares.memory;
    return (class_ == BOUND_MEMORY && !memory_known) || (class_ == BOUND_BALANCED && !(compute_known && memory_known));
}

static bool could_be_busiest(const struct bound_inputs *in, const struct metric *metric, enum metric_role side,
                             bool doubt)
{
    const double limit = in->busy_at_most ? in->busy_at_most[counters_index(metric)] : NAN;
    if (!isfinite(limit))
        return true;
    return doubt && limit > (side == METRIC_COMPUTE ? in->at_least.compute : in->at_least.memory);
}

static bool is_missing(const struct bound_inputs *in, const struct metric *metric, enum metric_role side, bool doubt)
{
    if (counters_is_incredible(in->counters, metric))
        return true;
    return !is_known(in, metric) && could_be_busiest(in, metric, side, doubt);
}

/* A throughput that is not credible contradicts the units whose maximum it is. */
static void find_missing(struct bound_record *r, const struct bound_inputs *in)
{
    static const char *const throughputs[] = {METRIC_SM_THROUGHPUT, METRIC_MEMORY_THROUGHPUT};
    const struct metric *metric;
    const bool doubt = in->counters && limits_leave_doubt(in);
    for (enum metric_role side = METRIC_COMPUTE; side <= METRIC_MEMORY && in->counters; side++)
        for (size_t at = 0; (metric = counters_next_unit(side, &at));)
            if (is_missing(in, metric, side, doubt))
                r->missing[r->missing_count++] = metric;
    for (size_t i = 0; i < COUNT_OF(throughputs) && in->counters; i++)
        if (counters_is_incredible(in->counters, metric_by_id(throughputs[i])) ||
            is_lacking(in, metric_by_id(throughputs[i])))
            r->missing[r->missing_count++] = metric_by_id(throughputs[i]);
}

/* What was counted is below, and what was not is limited to less: it is not this unit that makes the throughput. */
static bool is_below(const struct bound_inputs *in, const struct metric *metric, double throughput)
{
    const double limit = in->busy_at_most ? in->busy_at_most[counters_index(metric)] : NAN;
    const bool known = is_known(in, metric);
    const double most = known ? counters_share(in->counters, metric) : limit;
    return isnan(most) ? known : throughput - most > threshold(in->thresholds, THRESHOLD_UNKNOWN_UNIT) + ROUNDING;
}

/* SM throughput counts load and store instructions, too, whose pipe stands on the memory side here. */
static bool all_are_below(const struct bound_inputs *in, enum metric_role side, double throughput)
{
    const struct metric *metric;
    for (size_t at = 0; (metric = counters_next_unit(side, &at));)
        if (metric->sets && !is_below(in, metric, throughput))
            return false;
    return side == METRIC_MEMORY || is_below(in, metric_by_id(METRIC_LSU_SHARE), throughput);
}

/* Is the other side the limit, however busy the unknown unit is below the throughput of its side? */
static bool other_side_wins(const struct bound_inputs *in, enum metric_role side, double throughput)
{
    double margin;
    struct bound_shares worst = {NAN, in->shares.compute, in->shares.memory, NAN, NAN};
    *(side == METRIC_COMPUTE ? &worst.compute : &worst.memory) = throughput;
    return bound_decide(in->thresholds, &worst, &margin) == (side == METRIC_COMPUTE ? BOUND_MEMORY : BOUND_COMPUTE);
}

static const struct metric *find_unknown_unit(const struct bound_inputs *in)
{
    static const struct {
        enum metric_role side;
        const char *throughput;
    } sides[] = {{METRIC_COMPUTE, METRIC_SM_THROUGHPUT}, {METRIC_MEMORY, METRIC_MEMORY_THROUGHPUT}};
    for (size_t i = 0; i < COUNT_OF(sides) && in->counters; i++) {
        const struct metric *metric = metric_by_id(sides[i].throughput);
        const double throughput = counters_share(in->counters, metric);
        if (isfinite(throughput) && all_are_below(in, sides[i].side, throughput) &&
            !other_side_wins(in, sides[i].side, throughput))
            return metric;
    }
    return NULL;
}

/* Issue slots that were not counted may be less busy than their limit. */
static double margin_as_counted(const struct bound_inputs *in, double margin)
{
    double at_least;
    struct bound_shares counted = in->shares;
    counted.compute = in->at_least.compute;
    return bound_decide(in->thresholds, &counted, &at_least) == BOUND_COMPUTE ? fmin(margin, at_least) : margin;
}

/* May this unit, which was not counted, be the one to name instead of what is named now? A pipe is named before issue
 * slots that are a little busier. */
static bool could_be_named(const struct bound_inputs *in, const struct metric *metric)
{
    const struct metric *issue = metric_by_id(METRIC_ISSUE_SHARE);
    const double most = in->busy_at_most[counters_index(metric)];
    if (in->compute_unit->role == METRIC_COMPUTE)
        return metric != issue && most > in->compute_unit_share + SENTENCE_ROUNDING;
    double counted;
    const bool slots_are_busiest = counters_busiest(in->counters, METRIC_COMPUTE, &counted) == issue;
    return most > counted || (slots_are_busiest && bound_prefers_pipe(in->thresholds, most, counted));
}

/* The limits of a compute bound leave no doubt about its class, but may leave some about its unit. */
static void find_open_units(struct bound_record *r, const struct bound_inputs *in)
{
    const struct metric *metric;
    for (size_t at = 0; in->busy_at_most && (metric = counters_next_unit(METRIC_COMPUTE, &at));)
        if (!is_known(in, metric) && could_be_named(in, metric))
            r->missing[r->missing_count++] = metric;
    r->unit_is_open = r->missing_count > 0;
}

static const char *latency_bound_by(const struct bound_record *r, const struct bound_inputs *in)
{
    switch (r->latency_cause) {
    case LATENCY_SMALL_GRID: return "small-grid";
    case LATENCY_TAIL: return "tail";
    case LATENCY_STALL: break;
    }
    const struct metric *stall = counters_leading_stall(in->counters);
    return stall ? stall->group : "";
}

static void add_latency_cause(struct bound_record *r, const struct bound_inputs *in)
{
    r->latency_cause = bound_latency_cause(in->thresholds, in->grid_blocks, in->sm_count, in->waves);
    r->active_share =
        counters_value(in->counters, METRIC_ACTIVE_CYCLES) / counters_value(in->counters, METRIC_ELAPSED_CYCLES);
    r->is_short = r->latency_cause == LATENCY_STALL &&
                  r->active_share < threshold(in->thresholds, THRESHOLD_SHORT_ACTIVE) &&
                  counters_value(in->counters, METRIC_DURATION) < threshold(in->thresholds, THRESHOLD_SHORT_KERNEL);
    r->bound_by = latency_bound_by(r, in);
}

struct bound_record bound_inputs_decide(const struct bound_inputs *in)
{
    struct bound_record r = {.bound_by = "", .active_share = NAN};
    r.class_ = bound_decide(in->thresholds, &in->shares, &r.margin);
    if (bound_is_of_gaps(r.class_))
        return r;
    find_missing(&r, in);
    r.unknown_unit = r.missing_count ? NULL : find_unknown_unit(in);
    if (in->counted_nothing || r.missing_count || r.unknown_unit || bound_contradicts(&in->contradiction)) {
        r.class_ = BOUND_INCONCLUSIVE;
        r.margin = NAN;
    }
    if (r.class_ == BOUND_LATENCY)
        add_latency_cause(&r, in);
    else if (r.class_ == BOUND_MEMORY)
        r.bound_by = in->memory_unit->group;
    else if (r.class_ == BOUND_COMPUTE) {
        find_open_units(&r, in);
        r.bound_by = r.unit_is_open ? "" : in->compute_unit->group;
        r.margin = margin_as_counted(in, r.margin);
    }
    return r;
}

void bound_inputs_write_grid(struct str *out, const struct bound_inputs *in)
{
    str_addf(out, "%.0f block%s for %.0f SM%s", in->grid_blocks, in->grid_blocks == 1 ? "" : "s", in->sm_count,
             in->sm_count == 1 ? "" : "s");
    if (in->grid_blocks < in->sm_count)
        str_addf(out, ", so %.0f %s nothing to do", in->sm_count - in->grid_blocks,
                 in->sm_count - in->grid_blocks == 1 ? "has" : "have");
}
