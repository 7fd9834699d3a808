/* Where does the time of a kernel go, all of it? */
#include "analyzers/bounds/lost_time.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/count_of.h"
#include "core/gpu/metrics.h"

/* The least share of a stall that has a line of its own: less is summed up. */
#define SMALLEST_SHOWN 0.005

/* What sums of shares are rounded by; no part of anything. */
#define ROUNDING 1e-12

const char *lost_kind_name(enum lost_kind kind)
{
    static const char *const names[] = {[LOST_HOST] = "host",
                                        [LOST_COPY] = "copy",
                                        [LOST_OTHER_WORK] = "other-work",
                                        [LOST_SMALL_GRID] = "small-grid",
                                        [LOST_TAIL] = "tail",
                                        [LOST_UNIT] = "unit",
                                        [LOST_STALL] = "stall",
                                        [LOST_SYNCHRONISATION] = "synchronisation"};
    return names[kind];
}

struct split {
    struct lost_part *parts;
    size_t count;
    double left; /* of the whole, still to be told */
};

static void take(struct split *s, enum lost_kind kind, const char *name, const char *meaning, double share)
{
    share = fmin(fmax(share, 0), s->left);
    if (!(share > ROUNDING) || s->count == LOST_PARTS_MAX)
        return;
    s->parts[s->count++] = (struct lost_part){kind, name, meaning, share};
    s->left -= share;
}

static double gap_share(const struct launch_cost *launch, double part_ns)
{
    return launch->interval_median_ns > 0 && part_ns > 0 ? part_ns / launch->interval_median_ns : 0;
}

/* What is between two launches; the rest is the kernel's. */
static void take_gaps(struct split *s, const struct launch_cost *launch)
{
    if (!launch)
        return;
    take(s, LOST_HOST, "launch gap", "the device waits for the host", gap_share(launch, launch->gap_median_ns));
    take(s, LOST_COPY, "copies", "the device copies between two launches", gap_share(launch, launch->copy_median_ns));
    take(s, LOST_OTHER_WORK, "other work", "the device runs other kernels or memsets between two launches",
         gap_share(launch, launch->other_median_ns));
}

/* SMs without a warp: those that the grid has no block for, and the rest, of
 * starting, ending and a last wave that does not fill the device. */
static void take_idle_sms(struct split *s, const struct bound_inputs *in, double kernel)
{
    const double active =
        counters_value(in->counters, METRIC_ACTIVE_CYCLES) / counters_value(in->counters, METRIC_ELAPSED_CYCLES);
    const double without_block = in->grid_blocks < in->sm_count ? 1 - in->grid_blocks / in->sm_count : 0;
    const double idle = isfinite(active) ? fmax(0, 1 - active) : without_block;
    const double empty = fmin(idle, without_block);
    take(s, LOST_SMALL_GRID, "small grid", "SMs that the grid has no block for", kernel * empty);
    take(s, LOST_TAIL, "start, end and tail", "SMs that are done, or not yet at work", kernel * (idle - empty));
}

static const struct metric *busiest_unit(const struct bound_inputs *in)
{
    return in->shares.compute >= in->shares.memory ? in->compute_unit : in->memory_unit;
}

/* Only a limit is known of a unit that was not counted. */
static bool was_counted(const struct bound_inputs *in, const struct metric *unit)
{
    return unit != metric_by_id(METRIC_SM_THROUGHPUT) && isfinite(counters_share(in->counters, unit));
}

static void take_unit(struct split *s, const struct bound_inputs *in, double kernel)
{
    const struct metric *unit = busiest_unit(in);
    const bool compute = unit == in->compute_unit;
    take(s, LOST_UNIT, unit->group, "busiest unit at work",
         kernel * (compute ? in->compute_unit_share : in->memory_unit_share));
}

static bool is_synchronisation(const char *stall)
{
    static const char *const groups[] = {"barrier", "membar", "sleeping"};
    for (size_t i = 0; i < COUNT_OF(groups); i++)
        if (!strcmp(stall, groups[i]))
            return true;
    return false;
}

struct weighted {
    const struct metric *stall; /* NULL: reasons that no counter was read for */
    double cycles;
};

static int heaviest_first(const void *a, const void *b)
{
    const double one = ((const struct weighted *)a)->cycles, other = ((const struct weighted *)b)->cycles;
    return (one < other) - (one > other);
}

/* Cycles per instruction that warps wait, by reason. Turns to issue are no wait:
 * the scheduler was busy with another warp. */
static size_t weigh_stalls(const struct counters *c, struct weighted *out, double *sum)
{
    size_t count, found = 0;
    const struct metric *metrics = metrics_known(&count);
    double known = 1; /* the issue itself */
    *sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (metrics[i].role != METRIC_STALL || !(counters_value(c, metrics[i].id) > 0))
            continue;
        known += counters_value(c, metrics[i].id);
        if (!strcmp(metrics[i].group, "not_selected") || !strcmp(metrics[i].group, "selected") ||
            found + 1 == LOST_PARTS_MAX)
            continue;
        out[found++] = (struct weighted){&metrics[i], counters_value(c, metrics[i].id)};
    }
    if (counters_value(c, METRIC_WARP_LATENCY) > known)
        out[found++] = (struct weighted){NULL, counters_value(c, METRIC_WARP_LATENCY) - known};
    for (size_t i = 0; i < found; i++)
        *sum += out[i].cycles;
    if (found)
        qsort(out, found, sizeof *out, heaviest_first);
    return found;
}

/* All that is left, shared out by what the warps wait for. */
static void take_stalls(struct split *s, const struct counters *c)
{
    struct weighted stalls[LOST_PARTS_MAX];
    double sum;
    const size_t count = weigh_stalls(c, stalls, &sum);
    const double all = s->left;
    for (int kind = LOST_STALL; kind <= LOST_SYNCHRONISATION; kind++)
        for (size_t i = 0; i < count; i++) {
            const struct metric *m = stalls[i].stall;
            const double share = all * stalls[i].cycles / sum;
            const bool synchronises = m && is_synchronisation(m->group);
            if (m && share >= SMALLEST_SHOWN && synchronises == (kind == LOST_SYNCHRONISATION))
                take(s, (enum lost_kind)kind, m->group, m->meaning, share);
        }
}

size_t lost_time_split(const struct bound_inputs *in, struct lost_part parts[LOST_PARTS_MAX])
{
    struct split s = {.parts = parts, .left = 1};
    if (!in->counters || !in->compute_unit || !in->memory_unit || !was_counted(in, busiest_unit(in)))
        return 0;
    take_gaps(&s, in->launch);
    const double kernel = s.left;
    take_idle_sms(&s, in, kernel);
    take_unit(&s, in, kernel);
    take_stalls(&s, in->counters);
    take(&s, LOST_STALL, "other", "other reasons, each small or not counted", s.left);
    return s.count;
}
