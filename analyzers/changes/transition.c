/* What became different between two arms? */
#include "analyzers/changes/transition.h"

#include <math.h>
#include <string.h>

#include "analyzers/run_facts.h"
#include "core/base/units.h"
#include "core/gpu/expected_change.h"
#include "core/gpu/thresholds.h"

enum { STALLS_MAX = 2 };

/* ---- what an arm is ---- */

struct arm_traits arm_traits_of(const struct analysis *a, const struct arm *arm)
{
    const struct counters_list *counters = &a->run->counters;
    return (struct arm_traits){
        .bound = analysis_rows(a, ARM_BOUNDS, arm).count == 1 ? analysis_bound(a, arm) : NULL,
        .resource = analysis_rows(a, ARM_RESOURCES, arm).count == 1 ? analysis_resource(a, arm) : NULL,
        .counters = counters_kernels(counters, arm) == 1 ? counters_find(counters, arm) : NULL,
        .dram_bytes = metric_of_arm(a, &(struct fact_place){arm, METRIC_DRAM_BYTES}),
        .instructions = metric_of_arm(a, &(struct fact_place){arm, METRIC_INSTRUCTIONS}),
        .bank_conflicts = metric_of_arm(a, &(struct fact_place){arm, METRIC_BANK_CONFLICTS}),
    };
}

bool has_tail_risk(const struct thresholds *t, double waves)
{
    const double last = waves - floor(waves);
    return waves > 0 && (waves < 1 || (waves < threshold(t, THRESHOLD_TAIL_WAVES) && last > 0 &&
                                       last < threshold(t, THRESHOLD_TAIL_LAST_WAVE)));
}

/* ---- what changed ---- */

/* A sentence of parts. */
static void begin_part(struct str *out, size_t start)
{
    if (out->length > start)
        str_add(out, "; ");
}

static bool moved_by(double base, double cand, double least)
{
    return isfinite(base) && isfinite(cand) && threshold_reached(fabs(cand - base), least);
}

/* By a share of the larger one, so that 0 to 5 is a change as 5 to 0 is. */
static bool changed(const struct thresholds *t, double base, double cand)
{
    const double larger = fmax(fabs(base), fabs(cand));
    return larger > 0 && moved_by(base, cand, threshold(t, THRESHOLD_MOVED_AMOUNT) * larger);
}

static double share_of(const struct bound *b)
{
    return *b->unit ? b->unit_share : fmax(b->compute_share, b->memory_share);
}

static void add_class(struct str *out, const struct bound *b)
{
    char text[UNITS_TEXT_BYTES];
    str_addf(out, "%s (%s %s)", bound_class_name(b->class_), *b->unit ? b->unit : "busiest unit",
             unit_format(text, UNIT_RATIO, share_of(b)));
}

static void add_bounds(struct str *out, const struct thresholds *t, const struct bound *base, const struct bound *cand)
{
    if (!base || !cand || base->class_ == BOUND_INCONCLUSIVE || cand->class_ == BOUND_INCONCLUSIVE)
        return;
    const bool is_same = base->class_ == cand->class_ && !strcmp(base->unit, cand->unit);
    if (is_same && !moved_by(share_of(base), share_of(cand), threshold(t, THRESHOLD_MOVED_SHARE)))
        return;
    if (base->class_ != cand->class_) {
        add_class(out, base);
        str_add(out, " -> ");
        add_class(out, cand);
        return;
    }
    char before[UNITS_TEXT_BYTES], after[UNITS_TEXT_BYTES];
    str_addf(out, "still %s (%s %s -> %s%s%s)", bound_class_name(cand->class_), base->unit,
             unit_format(before, UNIT_RATIO, share_of(base)), is_same ? "" : cand->unit, is_same ? "" : " ",
             unit_format(after, UNIT_RATIO, share_of(cand)));
}

/* The stall whose share of all warp cycles moved furthest, less far than `below`; NULL when none did. */
static const struct metric *next_stall(const struct thresholds *t, const struct counters *base,
                                       const struct counters *cand, double *below)
{
    size_t count;
    const struct metric *metrics = metrics_known(&count), *found = NULL;
    double furthest = 0;
    for (size_t i = 0; i < count; i++) {
        if (metrics[i].role != METRIC_STALL)
            continue;
        const double before = counters_stall_share(base, &metrics[i]), after = counters_stall_share(cand, &metrics[i]);
        const double by = fabs(after - before);
        if (by < *below && by > furthest && moved_by(before, after, threshold(t, THRESHOLD_MOVED_SHARE))) {
            found = &metrics[i];
            furthest = by;
        }
    }
    *below = furthest;
    return found;
}

