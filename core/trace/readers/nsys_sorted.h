/* nsys_sorted.h - the events of a large table, read from the file each time that they are asked for, on the assumption
 * that they are sorted by start. Nothing is kept. */
#ifndef CPPROF_NSYS_SORTED_H
#define CPPROF_NSYS_SORTED_H

#include <stdbool.h>

#include "core/base/err.h"
#include "core/trace/event_spool.h"
#include "core/trace/readers/nsys_slices.h"

/* Told once, behind the last event: what is there to say of the rows? */
struct nsys_sorted_end {
    int (*say)(void *context, const struct nsys_slices *slices, struct err *e);
    void (*free)(void *context);
    void *context;
};

/* Makes a source of rows that nobody has read. When they turn out not to be rows up to the end of the file, or not to
 * be in order, reading ends with an error: then the file must be read otherwise. The source owns the slices and `end`;
 * after an error the caller still does. */
int nsys_sorted_new(struct event_source **out, struct nsys_slices *slices, const struct nsys_sorted_end *end,
                    struct err *e);

#endif
