/* Which values have the counters of one kernel of one arm? */
#include "core/run/counters.h"

#include <assert.h>
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/strtab.h"
#include "core/bundle/bundle_tables.h"
#include "core/gpu/other_units.h"

/* Counts of equal work may differ by this share. */
#define OPERATIONS_SAME 0.01

#define GPU_PREFIX "gpu "

void counters_list_init(struct counters_list *list)
{
    *list = (struct counters_list){0};
}

void counters_list_release(struct counters_list *list)
{
    free(list->items);
    free(list->repeats.items);
    arm_index_release(&list->index);
    counters_list_init(list);
}

/* A row of the table, with the key by which rows are grouped. */
struct keyed_row {
    const struct arm *arm;
    const char *kernel;
    double launch;
    size_t row;
};

static int compare_keys(const struct keyed_row *a, const struct keyed_row *b)
{
    if (a->arm != b->arm)
        return a->arm->index < b->arm->index ? -1 : 1;
    return strcmp(a->kernel, b->kernel);
}

static int by_key_and_launch(const void *left, const void *right)
{
    const struct keyed_row *a = left, *b = right;
    int order = compare_keys(a, b);
    if (!order)
        order = (a->launch > b->launch) - (a->launch < b->launch);
    return order ? order : (a->row > b->row) - (a->row < b->row);
}

static int by_first_row(const void *left, const void *right)
{
    const struct counters *a = left, *b = right;
    return (a->first_row > b->first_row) - (a->first_row < b->first_row);
}

size_t counters_index(const struct metric *metric)
{
    size_t count, other_count;
    const struct metric *others = other_units(&other_count);
    for (size_t i = 0; i < other_count; i++)
        if (metric == &others[i])
            return COUNTERS_METRICS_MAX - 1 - i;
    return (size_t)(metric - metrics_known(&count));
}

/* The rows of one table, with the index in `values` of each row's counter; SIZE_MAX: an unknown counter. */
struct counted_table {
    const struct table *metrics;
    size_t *place;
};

static size_t place_of(const char *cupti_name)
{
    const struct metric *metric = metric_by_name(cupti_name);
    if (!metric)
        metric = other_unit_by_name(cupti_name);
    return metric ? counters_index(metric) : SIZE_MAX;
}

/* A table names few counters, but each of them many times. */
static int find_places(size_t *place, const struct table *metrics, struct err *e)
{
    struct strtab names;
    struct {
        size_t *items;
        size_t count, capacity;
    } known = {0};
    int rc = 0;
    strtab_init(&names);
    for (size_t row = 0; row < table_rows(metrics) && !rc; row++) {
        const char *name = table_text(metrics, row, METRICS_METRIC);
        const uint32_t id = strtab_add(&names, name);
        if (id > known.count) {
            size_t *slot = ARRAY_PUSH(&known);
            if (slot)
                *slot = place_of(name);
            else
                rc = err_memory(e);
        }
        if (*name && !id)
            rc = err_memory(e);
        if (!rc)
            place[row] = id ? known.items[id - 1] : SIZE_MAX;
    }
    free(known.items);
    strtab_release(&names);
    return rc;
}

/* No count is below 0. */
static bool is_impossible(const char *name, double value)
{
    return value < 0 || counters_exceeds_peak(name, value);
}

/* Computes the means of the rows of one kernel, which are adjacent. An impossible reading stands for all of them: a
 * mean would hide it. */
static void take_means(struct counters *out, const struct counted_table *t, const struct keyed_row *rows, size_t count)
{
    double n[COUNTERS_METRICS_MAX] = {0}, impossible[COUNTERS_METRICS_MAX];
    for (size_t i = 0; i < COUNTERS_METRICS_MAX; i++) {
        out->values[i] = 0;
        impossible[i] = NAN;
    }
    for (size_t i = 0; i < count; i++) {
        const size_t place = t->place[rows[i].row];
        const double value = table_number(t->metrics, rows[i].row, METRICS_VALUE);
        if (place == SIZE_MAX || isnan(value))
            continue;
        out->values[place] += value;
        n[place]++;
        if (is_impossible(table_text(t->metrics, rows[i].row, METRICS_METRIC), value))
            impossible[place] = value;
    }
    for (size_t i = 0; i < COUNTERS_METRICS_MAX; i++)
        out->values[i] = !isnan(impossible[i])                  ? impossible[i]
                         : n[i] > 0 && isfinite(out->values[i]) ? out->values[i] / n[i]
                                                                : NAN;
}

