/* What is the result of all rows of one launch? */
#include "core/run/ncu/ncu_launch.h"

#include <math.h>
#include <string.h>

#include "core/base/count_of.h"

/* No GPU has a clock of 10 GHz. */
#define CYCLES_PER_NS_MAX 10

void ncu_launch_init(struct imported_launch *launch, struct ncu_notes *notes)
{
    *notes = (struct ncu_notes){0};
    for (size_t i = 0; i < COUNTERS_METRICS_MAX; i++)
        launch->counters.values[i] = launch->busy_at_most[i] = NAN;
    for (size_t i = 0; i < NCU_FACTS; i++)
        notes->facts[i] = NAN;
    launch->sm_count = NAN;
}

/* Digits of one number are the same in each of its cells. */
static bool differ(double a, double b)
{
    return isfinite(a) && isfinite(b) ? fabs(a - b) > 1e-9 * fmax(fabs(a), fabs(b)) : a != b;
}

/* The grid and the block of a launch are in a column of each page, and once more among its numbers, there perhaps in
 * thousands and rounded. */
static bool is_other_launch(const struct ncu_slot *slot, double a, double b)
{
    const bool is_launch =
        slot->at == ncu_fact_slot(NCU_GRID_BLOCKS).at || slot->at == ncu_fact_slot(NCU_BLOCK_THREADS).at;
    return is_launch && fabs(a - b) > 0.05 * fmax(a, b);
}

bool ncu_launch_take(struct imported_launch *launch, struct ncu_notes *notes, const struct ncu_slot *slot,
                     ncu_name_id name, double value)
{
    const bool is_counter = slot->at < COUNTERS_METRICS_MAX;
    double *to = is_counter ? &launch->counters.values[slot->at] : &notes->facts[slot->at - COUNTERS_METRICS_MAX];
    if (notes->has_two[slot->at] || (!is_counter && !ncu_slot_allows(slot, value)))
        return true;
    if (is_counter && slot->unit != UNIT_RATIO && !ncu_slot_allows(slot, value))
        value = COUNTERS_NO_NUMBER;
    const bool is_second = name && notes->held[slot->at] == name;
    if ((is_second && differ(*to, value)) || is_other_launch(slot, *to, value)) {
        notes->has_two[slot->at] = true;
        *to = is_counter ? COUNTERS_NO_NUMBER : NAN;
        return false;
    }
    if (slot->by_own_name || isnan(*to)) {
        *to = value;
        notes->held[slot->at] = name;
    }
    return true;
}

void ncu_launch_lack(struct ncu_notes *notes, bool is_empty)
{
    *(is_empty ? &notes->empty_count : &notes->nan_count) += 1;
}

void ncu_launch_hear(struct imported_launch *launch, struct ncu_notes *notes, const struct ncu_said *said)
{
    if (said->headline)
        launch->ncu_rule = said->headline;
    if (said->has_pipe)
        notes->pipe = *said;
    const struct ncu_slot sm_count = ncu_fact_slot(NCU_SM_COUNT);
    if (said->has_grid)
        ncu_launch_take(launch, notes, &sm_count, 0, said->sm_count);
    if (said->stall) {
        double *cycles = &launch->counters.values[ncu_slot_of(said->stall)];
        *cycles = isnan(*cycles) ? said->stall_cycles : *cycles;
    }
}

static double *value_of(struct imported_launch *launch, const char *id)
{
    return &launch->counters.values[ncu_slot_of(id)];
}

static double share_of(const struct imported_launch *launch, const char *id)
{
    return counters_share(&launch->counters, metric_by_id(id));
}

static void set_unless_counted(struct imported_launch *launch, const char *id, double value)
{
    double *to = value_of(launch, id);
    if (isnan(*to))
        *to = value;
}

/* Limits the unit to `to`; the lowest limit counts, and NAN is no limit. */
static void set_at_most(struct imported_launch *launch, const struct metric *metric, double to)
{
    double *most = &launch->busy_at_most[counters_index(metric)];
    if (to >= 0 && !(*most <= to))
        *most = to;
}

