/* What does an iteration of a program consist of, and how often does it come? */
#include "run/iterations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bundle/bundle_tables.h"
#include "stats/statistics.h"

/* The known cells of one column, for one variant; returns how many. */
static size_t gather(double *out, const struct table *t, const char *variant, const char *config, size_t column)
{
    size_t count = 0;
    for (size_t row = 0; row < table_rows(t); row++) {
        const double value = table_number(t, row, column);
        if (isfinite(value) && !strcmp(table_text(t, row, ITERATIONS_VARIANT), variant) &&
            !strcmp(table_text(t, row, ITERATIONS_SHAPE), config))
            out[count++] = value;
    }
    return count;
}

int iterations_summarise(struct iteration_summary *out, const struct table *iterations, const char *variant,
                         const char *config, struct err *e)
{
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
    double *values = calloc(table_rows(iterations) + 1, sizeof *values);
    if (!values)
        return err_memory(e);
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        const size_t count = gather(values, iterations, variant, config, columns[i].column);
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
