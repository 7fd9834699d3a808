/* How long does each kind of operation take: total, spread, quantiles? */
#include "trace/duration_groups.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"
#include "io/record_spool.h"

enum { SAMPLES_IN_MEMORY = 256 * 1024, QUANTILES = 3 };

static const int64_t percentiles[QUANTILES] = {50, 90, 99};

struct sample {
    int64_t duration_ns;
    uint32_t group;
    uint32_t zero; /* no padding: records are compared and written as bytes */
};

struct group {
    struct duration_summary summary;
    double squares; /* sum of squared distances from the mean so far (Welford) */
};

struct duration_groups {
    struct group *items;
    size_t count, capacity;
    struct record_spool *samples;
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
    const double before = s->count ? s->mean_ns : 0;
    if (!s->count || duration < s->min_ns)
        s->min_ns = duration;
    if (!s->count || duration > s->max_ns)
        s->max_ns = duration;
    s->count++;
    s->mean_ns = before + ((double)duration - before) / (double)s->count;
    group->squares += ((double)duration - before) * ((double)duration - s->mean_ns);
    if (__builtin_add_overflow(s->total_ns, duration, &s->total_ns))
        s->total_ns = INT64_MAX;
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

static void finish_sums(struct duration_groups *g)
{
    for (size_t i = 0; i < g->count; i++) {
        struct duration_summary *s = &g->items[i].summary;
        if (s->count)
            s->mean_ns = (double)s->total_ns / (double)s->count; /* exact to the last digit, unlike the running mean */
        if (s->count > 1)
            s->std_ns = sqrt(g->items[i].squares / (double)(s->count - 1));
    }
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
    return rc;
}

const struct duration_summary *duration_groups_get(const struct duration_groups *g, uint32_t group)
{
    return group < g->count ? &g->items[group].summary : &nothing;
}
