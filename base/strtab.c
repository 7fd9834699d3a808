/* How are kernel names stored once? Open addressing over a hash in the manner
 * of FNV-1a, eight bytes at a time: names are long, and there is one an event. */
#include "base/strtab.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct strtab_entry {
    char *text;
    size_t length;
    uint64_t hash;
};

static uint64_t hash_bytes(const char *text, size_t length)
{
    uint64_t hash = 14695981039346656037u ^ length;
    for (uint64_t word = 0; length; word = 0) {
        size_t bytes = length < sizeof word ? length : sizeof word;
        memcpy(&word, text, bytes);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32; /* or the high bytes of a word would never reach the low bits */
        text += bytes;
        length -= bytes;
    }
    return hash;
}

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
    return *slot;
}

uint32_t strtab_add(struct strtab *t, const char *text)
{
    return text ? strtab_add_bytes(t, text, strlen(text)) : 0;
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
