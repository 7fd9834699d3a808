/* How do pairs, such as a rank and a thread, become indices? */
#include "core/base/key_table.h"

#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/hash.h"

void key_table_release(struct key_table *t)
{
    free(t->items);
    free(t->slots);
    *t = (struct key_table){0};
}

static uint32_t *find_slot(const struct key_table *t, uint64_t key)
{
    for (size_t i = hash_mix(key) & (t->slot_count - 1);; i = (i + 1) & (t->slot_count - 1))
        if (!t->slots[i] || t->items[t->slots[i] - 1] == key)
            return &t->slots[i];
}

/* Keeps at most half of the slots in use. */
static int grow(struct key_table *t)
{
    if (t->slot_count > 2 * t->count)
        return 0;
    const size_t grown = t->slot_count ? 2 * t->slot_count : 16;
    uint32_t *slots = calloc(grown, sizeof *slots);
    if (!slots)
        return -1;
    free(t->slots);
    t->slots = slots;
    t->slot_count = grown;
    for (size_t i = 0; i < t->count; i++)
        *find_slot(t, t->items[i]) = (uint32_t)i + 1;
    return 0;
}

static uint64_t key_of(int32_t a, uint32_t b)
{
    return (uint64_t)(uint32_t)a << 32 | b;
}

uint32_t key_table_find(const struct key_table *t, int32_t a, uint32_t b)
{
    return t->slot_count ? *find_slot(t, key_of(a, b)) : 0;
}

uint32_t key_table_add(struct key_table *t, int32_t a, uint32_t b)
{
    const uint64_t key = key_of(a, b);
    if (grow(t))
        return 0;
    uint32_t *slot = find_slot(t, key);
    if (!*slot) {
        uint64_t *item = t->count < UINT32_MAX ? ARRAY_PUSH(t) : NULL;
        if (!item)
            return 0;
        *item = key;
        *slot = (uint32_t)t->count;
    }
    return *slot;
}
