/* What went over NVLink in a launch on several GPUs? */
#include <math.h>
#include <string.h>

#include "model/bundle_tables.h"
#include "model/counters.h"
#include "model/metrics.h"
#include "reports/run_report.h"

static bool is_of_arm(const struct table *t, size_t row, size_t of)
{
    return !strcmp(table_text(t, row, METRICS_VARIANT), table_text(t, of, METRICS_VARIANT)) &&
           !strcmp(table_text(t, row, METRICS_SHAPE), table_text(t, of, METRICS_SHAPE));
}

/* The rows of one arm and one GPU are those that agree with row `of` but for counter and launch. */
static bool belongs(const struct table *t, size_t row, size_t of)
{
    return is_of_arm(t, row, of) && !strcmp(table_text(t, row, METRICS_KERNEL), table_text(t, of, METRICS_KERNEL));
}

static bool is_of(const struct table *t, size_t row, const char *id)
{
    return metric_by_name(table_text(t, row, METRICS_METRIC)) == metric_by_id(id) &&
           isfinite(table_number(t, row, METRICS_VALUE));
}

/* Mean over the launches that were counted; NAN without any. */
static double mean_of(const struct table *t, size_t of, const char *id)
{
    double sum = 0, count = 0;
    for (size_t row = 0; row < table_rows(t); row++)
        if (is_of(t, row, id) && belongs(t, row, of)) {
            sum += table_number(t, row, METRICS_VALUE);
            count++;
        }
    return count > 0 ? sum / count : NAN;
}

/* Bytes of the message, of arms that say what each link has to carry of it. */
static double message_of(const struct analysis *a, const char *variant, const char *shape)
{
    const struct table *t = &a->bundle->tables[BUNDLE_VARIANTS];
    for (size_t row = 0; row < table_rows(t); row++)
        if (!strcmp(table_text(t, row, VARIANTS_VARIANT), variant) && !strcmp(table_text(t, row, VARIANTS_SHAPE), shape))
            return table_number(t, row, VARIANTS_BUS_FACTOR) > 0 ? table_number(t, row, VARIANTS_BYTES) : NAN;
    return NAN;
}

static bool is_counted(const struct table *t, size_t row)
{
    return counters_gpu(table_text(t, row, METRICS_KERNEL)) >= 0 && is_of(t, row, "nvlink_received");
}

/* Of its arm, or of its GPU. */
static bool is_first(const struct table *t, size_t of, bool (*same)(const struct table *t, size_t row, size_t of))
{
    for (size_t row = 0; row < of; row++)
        if (is_counted(t, row) && same(t, row, of))
            return false;
    return true;
}

static void add_links(const struct analysis *a, const struct table *t, size_t of, struct document *d)
{
    const char *variant = table_text(t, of, METRICS_VARIANT), *shape = table_text(t, of, METRICS_SHAPE);
    const double user = mean_of(t, of, "nvlink_received_data"), message = message_of(a, variant, shape);
    document_cell_code(d, variant);
    document_cell(d, "%s", shape);
    document_cell(d, "%d", counters_gpu(table_text(t, of, METRICS_KERNEL)));
    document_cell_unit(d, UNIT_BYTES, mean_of(t, of, "nvlink_received"));
    document_cell_unit(d, UNIT_BYTES, mean_of(t, of, "nvlink_sent"));
    document_cell_unit(d, UNIT_BYTES, user);
    document_cell_unit(d, UNIT_BYTES, mean_of(t, of, "nvlink_sent_data"));
    document_cell(d, user >= 0 && message > 0 ? "%.3f" : "n/a", user / message);
}

/* GPUs of one launch receive as much but for small things like flags, if the algorithm treats them alike. */
#define UNLIKE 0.03

/* All GPUs of the arm that this row is the first of. *least, *most: the data that they received. */
static void add_arm(const struct analysis *a, const struct table *t, size_t first, double *least, double *most,
                    struct document *d)
{
    *least = INFINITY;
    *most = -INFINITY;
    for (size_t row = first; row < table_rows(t); row++) {
        if (!is_counted(t, row) || !is_of_arm(t, row, first) || !is_first(t, row, belongs))
            continue;
        const double received = mean_of(t, row, "nvlink_received_data");
        *least = fmin(*least, received);
        *most = fmax(*most, received);
        add_links(a, t, row, d);
    }
}

static void explain(struct document *d, size_t unlike)
{
    document_paragraph(d);
    document_span(d, SPAN_PLAIN, "Received and sent hold what the protocol adds, data do not. Each GPU was counted in launches of its own.");
    if (unlike)
        document_span(d, SPAN_PLAIN,
                      " In %zu of these launches a GPU received over 3%% less data than another: that may be the algorithm's, or a "
                      "link that was not counted.",
                      unlike);
}

void run_links_add(const struct analysis *a, struct document *d)
{
    static const struct document_column columns[] = {
        {"variant", false},        {"shape", false},      {"GPU", false},
        {"received", true},        {"sent", true},        {"data received", true},
        {"data sent", true},       {"data received per byte of the message", true}};
    const struct table *t = &a->bundle->tables[BUNDLE_METRICS];
    size_t arms = 0, unlike = 0;
    for (size_t row = 0; row < table_rows(t); row++) {
        double least, most;
        if (!is_counted(t, row) || !is_first(t, row, is_of_arm))
            continue;
        if (!arms++) {
            document_heading(d, 2, "NVLink, each launch");
            document_table(d, columns, sizeof columns / sizeof columns[0]);
        }
        add_arm(a, t, row, &least, &most, d);
        unlike += least < (1 - UNLIKE) * most;
    }
    if (arms)
        explain(d, unlike);
}
