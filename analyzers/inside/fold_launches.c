/* Which launches can be laid on one axis of time? */
#include "analyzers/inside/fold_launches.h"

#include <math.h>
#include <stdlib.h>

#include "core/stats/statistics.h"

enum {
    LAUNCHES_MIN = 16, /* four points a sample, of four launches each */
    SAMPLES_MIN = 5,   /* the first, two whole ones behind it, and the end */
    STAMP_NS = 32
};

#define FOLDED_MIN 0.75 /* of the launches */
#define STEADY     0.01 /* of active SMs, behind the begin */
#define QUARTER    0.25 /* of a sample: what lengths, offsets and stamps may differ by */

double fold_begin_error_ns(const struct fold_launches *l)
{
    return STAMP_NS + STEADY * l->window_ns;
}

double fold_latest_end_ns(const struct fold_launches *l)
{
    double earliest_ns = INFINITY;
    for (size_t i = 0; i < l->items.count; i++)
        earliest_ns = fmin(earliest_ns, l->items.items[i].end_ns);
    return earliest_ns + 2 * l->length_spread_ns;
}

static double cell(const struct fold_launches *l, size_t place, size_t column)
{
    return table_number(l->table, l->rows.items[place], column);
}

/* ---- one launch ---- */

/* Each sample begins where the one before ended, and none is missing. */
static bool is_whole(const struct fold_launches *l, const struct fold_launch *launch)
{
    const double slack_ns = QUARTER * l->window_ns;
    double end_ns = 0;
    for (size_t i = launch->first; i < launch->first + launch->count; i++) {
        const double begin_ns = cell(l, i, INSIDE_SERIES_BEGIN_NS), taken_ns = cell(l, i, INSIDE_SERIES_TAKEN_NS);
        if (!(fabs(begin_ns - end_ns) <= slack_ns && fabs(taken_ns - l->window_ns) <= slack_ns) ||
            !isfinite(cell(l, i, INSIDE_SERIES_ACTIVE)))
            return false;
        end_ns = begin_ns + taken_ns;
    }
    return cell(l, launch->first, INSIDE_SERIES_BEGIN_NS) == 0;
}

/* Its SMs begin at once, which two whole samples with as many active SMs show. Then the first one says by its share how
 * much of it lies behind the begin. */
static bool place_launch(const struct fold_launches *l, struct fold_launch *launch)
{
    if (launch->count < SAMPLES_MIN || !is_whole(l, launch))
        return false;
    const double first = cell(l, launch->first, INSIDE_SERIES_ACTIVE);
    const double whole = cell(l, launch->first + 1, INSIDE_SERIES_ACTIVE);
    const double next = cell(l, launch->first + 2, INSIDE_SERIES_ACTIVE);
    if (!(first > 0 && first <= whole * (1 + STEADY) && fabs(next - whole) <= STEADY * whole))
        return false;
    launch->first_share = fmin(1, first / whole);
    launch->origin_ns = cell(l, launch->first + 1, INSIDE_SERIES_BEGIN_NS) -
                        launch->first_share * cell(l, launch->first, INSIDE_SERIES_TAKEN_NS);
    for (size_t i = launch->first; i < launch->first + launch->count; i++)
        launch->length_ns += cell(l, i, INSIDE_SERIES_ACTIVE) / whole * cell(l, i, INSIDE_SERIES_TAKEN_NS);
    const size_t last = launch->first + launch->count - 1;
    launch->end_ns = cell(l, last, INSIDE_SERIES_BEGIN_NS) + cell(l, last, INSIDE_SERIES_TAKEN_NS) - launch->origin_ns;
    return true;
}

/* ---- all of them ---- */

/* Rows of a launch follow each other. */
static size_t count_samples(const struct fold_launches *l, size_t first)
{
    size_t end = first + 1;
    while (end < l->rows.count && cell(l, end, INSIDE_SERIES_LAUNCH) == cell(l, first, INSIDE_SERIES_LAUNCH))
        end++;
    return end - first;
}

