/* What happens inside a kernel: how long is each phase, and is its copying hidden? */
#include <math.h>
#include <string.h>

#include "analyzers/entries.h"
#include "analyzers/inside/inside_parts.h"
#include "core/base/count_of.h"
#include "core/run/instrumented_arm.h"

/* The variant that a record build comes from; "" when its name does not say. */
static const char *name_of_off(struct analysis *a, const char *variant)
{
    return arena_printf(&a->arena, "%.*s", (int)record_arm_of_length(variant), variant);
}

/* How many blocks does an SM have at once, at least, when the grid is spread out evenly? 0: unknown. */
static double resident_blocks(const struct analysis *a, const struct arm *arm)
{
    const struct resource *resource = analysis_resource(a, arm);
    const double sms = json_get_number(json_object_get(a->bundle->manifest, "gpu"), "sm_count", NAN);
    if (!resource || !(sms > 0) || !(resource->blocks_per_sm > 0) || !(resource->grid_blocks > 0))
        return 0;
    return fmax(1, fmin(resource->blocks_per_sm, floor(resource->grid_blocks / sms)));
}

static int read_arm(struct inside *row, struct analysis *a, struct err *e)
{
    struct inside_records records;
    int rc = inside_records_read(&records, a->run, row->arm, e);
    row->missing = (int64_t)inside_damage_total(&records.damage);
    if (!rc)
        rc = inside_read_phases(row, &records, &a->arena, e);
    if (!rc)
        rc = inside_read_overlap(row, &records, resident_blocks(a, row->arm), e);
    if (!rc)
        inside_read_series(row, a->run, &records);
    if (!rc)
        rc = inside_read_fold(row, a, &records, e);
    inside_records_release(&records);
    return rc ? rc : inside_judge(row, a, e);
}

static int add_arm(struct analysis *a, const struct arm *arm, struct err *e)
{
    struct inside *row = ARRAY_PUSH(&a->insides);
    if (!row)
        return err_memory(e);
    const char *of = name_of_off(a, arm->variant);
    *row = (struct inside){
        .arm = arm,
        .off = *of ? analysis_arm(a, of, arm->config) : NULL,
        .variant = arena_copy(&a->arena, arm->variant),
        .config = arena_copy(&a->arena, arm->config),
        .of = of,
        .method = "recorder",
        .cost = {NAN, NAN, NAN},
        .receipt = {NAN, NAN, NAN, NAN, NAN, NAN, 0, ""},
        .why = "",
    };
    analysis_note(a, ARM_INSIDES, arm, a->insides.count - 1);
    return read_arm(row, a, e);
}

/* An arm whose tables are damaged has a row, too. */
int inside_analyze(struct analysis *a, struct err *e)
{
    static const enum bundle_table tables[] = {BUNDLE_INSIDE_PHASES, BUNDLE_INSIDE_WARPS, BUNDLE_INSIDE_TILES};
    int rc = 0;
    for (size_t i = 0; i < a->run->arms.list.count && !rc; i++) {
        const struct arm *arm = a->run->arms.list.items[i];
        bool records = false;
        for (size_t k = 0; k < COUNT_OF(tables); k++)
            records |= arm_table_rows(&a->run->tables[tables[k]], arm).count > 0;
        if (records)
            rc = add_arm(a, arm, e);
    }
    return rc;
}
