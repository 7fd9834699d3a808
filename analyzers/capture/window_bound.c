/* What bounds a kernel, by the units that were sampled?
 *
 * Where all units that can bound were, the rules are those of counted kernels (docs/bounds.md). Where one is missing, a
 * unit near its peak is a limit all the same, whatever the others do. Nothing follows then from units that are not
 * busy, with one exception: no unit of an SM is busier than the SMs are active. */
#include "analyzers/capture/window_bound.h"

#include <math.h>

#include "analyzers/bound_decision.h"

const char window_bound_not_sampled[] = "parts of L2, stalls and occupancy";

/* Beside ncu (docs/profile.md) 138 of 144 shares from many samples were within 3 points. A share from few samples is
 * allowed to be off by a tenth of itself. */
static const double error_of_many = 0.03, error_part_of_few = 0.10;

/* More than this of its peak is no reading. Up to it, it is rounding. */
static const double share_max = 1.02;

/* Samples see the sectors that L2 moves. Other parts of it were up to 4.2 times as busy (docs/profile.md), so below
 * this share none of them reaches latency_share. Nor is DRAM busy then, writes included. */
static const double l2_share_of_idle = 0.10;

enum side { SIDE_NONE, SIDE_COMPUTE, SIDE_MEMORY, SIDES };

static const enum side side_of[SAMPLED_UNIT_COUNT] = {
    [SAMPLED_TENSOR] = SIDE_COMPUTE,   [SAMPLED_FMA] = SIDE_COMPUTE,
    [SAMPLED_ISSUE] = SIDE_COMPUTE,    [SAMPLED_XU] = SIDE_COMPUTE,
    [SAMPLED_ALU] = SIDE_COMPUTE,      [SAMPLED_FP64] = SIDE_COMPUTE,
    [SAMPLED_FMAHEAVY] = SIDE_COMPUTE, [SAMPLED_TEX] = SIDE_MEMORY,
    [SAMPLED_L1] = SIDE_MEMORY,        [SAMPLED_SHARED] = SIDE_MEMORY,
    [SAMPLED_L1_FILL] = SIDE_MEMORY,   [SAMPLED_L1_REQUEST] = SIDE_MEMORY,
    [SAMPLED_L2] = SIDE_MEMORY,        [SAMPLED_DRAM] = SIDE_MEMORY,
    [SAMPLED_LINK_SENT] = SIDE_MEMORY, [SAMPLED_LINK_RECEIVED] = SIDE_MEMORY,
};
static const char *const side_names[SIDES] = {[SIDE_NONE] = "", [SIDE_COMPUTE] = "compute", [SIDE_MEMORY] = "memory"};

double window_error_least(double share, int64_t samples)
{
    return samples >= WINDOW_SAMPLES_MANY ? error_of_many : fmax(error_of_many, error_part_of_few * share);
}

bool window_unit_can_bound(enum sampled_unit_id unit)
{
    return side_of[unit] != SIDE_NONE;
}

/* Returns the busiest unit of a side; SAMPLED_UNIT_COUNT when none is known. */
static int busiest(const struct kernel_window *k, enum side side, bool with_issue)
{
    int best = SAMPLED_UNIT_COUNT;
    for (int unit = 0; unit < SAMPLED_UNIT_COUNT; unit++)
        if (side_of[unit] == side && (with_issue || unit != SAMPLED_ISSUE) && isfinite(k->units[unit].share) &&
            (best == SAMPLED_UNIT_COUNT || k->units[unit].share > k->units[best].share))
            best = unit;
    return best;
}

/* Which one is named where units need one another: docs/bounds.md, "Which memory unit" and "Which compute unit". */
static int named(const struct kernel_window *k, const struct thresholds *t, int best)
{
    const struct window_unit *units = k->units;
    const int pipe = busiest(k, SIDE_COMPUTE, false);
    if (best == SAMPLED_UNIT_COUNT)
        return best;
    const double share = units[best].share;
    if (best == SAMPLED_ISSUE && pipe != SAMPLED_UNIT_COUNT && bound_prefers_pipe(t, units[pipe].share, share))
        return pipe;
    if (side_of[best] != SIDE_MEMORY)
        return best;
    if (bound_prefers_dram(t, units[SAMPLED_DRAM].share, threshold(t, THRESHOLD_DRAM_CEILING), share))
        return SAMPLED_DRAM;
    return best == SAMPLED_L1 && bound_prefers_shared(t, units[SAMPLED_SHARED].share, share) ? SAMPLED_SHARED : best;
}

