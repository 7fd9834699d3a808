/* nsys_slices.h - reads a large table of GPU work in slices, by two threads (core/base/pump.h), each from lines alone.
 *
 * The file is cut at newlines, which may stand inside a quoted field. So a slice is a guess, until all before it were
 * read: each of their lines was a whole row, and the last one ended where this slice begins. A slice gives the rows up
 * to the first line that is no row of its own, or one of which something must be said. The owner of the table goes on
 * from there with core/io/csv.h. Names are numbered in the order of the file, as one thread would number them. */
#ifndef CPPROF_NSYS_SLICES_H
#define CPPROF_NSYS_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/base/err.h"
#include "core/base/strtab.h"
#include "core/trace/readers/nsys_table.h"

enum { NSYS_SLICE_BYTES = 128 * 1024 };

struct nsys_slices;

/* The events of a slice, in the order of the file. */
struct nsys_slice {
    struct cpprof_event *events; /* may be sorted by the user */
    size_t count;
};

/* Prepares to read the rows of `t` from `begin` on, where a row begins. *out is NULL, without an error, where slices
 * are of no use: the file is not regular, or smaller than two of them, or rows depend on one another. Names go to
 * `strings`. The caller keeps the file and the table. */
int nsys_slices_new(struct nsys_slices **out, const struct nsys_table *t, FILE *file, uint64_t begin,
                    size_t slice_bytes, struct strtab *strings, struct err *e);
void nsys_slices_free(struct nsys_slices *s); /* NULL: nothing */

/* Begins with the first slice. May be called again. */
void nsys_slices_rewind(struct nsys_slices *s);

/* Gives the next slice, which is valid until the next call. Returns 1, 0 behind the last row that slices give, or an
 * error code. */
int nsys_slices_next(struct nsys_slices *s, struct nsys_slice *out, struct err *e);

/* Were all rows given, up to the end of the file, whose last byte is a newline? */
bool nsys_slices_reached_end(const struct nsys_slices *s);
uint64_t nsys_slices_offset(const struct nsys_slices *s); /* behind the last row that was given */

/* Adds what was counted in the rows given since the rewind. */
void nsys_slices_add_counts(const struct nsys_slices *s, struct nsys_table *t);

#endif
