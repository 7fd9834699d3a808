/* What does an iteration of a program consist of, and how often does it come? */
#include "run/iterations.h"

#include <math.h>
#include <stdlib.h>

#include "stats/statistics.h"

/* The known cells of one column, in some rows; returns how many. */
static size_t gather(double *out, const struct table *t, const struct arm_places *rows, size_t column)
{
    size_t count = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const double value = table_number(t, rows->items[i], column);
        if (isfinite(value))
            out[count++] = value;
    }
    return count;
}

int iterations_summarise(struct iteration_summary *out, const struct arm_table *iterations, const struct arm *arm,
                         struct err *e)
{
    const struct arm_places rows = arm_table_rows(iterations, arm);
    const struct {
        size_t column;
        double *median, *min, *max;
    } columns[] = {
        {ITERATIONS_BUSY, &out->busy_ns, NULL, NULL},
        {ITERATIONS_SPAN, &out->span_ns, NULL, NULL},
        {ITERATIONS_INTERVAL, &out->interval_ns, NULL, NULL},
        {ITERATIONS_IDLE, &out->idle_ns, NULL, NULL},
        {ITERATIONS_KERNELS, &out->kernels, &out->kernels_min, &out->kernels_max},
        {ITERATIONS_COPIES, &out->copies, &out->copies_min, &out->copies_max},
        {ITERATIONS_BYTES, &out->bytes, &out->bytes_min, &out->bytes_max},
    };
    *out = (struct iteration_summary){0};
    double *values = calloc(rows.count + 1, sizeof *values);
    if (!values)
        return err_memory(e);
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        const size_t count = gather(values, iterations->table, &rows, columns[i].column);
        *columns[i].median = median(values, count); /* sorts */
        if (columns[i].min) {
            *columns[i].min = count ? values[0] : NAN;
            *columns[i].max = count ? values[count - 1] : NAN;
        }
        if (columns[i].column == ITERATIONS_BUSY)
            out->count = count;
    }
    free(values);
    return 0;
}
