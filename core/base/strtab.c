/* How are kernel names stored once? Open addressing over a keyed hash, so that a trace cannot choose which of its names
 * collide. */
#include "core/base/strtab.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/hash.h"

struct strtab_entry {
    char *text;
    size_t length;
    uint64_t hash;
};

/* An entry, its slots while the table grows, and what malloc adds to a text. */
enum { ENTRY_BYTES = 2 * sizeof(struct strtab_entry) + 32 };

void strtab_init(struct strtab *t)
{
    *t = (struct strtab){0};
}

void strtab_release(struct strtab *t)
{
    for (size_t i = 0; i < t->count; i++)
        free(t->items[i].text);
    free(t->items);
    free(t->slots);
    strtab_init(t);
}

static uint32_t *find_slot(const struct strtab *t, const char *text, size_t length, uint64_t hash)
{
    for (size_t i = hash & (t->slot_count - 1);; i = (i + 1) & (t->slot_count - 1)) {
        uint32_t *slot = &t->slots[i];
        if (!*slot)
            return slot;
        const struct strtab_entry *entry = &t->items[*slot - 1];
        if (entry->hash == hash && entry->length == length && !memcmp(entry->text, text, length))
            return slot;
    }
}

static int grow_slots(struct strtab *t)
{
    size_t grown = t->slot_count ? t->slot_count * 2 : 64;
    uint32_t *slots = calloc(grown, sizeof *slots);
    if (!slots)
        return -1;
    free(t->slots);
    t->slots = slots;
    t->slot_count = grown;
    for (size_t i = 0; i < t->count; i++) {
        const struct strtab_entry *entry = &t->items[i];
        *find_slot(t, entry->text, entry->length, entry->hash) = (uint32_t)i + 1;
    }
    return 0;
}

uint32_t strtab_add_bytes(struct strtab *t, const char *text, size_t length)
{
    if (!text || (t->count + 1 > t->slot_count / 2 && grow_slots(t)))
        return 0;
    uint64_t hash = hash_bytes(text, length);
    uint32_t *slot = find_slot(t, text, length, hash);
    if (*slot)
        return *slot;
    if (t->size_bytes_max && t->size_bytes + length + ENTRY_BYTES > t->size_bytes_max) {
        t->is_full = true;
        return 0;
    }
    char *copy = malloc(length + 1);
    struct strtab_entry *entry = copy ? ARRAY_PUSH(t) : NULL;
    if (!entry) {
        free(copy);
        return 0;
    }
    if (length)
        memcpy(copy, text, length);
    copy[length] = '\0';
    *entry = (struct strtab_entry){copy, length, hash};
    *slot = (uint32_t)t->count;
    t->size_bytes += length + ENTRY_BYTES;
    return *slot;
}

uint32_t strtab_add(struct strtab *t, const char *text)
{
    return text ? strtab_add_bytes(t, text, strlen(text)) : 0;
}

uint32_t strtab_find(const struct strtab *t, const char *text)
{
    if (!text || !t->slot_count)
        return 0;
    const size_t length = strlen(text);
    return *find_slot(t, text, length, hash_bytes(text, length));
}

uint32_t strtab_add_beyond(struct strtab *t, const char *text)
{
    const size_t size_bytes_max = t->size_bytes_max;
    t->size_bytes_max = 0;
    const uint32_t id = strtab_add(t, text);
    t->size_bytes_max = size_bytes_max;
    return id;
}

const char *strtab_text(const struct strtab *t, uint32_t id)
{
    return id && id <= t->count ? t->items[id - 1].text : "";
}

size_t strtab_length(const struct strtab *t, uint32_t id)
{
    return id && id <= t->count ? t->items[id - 1].length : 0;
}

size_t strtab_count(const struct strtab *t)
{
    return t->count;
}
