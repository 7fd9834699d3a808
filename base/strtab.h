/* strtab.h - each distinct string gets a small id; ids count from 1, 0 is "no string". */
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
    size_t size_bytes;     /* of the texts and what each costs beside them */
    size_t size_bytes_max; /* set behind init; 0: no limit but memory */
    bool is_full;          /* a text was refused for that limit */
};

void strtab_init(struct strtab *t);
void strtab_release(struct strtab *t);

/* The id of `text`, added if new. Returns 0 when memory is out, the table is full or text is NULL. */
uint32_t strtab_add(struct strtab *t, const char *text);
uint32_t strtab_add_bytes(struct strtab *t, const char *text, size_t length);

/* The id of `text`; 0 when it was never added. */
uint32_t strtab_find(const struct strtab *t, const char *text);

/* As strtab_add, whatever size_bytes_max is: for the text that stands for those which were refused. */
uint32_t strtab_add_beyond(struct strtab *t, const char *text);

/* The text of an id; "" for 0 and for ids never given out. Valid until release. */
const char *strtab_text(const struct strtab *t, uint32_t id);
size_t strtab_length(const struct strtab *t, uint32_t id);

/* Ids run from 1 to strtab_count. */
size_t strtab_count(const struct strtab *t);

#endif
