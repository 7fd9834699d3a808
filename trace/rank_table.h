/* rank_table.h - each of several traces gets ranks that no other one has.
 *
 * A trace wants the rank that its content names, else the one of its path
 * (when no two paths name the same), else its place among the traces. */
#ifndef CPPROF_RANK_TABLE_H
#define CPPROF_RANK_TABLE_H

#include <stdint.h>

#include "base/caveat.h"
#include "base/err.h"
#include "trace/trace_operands.h"

struct rank_table;

/* For these traces, all of which may be begun. */
int rank_table_new(struct rank_table **out, const struct trace_operand_list *operands, struct err *e);
void rank_table_free(struct rank_table *t);

/* What is mapped from now on belongs to the trace at `path`, which the caller
 * keeps as long as the table. */
void rank_table_begin(struct rank_table *t, const char *path);

/* The rank of an event of which the trace itself says `own`; -1 when it does
 * not say. The first one of each `own` takes a rank; a caveat tells when it is
 * not the one that the trace or its path says, and whose that one is. */
int rank_table_map(struct rank_table *t, int own, int16_t *rank, struct caveat_list *caveats, struct err *e);

#endif
