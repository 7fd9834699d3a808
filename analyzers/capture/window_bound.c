/* What bounds a kernel, by the units that were sampled?
 *
 * Where all units that can bound were, the rules are those of counted kernels (docs/bounds.md). Where one is missing, a
 * unit near its peak is a limit all the same, whatever the others do. Nothing follows then from units that are not
 * busy, with one exception: no unit of an SM is busier than the SMs are active. */
#include "analyzers/capture/window_bound.h"

#include <math.h>

#include "analyzers/bound_decision.h"

const char window_bound_not_sampled[] = "textures, stalls and occupancy";

/* Beside ncu (docs/profile.md) 138 of 144 shares from many samples were within 3 points. A share from few samples is
 * allowed to be off by a tenth of itself. */
static const double error_of_many = 0.03, error_part_of_few = 0.10;

/* More than this of its peak is no reading. Up to it, it is rounding. */
static const double share_max = 1.02;

/* L2 moves at most this many times what DRAM does, on any chip: below it DRAM is not busy, writes included. */
static const double l2_share_of_idle_dram = 0.10;

enum side { SIDE_NONE, SIDE_COMPUTE, SIDE_MEMORY, SIDES };

static const enum side side_of[SAMPLED_UNIT_COUNT] = {
    [SAMPLED_TENSOR] = SIDE_COMPUTE, [SAMPLED_FMA] = SIDE_COMPUTE,       [SAMPLED_ISSUE] = SIDE_COMPUTE,
    [SAMPLED_XU] = SIDE_COMPUTE,     [SAMPLED_ALU] = SIDE_COMPUTE,       [SAMPLED_FP64] = SIDE_COMPUTE,
    [SAMPLED_LSU] = SIDE_MEMORY,     [SAMPLED_L1] = SIDE_MEMORY,         [SAMPLED_SHARED] = SIDE_MEMORY,
    [SAMPLED_L1_FILL] = SIDE_MEMORY, [SAMPLED_L1_REQUEST] = SIDE_MEMORY, [SAMPLED_L2] = SIDE_MEMORY,
    [SAMPLED_DRAM] = SIDE_MEMORY,
};
static const char *const side_names[SIDES] = {[SIDE_NONE] = "", [SIDE_COMPUTE] = "compute", [SIDE_MEMORY] = "memory"};

void window_error_state(struct window_unit *unit, int64_t samples)
{
    const double least =
        samples >= WINDOW_SAMPLES_MANY ? error_of_many : fmax(error_of_many, error_part_of_few * unit->share);
    if (isfinite(unit->share))
        unit->error = fmax(2 * unit->standard_error, least); /* NAN is no maximum */
}

/* What a unit counts for when the one to name is chosen: a full pipe fills the issue slots, and DRAM reaches less than
 * its peak. */
static double weight_of(const struct kernel_window *k, const struct thresholds *t, int unit)
{
    const double share = k->units[unit].share;
    if (unit == SAMPLED_ISSUE)
        return share - threshold(t, THRESHOLD_PIPE_PREFERENCE);
    return unit == SAMPLED_DRAM ? share / threshold(t, THRESHOLD_DRAM_CEILING) : share;
}

/* Returns the unit to name of a side; SAMPLED_UNIT_COUNT when none is known. */
static int busiest(const struct kernel_window *k, const struct thresholds *t, enum side side)
{
    int best = SAMPLED_UNIT_COUNT;
    for (int unit = 0; unit < SAMPLED_UNIT_COUNT; unit++)
        if (side_of[unit] == side && isfinite(k->units[unit].share) &&
            (best == SAMPLED_UNIT_COUNT || weight_of(k, t, unit) > weight_of(k, t, best)))
            best = unit;
    const bool is_of_l1 =
        best == SAMPLED_L1 && bound_prefers_shared(t, k->units[SAMPLED_SHARED].share, k->units[SAMPLED_L1].share);
    return is_of_l1 ? SAMPLED_SHARED : best;
}

static bool are_all_sampled(const struct kernel_window *k)
{
    for (int unit = 0; unit < SAMPLED_UNIT_COUNT; unit++)
        if (side_of[unit] != SIDE_NONE && !isfinite(k->units[unit].share))
            return false;
    return true;
}

static double share_of(const struct kernel_window *k, int unit, double errors)
{
    return unit == SAMPLED_UNIT_COUNT ? 0 : k->units[unit].share + errors * k->units[unit].error;
}

/* The class by shares of which others may be larger. */
static enum bound_class class_of_some(const struct thresholds *t, double compute, double memory)
{
    const double high = threshold(t, THRESHOLD_HIGH_SHARE), lead = threshold(t, THRESHOLD_LEAD);
    if (!threshold_reached(fmax(compute, memory), high))
        return BOUND_INCONCLUSIVE;
    if (threshold_reached(fmin(compute, memory), high) && !threshold_reached(fabs(compute - memory), lead))
        return BOUND_BALANCED;
    return compute > memory ? BOUND_COMPUTE : BOUND_MEMORY;
}

