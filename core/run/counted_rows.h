/* counted_rows.h - finds rows of metrics.csv by arm and counter. */
#ifndef CPPROF_COUNTED_ROWS_H
#define CPPROF_COUNTED_ROWS_H

#include "core/base/err.h"
#include "core/run/arm_table.h"

struct counted_rows {
    const struct table *metrics;   /* not owned */
    const struct arm *const *arms; /* arms of its rows; not owned */
    size_t *items;                 /* rows sorted by arm, metric, kernel and place in the table */
    size_t count;
};

/* Fills a zeroed index. The table must outlive it and must not change. */
int counted_rows_make(struct counted_rows *out, const struct arm_table *metrics, struct err *e);
void counted_rows_release(struct counted_rows *rows);

/* Finds the rows of one counter of one arm (NULL: of no arm): items[*first] to items[*end - 1]. */
void counted_rows_find(const struct counted_rows *rows, const struct arm *arm, const char *metric, size_t *first,
                       size_t *end);

#endif
