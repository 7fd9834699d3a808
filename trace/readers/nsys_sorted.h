/* nsys_sorted.h - the events of a large table that is sorted by start, read from the file each time that they are asked
 * for, instead of being kept in a temporary file. */
#ifndef CPPROF_NSYS_SORTED_H
#define CPPROF_NSYS_SORTED_H

#include <stdbool.h>

#include "base/err.h"
#include "trace/event_spool.h"
#include "trace/readers/nsys_slices.h"

/* Told once, when the last event of a source that was not surveyed has been given: what is there to say of the rows? */
struct nsys_sorted_end {
    int (*say)(void *context, const struct nsys_slices *slices, struct err *e);
    void (*free)(void *context);
    void *context;
};

/* Reads all rows once. Returns 1 and the source when all of the file are rows, and events are in order; 0 when they are
 * not, or an error code. The source owns the slices; after 0 or an error the caller still does. */
int nsys_sorted_survey(struct event_source **out, struct nsys_slices *slices, struct err *e);

/* Makes a source of rows that nobody has read. When they turn out not to be rows up to the end of the file, or not to
 * be in order, reading ends with an error: then the file must be read otherwise. `end` is the source's from now on. */
int nsys_sorted_trust(struct event_source **out, struct nsys_slices *slices, const struct nsys_sorted_end *end,
                      struct err *e);

#endif
