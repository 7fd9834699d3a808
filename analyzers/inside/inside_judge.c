/* May the phases of a record build be believed? It must be the same kernel, hardly slower, with all of its records. */
#include <math.h>
#include <string.h>

#include "analyzers/build_receipt.h"
#include "analyzers/inside/inside_parts.h"
#include "analyzers/inside/inside_words.h"
#include "core/base/count_of.h"
#include "core/run/arm_ratio.h"
#include "core/stats/sequential_looks.h"

#define COUNTS_MARGIN 0.01
enum { WINDOWS_MIN = 3 };

/* ---- the receipt ---- */

static double resource_of(const struct analysis *a, const struct arm *arm, size_t column)
{
    const struct arm_table *rows = &a->run->tables[BUNDLE_RESOURCES];
    const struct arm_places places = arm_table_rows(rows, arm);
    double sum = 0;
    for (size_t i = 0; i < places.count; i++)
        sum += table_number(rows->table, places.items[i], column);
    return places.count ? sum : NAN;
}

/* To be printed: those of several kernels add up. */
static void read_resources(struct inside_receipt *r, const struct analysis *a, const struct inside *row)
{
    r->registers_off = resource_of(a, row->off, RESOURCES_REGISTERS);
    r->registers = resource_of(a, row->arm, RESOURCES_REGISTERS);
    r->local_bytes_off = resource_of(a, row->off, RESOURCES_LOCAL);
    r->local_bytes = resource_of(a, row->arm, RESOURCES_LOCAL);
    r->blocks_per_sm_off = resource_of(a, row->off, RESOURCES_BLOCKS_PER_SM);
    r->blocks_per_sm = resource_of(a, row->arm, RESOURCES_BLOCKS_PER_SM);
}

/* Marks add instructions of their own; they add no math and no asynchronous copy. */
static bool is_of_the_kernel(const struct metric *m)
{
    return m->unit == UNIT_COUNT &&
           (m->role == METRIC_FLOP || !strcmp(m->id, METRIC_LDGSTS) || !strncmp(m->group, "tensor", strlen("tensor")));
}

static double margin_of(const struct metric *m)
{
    return is_of_the_kernel(m) ? COUNTS_MARGIN : NAN;
}

static void read_counters(struct inside_receipt *r, const struct analysis *a, const struct inside *row)
{
    struct counters_match match = {.differs = ""};
    build_match_counters(&match, a, row->off, row->arm, margin_of);
    r->counters_compared = match.compared;
    r->differs = match.differs;
}

/* ---- the cost ---- */

/* *reason: why it says nothing. */
static int read_cost(struct inside *row, const struct analysis *a, enum inside_reason *reason, struct err *e)
{
    const struct timing_arm *record = timing_arms_find(&a->run->timing, row->arm);
    const struct timing_arm *off = record ? timing_arms_at(&a->run->timing, row->off, record->cache) : NULL;
    struct ratio_decision decision;
    row->cost = (struct bounded){NAN, NAN, NAN};
    *reason = INSIDE_NOT_TIMED;
    if (!record || !off)
        return 0;
    *reason = INSIDE_MIXED_TIMING;
    if (!timing_arms_are_alike(record, off))
        return 0;
    const int rc =
        arm_ratio_decide(off, record, a->margin, sequential_looks_of_manifest(a->bundle->manifest), &decision, e);
    if (rc)
        return rc;
    row->cost = (struct bounded){decision.interval.ratio - 1, decision.interval.low - 1, decision.interval.high - 1};
    *reason = decision.reason == RATIO_TOO_FEW_PROCESSES ? INSIDE_TOO_FEW_PROCESSES : INSIDE_NO_REASON;
    return 0;
}

/* ---- the status ---- */

enum inside_reason inside_doubt_of_arm(const struct analysis *a, const struct arm *arm)
{
    static const enum inside_reason reasons[] = {[ARM_DOUBT_NONE] = INSIDE_NO_REASON,
                                                 [ARM_DOUBT_CONTRADICTED] = INSIDE_CONTRADICTED,
                                                 [ARM_DOUBT_WRONG_RESULT] = INSIDE_WRONG_RESULT,
                                                 [ARM_DOUBT_NOT_SELECTED] = INSIDE_NOT_SELECTED,
                                                 [ARM_DOUBT_NOT_VERIFIED] = INSIDE_NOT_VERIFIED};
    return reasons[analysis_doubt_of_arm(a, arm)];
}

static enum inside_reason doubt_of_receipt(const struct analysis *a, const struct inside *row)
{
    const enum inside_reason doubt = build_doubt_of_resources(a, row->off, row->arm);
    return doubt ? doubt : *row->receipt.differs ? INSIDE_OTHER_WORK : INSIDE_NO_REASON;
}

/* A build that became faster is another kernel as well. */
static enum inside_reason doubt_of_cost(const struct bounded *cost)
{
    if (cost->value > INSIDE_COST_MAX)
        return INSIDE_SLOWER;
    if (cost->value < -INSIDE_COST_MAX)
        return INSIDE_FASTER;
    return cost->high <= INSIDE_COST_MAX && cost->low >= -INSIDE_COST_MAX ? INSIDE_NO_REASON : INSIDE_COST_UNCLEAR;
}

static enum inside_reason doubt_of_records(const struct inside *row)
{
    if (row->missing)
        return INSIDE_RECORDS_MISSING;
    return row->windows < WINDOWS_MIN ? INSIDE_TOO_FEW_WINDOWS : INSIDE_NO_REASON;
}

int inside_judge(struct inside *out, const struct analysis *a, struct err *e)
{
    enum inside_reason timed = INSIDE_NO_OFF_ARM;
    out->receipt.differs = "";
    if (out->off) {
        read_resources(&out->receipt, a, out);
        read_counters(&out->receipt, a, out);
        const int rc = read_cost(out, a, &timed, e);
        if (rc)
            return rc;
    }
    const enum inside_reason doubts[] = {
        out->off ? inside_doubt_of_arm(a, out->arm) : timed,
        out->off ? inside_doubt_of_arm(a, out->off) : timed,
        doubt_of_records(out),
        out->off ? doubt_of_receipt(a, out) : timed,
        timed,
        doubt_of_cost(&out->cost),
    };
    out->reason = INSIDE_NO_REASON;
    for (size_t i = 0; i < COUNT_OF(doubts) && !out->reason; i++)
        out->reason = doubts[i];
    out->is_ok = !out->reason;
    out->why = inside_reasons[out->reason].sentence;
    return 0;
}
