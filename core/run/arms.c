/* Which arm has these names, and what data belongs to it? */
#include "core/run/arms.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct variant_arms {
    struct arm *first, *last;
};

void arms_init(struct arms *arms)
{
    *arms = (struct arms){0};
    arena_init(&arms->arena);
    strtab_init(&arms->names);
}

void arms_release(struct arms *arms)
{
    free(arms->list.items);
    free(arms->variants.items);
    key_table_release(&arms->pairs);
    strtab_release(&arms->names);
    arena_release(&arms->arena);
    arms_init(arms);
}

/* Makes room for the arms of each name, since any name may be a variant's. */
static struct variant_arms *variant_at(struct arms *arms, uint32_t name)
{
    while (arms->variants.count < name)
        if (!ARRAY_PUSH(&arms->variants))
            return NULL;
    return &arms->variants.items[name - 1];
}

static struct arm *new_arm(struct arms *arms, uint32_t variant, uint32_t config)
{
    struct variant_arms *of_variant = variant_at(arms, variant);
    struct arm *arm = of_variant ? arena_alloc(&arms->arena, sizeof *arm) : NULL;
    struct arm **slot = arm ? ARRAY_PUSH(&arms->list) : NULL;
    if (!slot)
        return NULL;
    *arm = (struct arm){.variant = strtab_text(&arms->names, variant),
                        .config = strtab_text(&arms->names, config),
                        .index = arms->list.count - 1};
    *slot = arm;
    if (of_variant->last)
        of_variant->last->next = arm;
    else
        of_variant->first = arm;
    of_variant->last = arm;
    return arm;
}

const struct arm *arms_add(struct arms *arms, const char *variant, const char *config)
{
    const uint32_t variant_id = strtab_add(&arms->names, variant), config_id = strtab_add(&arms->names, config);
    const uint32_t id = variant_id && config_id ? key_table_add(&arms->pairs, (int32_t)variant_id, config_id) : 0;
    if (!id)
        return NULL;
    return id <= arms->list.count ? arms->list.items[id - 1] : new_arm(arms, variant_id, config_id);
}

const struct arm *arms_find(const struct arms *arms, const char *variant, const char *config)
{
    const uint32_t variant_id = strtab_find(&arms->names, variant), config_id = strtab_find(&arms->names, config);
    const uint32_t id = variant_id && config_id ? key_table_find(&arms->pairs, (int32_t)variant_id, config_id) : 0;
    return id && id <= arms->list.count ? arms->list.items[id - 1] : NULL;
}

const struct arm *arms_of_variant(const struct arms *arms, const char *variant)
{
    const uint32_t id = strtab_find(&arms->names, variant);
    return id && id <= arms->variants.count ? arms->variants.items[id - 1].first : NULL;
}

bool arms_has(const struct arms *arms, const struct arm *arm)
{
    return arm->index < arms->list.count && arms->list.items[arm->index] == arm;
}

/* ---- the data of each arm ---- */

static const struct arm *arm_at(const void *items, size_t i, size_t item_bytes, size_t offset)
{
    const struct arm *arm;
    memcpy(&arm, (const char *)items + i * item_bytes + offset, sizeof arm);
    return arm;
}

/* Counts the items of each arm, computes where each arm begins, then puts the items there. */
int arm_index_make(struct arm_index *out, const void *items, size_t count, size_t item_bytes, size_t offset,
                   struct err *e)
{
    size_t arm_count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct arm *arm = arm_at(items, i, item_bytes, offset);
        arm_count = arm && arm->index >= arm_count ? arm->index + 1 : arm_count;
    }
    *out = (struct arm_index){.items = malloc((count + 1) * sizeof *out->items),
                              .first = calloc(arm_count + 2, sizeof *out->first),
                              .arm_count = arm_count};
    if (!out->items || !out->first)
        return err_memory(e);
    size_t *next = out->first + 1; /* after all items are placed, next[i] has become first[i + 1] */
    for (size_t i = 0; i < count; i++) {
        const struct arm *arm = arm_at(items, i, item_bytes, offset);
        if (arm && arm->index + 1 < arm_count)
            next[arm->index + 1]++;
    }
    for (size_t i = 1; i < arm_count; i++)
        next[i] += next[i - 1];
    for (size_t i = 0; i < count; i++) {
        const struct arm *arm = arm_at(items, i, item_bytes, offset);
        if (arm)
            out->items[next[arm->index]++] = i;
    }
    return 0;
}

void arm_index_release(struct arm_index *index)
{
    free(index->items);
    free(index->first);
    *index = (struct arm_index){0};
}

struct arm_places arm_index_of(const struct arm_index *index, const struct arm *arm)
{
    if (!arm || arm->index >= index->arm_count)
        return (struct arm_places){NULL, 0};
    const size_t first = index->first[arm->index];
    return (struct arm_places){index->items + first, index->first[arm->index + 1] - first};
}