bool window_unit_is_link(enum sampled_unit_id unit)
{
    return unit == SAMPLED_LINK_SENT || unit == SAMPLED_LINK_RECEIVED;
}

static bool are_all_sampled(const struct kernel_window *k)
{
    for (int unit = 0; unit < SAMPLED_UNIT_COUNT; unit++)
        if (side_of[unit] != SIDE_NONE && !isfinite(k->units[unit].share) &&
            (k->communicates || !window_unit_is_link((enum sampled_unit_id)unit)))
            return false;
    return k->units[SAMPLED_L2].share < l2_share_of_idle;
}

/* The share of the busiest unit of a side, when each is so many errors higher than it was seen. */
static double share_of(const struct kernel_window *k, enum side side, double errors)
{
    double share = 0;
    for (int unit = 0; unit < SAMPLED_UNIT_COUNT; unit++)
        if (side_of[unit] == side && isfinite(k->units[unit].share))
            share = fmax(share, k->units[unit].share + errors * k->units[unit].error);
    return share;
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

static enum bound_class class_at(const struct kernel_window *k, const struct thresholds *t, double of_compute,
                                 double of_memory)
{
    double margin;
    const struct bound_shares shares = {.launch_idle = NAN,
                                        .compute = share_of(k, SIDE_COMPUTE, of_compute),
                                        .memory = share_of(k, SIDE_MEMORY, of_memory),
                                        .copying = NAN,
                                        .other_work = NAN};
    return are_all_sampled(k) ? bound_decide(t, &shares, &margin) : class_of_some(t, shares.compute, shares.memory);
}

/* Is one side near its peak, which the other cannot be within its error, and is it busy wherever its own share lies?
 * Then it bounds the kernel anywhere in that interval. */
static bool is_bound_anywhere(const struct kernel_window *k, const struct thresholds *t)
{
    const double high = threshold(t, THRESHOLD_HIGH_SHARE);
    const enum side own = k->seen == BOUND_COMPUTE ? SIDE_COMPUTE : SIDE_MEMORY;
    const enum side other = own == SIDE_COMPUTE ? SIDE_MEMORY : SIDE_COMPUTE;
    return (k->seen == BOUND_COMPUTE || k->seen == BOUND_MEMORY) && threshold_reached(share_of(k, own, 0), high) &&
           !threshold_reached(share_of(k, other, 1), high) && share_of(k, other, 0) < share_of(k, own, -1) &&
           threshold_reached(share_of(k, own, -1), threshold(t, THRESHOLD_LATENCY_SHARE));
}

/* Gives another class that is within the errors, and the first one without. */
static bool is_near_boundary(struct kernel_window *k, const struct thresholds *t)
{
    k->seen = class_at(k, t, 0, 0);
    if (is_bound_anywhere(k, t))
        return false;
    for (int of_compute = -1; of_compute <= 1; of_compute += 2)
        for (int of_memory = -1; of_memory <= 1; of_memory += 2) {
            k->other = class_at(k, t, of_compute, of_memory);
            if (k->other != k->seen)
                return true;
        }
    return false;
}

/* No unit at all is busy: those of SMs because SMs have nothing to do, those behind because little passes L2. Links are
 * behind nothing. */
static bool is_of_latency(const struct kernel_window *k, const struct thresholds *t)
{
    if (k->communicates)
        return false;
    const struct window_unit *active = &k->units[SAMPLED_ACTIVE], *l2 = &k->units[SAMPLED_L2];
    return active->share + active->error < threshold(t, THRESHOLD_LATENCY_SHARE) &&
           l2->share < l2_share_of_idle; /* never for NAN */
}

static bool is_credible(const struct kernel_window *k)
{
    for (int unit = 0; unit < SAMPLED_UNIT_COUNT; unit++)
        if (k->units[unit].share > share_max)
            return false;
    return true;
}

static bool has_too_few_samples(const struct kernel_window *k)
{
    return k->samples < WINDOW_SAMPLES_MIN || (k->launches > 1 && k->sampled_launches < 2) ||
           (k->bursts < WINDOW_BURSTS_MIN && 2 * k->covered_ns < (double)k->total_ns);
}

static enum kernel_window_reason why_undecided(const struct kernel_window *k, enum kernel_window_reason doubt)
{
    return doubt                                     ? doubt
           : 2 * k->alone < k->launches || !k->alone ? WINDOW_NOT_ALONE
           : has_too_few_samples(k)                  ? WINDOW_TOO_FEW_SAMPLES
           : !is_credible(k)                         ? WINDOW_NOT_CREDIBLE
                                                     : WINDOW_NO_REASON;
}

static void name_unit(struct kernel_window *k, const struct thresholds *t)
{
    const int compute = busiest(k, SIDE_COMPUTE, true), memory = busiest(k, SIDE_MEMORY, true);
    if (compute == SAMPLED_UNIT_COUNT && memory == SAMPLED_UNIT_COUNT)
        return;
    const bool is_compute = share_of(k, SIDE_COMPUTE, 0) > share_of(k, SIDE_MEMORY, 0);
    const int unit = named(k, t, is_compute ? compute : memory);
    k->lean = compute == SAMPLED_UNIT_COUNT || memory == SAMPLED_UNIT_COUNT ? "" : side_names[side_of[unit]];
    k->unit = k->units[unit].unit;
    k->unit_share = k->units[unit].share;
    k->unit_error = k->units[unit].error;
}

double window_headroom_ns(const struct kernel_window *k, const struct thresholds *t, double busiest_share,
                          double dram_share)
{
    const double dram = isnan(dram_share) ? 0 : dram_share / threshold(t, THRESHOLD_DRAM_CEILING);
    return isnan(busiest_share) ? (double)NAN : (double)k->total_ns * fmax(0, 1 - fmax(busiest_share, dram));
}

/* A unit that nobody sampled may leave no room. */
static double busiest_of(const struct kernel_window *k)
{
    return are_all_sampled(k) ? fmax(share_of(k, SIDE_COMPUTE, 0), share_of(k, SIDE_MEMORY, 0)) : (double)NAN;
}

/* Units that are not known may be busier than those that are, never less. */
static double headroom_most_ns(const struct kernel_window *k)
{
    const double least = fmax(share_of(k, SIDE_COMPUTE, -1), share_of(k, SIDE_MEMORY, -1));
    return isfinite(k->headroom_ns) || !*k->unit ? k->headroom_ns : (double)k->total_ns * fmax(0, 1 - least);
}

void window_bound_decide(struct kernel_window *k, const struct thresholds *t, enum kernel_window_reason doubt)
{
    k->class_ = BOUND_INCONCLUSIVE;
    k->lean = k->unit = "";
    k->unit_share = k->unit_error = k->busiest_share = k->headroom_ns = k->headroom_most_ns = NAN;
    name_unit(k, t);
    k->reason = why_undecided(k, doubt);
    if (k->reason)
        return;
    k->busiest_share = busiest_of(k);
    k->headroom_ns = window_headroom_ns(k, t, k->busiest_share, k->units[SAMPLED_DRAM].share);
    k->headroom_most_ns = headroom_most_ns(k);
    if (is_near_boundary(k, t)) {
        k->reason = WINDOW_NEAR_BOUNDARY;
        return;
    }
    const double busiest_share = fmax(share_of(k, SIDE_COMPUTE, 0), share_of(k, SIDE_MEMORY, 0));
    k->class_ = class_at(k, t, 0, 0);
    if (k->class_ == BOUND_INCONCLUSIVE && is_of_latency(k, t))
        k->class_ = BOUND_LATENCY;
    k->reason = threshold_reached(busiest_share, threshold(t, THRESHOLD_HIGH_SHARE)) ? WINDOW_UNIT_BUSY
                : are_all_sampled(k)                                                 ? WINDOW_ALL_UNITS
                : k->class_ == BOUND_LATENCY                                         ? WINDOW_SMS_IDLE
                                                                                     : WINDOW_UNITS_NOT_SAMPLED;
}
