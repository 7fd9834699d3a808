/* sass_text.h - the instructions of a cubin, as the toolkit's cuobjdump prints them. */
#ifndef CPPROF_SASS_TEXT_H
#define CPPROF_SASS_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"

struct sass_instruction {
    const char *symbol; /* of the kernel */
    uint64_t offset;    /* bytes from its start */
    const char *text;   /* "LDG.E.128 R4, desc[UR4][R2.64]" */
};

struct sass_text {
    struct arena arena;
    struct sass_instruction *items; /* sorted by kernel and offset, as the tool prints them */
    size_t count, capacity;
};

void sass_text_init(struct sass_text *t);
void sass_text_release(struct sass_text *t);

/* Returns ERR_ENVIRONMENT when there is no cuobjdump (in $PATH, then in the toolkit's usual folder), or when it refuses
 * the image. */
int sass_text_read(struct sass_text *t, const void *cubin, size_t bytes, struct err *e);

/* Takes one line of its output; lines other than instructions and names of functions are ignored. `symbol` is the
 * function that the line belongs to. */
int sass_text_add_line(struct sass_text *t, const char **symbol, const char *line, struct err *e);

/* Returns the text; "" when unknown. */
const char *sass_text_find(const struct sass_text *t, const char *symbol, uint64_t offset);

#endif
