/* record_spool.h - sorts any number of fixed-size records in bounded memory.
 *
 * Up to `run_records` stay in memory. More go as sorted runs to an unlinked temporary file. A run is extended while
 * records arrive in order, so sorted input is a single run. */
#ifndef CPPROF_RECORD_SPOOL_H
#define CPPROF_RECORD_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

struct record_spool;

/* Compares two records as for qsort. Equal records come out in any order; use a total order where that would be
 * visible. */
typedef int record_order(const void *a, const void *b);

int record_spool_new(struct record_spool **out, size_t record_bytes, size_t run_records, record_order *order,
                     struct err *e);
void record_spool_free(struct record_spool *s);
void record_spool_swap(struct record_spool *a, struct record_spool *b);          /* exchanges what is in them */
int record_spool_add(struct record_spool *s, const void *record, struct err *e); /* copies the record */

/* Ends adding and goes to the first record. May be called again to start over. */
int record_spool_rewind(struct record_spool *s, struct err *e);

/* Gives back its memory, if records are in a file, until it is rewound. */
void record_spool_rest(struct record_spool *s);

/* Returns 1 and a record, 0 at the end, or an error code. */
int record_spool_next(struct record_spool *s, void *out, struct err *e);
int64_t record_spool_count(const struct record_spool *s);

#endif
