/* What does each delay cost, and how much later may the phase begin? */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/arm_differences.h"
#include "analyzers/slack/slack_line.h"
#include "analyzers/slack/slack_parts.h"
#include "core/base/count_of.h"
#include "core/run/arm_ratio.h"
#include "core/stats/sequential_looks.h"

#define CONTROL_MAX 0.02
#define FREE_CYCLES 10    /* that a tile may take longer for nothing, ... */
#define FREE_SHARE  0.03  /* ... and this share of the delay; ... */
#define FREE_LAUNCH 0.005 /* ... or this one of the launch, where tiles are not known */
enum { DOSES_MIN = 3 };

/* ---- times ---- */

static struct bounded scaled(struct bounded b, double factor)
{
    return (struct bounded){b.value * factor, b.low * factor, b.high * factor};
}

/* By which share does `arm` take longer than `base`? *reason: why that is not known. */
static int measure(struct bounded *out, double *base_ns, enum slack_reason *reason, const struct analysis *a,
                   const struct arm *base, const struct arm *arm, struct err *e)
{
    const struct timing_arm *of_base = timing_arms_find(&a->run->timing, base);
    const struct timing_arm *of_arm = of_base ? timing_arms_at(&a->run->timing, arm, of_base->cache) : NULL;
    struct arm_ratio ratio;
    *out = (struct bounded){NAN, NAN, NAN};
    *reason = *arm_no_verdict(a, base) || *arm_no_verdict(a, arm) ? SLACK_TIMES_SAY_NOTHING : SLACK_NOT_TIMED;
    if (!of_arm || *reason != SLACK_NOT_TIMED || !of_base->samples.count || !of_arm->samples.count)
        return 0;
    *reason = SLACK_MIXED_TIMING;
    if (!timing_arms_are_alike(of_base, of_arm))
        return 0;
    const struct arm_pair pair = {of_base, of_arm, true};
    const int rc = arm_ratio_measure(&ratio, &pair, a->margin, sequential_looks_of_manifest(a->bundle->manifest), e);
    if (rc)
        return rc;
    const struct ratio_interval *i = &ratio.time.interval;
    *out = (struct bounded){i->ratio - 1, i->low - 1, i->high - 1};
    *base_ns = ratio.base_ns;
    *reason = ratio.processes < RATIO_PROCESSES_MIN || !isfinite(i->high) ? SLACK_TOO_FEW_PROCESSES
              : arm_ratio_is_of_the_clock(&ratio)                         ? SLACK_CLOCK_DIFFERENCE
                                                                          : SLACK_NO_REASON;
    return 0;
}

static int measure_all(struct slack *row, const struct analysis *a, enum slack_reason *reason, struct err *e)
{
    double ns = NAN;
    enum slack_reason why;
    int rc = measure(&row->control_change, &ns, reason, a, row->off, row->control, e);
    for (size_t i = 0; i < row->dose_count && !rc; i++) {
        struct slack_dose *dose = &row->doses[i];
        struct bounded change;
        rc = measure(&change, &ns, &why, a, row->control, dose->arm, e);
        dose->cost_ns = scaled(change, ns);
        dose->cost_cycles = scaled(dose->cost_ns, row->cycles_per_ns / row->tiles);
        row->control_ns = ns;
        if (!*reason)
            *reason = why;
    }
    return rc;
}

/* ---- the slack ---- */

static struct slack_point point_of(const struct slack *row, const struct slack_dose *dose)
{
    if (isnan(dose->cost_cycles.value))
        return (struct slack_point){dose->delay_cycles, dose->cost_ns, FREE_LAUNCH * row->control_ns};
    return (struct slack_point){dose->delay_cycles, dose->cost_cycles, FREE_CYCLES + FREE_SHARE * dose->delay_cycles};
}

