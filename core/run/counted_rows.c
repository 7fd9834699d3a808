/* Where in metrics.csv are the values of one counter of one arm? */
#define _GNU_SOURCE
#include "core/run/counted_rows.h"

#include <stdlib.h>
#include <string.h>

static int compare_arms(const struct arm *a, const struct arm *b)
{
    return (a->index > b->index) - (a->index < b->index);
}

static int by_arm_and_kernel(const void *left, const void *right, void *context)
{
    const struct counted_rows *rows = context;
    const struct table *t = rows->metrics;
    const size_t a = *(const size_t *)left, b = *(const size_t *)right;
    int order = compare_arms(rows->arms[a], rows->arms[b]);
    if (!order)
        order = strcmp(table_text(t, a, METRICS_METRIC), table_text(t, b, METRICS_METRIC));
    if (!order)
        order = strcmp(table_text(t, a, METRICS_KERNEL), table_text(t, b, METRICS_KERNEL));
    return order ? order : (a > b) - (a < b);
}

int counted_rows_make(struct counted_rows *out, const struct arm_table *metrics, struct err *e)
{
    const size_t count = table_rows(metrics->table);
    *out = (struct counted_rows){.metrics = metrics->table,
                                 .arms = metrics->arms,
                                 .items = malloc((count + 1) * sizeof *out->items),
                                 .count = count};
    if (!out->items)
        return err_memory(e);
    for (size_t row = 0; row < count; row++)
        out->items[row] = row;
    qsort_r(out->items, count, sizeof *out->items, by_arm_and_kernel, out);
    return 0;
}

void counted_rows_release(struct counted_rows *rows)
{
    free(rows->items);
    *rows = (struct counted_rows){0};
}

/* Returns the first item that does not sort before the wanted ones; with `behind`, the first one after them. */
static size_t bound(const struct counted_rows *rows, const struct arm *arm, const char *metric, bool behind)
{
    size_t low = 0, high = rows->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2, row = rows->items[middle];
        int order = compare_arms(rows->arms[row], arm);
        if (!order)
            order = strcmp(table_text(rows->metrics, row, METRICS_METRIC), metric);
        if (order < 0 || (behind && !order))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void counted_rows_find(const struct counted_rows *rows, const struct arm *arm, const char *metric, size_t *first,
                       size_t *end)
{
    *first = arm ? bound(rows, arm, metric, false) : 0;
    *end = arm ? bound(rows, arm, metric, true) : 0;
}
