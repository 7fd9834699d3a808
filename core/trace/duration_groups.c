/* How long does each kind of operation take: total, spread, quantiles? */
#include "core/trace/duration_groups.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/io/record_spool.h"
#include "core/trace/duration_runs.h"
#include "core/trace/parts/part_file.h"

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

enum { SAMPLES_IN_MEMORY = 256 * 1024, QUANTILES = 3, TAKEN_AT_ONCE = 512 };

static const int64_t percentiles[QUANTILES] = {50, 90, 99};

struct sample {
    int64_t duration_ns;
    uint32_t group;
    uint32_t zero; /* no padding: records are compared and written as bytes */
};

struct group {
    struct duration_summary summary;
    uint128 squares;   /* sum of squares, exact: it does not depend on the order of samples */
    bool has_overflow; /* it did not fit */
};

struct duration_groups {
    struct group *items;
    size_t count, capacity;
    struct record_spool *samples;
    struct duration_runs taken; /* from other processes, instead of samples */
};

static const struct duration_summary nothing = {
    .mean_ns = NAN, .std_ns = NAN, .p50_ns = NAN, .p90_ns = NAN, .p99_ns = NAN};

int64_t duration_ns(int64_t start_ns, int64_t end_ns)
{
    int64_t duration;
    if (__builtin_sub_overflow(end_ns, start_ns, &duration))
        return end_ns > start_ns ? INT64_MAX : INT64_MIN;
    return duration;
}

static int sample_order(const void *left, const void *right)
{
    const struct sample *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return a->duration_ns < b->duration_ns ? -1 : a->duration_ns > b->duration_ns;
}

int duration_groups_new(struct duration_groups **out, struct err *e)
{
    struct duration_groups *g = calloc(1, sizeof *g);
    int rc =
        g ? record_spool_new(&g->samples, sizeof(struct sample), SAMPLES_IN_MEMORY, sample_order, e) : err_memory(e);
    if (rc) {
        free(g);
        g = NULL;
    }
    *out = g;
    return rc;
}

void duration_groups_free(struct duration_groups *g)
{
    if (!g)
        return;
    record_spool_free(g->samples);
    duration_runs_release(&g->taken);
    free(g->items);
    free(g);
}

static struct group *group_of(struct duration_groups *g, uint32_t number)
{
    while (g->count <= number) {
        struct group *added = ARRAY_PUSH(g);
        if (!added)
            return NULL;
        added->summary = nothing;
    }
    return &g->items[number];
}

static void add_to_sums(struct group *group, int64_t duration)
{
    struct duration_summary *s = &group->summary;
    const uint128 square = (uint128)((int128)duration * duration);
    if (!s->count || duration < s->min_ns)
        s->min_ns = duration;
    if (!s->count || duration > s->max_ns)
        s->max_ns = duration;
    s->count++;
    group->has_overflow |= __builtin_add_overflow(group->squares, square, &group->squares);
    if (__builtin_add_overflow(s->total_ns, duration, &s->total_ns)) {
        s->total_ns = INT64_MAX;
        group->has_overflow = true;
    }
}

int duration_groups_add(struct duration_groups *g, uint32_t number, int64_t duration, struct err *e)
{
    struct group *group = group_of(g, number);
    if (!group)
        return err_memory(e);
    add_to_sums(group, duration);
    const struct sample sample = {.duration_ns = duration, .group = number};
    return record_spool_add(g->samples, &sample, e);
}

/* Computes the quantiles of one group from its samples in ascending order. */
struct reading {
    uint32_t group;
    int64_t seen;
    double *out[QUANTILES];
};

static void start_group(struct duration_groups *g, uint32_t number, struct reading *r)
{
    struct duration_summary *s = &g->items[number].summary;
    *r = (struct reading){.group = number, .out = {&s->p50_ns, &s->p90_ns, &s->p99_ns}};
}

/* quantile_sorted for samples that come one by one: sample number floor(position) gives the value, and the next one is
 * weighted by the fraction in whole hundredths. The result is rounded once, because a rule may ask for equality. */
static void read_sample(const struct duration_groups *g, struct reading *r, double value)
{
    const int64_t count = g->items[r->group].summary.count;
    for (size_t i = 0; i < QUANTILES; i++) {
        const int64_t position = percentiles[i] * (count - 1), below = position / 100;
        if (r->seen == below)
            *r->out[i] = value;
        else if (r->seen == below + 1)
            *r->out[i] += (double)(position % 100) * (value - *r->out[i]) / 100;
    }
    r->seen++;
}

/* n times the sum of squared distances from the mean is n * squares - total^2. Its terms may not fit, and then wrap;
 * the difference is right when it fits itself, which it does while n times the range is below 2^64. */
static double standard_deviation(const struct group *group)
{
    const struct duration_summary *s = &group->summary;
    const uint128 n = (uint128)s->count, total = (uint128)(int128)s->total_ns;
    const uint128 range = (uint128)((int128)s->max_ns - s->min_ns);
    if (group->has_overflow || s->count < 2)
        return NAN;
    const double degrees = (double)s->count * (double)(s->count - 1);
    if (n * range <= UINT64_MAX)
        return sqrt((double)(n * group->squares - total * total) / degrees);
    const long double sum = s->total_ns, spread = (long double)group->squares * s->count - sum * sum;
    return sqrt((double)(spread > 0 ? spread : 0) / degrees);
}

