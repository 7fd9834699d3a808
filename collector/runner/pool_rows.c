/* Which rows of a process does a pool keep? */
#include "collector/runner/pool_rows.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/bundle/bundle_tables.h"
#include "core/stats/statistics.h"

/* The samples of one arm from blocks in which the GPU did not throttle. Their rows may be anywhere in the table. */
struct samples {
    double *durations_ns;
    size_t count, clocks;
    double clock_sum_hz;
};

static bool is_same_arm(const struct table *t, size_t a, size_t b)
{
    static const size_t columns[] = {TIMING_VARIANT, TIMING_SHAPE, TIMING_CACHE};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        if (strcmp(table_text(t, a, columns[i]), table_text(t, b, columns[i])))
            return false;
    return true;
}

static bool is_first_of_arm(const struct table *t, size_t row)
{
    for (size_t before = 0; before < row; before++)
        if (is_same_arm(t, before, row))
            return false;
    return true;
}

static void gather(const struct table *t, size_t first, struct samples *out)
{
    out->count = out->clocks = 0;
    out->clock_sum_hz = 0;
    for (size_t row = first; row < table_rows(t); row++) {
        const double duration_ns = table_number(t, row, TIMING_DURATION);
        const double clock_hz = table_number(t, row, TIMING_SM_CLOCK);
        const bool throttled = !strcmp(table_text(t, row, TIMING_THROTTLED), "yes");
        if (!is_same_arm(t, first, row) || !(duration_ns > 0) || throttled)
            continue;
        out->durations_ns[out->count++] = duration_ns;
        if (clock_hz > 0) {
            out->clock_sum_hz += clock_hz;
            out->clocks++;
        }
    }
}

static int add_typical(struct table *to, const struct table *from, size_t first, struct samples *samples, struct err *e)
{
    static const size_t texts[] = {TIMING_VARIANT, TIMING_SHAPE, TIMING_CACHE};
    struct cell *row = table_add_row(to);
    if (!row)
        return err_memory(e);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        row[texts[i]] = cell_text(to, table_text(from, first, texts[i]));
    row[TIMING_PROCESS] = *table_at(from, first, TIMING_PROCESS);
    row[TIMING_BATCH] = *table_at(from, first, TIMING_BATCH);
    if (samples->clocks)
        row[TIMING_SM_CLOCK] = cell_number(samples->clock_sum_hz / (double)samples->clocks);
    row[TIMING_DURATION] = cell_number(midmean(samples->durations_ns, samples->count));
    return 0;
}

static void replace(struct table *old, struct table *by)
{
    table_release(old);
    *old = *by;
}

int pool_rows_typical(struct table *timing, struct err *e)
{
    struct table typical;
    struct samples samples = {.durations_ns = calloc(table_rows(timing) + 1, sizeof *samples.durations_ns)};
    bundle_table_init(&typical, BUNDLE_TIMING);
    int rc = samples.durations_ns ? 0 : err_memory(e);
    for (size_t row = 0; row < table_rows(timing) && !rc; row++) {
        if (!is_first_of_arm(timing, row))
            continue;
        gather(timing, row, &samples);
        if (samples.count)
            rc = add_typical(&typical, timing, row, &samples, e);
    }
    free(samples.durations_ns);
    if (rc)
        table_release(&typical);
    else
        replace(timing, &typical);
    return rc;
}

int pool_rows_failed(struct table *verify, struct err *e)
{
    struct table failed;
    bundle_table_init(&failed, BUNDLE_VERIFY);
    int rc = 0;
    for (size_t row = 0; row < table_rows(verify) && !rc; row++) {
        if (!strcmp(table_text(verify, row, VERIFY_PASS), "yes"))
            continue;
        struct cell *cells = table_add_row(&failed);
        for (size_t column = 0; cells && column < failed.column_count; column++) {
            const struct cell *cell = table_at(verify, row, column);
            cells[column] = cell->type == CELL_TEXT ? cell_text(&failed, cell->text) : *cell;
            if (cell->type == CELL_MISSING)
                cells[column] = cell_missing(&failed, cell->text ? cell->text : "");
        }
        rc = cells ? 0 : err_memory(e);
    }
    if (rc)
        table_release(&failed);
    else
        replace(verify, &failed);
    return rc;
}
