/* Does a counter show that each solution did the work of its task, and was it timed as all are? */
#include <string.h>

#include "analyzers/entries.h"
#include "core/base/count_of.h"
#include "core/run/timing_arms.h"

static bool is_receipt(const struct witness_check *w)
{
    return !strcmp(w->witness, "least_bytes") || !strcmp(w->witness, "least_operations");
}

/* Returns why none of the work was counted; "" when some was, or when it contradicts what the task asks for. */
static const char *why_not_counted(struct analysis *a, const struct arm *arm)
{
    const struct arm_rows rows = analysis_rows(a, ARM_WITNESSES, arm);
    const char *why = "";
    for (size_t i = rows.first; i < rows.end; i++) {
        const struct witness_check *w = &a->witnesses.items[i];
        if (w->arm != arm || !is_receipt(w))
            continue;
        if (w->status != WITNESS_NOT_CHECKED)
            return "";
        why = *why ? why : w->detail;
    }
    return arena_printf(&a->arena, "no counter shows that it did the work of its task: %s",
                        *why ? why : "its counters were not read");
}

/* Bytes alone can be copied. The work of a collective is that of its links. */
static const char *why_not_checked(struct analysis *a, const struct arm *arm)
{
    const struct arm_rows rows = analysis_rows(a, ARM_WITNESSES, arm);
    const long row = arm_table_first(&a->run->tables[BUNDLE_VARIANTS], arm);
    const struct table *variants = &a->bundle->tables[BUNDLE_VARIANTS];
    if (row < 0 || !(table_number(variants, (size_t)row, VARIANTS_FLOPS) > 0) ||
        table_number(variants, (size_t)row, VARIANTS_BUS_FACTOR) > 0)
        return "";
    for (size_t i = rows.first; i < rows.end; i++) {
        const struct witness_check *w = &a->witnesses.items[i];
        if (w->arm == arm && !strcmp(w->witness, "least_operations") && w->status == WITNESS_NOT_CHECKED)
            return arena_printf(&a->arena, "declared operations were not checked: %s", w->detail);
    }
    return "";
}

static const char *why_not_timed(struct analysis *a, const struct arm *arm)
{
    const struct arm_places own = timing_arms_of(&a->run->timing, arm);
    for (size_t i = 0; i < own.count; i++)
        if (a->run->timing.items[own.items[i]].untimed)
            return SOLUTION_UNCOUNTED;
    return "";
}

/* In the order in which they weigh. */
static const struct {
    enum selection_reason reason;
    const char *(*why)(struct analysis *a, const struct arm *arm); /* "" when it does not hold */
} doubts[] = {
    {SELECTION_UNCOUNTED, why_not_timed},
    {SELECTION_NO_COUNTERS, why_not_counted},
    {SELECTION_NO_OPERATIONS, why_not_checked},
};

/* A name alone is no proof: any kernel can have it. */
static void doubt(struct analysis *a, struct selection_check *check)
{
    for (size_t i = 0; i < COUNT_OF(doubts) && check->status == VERDICT_PASS; i++) {
        const char *why = doubts[i].why(a, check->arm);
        if (!*why)
            continue;
        check->status = VERDICT_INCONCLUSIVE;
        check->reason = doubts[i].reason;
        check->detail = arena_printf(&a->arena, "%s; %s", check->detail, why);
    }
}

int receipts_analyze(struct analysis *a, struct err *e)
{
    (void)e;
    for (size_t i = 0; analysis_has_task(a) && i < a->selection.count; i++)
        doubt(a, &a->selection.items[i]);
    return 0;
}
