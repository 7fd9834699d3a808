/* To which arm does each row of a table belong, and which rows belong to an arm? */
#include "core/run/arm_table.h"

#include <stdlib.h>

static const struct {
    size_t variant, config;
} columns[BUNDLE_TABLE_COUNT] = {
    [BUNDLE_VARIANTS] = {VARIANTS_VARIANT, VARIANTS_SHAPE},
    [BUNDLE_EXPECT] = {EXPECT_VARIANT, EXPECT_SHAPE},
    [BUNDLE_TIMING] = {TIMING_VARIANT, TIMING_SHAPE},
    [BUNDLE_METRICS] = {METRICS_VARIANT, METRICS_SHAPE},
    [BUNDLE_RESOURCES] = {RESOURCES_VARIANT, RESOURCES_SHAPE},
    [BUNDLE_VERIFY] = {VERIFY_VARIANT, VERIFY_SHAPE},
    [BUNDLE_MISMATCHES] = {MISMATCHES_VARIANT, MISMATCHES_SHAPE},
    [BUNDLE_ITERATIONS] = {ITERATIONS_VARIANT, ITERATIONS_SHAPE},
    [BUNDLE_WORK] = {WORK_VARIANT, WORK_SHAPE},
    [BUNDLE_HOTSPOTS] = {HOTSPOTS_VARIANT, HOTSPOTS_SHAPE},
    [BUNDLE_WITNESS] = {WITNESS_VARIANT, WITNESS_SHAPE},
    [BUNDLE_INSIDE_PHASES] = {INSIDE_PHASES_VARIANT, INSIDE_PHASES_SHAPE},
    [BUNDLE_INSIDE_WARPS] = {INSIDE_WARPS_VARIANT, INSIDE_WARPS_SHAPE},
    [BUNDLE_INSIDE_TILES] = {INSIDE_TILES_VARIANT, INSIDE_TILES_SHAPE},
    [BUNDLE_INSIDE_SERIES] = {INSIDE_SERIES_VARIANT, INSIDE_SERIES_SHAPE},
    [BUNDLE_DELAYS] = {DELAYS_VARIANT, DELAYS_SHAPE},
    [BUNDLE_INSIDE_PROGRESS] = {INSIDE_PROGRESS_VARIANT, INSIDE_PROGRESS_SHAPE},
};

int arm_table_read(struct arm_table *out, const struct table *table, enum bundle_table which, struct arms *arms,
                   struct err *e)
{
    const size_t count = table_rows(table);
    *out = (struct arm_table){.table = table, .arms = calloc(count + 1, sizeof *out->arms)};
    if (!out->arms)
        return err_memory(e);
    for (size_t row = 0; row < count; row++) {
        out->arms[row] = arms_add(arms, table_text(table, row, columns[which].variant),
                                  table_text(table, row, columns[which].config));
        if (!out->arms[row])
            return err_memory(e);
    }
    return arm_index_make(&out->index, out->arms, count, sizeof *out->arms, 0, e);
}

void arm_table_release(struct arm_table *t)
{
    free(t->arms);
    arm_index_release(&t->index);
    *t = (struct arm_table){0};
}

struct arm_places arm_table_rows(const struct arm_table *t, const struct arm *arm)
{
    return arm_index_of(&t->index, arm);
}

long arm_table_first(const struct arm_table *t, const struct arm *arm)
{
    const struct arm_places rows = arm_table_rows(t, arm);
    return rows.count ? (long)rows.items[0] : -1;
}
