/* timeline_part.h - a timeline that was measured of one trace becomes a part of that of all traces. */
#ifndef CPPROF_TIMELINE_PART_H
#define CPPROF_TIMELINE_PART_H

#include <stdio.h>

#include "core/base/err.h"
#include "core/trace/parts/part_file.h"
#include "core/trace/timeline.h"

int timeline_part_write(const struct timeline *t, const struct timeline_query *query, FILE *to, struct err *e);

/* Adds what is read to `t`, which starts as timeline_parts_begin leaves it. No two parts have the same rank. */
int timeline_part_take(struct timeline *t, const struct timeline_query *query, struct part_reader *from, struct err *e);
void timeline_parts_begin(struct timeline *t);

/* Makes of all parts what timeline_measure of all traces makes. */
void timeline_parts_finish(struct timeline *t);

#endif
