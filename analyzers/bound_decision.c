/* Which class do these shares make, and how close was it? */
#include "analyzers/bound_decision.h"

#include <math.h>
#include <stddef.h>

/* How far a clear winner is from being called balanced. It wins by its lead, by
 * being the only one above the high share, or by both; with both, both must fall. */
static double distance_to_balanced(const struct thresholds *t, double high, double low)
{
    double high_share = threshold(t, THRESHOLD_HIGH_SHARE);
    double by_lead = high - low - threshold(t, THRESHOLD_LEAD);
    if (!threshold_reached(high, high_share) || threshold_reached(low, high_share))
        return by_lead;
    return fmax(by_lead, fmin(high - high_share, high_share - low));
}

/* How far two balanced sides are from a winner: the lead grows, or one of them
 * crosses the high share alone. */
static double distance_to_winner(const struct thresholds *t, double high, double low)
{
    double high_share = threshold(t, THRESHOLD_HIGH_SHARE);
    double to_lead = threshold(t, THRESHOLD_LEAD) - (high - low);
    double to_high = threshold_reached(low, high_share) ? low - high_share : high_share - high;
    return fmin(to_lead, to_high);
}

static bool one_side_wins(const struct thresholds *t, double high, double low)
{
    double high_share = threshold(t, THRESHOLD_HIGH_SHARE);
    return threshold_reached(high - low, threshold(t, THRESHOLD_LEAD)) ||
           (threshold_reached(high, high_share) && !threshold_reached(low, high_share));
}

/* The class of a kernel that the host does not hold up; both shares are known. */
static enum bound_class decide_by_shares(const struct thresholds *t, const struct bound_shares *shares, double *margin)
{
    double high = fmax(shares->compute, shares->memory), low = fmin(shares->compute, shares->memory);
    double latency_limit = threshold(t, THRESHOLD_LATENCY_SHARE);
    if (!threshold_reached(high, latency_limit)) {
        *margin = latency_limit - high;
        return BOUND_LATENCY;
    }
    bool wins = one_side_wins(t, high, low);
    double to_neighbour = wins ? distance_to_balanced(t, high, low) : distance_to_winner(t, high, low);
    *margin = fmax(0, fmin(high - latency_limit, to_neighbour));
    if (!wins)
        return BOUND_BALANCED;
    return shares->compute > shares->memory ? BOUND_COMPUTE : BOUND_MEMORY;
}

bool bound_is_of_gaps(enum bound_class class_)
{
    return class_ == BOUND_LAUNCH || class_ == BOUND_COPY || class_ == BOUND_OTHER_WORK;
}

/* What fills most of the interval between two launches beside the kernel, and how much more than the next; a share that
 * is NAN was not asked. */
static enum bound_class longest_wait(const struct bound_shares *shares, double *share, double *lead)
{
    static const enum bound_class classes[] = {BOUND_LAUNCH, BOUND_COPY, BOUND_OTHER_WORK};
    const double waits[] = {shares->launch_idle, shares->copying, shares->other_work};
    size_t longest = 0;
    *lead = INFINITY;
    for (size_t i = 1; i < 3; i++)
        longest = waits[i] > waits[longest] || isnan(waits[longest]) ? i : longest;
    for (size_t i = 0; i < 3; i++)
        if (i != longest && isfinite(waits[i]))
            *lead = fmin(*lead, waits[longest] - waits[i]);
    *share = waits[longest];
    return classes[longest];
}

enum bound_class bound_decide(const struct thresholds *t, const struct bound_shares *shares, double *margin)
{
    double wait, lead;
    const enum bound_class of_gaps = longest_wait(shares, &wait, &lead);
    const double to_launch = threshold(t, THRESHOLD_LAUNCH_IDLE) - wait; /* NAN: not asked */
    if (threshold_reached(-to_launch, 0)) {
        *margin = fmin(fmax(0, -to_launch), lead);
        return of_gaps;
    }
    *margin = NAN;
    if (!isfinite(shares->compute) || !isfinite(shares->memory))
        return BOUND_INCONCLUSIVE;
    const enum bound_class class_ = decide_by_shares(t, shares, margin);
    *margin = fmin(*margin, to_launch);
    return class_;
}

/* A few points are much of a unit that is hardly used: half of it must be there. */
static bool is_close(double share, double busiest_share, double room)
{
    return threshold_reached(share, busiest_share - room) && threshold_reached(share, busiest_share / 2);
}

bool bound_prefers_dram(const struct thresholds *t, double dram_share, double reach, double busiest_share)
{
    return is_close(dram_share / reach, busiest_share, threshold(t, THRESHOLD_DRAM_PREFERENCE));
}

bool bound_prefers_pipe(const struct thresholds *t, double pipe_share, double issue_share)
{
    return is_close(pipe_share, issue_share, threshold(t, THRESHOLD_PIPE_PREFERENCE));
}

bool bound_prefers_shared(const struct thresholds *t, double shared_share, double l1_share)
{
    return threshold_reached(shared_share, threshold(t, THRESHOLD_SHARED_PREFERENCE) * l1_share);
}

enum latency_cause bound_latency_cause(const struct thresholds *t, double grid_blocks, double sm_count, double waves)
{
    if (grid_blocks < sm_count) /* never for NAN */
        return LATENCY_SMALL_GRID;
    if (waves > 1 && waves < threshold(t, THRESHOLD_TAIL_WAVES) && waves - 1 < threshold(t, THRESHOLD_TAIL_LAST_WAVE))
        return LATENCY_TAIL;
    return LATENCY_STALL;
}

/* As read in the rule that ships with Nsight Compute (SpeedOfLight): first the
 * 80% line, then the 60% line, then the difference of 10 points. */
const char *bound_ncu_rule(const struct thresholds *t, double sm_throughput, double memory_throughput, double waves)
{
    if (!isfinite(sm_throughput) || !isfinite(memory_throughput))
        return NULL;
    double high = fmax(sm_throughput, memory_throughput);
    if (threshold_reached(high, threshold(t, THRESHOLD_NCU_HIGH)))
        return "High Throughput";
    if (!threshold_reached(high, threshold(t, THRESHOLD_NCU_LATENCY)))
        return isnan(waves) ? NULL : waves < threshold(t, THRESHOLD_NCU_WAVES) ? "Small Grid" : "Latency Issue";
    if (!threshold_reached(fabs(sm_throughput - memory_throughput), threshold(t, THRESHOLD_NCU_LEAD)))
        return "Balanced Throughput";
    return sm_throughput > memory_throughput ? "High Compute Throughput" : "High Memory Throughput";
}
