/* guarded.h - device memory between two bands that nobody may write, so that a write beyond the end is seen. */
#ifndef CPPROF_GUARDED_H
#define CPPROF_GUARDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpprof/task.h"

struct guarded {
    char *data; /* a band of JUDGE_BAND_BYTES before it, and one behind its last byte */
    size_t bytes;
    unsigned char band; /* each byte of both bands */
};

/* The byte that fills outputs before a launch: all of them together are no number, and of whole numbers a rare one. */
int guarded_poison(enum cpprof_type type);

/* These return a cudaError_t. The bands of an input hold NaN, those of other memory a number. The memory is the
 * caller's. */
int guarded_place(struct guarded *g, char *data, size_t bytes, bool is_input, struct CUstream_st *stream);

/* Sets *broken_at to the first changed byte, counted from the start of the data (negative: before it), and *is_whole.
 */
int guarded_check(const struct guarded *g, bool *is_whole, int64_t *broken_at, struct CUstream_st *stream);

#endif