/* All doses are measured. Without the number of tiles only how far a launch loses next to nothing is known. */
static int find_slack(struct slack *row, enum slack_reason *reason, struct err *e)
{
    struct slack_point *points = calloc(row->dose_count, sizeof *points);
    if (!points)
        return err_memory(e);
    for (size_t i = 0; i < row->dose_count; i++)
        points[i] = point_of(row, &row->doses[i]);
    const bool has_cycles = isfinite(row->tiles) && isfinite(row->cycles_per_ns);
    row->free_up_to_cycles =
        slack_free_up_to(points, row->dose_count, has_cycles ? FREE_CYCLES : FREE_LAUNCH * row->control_ns);
    row->free_up_to_ns = row->free_up_to_cycles / row->cycles_per_ns;
    if (has_cycles) {
        const struct slack_line line = slack_line_of(points, row->dose_count);
        row->slope = line.slope;
        row->criticality = line.first_slope;
        row->slack_cycles = line.slack;
        row->slack_ns = scaled(line.slack, 1 / row->cycles_per_ns);
        row->status = line.status;
        *reason = line.status == SLACK_INCONCLUSIVE ? SLACK_TOO_COARSE : SLACK_NO_REASON;
    }
    free(points);
    return 0;
}

/* ---- the status ---- */

static double blocks_per_sm(const struct analysis *a, const struct arm *arm)
{
    const struct resource *resource = analysis_resource(a, arm);
    return resource ? resource->blocks_per_sm : NAN;
}

static enum slack_reason of_arm(enum arm_doubt doubt)
{
    static const enum slack_reason reasons[] = {[ARM_DOUBT_NONE] = SLACK_NO_REASON,
                                                [ARM_DOUBT_CONTRADICTED] = SLACK_CONTRADICTED,
                                                [ARM_DOUBT_WRONG_RESULT] = SLACK_WRONG_RESULT,
                                                [ARM_DOUBT_NOT_SELECTED] = SLACK_NOT_SELECTED,
                                                [ARM_DOUBT_NOT_VERIFIED] = SLACK_NOT_VERIFIED};
    return reasons[doubt];
}

static enum slack_reason doubt_of_arms(const struct slack *row, const struct analysis *a)
{
    enum arm_doubt doubt = analysis_doubt_of_arm(a, row->off);
    if (!doubt && row->control)
        doubt = analysis_doubt_of_arm(a, row->control);
    for (size_t i = 0; i < row->dose_count && !doubt; i++)
        doubt = analysis_doubt_of_arm(a, row->doses[i].arm);
    return of_arm(doubt);
}

static enum slack_reason doubt_of_control(const struct slack *row, const struct analysis *a)
{
    const struct bounded *change = &row->control_change;
    if (blocks_per_sm(a, row->control) != blocks_per_sm(a, row->off)) /* also when one of them is not known */
        return SLACK_OTHER_OCCUPANCY;
    if (change->value > CONTROL_MAX)
        return SLACK_CONTROL_SLOWER;
    if (change->value < -CONTROL_MAX)
        return SLACK_CONTROL_FASTER;
    return change->high <= CONTROL_MAX && change->low >= -CONTROL_MAX ? SLACK_NO_REASON : SLACK_CONTROL_UNCLEAR;
}

int slack_judge(struct slack *row, const struct analysis *a, bool is_damaged, struct err *e)
{
    const bool is_complete = row->off && row->control && !is_damaged;
    enum slack_reason timed = SLACK_NOT_TIMED, line = SLACK_NO_REASON;
    int rc = is_complete && row->dose_count ? measure_all(row, a, &timed, e) : 0;
    if (!rc && !timed && row->dose_count >= DOSES_MIN)
        rc = find_slack(row, &line, e);
    if (rc)
        return rc;
    const enum slack_reason doubts[] = {
        row->off ? doubt_of_arms(row, a) : SLACK_NO_OFF_ARM,
        is_complete ? SLACK_NO_REASON : SLACK_DELAYS_MISSING,
        row->dose_count >= DOSES_MIN ? SLACK_NO_REASON : SLACK_TOO_FEW_DOSES,
        timed,
        doubt_of_control(row, a),
        isfinite(row->tiles) ? SLACK_NO_REASON : SLACK_NO_TILES,
        isfinite(row->cycles_per_ns) ? SLACK_NO_REASON : SLACK_NO_CLOCK,
        line,
    };
    for (size_t i = 0; i < COUNT_OF(doubts) && !row->reason; i++)
        row->reason = doubts[i];
    if (row->reason)
        row->status = SLACK_INCONCLUSIVE;
    return 0;
}
