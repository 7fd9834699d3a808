/* arena.h - memory that lives and dies together: results, their strings. */
#ifndef CPPROF_ARENA_H
#define CPPROF_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *blocks;
};

void arena_init(struct arena *a);
void arena_release(struct arena *a);
void *arena_alloc(struct arena *a, size_t bytes);          /* zeroed, 16-byte aligned; NULL when memory is out */
const char *arena_copy(struct arena *a, const char *text); /* "" stands for NULL and for no memory */
const char *arena_printf(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