static struct counters counters_of(const struct counted_table *t, const struct keyed_row *rows, size_t count)
{
    struct counters c = {.arm = rows->arm,
                         .variant = rows->arm->variant,
                         .config = rows->arm->config,
                         .kernel = rows->kernel,
                         .first_row = rows->row};
    for (size_t i = 1; i < count; i++)
        c.first_row = rows[i].row < c.first_row ? rows[i].row : c.first_row;
    take_means(&c, t, rows, count);
    return c;
}

/* Splits the rows of one kernel by launch. */
static int gather_repeats(struct counters_list *out, struct counters *of, const struct counted_table *t,
                          const struct keyed_row *rows, size_t count, struct err *e)
{
    of->first_repeat = out->repeats.count;
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && rows[end].launch == rows[i].launch; end++)
            ;
        struct counters *repeat = ARRAY_PUSH(&out->repeats);
        if (!repeat)
            return err_memory(e);
        *repeat = counters_of(t, rows + i, end - i);
    }
    of->repeat_count = out->repeats.count - of->first_repeat;
    return 0;
}

static int gather(struct counters_list *out, const struct counted_table *t, const struct keyed_row *rows, size_t count,
                  struct err *e)
{
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && !compare_keys(&rows[i], &rows[end]); end++)
            ;
        struct counters *c = ARRAY_PUSH(out);
        if (!c)
            return err_memory(e);
        *c = counters_of(t, rows + i, end - i);
        int rc = gather_repeats(out, c, t, rows + i, end - i, e);
        if (rc)
            return rc;
    }
    if (out->count)
        qsort(out->items, out->count, sizeof *out->items, by_first_row);
    return 0;
}

int counters_gpu(const char *kernel)
{
    char *end;
    if (strncmp(kernel, GPU_PREFIX, strlen(GPU_PREFIX)) != 0 || !isdigit((unsigned char)kernel[strlen(GPU_PREFIX)]))
        return -1;
    const long gpu = strtol(kernel + strlen(GPU_PREFIX), &end, 10);
    return *end || gpu > INT_MAX ? -1 : (int)gpu;
}

int counters_read(struct counters_list *out, const struct arm_table *counted, struct err *e)
{
    const struct table *metrics = counted->table;
    size_t known, others, count = table_rows(metrics);
    metrics_known(&known);
    other_units(&others);
    assert(known + others <= COUNTERS_METRICS_MAX);
    if (!count)
        return 0;
    struct keyed_row *rows = calloc(count, sizeof *rows);
    const struct counted_table t = {metrics, calloc(count, sizeof *t.place)};
    int rc = rows && t.place ? find_places(t.place, metrics, e) : err_memory(e);
    size_t of_kernels = 0;
    for (size_t i = 0; i < count && !rc; i++) {
        const double launch = table_number(metrics, i, METRICS_LAUNCH);
        const char *kernel = table_text(metrics, i, METRICS_KERNEL);
        if (counters_gpu(kernel) < 0)
            rows[of_kernels++] = (struct keyed_row){counted->arms[i], kernel, isfinite(launch) ? launch : 0, i};
    }
    count = of_kernels;
    if (!rc) {
        qsort(rows, count, sizeof *rows, by_key_and_launch);
        rc = gather(out, &t, rows, count, e);
    }
    if (!rc)
        rc = arm_index_make(&out->index, out->items, out->count, sizeof *out->items, offsetof(struct counters, arm), e);
    free(t.place);
    free(rows);
    return rc;
}

double counters_value(const struct counters *c, const char *metric_id)
{
    const struct metric *metric = metric_by_id(metric_id);
    assert(metric);
    const double value = c->values[counters_index(metric)];
    return value >= 0 && isfinite(value) ? value : NAN;
}

bool counters_exceeds_peak(const char *name, double value)
{
    return value > PEAK_ROUNDING && strstr(name, ".pct_of_peak_sustained") && !strstr(name, ".max.");
}

bool counters_is_incredible(const struct counters *c, const struct metric *metric)
{
    return is_impossible(metric->name, c->values[counters_index(metric)]);
}

double counters_share(const struct counters *c, const struct metric *metric)
{
    double share = c->values[counters_index(metric)];
    return share >= 0 && share <= PEAK_ROUNDING ? share : NAN;
}

const struct metric *counters_next_unit(enum metric_role side, size_t *at)
{
    size_t count, other_count;
    const struct metric *metrics = metrics_known(&count), *others = other_units(&other_count);
    while (*at < count + other_count) {
        const size_t i = (*at)++;
        const struct metric *metric = i < count ? &metrics[i] : &others[i - count];
        if (metric->role == side)
            return metric;
    }
    return side == METRIC_COMPUTE && (*at)++ == count + other_count ? metric_by_id(METRIC_ISSUE_SHARE) : NULL;
}

