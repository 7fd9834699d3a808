/* What went over NVLink in a launch on several GPUs? */
#define _GNU_SOURCE
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/arm_differences.h"
#include "core/base/array.h"
#include "core/base/count_of.h"
#include "core/bundle/bundle_tables.h"
#include "core/gpu/metrics.h"
#include "core/run/counters.h"
#include "reports/run/run_report.h"

/* What is shown of each GPU, means over the launches that were counted. */
enum link_value { RECEIVED, SENT, RECEIVED_DATA, SENT_DATA, LINK_VALUES };

static const char *const value_ids[LINK_VALUES] = {METRIC_NVLINK_RECEIVED, METRIC_NVLINK_SENT,
                                                   METRIC_NVLINK_RECEIVED_DATA, METRIC_NVLINK_SENT_DATA};

/* One reading of a GPU. */
struct reading {
    size_t row;
    enum link_value of;
};

struct readings {
    const struct table *t;
    const struct arm *const *arms; /* of its rows */
    struct reading *items;
    size_t count, capacity;
};

/* One GPU of an arm; its places are where its bytes received, and those of the arm's first GPU, stand first. */
struct link {
    size_t row, first_row;
    double sums[LINK_VALUES], counts[LINK_VALUES];
};

struct links {
    struct link *items;
    size_t count, capacity;
};

static int compare_text(const struct table *t, size_t a, size_t b, size_t column)
{
    return strcmp(table_text(t, a, column), table_text(t, b, column));
}

static int compare_arms(const struct readings *r, size_t a, size_t b)
{
    return (r->arms[a]->index > r->arms[b]->index) - (r->arms[a]->index < r->arms[b]->index);
}

static int by_gpu(const void *left, const void *right, void *context)
{
    const struct reading *a = left, *b = right;
    const struct readings *r = context;
    int order = compare_arms(r, a->row, b->row);
    if (!order)
        order = compare_text(r->t, a->row, b->row, METRICS_KERNEL);
    return order ? order : (a->row > b->row) - (a->row < b->row);
}

static int by_place(const void *left, const void *right)
{
    const struct link *a = left, *b = right;
    const int order = (a->first_row > b->first_row) - (a->first_row < b->first_row);
    return order ? order : (a->row > b->row) - (a->row < b->row);
}

static bool gather_readings(struct readings *out)
{
    const struct table *t = out->t;
    for (size_t row = 0; row < table_rows(t); row++) {
        const struct metric *metric = metric_by_name(table_text(t, row, METRICS_METRIC));
        if (!metric || counters_gpu(table_text(t, row, METRICS_KERNEL)) < 0 ||
            isnan(table_number(t, row, METRICS_VALUE)))
            continue;
        for (int v = 0; v < LINK_VALUES; v++) {
            if (metric != metric_by_id(value_ids[v]))
                continue;
            struct reading *reading = ARRAY_PUSH(out);
            if (!reading)
                return false;
            *reading = (struct reading){row, (enum link_value)v};
        }
    }
    if (out->count)
        qsort_r(out->items, out->count, sizeof *out->items, by_gpu, out);
    return true;
}

/* The readings of one GPU, in the order of their rows. */
static struct link add_up(const struct readings *r, size_t first, size_t end)
{
    struct link link = {.row = SIZE_MAX};
    for (size_t i = first; i < end; i++) {
        const struct reading *reading = &r->items[i];
        if (reading->of == RECEIVED && link.row == SIZE_MAX)
            link.row = reading->row;
        link.sums[reading->of] += table_number(r->t, reading->row, METRICS_VALUE);
        link.counts[reading->of]++;
    }
    return link;
}

static void place_arm(struct links *links, size_t first)
{
    size_t row = SIZE_MAX;
    for (size_t i = first; i < links->count; i++)
        row = links->items[i].row < row ? links->items[i].row : row;
    for (size_t i = first; i < links->count; i++)
        links->items[i].first_row = row;
}

/* GPUs whose bytes received were counted, as they come in the table, arm by arm. */
static bool gather_links(struct links *links, const struct readings *r)
{
    size_t arm = 0;
    for (size_t i = 0, end; i < r->count; i = end) {
        for (end = i + 1; end < r->count && !compare_arms(r, r->items[i].row, r->items[end].row) &&
                          !compare_text(r->t, r->items[i].row, r->items[end].row, METRICS_KERNEL);)
            end++;
        const struct link link = add_up(r, i, end);
        struct link *slot = link.row == SIZE_MAX ? NULL : ARRAY_PUSH(links);
        if (!slot && link.row != SIZE_MAX)
            return false;
        if (slot)
            *slot = link;
        if (end == r->count || compare_arms(r, r->items[i].row, r->items[end].row)) {
            place_arm(links, arm);
            arm = links->count;
        }
    }
    if (links->count)
        qsort(links->items, links->count, sizeof *links->items, by_place);
    return true;
}

