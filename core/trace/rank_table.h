/* rank_table.h - gives each of several traces ranks that no other one has.
 *
 * A trace prefers the rank that its content names, else the one in its path (when no two paths have the same), else its
 * place among the traces. */
#ifndef CPPROF_RANK_TABLE_H
#define CPPROF_RANK_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/caveat.h"
#include "core/base/err.h"
#include "core/trace/trace_operands.h"

struct rank_table;

/* Makes a table for these traces. Not all of them need to begin. */
int rank_table_new(struct rank_table **out, const struct trace_operand_list *operands, struct err *e);
void rank_table_free(struct rank_table *t);

/* Have two traces stated the same rank, by their content or their path? */
bool rank_table_has_twins(const struct rank_table *t);
/* Returns which, in a sentence that the caller frees; NULL: there are none, or memory is out. */
char *rank_table_describe_twins(const struct rank_table *t);

/* Begins the trace at `path`: ranks are mapped for it from now on. The caller keeps `path` as long as the table. */
void rank_table_begin(struct rank_table *t, const char *path);

/* Gives the rank of an event whose trace states the rank `own`, or -1 when it states none. The first event with each
 * `own` takes a rank. When that differs from the rank that the trace or its path states, a caveat names both, and the
 * trace that has the other rank. */
int rank_table_map(struct rank_table *t, int own, int16_t *rank, struct caveat_list *caveats, struct err *e);

#endif
