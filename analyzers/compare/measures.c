/* What do the other measures of a program's samples say: is the same variant the fastest by each? */
#include "analyzers/compare/measures.h"

#include <math.h>
#include <stdlib.h>

#include "analyzers/analysis.h"
#include "core/base/array.h"
#include "core/run/arm_ratio.h"
#include "core/stats/statistics.h"

static const struct {
    const char *name;
    size_t column;
} measures[MEASURES] = {
    [MEASURE_BUSY] = {"busy", ITERATIONS_BUSY},
    [MEASURE_SPAN] = {"span", ITERATIONS_SPAN},
    [MEASURE_INTERVAL] = {"interval", ITERATIONS_INTERVAL},
};

const char *measure_name(enum measure m)
{
    return measures[m].name;
}

/* ---- one comparison ---- */

/* The midmean of one process, as of the times that are compared; the last sample has no interval. */
static int add_process(struct timing_arm *out, const struct table *t, const struct arm_places *rows, size_t column,
                       double process, struct err *e)
{
    double *values = calloc(rows->count + 1, sizeof *values);
    struct timing_process *slot = ARRAY_PUSH(&out->processes);
    if (!values || !slot) {
        free(values);
        return err_memory(e);
    }
    size_t count = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const double value = table_number(t, rows->items[i], column);
        if (table_number(t, rows->items[i], ITERATIONS_PROCESS) == process && value > 0)
            values[count++] = value;
    }
    *slot = (struct timing_process){process, count ? midmean(values, count) : NAN, NAN, count};
    free(values);
    return 0;
}

/* The processes whose times are compared, by another column. */
static int read_arm(struct timing_arm *out, const struct arm_place *place, const struct timing_process *timed,
                    size_t count, size_t column, struct err *e)
{
    const struct arm_table *iterations = &place->analysis->run->tables[BUNDLE_ITERATIONS];
    const struct arm_places rows = arm_table_rows(iterations, place->arm);
    int rc = 0;
    for (size_t i = 0; i < count && !rc; i++)
        rc = add_process(out, iterations->table, &rows, column, timed[i].process, e);
    return rc;
}

static int keep_values(struct comparison_arm *out, enum measure m, const struct timing_arm *arm, struct arena *arena,
                       struct err *e)
{
    double *values = arena_alloc(arena, (arm->processes.count + 1) * sizeof *values);
    if (!values)
        return err_memory(e);
    for (size_t i = 0; i < arm->processes.count; i++)
        values[i] = arm->processes.items[i].typical_ns;
    out->measured[m] = values;
    return 0;
}

static int compare_by(struct comparison *c, enum measure m, const struct arm_place *base, const struct arm_place *cand,
                      struct analysis *out, struct err *e)
{
    const bool one_bundle = base->analysis == cand->analysis;
    struct timing_arm sides[2] = {0};
    struct arm_ratio ratio;
    int rc = read_arm(&sides[0], base, c->base.processes, c->base.process_count, measures[m].column, e);
    if (!rc)
        rc = read_arm(&sides[1], cand, c->cand.processes, c->cand.process_count, measures[m].column, e);
    if (!rc)
        rc = arm_ratio_measure(&ratio, &(struct arm_pair){&sides[0], &sides[1], one_bundle}, c->margin, out->looks, e);
    if (!rc)
        rc = keep_values(&c->base, m, &sides[0], &out->arena, e);
    if (!rc)
        rc = keep_values(&c->cand, m, &sides[1], &out->arena, e);
    if (!rc)
        c->by[m] = (struct measured_ratio){
            ratio.time.interval.ratio, ratio.time.interval.low, ratio.time.interval.high, ratio.base_ns, ratio.cand_ns,
            ratio.time.verdict};
    free(sides[0].processes.items);
    free(sides[1].processes.items);
    return rc;
}

int measures_compare(struct analysis *out, struct comparison *c, const struct arm_place *base,
                     const struct arm_place *cand, struct err *e)
{
    int rc = 0;
    if (!bundle_programs(base->analysis->bundle) || !bundle_programs(cand->analysis->bundle))
        return 0;
    c->measure = measures[MEASURE_BUSY].name;
    for (enum measure m = 0; m < MEASURES && !rc; m++)
        rc = compare_by(c, m, base, cand, out, e);
    c->by[MEASURE_BUSY] =
        (struct measured_ratio){c->ratio, c->ci_low, c->ci_high, c->baseline_ns, c->candidate_ns, c->verdict};
    return rc;
}

/* ---- who is the fastest ---- */

static bool is_beside(const struct comparison *c, const struct comparison *of)
{
    return c->base.arm == of->base.arm && c->cand.arm && *c->measure && c->verdict < COMPARE_UNUSABLE;
}

const struct comparison *measure_fastest(const struct comparison_list *list, const struct comparison *of,
                                         enum measure m)
{
    const struct comparison *fastest = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const struct comparison *c = &list->items[i];
        if (is_beside(c, of) && c->by[m].ratio < (fastest ? fastest->by[m].ratio : 1))
            fastest = c;
    }
    return fastest;
}

enum { PROCESSES_MAX = 64 }; /* that two candidates are compared by */

/* The processes of one block are pairs, whatever the baseline did in it. */
static bool is_faster_than_candidate(const struct comparison *one, const struct comparison *other, enum measure m)
{
    double values[2][PROCESSES_MAX];
    size_t count = 0;
    for (size_t i = 0; i < one->cand.process_count && one->cand.measured[m]; i++)
        for (size_t k = 0; k < other->cand.process_count && other->cand.measured[m] && count < PROCESSES_MAX; k++) {
            const double a = one->cand.measured[m][i], b = other->cand.measured[m][k];
            if (one->cand.processes[i].process != other->cand.processes[k].process || !isfinite(a) || !isfinite(b))
                continue;
            values[0][count] = b;
            values[1][count++] = a;
        }
    const struct arm_values pairs = {
        .base = values[0], .base_count = count, .cand = values[1], .cand_count = count, .paired = true};
    return ratio_decide(&pairs, one->margin).verdict == COMPARE_FASTER;
}

/* NULL is the baseline. */
static bool is_faster(const struct comparison *one, const struct comparison *other, enum measure m)
{
    if (one && other)
        return is_faster_than_candidate(one, other, m);
    return one ? one->by[m].high < 1 - one->margin : other && other->by[m].low > 1 + other->margin;
}

bool measures_disagree(const struct comparison_list *list, const struct comparison *of)
{
    for (enum measure m = 0; m < MEASURES; m++)
        for (enum measure n = m + 1; n < MEASURES; n++) {
            const struct comparison *by_m = measure_fastest(list, of, m), *by_n = measure_fastest(list, of, n);
            if (by_m != by_n && is_faster(by_m, by_n, m) && is_faster(by_n, by_m, n))
                return true;
        }
    return false;
}
