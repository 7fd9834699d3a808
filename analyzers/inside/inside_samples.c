/* How active were units of the GPU during one launch? */
#include "analyzers/inside/inside_samples.h"

#include <math.h>
#include <stdlib.h>

static double share(const struct table *t, size_t row, size_t column)
{
    const double value = table_number(t, row, column);
    return value >= 0 ? fmin(value, 1) : NAN;
}

static int by_begin(const void *left, const void *right)
{
    const struct inside_sample *a = left, *b = right;
    return (a->begin_ns > b->begin_ns) - (a->begin_ns < b->begin_ns);
}

int inside_samples_read(struct inside_samples *out, const struct run *run, const struct arm *off, struct err *e)
{
    const struct arm_table *table = &run->tables[BUNDLE_INSIDE_SERIES];
    const struct arm_places rows = arm_table_rows(table, off);
    *out = (struct inside_samples){0};
    for (size_t i = 0; i < rows.count; i++) {
        const struct table *t = table->table;
        const size_t row = rows.items[i];
        const double begin_ns = table_number(t, row, INSIDE_SERIES_BEGIN_NS),
                     taken_ns = table_number(t, row, INSIDE_SERIES_TAKEN_NS);
        if (!i)
            out->launch = (int64_t)table_number(t, row, INSIDE_SERIES_LAUNCH);
        if (table_number(t, row, INSIDE_SERIES_LAUNCH) != (double)out->launch || !isfinite(begin_ns) || !(taken_ns > 0))
            continue;
        struct inside_sample *sample = ARRAY_PUSH(&out->items);
        if (!sample)
            return err_memory(e);
        *sample = (struct inside_sample){begin_ns,
                                         taken_ns,
                                         share(t, row, INSIDE_SERIES_TENSOR),
                                         share(t, row, INSIDE_SERIES_FMA),
                                         share(t, row, INSIDE_SERIES_L1_REQUEST),
                                         share(t, row, INSIDE_SERIES_DRAM)};
    }
    if (out->items.count)
        qsort(out->items.items, out->items.count, sizeof *out->items.items, by_begin);
    return 0;
}

void inside_samples_release(struct inside_samples *s)
{
    free(s->items.items);
    *s = (struct inside_samples){0};
}