static void set_at_most_by_id(struct imported_launch *launch, const char *id, double to)
{
    set_at_most(launch, metric_by_id(id), to);
}

/* Returns the share of the elapsed cycles in which an SM was active; NAN: unknown, or cycles that contradict each other
 * or the duration. */
static double active_part(const struct imported_launch *launch)
{
    const double elapsed = counters_value(&launch->counters, METRIC_ELAPSED_CYCLES);
    const double part = counters_value(&launch->counters, METRIC_ACTIVE_CYCLES) / elapsed;
    const bool too_many = elapsed > CYCLES_PER_NS_MAX * counters_value(&launch->counters, METRIC_DURATION);
    return part <= PEAK_ROUNDING && !too_many ? fmin(1, part) : NAN;
}

/* A share over active cycles is at least as large as the one over elapsed cycles. */
static void take_active_share(struct imported_launch *launch, const char *id, double over_active)
{
    set_unless_counted(launch, id, over_active * active_part(launch));
    set_at_most_by_id(launch, id, over_active);
}

static void limit_pipes(struct imported_launch *launch, double to)
{
    const struct metric *metric;
    for (size_t at = 0; (metric = counters_next_unit(METRIC_COMPUTE, &at));)
        if (metric->role == METRIC_COMPUTE)
            set_at_most(launch, metric, to);
}

/* The rule looks at all pipes, including LSU: no other one is busier. */
static void take_pipe(struct imported_launch *launch, const struct ncu_said *said)
{
    const double part = said->pipe_over_active ? active_part(launch) : 1;
    if (!said->has_pipe)
        return;
    if (said->pipe)
        set_unless_counted(launch, said->pipe, said->pipe_share * part);
    limit_pipes(launch, isnan(part) ? said->pipe_share : said->pipe_share * part);
    set_at_most_by_id(launch, METRIC_LSU_SHARE, isnan(part) ? said->pipe_share : said->pipe_share * part);
}

/* Counters that include others: SM throughput is the maximum of the SM's pipes and more; L1 throughput is the maximum
 * over L1's parts, including shared memory. */
static void limit_by_sums(struct imported_launch *launch, const struct ncu_notes *notes)
{
    const double sm = share_of(launch, METRIC_SM_THROUGHPUT);
    limit_pipes(launch, sm);
    set_at_most_by_id(launch, METRIC_ISSUE_SHARE, sm);
    set_at_most_by_id(launch, METRIC_LSU_SHARE, sm);
    set_at_most_by_id(launch, METRIC_LSU_SHARE, notes->facts[NCU_MEMORY_PIPES]);
    set_at_most_by_id(launch, METRIC_TMEM_SHARE, notes->facts[NCU_MEMORY_PIPES]);
    static const char *const parts_of_l1[] = {METRIC_SHARED_SHARE, METRIC_OPERANDS_SHARE};
    for (size_t i = 0; i < COUNT_OF(parts_of_l1); i++) {
        set_at_most_by_id(launch, parts_of_l1[i], share_of(launch, METRIC_L1_SHARE));
        set_at_most_by_id(launch, parts_of_l1[i], launch->busy_at_most[ncu_slot_of(METRIC_L1_SHARE)]);
    }
}

/* How much more of its peak an SM may use of memory that all share: the most is 27 of what its part would be (48 SMs of
 * 64 bytes a cycle at 2.4 GHz, and memory of 273 GB/s). */
#define SHARED_BY_SMS_MAX 32

static bool has_counted(const struct imported_launch *launch)
{
    for (size_t i = 0; i < COUNTERS_METRICS_MAX; i++)
        if (isfinite(launch->counters.values[i]) && launch->counters.values[i] > 0)
            return true;
    return false;
}

/* The share of the SMs that have a block; NAN where the grid is none of what was counted, as that of a range of several
 * kernels. */
