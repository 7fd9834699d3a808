/* What does each variant occupy, and is any machine code the same? */
#include <string.h>

#include "analyzers/entries.h"
#include "core/base/array.h"
#include "core/run/instrumented_arm.h"

static int add_resource(struct analysis *a, const struct arm_table *rows, size_t row, struct err *e)
{
    const struct table *t = rows->table;
    const struct arm *arm = rows->arms[row];
    struct resource *resource = ARRAY_PUSH(&a->resources);
    if (!resource)
        return err_memory(e);
    *resource = (struct resource){
        .arm = arm,
        .variant = arena_copy(&a->arena, arm->variant),
        .config = arena_copy(&a->arena, arm->config),
        .kernel = arena_copy(&a->arena, table_text(t, row, RESOURCES_KERNEL)),
        .grid_blocks = table_number(t, row, RESOURCES_GRID),
        .block_threads = table_number(t, row, RESOURCES_BLOCK),
        .registers = table_number(t, row, RESOURCES_REGISTERS),
        .shared_bytes = table_number(t, row, RESOURCES_SHARED),
        .local_bytes = table_number(t, row, RESOURCES_LOCAL),
        .spill_bytes = table_number(t, row, RESOURCES_SPILL),
        .blocks_per_sm = table_number(t, row, RESOURCES_BLOCKS_PER_SM),
        .occupancy = table_number(t, row, RESOURCES_OCCUPANCY),
        .waves = table_number(t, row, RESOURCES_WAVES),
        .code_hash = arena_copy(&a->arena, table_text(t, row, RESOURCES_CODE_HASH)),
    };
    analysis_note(a, ARM_RESOURCES, arm, a->resources.count - 1);
    return 0;
}

/* The number of bytes is the same by construction: it stands here as evidence
 * that code was compared, and how much of it. */
static int add_identical(struct analysis *a, const struct resource *one, const struct resource *other,
                         double code_bytes, struct err *e)
{
    struct identical_code *identical = ARRAY_PUSH(&a->identical);
    if (!identical)
        return err_memory(e);
    const bool alike = one->grid_blocks == other->grid_blocks && one->block_threads == other->block_threads &&
                       one->shared_bytes == other->shared_bytes;
    *identical =
        (struct identical_code){one->arm, other->arm, one->variant, other->variant, one->config, one->code_hash, alike};
    const char *claim = arena_printf(
        &a->arena, "%s and %s are the same machine code (%s)%s", one->variant, other->variant, one->code_hash,
        alike ? ": a difference is noise, or of arguments, streams or data" : ", launched differently");
    struct finding *finding =
        analysis_finding(a, "identical-code", SEVERITY_WARNING, other->variant, one->config, claim);
    if (!finding)
        return err_memory(e);
    finding->advice = "check that the two are built from different sources or with different options";
    return evidence_add(&a->arena, &finding->evidence, "code_bytes", code_bytes, UNIT_BYTES, e);
}

/* Delays of one build are the same code on purpose. */
static bool same_code(const struct resource *a, const struct resource *b)
{
    return a->code_hash[0] && !strcmp(a->code_hash, b->code_hash) && a->arm->config == b->arm->config &&
           a->arm->variant != b->arm->variant && !(arm_is_delayed(a->arm) && arm_is_delayed(b->arm));
}

/* A dispatcher runs one of the others' kernels on purpose. */
static bool chooses(const struct analysis *a, const struct arm *arm)
{
    const struct arm_table *variants = &a->run->tables[BUNDLE_VARIANTS];
    const long row = arm_table_first(variants, arm);
    return row >= 0 && *table_text(variants->table, (size_t)row, VARIANTS_CHOSEN);
}

/* A variant of several kernels may have more than one row with the same code. */
static bool already_said(const struct analysis *a, const struct resource *one, const struct resource *other)
{
    for (size_t i = 0; i < a->identical.count; i++) {
        const struct identical_code *said = &a->identical.items[i];
        if (said->of_a == one->arm && said->of_b == other->arm)
            return true;
    }
    return false;
}

/* When three are the same, the second and the third are paired with the first. */
static int find_identical(struct analysis *a, size_t later, const struct table *t, struct err *e)
{
    const struct resource *other = &a->resources.items[later];
    for (size_t i = 0; i < later; i++) {
        const struct resource *one = &a->resources.items[i];
        if (same_code(one, other) && !chooses(a, one->arm) && !chooses(a, other->arm))
            return already_said(a, one, other)
                       ? 0
                       : add_identical(a, one, other, table_number(t, i, RESOURCES_CODE_BYTES), e);
    }
    return 0;
}

int resources_analyze(struct analysis *a, struct err *e)
{
    const struct table *t = &a->bundle->tables[BUNDLE_RESOURCES];
    for (size_t row = 0; row < table_rows(t); row++) {
        int rc = add_resource(a, &a->run->tables[BUNDLE_RESOURCES], row, e);
        if (rc)
            return rc;
    }
    for (size_t i = 0; i < a->resources.count; i++) {
        int rc = find_identical(a, i, t, e);
        if (rc)
            return rc;
    }
    return 0;
}
