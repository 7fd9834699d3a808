/* arena.h - memory for results and their strings, all released at once. */
#ifndef CPPROF_ARENA_H
#define CPPROF_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *blocks;
};

void arena_init(struct arena *a);
void arena_release(struct arena *a);
/* Returns zeroed memory, aligned to 16 bytes; NULL when memory is out. */
void *arena_alloc(struct arena *a, size_t bytes);
/* Returns a copy of `text`; "" for NULL, and when memory is out. */
const char *arena_copy(struct arena *a, const char *text);
/* Returns the formatted text; "" when memory is out. */
const char *arena_printf(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
