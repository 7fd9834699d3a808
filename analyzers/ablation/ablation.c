/* Do copies run under the math, by leaving out either? */
#include <math.h>

#include "analyzers/ablation/ablation_parts.h"
#include "analyzers/arm_differences.h"
#include "analyzers/entries.h"

/* NULL without the variant itself: then each of its builds has a row that says so. */
static struct ablation *find_row(struct analysis *a, const struct arm *off)
{
    for (size_t i = 0; i < a->ablations.count && off; i++)
        if (a->ablations.items[i].arms[LEFT_OUT_NOTHING] == off)
            return &a->ablations.items[i];
    return NULL;
}

static struct ablation *add_row(struct analysis *a, const char *variant, const struct arm *arm)
{
    const struct bounded unknown = {NAN, NAN, NAN};
    struct ablation *row = ARRAY_PUSH(&a->ablations);
    if (row)
        *row = (struct ablation){
            .arms = {analysis_arm(a, variant, arm->config)},
            .variant = variant,
            .config = arena_copy(&a->arena, arm->config),
            .ns = {NAN, NAN, NAN, NAN},
            .copy_ns = unknown,
            .compute_ns = unknown,
            .hidden_ns = unknown,
            .h = unknown,
            .e = unknown,
            .receipt = {0, 0, "", NAN, NAN},
            .recorder_e = unknown,
            .recorder_scope = "",
            .reason = "",
            .why = "",
        };
    return row;
}

/* Runs do not verify these builds. An arm that was verified is a variant whose name ends like theirs. */
static int add_arm(struct analysis *a, const struct arm *arm, struct err *e)
{
    size_t length;
    const enum left_out what = left_out_of(arm->variant, &length);
    if (what == LEFT_OUT_NOTHING || arm_row(a, arm) < 0 || arm_table_rows(&a->run->tables[BUNDLE_VERIFY], arm).count)
        return 0;
    const char *variant = arena_printf(&a->arena, "%.*s", (int)length, arm->variant);
    struct ablation *row = find_row(a, analysis_arm(a, variant, arm->config));
    if (!row)
        row = add_row(a, variant, arm);
    if (!row)
        return err_memory(e);
    row->arms[what] = arm;
    return 0;
}

int ablation_analyze(struct analysis *a, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < a->run->arms.list.count && !rc; i++)
        rc = add_arm(a, a->run->arms.list.items[i], e);
    for (size_t i = 0; i < a->ablations.count && !rc; i++)
        rc = ablation_judge(&a->ablations.items[i], a, e);
    return rc;
}
