/* What does an iteration of a program do, and how often does one begin? */
#include "core/run/iterations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/count_of.h"
#include "core/stats/statistics.h"

/* Collects the known values of one column in some rows; returns how many. */
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

/* The part of the copies that are memsets; NAN where the table does not tell them apart. */
static double memset_part(const struct arm_table *work, const struct arm *arm)
{
    const struct arm_places rows = arm_table_rows(work, arm);
    double copies = 0, memsets = 0;
    for (size_t i = 0; i < rows.count; i++) {
        const double count = table_number(work->table, rows.items[i], WORK_CHOSEN_COUNT);
        const char *kind = table_text(work->table, rows.items[i], WORK_KIND);
        if (!(count > 0) || !kind || !strcmp(kind, "kernel"))
            continue;
        if (strcmp(kind, "copy") != 0)
            return NAN;
        const char *name = table_text(work->table, rows.items[i], WORK_NAME);
        copies += count;
        memsets += name && !strcmp(name, "memset") ? count : 0;
    }
    return copies > 0 ? memsets / copies : NAN;
}

static double memsets_of(const struct iteration_summary *s, double part)
{
    const double memsets = part * s->copies;
    const bool is_alike = s->copies_min == s->copies_max || part == 0 || part == 1;
    return !(s->copies_max > 0) ? 0 : is_alike && fabs(memsets - nearbyint(memsets)) < 1e-6 ? nearbyint(memsets) : NAN;
}

int iterations_summarise(struct iteration_summary *out, const struct arm_table *tables, const struct arm *arm,
                         struct err *e)
{
    const struct arm_table *iterations = &tables[BUNDLE_ITERATIONS];
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
    for (size_t i = 0; i < COUNT_OF(columns); i++) {
        const size_t count = gather(values, iterations->table, &rows, columns[i].column);
        *columns[i].median = median(values, count); /* sorts */
        if (columns[i].min) {
            *columns[i].min = count ? values[0] : NAN;
            *columns[i].max = count ? values[count - 1] : NAN;
        }
        if (columns[i].column == ITERATIONS_BUSY)
            out->count = count;
    }
    out->memsets = memsets_of(out, memset_part(&tables[BUNDLE_WORK], arm));
    free(values);
    return 0;
}
