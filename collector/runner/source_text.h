/* source_text.h - what does a line of a source file say? Only of a file that is still the one that was compiled. */
#ifndef CPPROF_SOURCE_TEXT_H
#define CPPROF_SOURCE_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "core/base/err.h"
#include "core/base/str.h"

enum { SOURCE_SIZES_MAX = 4, SOURCE_LINE_BYTES_MAX = 200 };

/* A source file as its compiler saw it. */
struct compiled_source {
    const char *folder, *name;        /* as the compiler knew them */
    uint64_t sizes[SOURCE_SIZES_MAX]; /* one of them was its size */
    size_t size_count;                /* 0: its size is not known */
    struct timespec built;            /* of the program that has the code: what changed later is not its source */
};

enum source_state {
    SOURCE_READ,
    SOURCE_ABSENT,  /* it is not there, or it is no text that can be read */
    SOURCE_CHANGED, /* another one is there than was compiled */
};

struct source_text {
    struct compiled_source compiled; /* with texts of its own */
    enum source_state state;
    struct str content;
};

/* Files that were asked for. Zeroed: none. */
struct source_texts {
    struct source_text *items;
    size_t count, capacity;
};

void source_texts_release(struct source_texts *s);

/* Reads a file when it is asked for first, if it is a regular one of at most 16 MiB. Where no file has its path, its
 * last folders are tried under the current folder, if its size is known: a tree may have moved since it was built.
 * Returns NULL when memory is out. The result is valid until the next call. */
const struct source_text *source_texts_find(struct source_texts *s, const struct compiled_source *asked);

/* Appends the line, counted from 1, as valid UTF-8 without control characters, blanks around it or a break, and at most
 * SOURCE_LINE_BYTES_MAX bytes of it. Appends nothing when there is no such line. */
void source_text_line(const struct source_text *t, uint32_t line, struct str *out);

#endif
