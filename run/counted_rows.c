/* Where does metrics.csv tell about one counter of one arm? */
#define _GNU_SOURCE
#include "run/counted_rows.h"

#include <stdlib.h>
#include <string.h>

#include "bundle/bundle_tables.h"

static const size_t key[] = {METRICS_VARIANT, METRICS_SHAPE, METRICS_METRIC};
enum { KEYS = sizeof key / sizeof key[0] };

static int by_key_and_kernel(const void *left, const void *right, void *context)
{
    const struct table *t = context;
    const size_t a = *(const size_t *)left, b = *(const size_t *)right;
    int order = 0;
    for (size_t i = 0; i < KEYS && !order; i++)
        order = strcmp(table_text(t, a, key[i]), table_text(t, b, key[i]));
    if (!order)
        order = strcmp(table_text(t, a, METRICS_KERNEL), table_text(t, b, METRICS_KERNEL));
    return order ? order : (a > b) - (a < b);
}

int counted_rows_make(struct counted_rows *out, const struct table *metrics, struct err *e)
{
    const size_t count = table_rows(metrics);
    *out = (struct counted_rows){.metrics = metrics, .items = malloc((count + 1) * sizeof *out->items), .count = count};
    if (!out->items)
        return err_memory(e);
    for (size_t row = 0; row < count; row++)
        out->items[row] = row;
    qsort_r(out->items, count, sizeof *out->items, by_key_and_kernel, (void *)metrics);
    return 0;
}

void counted_rows_release(struct counted_rows *rows)
{
    free(rows->items);
    *rows = (struct counted_rows){0};
}

static int compare_key(const struct table *t, size_t row, const char *const *wanted)
{
    int order = 0;
    for (size_t i = 0; i < KEYS && !order; i++)
        order = strcmp(table_text(t, row, key[i]), wanted[i]);
    return order;
}

/* The first item that is not before the wanted ones, or not among them. */
static size_t bound(const struct counted_rows *rows, const char *const *wanted, bool behind)
{
    size_t low = 0, high = rows->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = compare_key(rows->metrics, rows->items[middle], wanted);
        if (order < 0 || (behind && !order))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void counted_rows_find(const struct counted_rows *rows, const char *variant, const char *config, const char *metric,
                       size_t *first, size_t *end)
{
    const char *const wanted[KEYS] = {variant, config, metric};
    *first = bound(rows, wanted, false);
    *end = bound(rows, wanted, true);
}
