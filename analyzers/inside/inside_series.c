/* What do samples of the whole GPU allow for the overlap inside a launch? */
#include <math.h>

#include "analyzers/inside/inside_parts.h"

/* Work that the samples see, and its share of cycles. */
static const struct {
    const char *name;
    size_t column;
} works[INSIDE_SERIES_MAX] = {{"tensor", INSIDE_SERIES_TENSOR}, {"fma", INSIDE_SERIES_FMA}};

/* Below this, a unit is not what the kernel works with. */
#define LEAST_ACTIVE 0.001

/* Fewer are no series: the collector keeps at least one launch, and samples a launch some 500 times or once a us. */
enum { SAMPLES_MIN = 100 };

void inside_series_bounds(double copy, double work, double *least, double *most)
{
    *least = fmax(0, copy + work - 1);
    *most = fmin(copy, work);
}

double inside_series_attenuation(double window_ns, double period_ns)
{
    const double x = 3.14159265358979323846 * window_ns / period_ns;
    return period_ns > 0 && window_ns > 0 ? fabs(sin(x) / x) : NAN;
}

double inside_tile_ns(const struct inside_records *r)
{
    double ns = 0, tiles = 0;
    for (size_t i = 0; i < r->warps.count; i++)
        if (r->warps.items[i].tile_count > 0 && inside_role_works(r, r->warps.items[i].role)) {
            ns += (double)(r->warps.items[i].end_ns - r->warps.items[i].begin_ns);
            tiles += (double)r->warps.items[i].tile_count;
        }
    return tiles > 0 ? ns / tiles : NAN;
}

/* Sums of shares times ns, of samples that have both. */
struct sums {
    double total, copy, work, least, most;
    int64_t samples;
};

static struct sums add_up(const struct table *t, const struct arm_places rows, size_t work_column)
{
    struct sums s = {0};
    for (size_t i = 0; i < rows.count; i++) {
        const size_t row = rows.items[i];
        const double ns = table_number(t, row, INSIDE_SERIES_TAKEN_NS);
        const double copy = table_number(t, row, INSIDE_SERIES_L1_REQUEST), work = table_number(t, row, work_column);
        double least, most;
        if (isnan(copy) || isnan(work))
            continue;
        /* Clocks disagree a little, so that a unit may be read as busy for longer than the sample took. */
        inside_series_bounds(fmin(1, copy), fmin(1, work), &least, &most);
        s.total += ns;
        s.copy += ns * fmin(1, copy);
        s.work += ns * fmin(1, work);
        s.least += ns * least;
        s.most += ns * most;
        s.samples++;
    }
    return s;
}

/* Rows of a launch follow each other. */
static int64_t count_launches(const struct table *t, const struct arm_places rows)
{
    int64_t launches = 0;
    for (size_t i = 0; i < rows.count; i++)
        launches += !i || table_number(t, rows.items[i], INSIDE_SERIES_LAUNCH) !=
                              table_number(t, rows.items[i - 1], INSIDE_SERIES_LAUNCH);
    return launches;
}

void inside_read_series(struct inside *out, const struct run *run, const struct inside_records *r)
{
    const struct arm_table *table = &run->tables[BUNDLE_INSIDE_SERIES];
    const struct arm_places rows = arm_table_rows(table, out->off);
    for (size_t i = 0; i < INSIDE_SERIES_MAX; i++) {
        const struct sums s = add_up(table->table, rows, works[i].column);
        const double smaller = fmin(s.copy, s.work);
        if (s.samples < SAMPLES_MIN || !(smaller >= LEAST_ACTIVE * s.total))
            continue;
        const double window_ns = s.total / (double)s.samples, tile_ns = inside_tile_ns(r);
        out->series[out->series_count++] = (struct inside_series){
            .work = works[i].name,
            .launches = count_launches(table->table, rows),
            .samples = s.samples,
            .window_ns = window_ns,
            .tile_ns = tile_ns,
            .attenuation = inside_series_attenuation(window_ns, tile_ns),
            .copy_share = s.copy / s.total,
            .work_share = s.work / s.total,
            .h_least = s.least / s.copy,
            .h_most = s.most / s.copy,
            .e_least = s.least / smaller,
            .e_most = s.most / smaller,
        };
    }
}
