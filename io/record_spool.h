/* record_spool.h - records of one size in any order become sorted runs in bounded memory.
 *
 * Up to `run_records` stay in memory; beyond that, sorted runs go to an
 * unlinked temporary file. A run is extended while the input stays in order,
 * so a sorted input is one run. */
#ifndef CPPROF_RECORD_SPOOL_H
#define CPPROF_RECORD_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct record_spool;

/* As for qsort. Records that compare equal come out in any order: let the
 * order be total where that would show. */
typedef int record_order(const void *a, const void *b);

int record_spool_new(struct record_spool **out, size_t record_bytes, size_t run_records, record_order *order,
                     struct err *e);
void record_spool_free(struct record_spool *s);
int record_spool_add(struct record_spool *s, const void *record, struct err *e); /* copied */

/* Ends the adding; may be called again to start over from the first record. */
int record_spool_rewind(struct record_spool *s, struct err *e);

/* 1 and a record, 0 at the end, or an error code. */
int record_spool_next(struct record_spool *s, void *out, struct err *e);
int64_t record_spool_count(const struct record_spool *s);

#endif