static bool sees_unit_of(const struct metric *metric, const struct metric *unit)
{
    return metric == unit || (metric->sets && !metric_is_of_tcgen05(metric) && !metric_is_of_tcgen05(unit) &&
                              !strcmp(metric->group, unit->group));
}

double counters_tensor_busy(const struct counters *c)
{
    return fmax(counters_share(c, metric_by_id(METRIC_TENSOR_SHARE)), counters_share(c, metric_by_id(METRIC_TC_SHARE)));
}

bool counters_unit_known(const struct counters *c, const struct chip *chip, const struct metric *unit)
{
    const struct metric *metric;
    bool is_read = metric_is_of_tcgen05(unit) && chip && !chip_has_tcgen05(chip);
    if (!unit->sets) /* a part of a unit */
        return !counters_is_incredible(c, unit);
    for (enum metric_role side = METRIC_COMPUTE; side <= METRIC_MEMORY; side++)
        for (size_t at = 0; (metric = counters_next_unit(side, &at));) {
            if (!strcmp(metric->group, unit->group) && counters_is_incredible(c, metric))
                return false;
            is_read |= sees_unit_of(metric, unit) && isfinite(counters_share(c, metric));
        }
    return is_read;
}

static const struct metric *busiest_of(const struct counters *c, enum metric_role side, bool pipes, double *share)
{
    const struct metric *metric, *busiest = NULL;
    *share = NAN;
    for (size_t at = 0; (metric = counters_next_unit(side, &at));) {
        const double s = pipes && metric->role != side ? NAN : counters_share(c, metric);
        if (isfinite(s) && (!busiest || s > *share)) {
            busiest = metric;
            *share = s;
        }
    }
    return busiest;
}

const struct metric *counters_busiest(const struct counters *c, enum metric_role side, double *share)
{
    return busiest_of(c, side, false, share);
}

const struct metric *counters_busiest_pipe(const struct counters *c, double *share)
{
    return busiest_of(c, METRIC_COMPUTE, true, share);
}

const struct metric *counters_leading_stall(const struct counters *c)
{
    size_t count;
    const struct metric *metrics = metrics_known(&count), *leading = NULL;
    for (size_t i = 0; i < count; i++) {
        if (metrics[i].role != METRIC_STALL || !(c->values[i] > 0) || !strcmp(metrics[i].group, "not_selected"))
            continue;
        if (!leading || c->values[i] > c->values[counters_index(leading)])
            leading = &metrics[i];
    }
    return leading;
}

double counters_stall_share(const struct counters *c, const struct metric *stall)
{
    double latency = counters_value(c, METRIC_WARP_LATENCY), cycles = c->values[counters_index(stall)];
    return latency > 0 && cycles >= 0 ? cycles / latency : NAN;
}

/* Beside such a share no unit is known to be the busiest. */
static bool has_incredible_share(const struct counters *c)
{
    const struct metric *metric;
    for (enum metric_role side = METRIC_COMPUTE; side <= METRIC_MEMORY; side++)
        for (size_t at = 0; (metric = counters_next_unit(side, &at));)
            if (counters_is_incredible(c, metric))
                return true;
    return false;
}

const struct metric *counters_busiest_of_all(const struct counters *c, double *busy)
{
    double memory, issue = counters_share(c, metric_by_id(METRIC_ISSUE_SHARE));
    const struct metric *compute_unit = counters_busiest_pipe(c, busy);
    const struct metric *memory_unit = counters_busiest(c, METRIC_MEMORY, &memory);
    if (!compute_unit || !memory_unit || has_incredible_share(c))
        return NULL;
    const struct metric *unit = *busy >= memory ? compute_unit : memory_unit;
    *busy = fmax(*busy, memory);
    if (issue > *busy) {
        unit = metric_by_id(METRIC_ISSUE_SHARE);
        *busy = issue;
    }
    return unit;
}

bool counters_same_operations(const struct counters *a, const struct counters *b)
{
    size_t count;
    const struct metric *metrics = metrics_known(&count);
    for (size_t i = 0; i < count; i++) {
        const double one = counters_value(a, metrics[i].id), other = counters_value(b, metrics[i].id);
        if (metrics[i].role == METRIC_FLOP && fabs(one - other) > OPERATIONS_SAME * fmax(one, other))
            return false;
    }
    return true;
}

const struct counters *counters_find(const struct counters_list *list, const struct arm *arm)
{
    const struct arm_places own = arm_index_of(&list->index, arm);
    return own.count ? &list->items[own.items[0]] : NULL;
}

size_t counters_kernels(const struct counters_list *list, const struct arm *arm)
{
    return arm_index_of(&list->index, arm).count;
}