static void finish_sums(struct duration_groups *g)
{
    for (size_t i = 0; i < g->count; i++) {
        struct duration_summary *s = &g->items[i].summary;
        if (s->count)
            s->mean_ns = (double)s->total_ns / (double)s->count;
        s->std_ns = standard_deviation(&g->items[i]);
    }
}

/* The same two samples around each quantile, and the same arithmetic. */
static int read_taken(struct duration_groups *g, size_t first, size_t count, struct err *e)
{
    int rc = 0;
    struct reading reading;
    const struct duration_summary *s = &g->items[g->taken.runs.items[first].group].summary;
    if (!s->count)
        return 0;
    start_group(g, g->taken.runs.items[first].group, &reading);
    for (size_t i = 0; !rc && i < QUANTILES; i++) {
        int64_t around[2] = {0};
        const int64_t position = percentiles[i] * (s->count - 1);
        rc = duration_runs_select(&g->taken, first, count, position / 100, s->min_ns, s->max_ns, around, e);
        const double value = (double)around[0];
        *reading.out[i] = value + (double)(position % 100) * ((double)around[1] - value) / 100;
    }
    return rc;
}

static int finish_taken(struct duration_groups *g, struct err *e)
{
    int rc = duration_runs_finish(&g->taken, e);
    for (size_t i = 0, end; !rc && i < g->taken.runs.count; i = end) {
        for (end = i + 1; end < g->taken.runs.count && g->taken.runs.items[end].group == g->taken.runs.items[i].group;)
            end++;
        rc = read_taken(g, i, end - i, e);
    }
    return rc;
}

int duration_groups_finish(struct duration_groups *g, struct err *e)
{
    struct sample sample;
    struct reading reading = {0};
    bool begun = false;
    int rc = record_spool_rewind(g->samples, e);
    while (!rc && (rc = record_spool_next(g->samples, &sample, e)) == 1) {
        rc = 0;
        if (!begun || reading.group != sample.group)
            start_group(g, sample.group, &reading);
        begun = true;
        read_sample(g, &reading, (double)sample.duration_ns);
    }
    finish_sums(g);
    return rc ? rc : finish_taken(g, e);
}

const struct duration_summary *duration_groups_get(const struct duration_groups *g, uint32_t group)
{
    return group < g->count ? &g->items[group].summary : &nothing;
}

/* ---- parts ---- */

/* Collects durations, so that each need not be written alone. */
struct writing {
    FILE *to;
    size_t count;
    int64_t durations[TAKEN_AT_ONCE];
};

static int write_out(struct writing *w, struct err *e)
{
    const size_t count = w->count;
    w->count = 0;
    return part_write(w->to, w->durations, count * sizeof *w->durations, e);
}

static int write_number(struct writing *w, int64_t number, struct err *e)
{
    w->durations[w->count++] = number;
    return w->count == TAKEN_AT_ONCE ? write_out(w, e) : 0;
}

int duration_groups_write(struct duration_groups *g, uint32_t count, FILE *to, struct err *e)
{
    struct writing w = {.to = to};
    struct sample sample;
    uint32_t next = 0; /* whose count is not written yet */
    int rc = record_spool_rewind(g->samples, e);
    while (!rc && (rc = record_spool_next(g->samples, &sample, e)) == 1) {
        for (rc = 0; !rc && next <= sample.group; next++)
            rc = write_number(&w, duration_groups_get(g, next)->count, e);
        if (!rc)
            rc = write_number(&w, sample.duration_ns, e);
    }
    for (; !rc && next < count; next++)
        rc = write_number(&w, duration_groups_get(g, next)->count, e);
    return rc ? rc : write_out(&w, e);
}

static int take_some(struct duration_groups *g, uint32_t number, const int64_t *durations, size_t count, struct err *e)
{
    for (size_t i = 0; i < count; i++)
        add_to_sums(&g->items[number], durations[i]);
    return duration_runs_add(&g->taken, durations, count, e);
}

static bool is_ascending(const int64_t *durations, size_t count, int64_t before)
{
    for (size_t i = 0; i < count; before = durations[i++])
        if (durations[i] < before)
            return false;
    return true;
}

/* Samples of a group come sorted. */
static int take_group(struct duration_groups *g, uint32_t number, struct part_reader *from, struct err *e)
{
    int64_t durations[TAKEN_AT_ONCE], left = 0, last = INT64_MIN;
    int rc = part_read_count(from, INT64_MAX, &left, e);
    if (!rc && !group_of(g, number))
        rc = err_memory(e);
    if (!rc && left)
        rc = duration_runs_begin(&g->taken, number, e);
    while (!rc && left > 0) {
        const size_t count = left < TAKEN_AT_ONCE ? (size_t)left : TAKEN_AT_ONCE;
        rc = part_read(from, durations, count * sizeof *durations, e);
        if (!rc && !is_ascending(durations, count, last))
            rc = part_makes_no_sense(e);
        if (!rc)
            rc = take_some(g, number, durations, count, e);
        last = durations[count - 1];
        left -= (int64_t)count;
    }
    return rc;
}

int duration_groups_take(struct duration_groups *g, const uint32_t *numbers, uint32_t count, struct part_reader *from,
                         struct err *e)
{
    int rc = 0;
    for (uint32_t i = 0; !rc && i < count; i++)
        rc = take_group(g, numbers[i], from, e);
    return rc;
}
