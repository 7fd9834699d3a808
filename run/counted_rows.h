/* counted_rows.h - rows of metrics.csv by what was counted, of which arm. */
#ifndef CPPROF_COUNTED_ROWS_H
#define CPPROF_COUNTED_ROWS_H

#include "base/err.h"
#include "io/table.h"

struct counted_rows {
    const struct table *metrics; /* not owned */
    size_t *items;               /* rows by variant, config, metric, kernel and place in the table */
    size_t count;
};

/* Fills a zeroed index; the table must outlive it and stay as it is. */
int counted_rows_make(struct counted_rows *out, const struct table *metrics, struct err *e);
void counted_rows_release(struct counted_rows *rows);

/* The rows of one counter of one arm: items[*first] to items[*end - 1]. */
void counted_rows_find(const struct counted_rows *rows, const char *variant, const char *config, const char *metric,
                       size_t *first, size_t *end);

#endif