static void add_stalls(struct str *out, const struct thresholds *t, size_t start, const struct counters *base,
                       const struct counters *cand)
{
    double below = INFINITY;
    for (int i = 0; base && cand && i < STALLS_MAX; i++) {
        const struct metric *stall = next_stall(t, base, cand, &below);
        char before[UNITS_TEXT_BYTES], after[UNITS_TEXT_BYTES];
        if (!stall)
            return;
        begin_part(out, start);
        str_addf(out, "%s stalls %s -> %s of warp cycles", stall->group,
                 unit_format(before, UNIT_RATIO, counters_stall_share(base, stall)),
                 unit_format(after, UNIT_RATIO, counters_stall_share(cand, stall)));
    }
}

static void add_registers(struct str *out, const struct thresholds *t, size_t start, double base, double cand)
{
    if (!moved_by(base, cand, threshold(t, THRESHOLD_MOVED_REGISTERS)))
        return;
    begin_part(out, start);
    str_addf(out, "%+.0f registers", cand - base);
}

static void add_amount(struct str *out, const struct thresholds *t, size_t start, const char *name, enum unit unit,
                       double base, double cand)
{
    char before[UNITS_TEXT_BYTES], after[UNITS_TEXT_BYTES];
    if (!changed(t, base, cand))
        return;
    begin_part(out, start);
    str_addf(out, "%s %s -> %s", name, unit_format(before, unit, base), unit_format(after, unit, cand));
}

static void add_occupancy(struct str *out, const struct thresholds *t, size_t start, double base, double cand)
{
    char before[UNITS_TEXT_BYTES], after[UNITS_TEXT_BYTES];
    if (!moved_by(base, cand, threshold(t, THRESHOLD_MOVED_SHARE)))
        return;
    begin_part(out, start);
    str_addf(out, "occupancy %s -> %s", unit_format(before, UNIT_RATIO, base), unit_format(after, UNIT_RATIO, cand));
}

static void add_waves(struct str *out, const struct thresholds *t, size_t start, double base, double cand)
{
    if (!changed(t, base, cand) && has_tail_risk(t, base) == has_tail_risk(t, cand))
        return;
    if (!isfinite(base) || !isfinite(cand))
        return;
    begin_part(out, start);
    str_addf(out, "waves %.3g -> %.3g%s", base, cand,
             has_tail_risk(t, base) == has_tail_risk(t, cand) ? ""
             : has_tail_risk(t, cand)                         ? ", new tail risk"
                                                              : ", no tail risk any more");
}

static void add_resources(struct str *out, const struct thresholds *t, size_t start, const struct resource *base,
                          const struct resource *cand)
{
    if (!base || !cand)
        return;
    add_registers(out, t, start, base->registers, cand->registers);
    add_amount(out, t, start, "shared memory", UNIT_BYTES, base->shared_bytes, cand->shared_bytes);
    add_amount(out, t, start, "spills", UNIT_BYTES, base->spill_bytes, cand->spill_bytes);
    add_occupancy(out, t, start, base->occupancy, cand->occupancy);
    add_waves(out, t, start, base->waves, cand->waves);
}

void transition_add(struct str *out, const struct thresholds *t, const struct arm_traits *base,
                    const struct arm_traits *cand)
{
    const size_t start = out->length;
    add_bounds(out, t, base->bound, cand->bound);
    add_stalls(out, t, start, base->counters, cand->counters);
    add_resources(out, t, start, base->resource, cand->resource);
    const double fewer = fmin(base->instructions, cand->instructions);
    if (!counter_change_is_noise(t, METRIC_DRAM_BYTES, base->dram_bytes, cand->dram_bytes, fewer))
        add_amount(out, t, start, "DRAM traffic", UNIT_BYTES, base->dram_bytes, cand->dram_bytes);
    add_amount(out, t, start, METRIC_INSTRUCTIONS, UNIT_COUNT, base->instructions, cand->instructions);
    if (!counter_change_is_noise(t, METRIC_BANK_CONFLICTS, base->bank_conflicts, cand->bank_conflicts, fewer))
        add_amount(out, t, start, "bank conflicts", UNIT_COUNT, base->bank_conflicts, cand->bank_conflicts);
}
