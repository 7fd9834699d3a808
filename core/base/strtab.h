/* strtab.h - gives each distinct string a small id. Ids count from 1; 0 means "no string". */
#ifndef CPPROF_STRTAB_H
#define CPPROF_STRTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strtab {
    struct strtab_entry *items;
    size_t count;
    size_t capacity;
    uint32_t *slots; /* open addressing: entry index + 1 */
    size_t slot_count;
    size_t size_bytes;     /* the texts, and a fixed cost of each */
    size_t size_bytes_max; /* may be set after strtab_init; 0: only memory limits it */
    bool is_full;          /* a text was refused because of that limit */
};

void strtab_init(struct strtab *t);
void strtab_release(struct strtab *t);

/* Return the id of `text`, added if new; 0 when memory is out, the table is full or `text` is NULL. */
uint32_t strtab_add(struct strtab *t, const char *text);
uint32_t strtab_add_bytes(struct strtab *t, const char *text, size_t length);

/* Returns the id of `text`; 0 when it was never added. */
uint32_t strtab_find(const struct strtab *t, const char *text);

/* Like strtab_add, but ignores size_bytes_max. For the text that replaces refused ones. */
uint32_t strtab_add_beyond(struct strtab *t, const char *text);

/* Returns the text of an id; "" for 0 and for unknown ids. It is valid until release. */
const char *strtab_text(const struct strtab *t, uint32_t id);
size_t strtab_length(const struct strtab *t, uint32_t id);

/* Returns how many strings there are. Ids run from 1 to this count. */
size_t strtab_count(const struct strtab *t);

#endif
