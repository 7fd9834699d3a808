/* Who owns the small strings of a result? One arena does. */
#include "core/base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 64 * 1024, ALIGNMENT = 16 };

struct arena_block {
    struct arena_block *next;
    size_t used;
    size_t capacity;
    _Alignas(16) unsigned char bytes[];
};

void arena_init(struct arena *a)
{
    a->blocks = NULL;
}

void arena_release(struct arena *a)
{
    while (a->blocks) {
        struct arena_block *next = a->blocks->next;
        free(a->blocks);
        a->blocks = next;
    }
}

void *arena_alloc(struct arena *a, size_t bytes)
{
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct arena_block *block = a->blocks;
    if (!block || block->capacity - block->used < bytes) {
        size_t capacity = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        block = malloc(sizeof *block + capacity);
        if (!block)
            return NULL;
        *block = (struct arena_block){.next = a->blocks, .capacity = capacity};
        a->blocks = block;
    }
    void *out = block->bytes + block->used;
    block->used += bytes;
    return memset(out, 0, bytes);
}

const char *arena_copy(struct arena *a, const char *text)
{
    if (!text)
        return "";
    size_t bytes = strlen(text) + 1;
    char *out = arena_alloc(a, bytes);
    return out ? memcpy(out, text, bytes) : "";
}

const char *arena_printf(struct arena *a, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int count = vsnprintf(NULL, 0, format, args);
    char *out = count < 0 ? NULL : arena_alloc(a, (size_t)count + 1);
    if (out)
        vsnprintf(out, (size_t)count + 1, format, again);
    va_end(again);
    va_end(args);
    return out ? out : "";
}
