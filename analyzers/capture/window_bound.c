/* What bounds a kernel, when only some of its units were sampled?
 *
 * A unit near its peak is a limit, whatever the others do. Nothing follows from units that are not busy, as one that
 * was not sampled may be, with one exception: no unit of an SM is busier than the SMs are active. */
#include "analyzers/capture/window_bound.h"

#include <math.h>

const char window_bound_not_sampled[] = "fp64, alu, lsu, L1, shared memory, writes to DRAM, stalls and occupancy";

/* Compared with ncu (docs/profile.md), 96 of 100 shares from many samples were within 3 points. A share from few
 * samples is allowed to be off by a tenth of itself. */
static const double error_of_many = 0.03, error_part_of_few = 0.10;

/* More than this of its peak is no reading. Up to it, it is rounding. */
static const double share_max = 1.02;

/* L2 moves at most this many times what DRAM does, on any chip: below it DRAM is not busy, writes included. */
static const double l2_share_of_idle_dram = 0.10;

enum side { SIDE_NONE, SIDE_COMPUTE, SIDE_MEMORY, SIDES };

static const enum side side_of[SAMPLED_UNIT_COUNT] = {
    [SAMPLED_TENSOR] = SIDE_COMPUTE, [SAMPLED_FMA] = SIDE_COMPUTE,    [SAMPLED_ISSUE] = SIDE_COMPUTE,
    [SAMPLED_XU] = SIDE_COMPUTE,     [SAMPLED_L1_FILL] = SIDE_MEMORY, [SAMPLED_L2] = SIDE_MEMORY,
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
    return best;
}

static double share_of(const struct kernel_window *k, int unit, double errors)
{
    return unit == SAMPLED_UNIT_COUNT ? 0 : k->units[unit].share + errors * k->units[unit].error;
}

/* The class when one side is so many errors higher than it was seen, and the other so many lower. */
static enum bound_class class_at(const struct kernel_window *k, const struct thresholds *t, const int best[SIDES],
                                 double errors)
{
    const double compute = share_of(k, best[SIDE_COMPUTE], errors), memory = share_of(k, best[SIDE_MEMORY], -errors);
    const double high = threshold(t, THRESHOLD_HIGH_SHARE), lead = threshold(t, THRESHOLD_LEAD);
    if (!threshold_reached(fmax(compute, memory), high))
        return BOUND_INCONCLUSIVE;
    if (threshold_reached(fmin(compute, memory), high) && !threshold_reached(fabs(compute - memory), lead))
        return BOUND_BALANCED;
    return compute > memory ? BOUND_COMPUTE : BOUND_MEMORY;
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

void window_bound_decide(struct kernel_window *k, const struct thresholds *t, const char *doubt)
{
    const int best[SIDES] = {SAMPLED_UNIT_COUNT, busiest(k, t, SIDE_COMPUTE), busiest(k, t, SIDE_MEMORY)};
    k->class_ = BOUND_INCONCLUSIVE;
    k->lean = k->unit = "";
    k->unit_share = k->unit_error = NAN;
    name_unit(k, t, best);
    k->reason = why_undecided(k, doubt);
    if (k->reason)
        return;
    const enum bound_class seen = class_at(k, t, best, 0);
    if (seen != class_at(k, t, best, 1) || seen != class_at(k, t, best, -1)) {
        k->reason = "near_boundary";
        return;
    }
    k->class_ = seen != BOUND_INCONCLUSIVE ? seen : is_of_latency(k, t) ? BOUND_LATENCY : BOUND_INCONCLUSIVE;
    k->reason = seen != BOUND_INCONCLUSIVE   ? "unit_busy"
                : k->class_ == BOUND_LATENCY ? "sms_idle"
                                             : "units_not_sampled";
}
