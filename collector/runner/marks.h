/* marks.h - NVTX ranges (domain "cpprof") that name variant, shape and phase, so that nsys and ncu show the same words
 * as our report. */
#ifndef CPPROF_MARKS_H
#define CPPROF_MARKS_H

#include <stddef.h>

enum { MARK_BYTES = 512 };

/* Writes "VARIANT | SHAPE | PHASE", at most MARK_BYTES. */
void mark_name(char *text, size_t bytes, const char *variant, const char *shape, const char *phase);
/* Opens a range with the same text on this thread, until mark_pop. */
void mark_push(const char *variant, const char *shape, const char *phase);
void mark_pop(void);

#endif
