/* local_parts.h - several traces are read by processes of this machine. */
#ifndef CPPROF_LOCAL_PARTS_H
#define CPPROF_LOCAL_PARTS_H

#include <stddef.h>

#include "core/trace/parts/part_source.h"

/* Makes a source whose work is done by `jobs` processes at once. */
int local_parts_new(struct part_source **out, size_t jobs, struct err *e);
void local_parts_free(struct part_source *s);

#endif