/* The class when each side is so many errors higher than it was seen. */
static enum bound_class class_at(const struct kernel_window *k, const struct thresholds *t, const int best[SIDES],
                                 double of_compute, double of_memory)
{
    double margin;
    const struct bound_shares shares = {.launch_idle = NAN,
                                        .compute = share_of(k, best[SIDE_COMPUTE], of_compute),
                                        .memory = share_of(k, best[SIDE_MEMORY], of_memory),
                                        .copying = NAN,
                                        .other_work = NAN};
    return are_all_sampled(k) ? bound_decide(t, &shares, &margin) : class_of_some(t, shares.compute, shares.memory);
}

static bool is_near_boundary(const struct kernel_window *k, const struct thresholds *t, const int best[SIDES])
{
    const enum bound_class seen = class_at(k, t, best, 0, 0);
    for (int of_compute = -1; of_compute <= 1; of_compute += 2)
        for (int of_memory = -1; of_memory <= 1; of_memory += 2)
            if (class_at(k, t, best, of_compute, of_memory) != seen)
                return true;
    return false;
}

/* No unit at all is busy: those of SMs because SMs have nothing to do, those behind because little passes L2. */
static bool is_of_latency(const struct kernel_window *k, const struct thresholds *t)
{
    const struct window_unit *active = &k->units[SAMPLED_ACTIVE], *l2 = &k->units[SAMPLED_L2];
    return active->share + active->error < threshold(t, THRESHOLD_LATENCY_SHARE) &&
           l2->share + l2->error < l2_share_of_idle_dram; /* never for NAN */
}

static bool is_credible(const struct kernel_window *k)
{
    for (int unit = 0; unit < SAMPLED_UNIT_COUNT; unit++)
        if (k->units[unit].share > share_max)
            return false;
    return true;
}

static const char *why_undecided(const struct kernel_window *k, const char *doubt)
{
    if (doubt)
        return doubt;
    if (!k->alone)
        return "not_alone";
    if (k->samples < WINDOW_SAMPLES_MIN || (k->launches > 1 && k->sampled_launches < 2))
        return "too_few_samples";
    return is_credible(k) ? NULL : "not_credible";
}

static void name_unit(struct kernel_window *k, const struct thresholds *t, const int best[SIDES])
{
    const int compute = best[SIDE_COMPUTE], memory = best[SIDE_MEMORY];
    if (compute == SAMPLED_UNIT_COUNT && memory == SAMPLED_UNIT_COUNT)
        return;
    const bool is_compute = memory == SAMPLED_UNIT_COUNT ||
                            (compute != SAMPLED_UNIT_COUNT && weight_of(k, t, compute) > weight_of(k, t, memory));
    const int unit = is_compute ? compute : memory;
    k->lean = compute == SAMPLED_UNIT_COUNT || memory == SAMPLED_UNIT_COUNT ? "" : side_names[side_of[unit]];
    k->unit = k->units[unit].unit;
    k->unit_share = k->units[unit].share;
    k->unit_error = k->units[unit].error;
}

/* A unit that nobody sampled may leave no room. DRAM cannot reach its peak. */
static double headroom_of(const struct kernel_window *k, const struct thresholds *t)
{
    double busiest = 0;
    for (int unit = 0; unit < SAMPLED_UNIT_COUNT; unit++)
        if (side_of[unit] != SIDE_NONE)
            busiest =
                fmax(busiest, k->units[unit].share / (unit == SAMPLED_DRAM ? threshold(t, THRESHOLD_DRAM_CEILING) : 1));
    return are_all_sampled(k) ? (double)k->total_ns * fmax(0, 1 - busiest) : (double)NAN;
}

void window_bound_decide(struct kernel_window *k, const struct thresholds *t, const char *doubt)
{
    const int best[SIDES] = {SAMPLED_UNIT_COUNT, busiest(k, t, SIDE_COMPUTE), busiest(k, t, SIDE_MEMORY)};
    k->class_ = BOUND_INCONCLUSIVE;
    k->lean = k->unit = "";
    k->unit_share = k->unit_error = k->headroom_ns = NAN;
    name_unit(k, t, best);
    k->reason = why_undecided(k, doubt);
    if (k->reason)
        return;
    k->headroom_ns = headroom_of(k, t);
    if (is_near_boundary(k, t, best)) {
        k->reason = "near_boundary";
        return;
    }
    const bool are_all = are_all_sampled(k);
    const double busiest_share = fmax(share_of(k, best[SIDE_COMPUTE], 0), share_of(k, best[SIDE_MEMORY], 0));
    k->class_ = class_at(k, t, best, 0, 0);
    if (k->class_ == BOUND_INCONCLUSIVE && is_of_latency(k, t))
        k->class_ = BOUND_LATENCY;
    k->reason = threshold_reached(busiest_share, threshold(t, THRESHOLD_HIGH_SHARE)) ? "unit_busy"
                : are_all                                                            ? "all_units"
                : k->class_ == BOUND_LATENCY                                         ? "sms_idle"
                                                                                     : "units_not_sampled";
}