static int place_all(struct fold_launches *l, struct err *e)
{
    double taken_ns = 0;
    for (size_t i = 0; i < l->rows.count; i++)
        taken_ns += cell(l, i, INSIDE_SERIES_TAKEN_NS);
    l->window_ns = taken_ns / (double)l->rows.count;
    for (size_t i = 0; i < l->rows.count; l->launches++) {
        struct fold_launch launch = {.first = i, .count = count_samples(l, i)};
        i += launch.count;
        if (!place_launch(l, &launch))
            continue;
        struct fold_launch *slot = ARRAY_PUSH(&l->items);
        if (!slot)
            return err_memory(e);
        *slot = launch;
    }
    return 0;
}

/* Room for a number of each launch; NULL, and an error, when memory is out. */
static double *numbers(const struct fold_launches *l, struct err *e)
{
    double *values = calloc(l->items.count, sizeof *values);
    if (!values)
        err_memory(e);
    return values;
}

/* Leaves those that take as long as most do. The first one after a pause often takes longer. */
static int keep_alike(struct fold_launches *l, struct err *e)
{
    double *lengths = numbers(l, e);
    size_t kept = 0;
    if (!lengths)
        return e->code;
    for (size_t i = 0; i < l->items.count; i++)
        lengths[i] = l->items.items[i].length_ns;
    const double usual_ns = median(lengths, l->items.count);
    for (size_t i = 0; i < l->items.count; i++)
        if (fabs(l->items.items[i].length_ns - usual_ns) <= QUARTER * l->window_ns)
            l->items.items[kept++] = l->items.items[i];
    l->items.count = kept;
    for (size_t i = 0; i < kept; i++)
        lengths[i] = l->items.items[i].length_ns;
    l->length_ns = mean(lengths, kept);
    l->length_spread_ns = standard_deviation(lengths, kept);
    free(lengths);
    return 0;
}

/* The end of a sample is the begin of the next, so that parts of a sample lie on a circle. */
static int find_gap(struct fold_launches *l, struct err *e)
{
    const size_t count = l->items.count;
    double *shares = numbers(l, e);
    if (!shares)
        return e->code;
    for (size_t i = 0; i < count; i++)
        shares[i] = l->items.items[i].first_share;
    sort_doubles(shares, count);
    double widest = shares[0] + 1 - shares[count - 1];
    for (size_t i = 1; i < count; i++)
        widest = fmax(widest, shares[i] - shares[i - 1]);
    l->gap_ns = widest * l->window_ns;
    free(shares);
    return 0;
}

static bool are_most(const struct fold_launches *l)
{
    return (double)l->items.count >= FOLDED_MIN * (double)l->launches;
}

int fold_launches_read(struct fold_launches *out, const struct run *run, const struct arm *off,
                       enum inside_reason *reason, struct err *e)
{
    const struct arm_table *table = &run->tables[BUNDLE_INSIDE_SERIES];
    *out = (struct fold_launches){.table = table->table,
                                  .rows = arm_table_rows(table, off),
                                  .window_ns = NAN,
                                  .length_ns = NAN,
                                  .length_spread_ns = NAN,
                                  .gap_ns = NAN};
    *reason = INSIDE_TOO_FEW_LAUNCHES;
    if (!out->rows.count)
        return 0;
    int rc = place_all(out, e);
    if (rc || out->launches < LAUNCHES_MIN)
        return rc;
    *reason = INSIDE_NO_BEGIN;
    if (!are_most(out))
        return 0;
    *reason = INSIDE_UNSTEADY_LENGTH;
    rc = keep_alike(out, e);
    if (rc || !are_most(out))
        return rc;
    *reason = INSIDE_TOO_FEW_LAUNCHES;
    if (out->items.count < LAUNCHES_MIN)
        return 0;
    rc = find_gap(out, e);
    *reason = out->gap_ns > QUARTER * out->window_ns ? INSIDE_OFFSETS_NOT_SPREAD : INSIDE_NO_REASON;
    return rc;
}

void fold_launches_release(struct fold_launches *l)
{
    free(l->items.items);
    *l = (struct fold_launches){0};
}
