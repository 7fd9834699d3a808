/* May the phases of a record build be believed? It must be the same kernel, hardly slower, with all of its records. */
#include <math.h>
#include <string.h>

#include "analyzers/inside/inside_parts.h"
#include "analyzers/inside/inside_words.h"
#include "run/arm_ratio.h"
#include "stats/sequential_looks.h"

#define COST_MAX      0.05
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

/* Those of several kernels add up, and are the same only if each of them is. */
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
           (m->role == METRIC_FLOP || !strcmp(m->id, "ldgsts") || !strncmp(m->group, "tensor", strlen("tensor")));
}

static void compare_counter(struct inside_receipt *r, const struct metric *m, double off, double record)
{
    if (isnan(off) && isnan(record))
        return;
    r->counters_compared++;
    if (!(fabs(record - off) <= COUNTS_MARGIN * off) && !*r->differs) /* one that only one of them has, too */
        r->differs = m->id;
}

static void read_counters(struct inside_receipt *r, const struct analysis *a, const struct inside *row)
{
    size_t count;
    const struct metric *known = metrics_known(&count);
    const struct arm_places off = arm_index_of(&a->run->counters.index, row->off);
    const struct arm_places record = arm_index_of(&a->run->counters.index, row->arm);
    if (off.count != record.count) {
        r->differs = "kernels";
        return;
    }
    for (size_t k = 0; k < off.count; k++)
        for (size_t i = 0; i < count; i++)
            if (is_of_the_kernel(&known[i]))
                compare_counter(r, &known[i], counters_value(&a->run->counters.items[off.items[k]], known[i].id),
                                counters_value(&a->run->counters.items[record.items[k]], known[i].id));
}

/* ---- the cost ---- */

/* *reason: why it says nothing; "" when it does. */
static int read_cost(struct inside *row, const struct analysis *a, const char **reason, struct err *e)
{
    const struct timing_arm *record = timing_arms_find(&a->run->timing, row->arm);
    const struct timing_arm *off = record ? timing_arms_at(&a->run->timing, row->off, record->cache) : NULL;
    struct ratio_decision decision;
    row->cost = (struct bounded){NAN, NAN, NAN};
    *reason = "not_timed";
    if (!record || !off)
        return 0;
    *reason = "mixed_timing";
    if (!timing_arms_are_alike(record, off))
        return 0;
    const int rc =
        arm_ratio_decide(off, record, a->margin, sequential_looks_of_manifest(a->bundle->manifest), &decision, e);
    if (rc)
        return rc;
    row->cost = (struct bounded){decision.interval.ratio - 1, decision.interval.low - 1, decision.interval.high - 1};
    *reason = strcmp(decision.reason, "too_few_processes") ? "" : decision.reason;
    return 0;
}

/* ---- the status ---- */

/* An SM gets no more blocks than its share of the grid. Where that is less than what fits, what fits does not matter.
 */
static double blocks_at_once(const struct analysis *a, const struct arm *arm, double blocks_per_sm)
{
    const double sms = json_get_number(json_object_get(a->bundle->manifest, "gpu"), "sm_count", NAN);
    return fmin(blocks_per_sm, ceil(resource_of(a, arm, RESOURCES_GRID) / sms));
}

static const char *doubt_of_receipt(const struct analysis *a, const struct inside *row)
{
    const struct inside_receipt *r = &row->receipt;
    if (isnan(r->local_bytes) || isnan(r->local_bytes_off) || isnan(r->blocks_per_sm) || isnan(r->blocks_per_sm_off))
        return "no_receipt";
    if (r->local_bytes > r->local_bytes_off)
        return "new_spills";
    if (blocks_at_once(a, row->arm, r->blocks_per_sm) != blocks_at_once(a, row->off, r->blocks_per_sm_off))
        return "other_occupancy";
    return *r->differs ? "other_work" : "";
}

/* A build that became faster is another kernel as well. */
static const char *doubt_of_cost(const struct bounded *cost)
{
    if (cost->value > COST_MAX)
        return "slower";
    if (cost->value < -COST_MAX)
        return "faster";
    return cost->high <= COST_MAX && cost->low >= -COST_MAX ? "" : "cost_unclear";
}

static const char *doubt_of_records(const struct inside *row)
{
    if (row->missing)
        return "records_missing";
    return row->windows < WINDOWS_MIN ? "too_few_windows" : "";
}

int inside_judge(struct inside *out, const struct analysis *a, struct err *e)
{
    const char *timed = "no_off_arm";
    out->receipt.differs = "";
    if (out->off) {
        read_resources(&out->receipt, a, out);
        read_counters(&out->receipt, a, out);
        const int rc = read_cost(out, a, &timed, e);
        if (rc)
            return rc;
    }
    const char *const doubts[] = {
        out->off ? analysis_doubt_of_arm(a, out->arm) : timed,
        out->off ? analysis_doubt_of_arm(a, out->off) : timed,
        doubt_of_records(out),
        out->off ? doubt_of_receipt(a, out) : timed,
        timed,
        doubt_of_cost(&out->cost),
    };
    out->reason = "";
    for (size_t i = 0; i < sizeof doubts / sizeof doubts[0] && !*out->reason; i++)
        out->reason = doubts[i];
    out->is_ok = !*out->reason;
    out->why = inside_reason_words(out->reason);
    return 0;
}
