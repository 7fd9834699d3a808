/* counted_rows.h - rows of metrics.csv by what was counted, of which arm. */
#ifndef CPPROF_COUNTED_ROWS_H
#define CPPROF_COUNTED_ROWS_H

#include "base/err.h"
#include "run/arm_table.h"

struct counted_rows {
    const struct table *metrics;   /* not owned */
    const struct arm *const *arms; /* of its rows; not owned */
    size_t *items;                 /* rows by arm, metric, kernel and place in the table */
    size_t count;
};

/* Fills a zeroed index; the table must outlive it and stay as it is. */
int counted_rows_make(struct counted_rows *out, const struct arm_table *metrics, struct err *e);
void counted_rows_release(struct counted_rows *rows);

/* The rows of one counter of one arm (NULL: of none): items[*first] to items[*end - 1]. */
void counted_rows_find(const struct counted_rows *rows, const struct arm *arm, const char *metric, size_t *first,
                       size_t *end);

#endif