/* Bytes of the message, of arms that say what each link has to carry of it. */
static double message_of(const struct analysis *a, const struct arm *arm)
{
    const struct table *t = &a->bundle->tables[BUNDLE_VARIANTS];
    const long row = arm_row(a, arm);
    return row >= 0 && table_number(t, (size_t)row, VARIANTS_BUS_FACTOR) > 0
               ? table_number(t, (size_t)row, VARIANTS_BYTES)
               : NAN;
}

/* NAN without any. */
static double mean_of(const struct link *link, enum link_value of)
{
    return link->counts[of] > 0 ? link->sums[of] / link->counts[of] : NAN;
}

static void add_link(const struct table *t, const struct link *link, double message, struct document *d)
{
    const double user = mean_of(link, RECEIVED_DATA);
    document_cell_code(d, table_text(t, link->row, METRICS_VARIANT));
    document_cell(d, "%s", table_text(t, link->row, METRICS_SHAPE));
    document_cell(d, "%d", counters_gpu(table_text(t, link->row, METRICS_KERNEL)));
    document_cell_unit(d, UNIT_BYTES, mean_of(link, RECEIVED));
    document_cell_unit(d, UNIT_BYTES, mean_of(link, SENT));
    document_cell_unit(d, UNIT_BYTES, user);
    document_cell_unit(d, UNIT_BYTES, mean_of(link, SENT_DATA));
    document_cell(d, user >= 0 && message > 0 ? "%.3f" : "n/a", user / message);
}

/* GPUs of one launch receive as much but for small things like flags, if the algorithm treats them alike. */
#define UNLIKE 0.03

/* All GPUs of an arm, which begins at `first`; the place of the next one. */
static size_t add_arm(const struct analysis *a, const struct table *t, const struct links *links, size_t first,
                      size_t *unlike, struct document *d)
{
    double least = INFINITY, most = -INFINITY;
    const size_t first_row = links->items[first].first_row;
    const double message = message_of(a, a->run->tables[BUNDLE_METRICS].arms[first_row]);
    size_t i = first;
    for (; i < links->count && links->items[i].first_row == first_row; i++) {
        const double received = mean_of(&links->items[i], RECEIVED_DATA);
        least = fmin(least, received);
        most = fmax(most, received);
        add_link(t, &links->items[i], message, d);
    }
    *unlike += least < (1 - UNLIKE) * most;
    return i;
}

static void explain(struct document *d, size_t unlike)
{
    document_paragraph(d);
    document_span(
        d, SPAN_PLAIN,
        "Received and sent hold what the protocol adds, data do not. Each GPU was counted in launches of its own.");
    if (unlike)
        document_span(
            d, SPAN_PLAIN,
            " In %zu of these launches a GPU received over 3%% less data than another: that may be the algorithm's, or a "
            "link that was not counted.",
            unlike);
}

static void add_links(const struct analysis *a, const struct table *t, const struct links *links, struct document *d)
{
    static const struct document_column columns[] = {
        {"variant", false},  {"shape", false},
        {"GPU", false},      {"received", true},
        {"sent", true},      {"data received", true},
        {"data sent", true}, {"data received per byte of the message", true}};
    size_t unlike = 0;
    document_heading(d, 2, "NVLink, each launch");
    document_evidence_of(d, links->count);
    document_table(d, columns, COUNT_OF(columns));
    for (size_t i = 0; i < links->count;)
        i = add_arm(a, t, links, i, &unlike, d);
    explain(d, unlike);
}

void run_links_add(const struct analysis *a, struct document *d)
{
    const struct table *t = &a->bundle->tables[BUNDLE_METRICS];
    struct readings readings = {t, a->run->tables[BUNDLE_METRICS].arms, NULL, 0, 0};
    struct links links = {0};
    if (!gather_readings(&readings) || !gather_links(&links, &readings))
        d->failed = true;
    else if (links.count)
        add_links(a, t, &links, d);
    free(readings.items);
    free(links.items);
}