static double used_sms(const struct imported_launch *launch, const struct ncu_notes *notes)
{
    static const char *const of_sms[] = {METRIC_SM_THROUGHPUT, METRIC_L1_SHARE, METRIC_ISSUE_SHARE};
    const double used = notes->facts[NCU_GRID_BLOCKS] / notes->facts[NCU_SM_COUNT];
    for (size_t i = 0; i < COUNT_OF(of_sms); i++)
        if (share_of(launch, of_sms[i]) > used * PEAK_ROUNDING)
            return NAN;
    return has_counted(launch) && notes->facts[NCU_BLOCK_THREADS] >= 1 ? used : NAN;
}

/* A grid of fewer blocks than SMs leaves the others idle: units of an SM are that busy on average, at most. */
static void limit_by_grid(struct imported_launch *launch, const struct ncu_notes *notes)
{
    static const char *const of_sms[] = {METRIC_ISSUE_SHARE, METRIC_LSU_SHARE, METRIC_L1_SHARE, METRIC_SHARED_SHARE,
                                         METRIC_OPERANDS_SHARE};
    static const char *const of_all[] = {METRIC_L2_SHARE, METRIC_DRAM_SHARE};
    const double used = used_sms(launch, notes);
    if (!(used < 1))
        return;
    limit_pipes(launch, used);
    for (size_t i = 0; i < COUNT_OF(of_sms); i++)
        set_at_most_by_id(launch, of_sms[i], used);
    for (size_t i = 0; i < COUNT_OF(of_all) && used * SHARED_BY_SMS_MAX < 1; i++)
        set_at_most_by_id(launch, of_all[i], used * SHARED_BY_SMS_MAX);
}

static void fill_resource(struct imported_launch *launch, const struct ncu_notes *notes)
{
    const double *facts = notes->facts;
    launch->sm_count = facts[NCU_SM_COUNT];
    launch->resource = (struct resource){
        .variant = "",
        .config = "",
        .kernel = launch->kernel,
        .grid_blocks = facts[NCU_GRID_BLOCKS],
        .block_threads = facts[NCU_BLOCK_THREADS],
        .registers = facts[NCU_REGISTERS],
        .shared_bytes = facts[NCU_SHARED_STATIC] + facts[NCU_SHARED_DYNAMIC],
        .local_bytes = NAN,
        .spill_bytes = NAN,
        .blocks_per_sm = NAN,
        .occupancy = facts[NCU_OCCUPANCY],
        .waves = facts[NCU_WAVES],
        .code_hash = "",
    };
}

bool ncu_launch_is_nothing(const struct imported_launch *launch, const struct ncu_notes *notes)
{
    size_t zeros = 0;
    for (size_t i = 0; i < COUNTERS_METRICS_MAX; i++) {
        if (isfinite(launch->counters.values[i]) && launch->counters.values[i] != 0)
            return false;
        zeros += launch->counters.values[i] == 0;
    }
    return notes->nan_count > zeros || (notes->empty_count && !notes->has_value);
}

void ncu_launch_drop_nothing(struct imported_launch *launch, const struct ncu_notes *notes)
{
    launch->recorded_nothing = ncu_launch_is_nothing(launch, notes);
    for (size_t i = 0; i < COUNTERS_METRICS_MAX && launch->recorded_nothing; i++)
        launch->counters.values[i] = NAN;
}

void ncu_launch_finish(struct imported_launch *launch, const struct ncu_notes *notes)
{
    launch->counters.variant = launch->counters.config = "";
    launch->counters.kernel = launch->kernel;
    take_active_share(launch, METRIC_L1_SHARE, notes->facts[NCU_L1_ACTIVE_SHARE]);
    set_unless_counted(launch, METRIC_ISSUE_SHARE,
                       counters_value(&launch->counters, METRIC_ISSUE_ACTIVE) * active_part(launch));
    take_pipe(launch, &notes->pipe);
    limit_by_sums(launch, notes);
    limit_by_grid(launch, notes);
    fill_resource(launch, notes);
}
