/* Does a counter show that each solution did the work of its task? Where none does, nothing shows what was launched. */
#include <string.h>

#include "analyzers/entries.h"

static bool is_receipt(const struct witness_check *w)
{
    return !strcmp(w->witness, "least_bytes") || !strcmp(w->witness, "least_operations");
}

/* Returns why none of the work was counted; NULL when some was, or when it contradicts what the task asks for. */
static const char *why_uncounted(const struct analysis *a, const struct arm *arm)
{
    const struct arm_rows rows = analysis_rows(a, ARM_WITNESSES, arm);
    const char *why = "";
    for (size_t i = rows.first; i < rows.end; i++) {
        const struct witness_check *w = &a->witnesses.items[i];
        if (w->arm != arm || !is_receipt(w))
            continue;
        if (w->status != WITNESS_NOT_CHECKED)
            return NULL;
        why = *why ? why : w->detail;
    }
    return *why ? why : "its counters were not read";
}

/* A name alone is no proof: any kernel can have it. */
int receipts_analyze(struct analysis *a, struct err *e)
{
    (void)e;
    for (size_t i = 0; analysis_has_task(a) && i < a->selection.count; i++) {
        struct selection_check *check = &a->selection.items[i];
        const char *why = check->status == VERDICT_PASS ? why_uncounted(a, check->arm) : NULL;
        if (!why)
            continue;
        check->status = VERDICT_INCONCLUSIVE;
        check->reason = "no_counters";
        check->detail =
            arena_printf(&a->arena, "%s; no counter shows that it did the work of its task: %s", check->detail, why);
    }
    return 0;
}
