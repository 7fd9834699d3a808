/* Which kernels and copies does the program wait for, by the recorded graph? */
#include "reports/dependencies_report.h"

#include <math.h>
#include <string.h>

#include "analyzers/columns.h"
#include "core/base/count_of.h"
#include "core/base/units.h"
#include "reports/rows/row_formats.h"

enum { NAME_COLUMNS = 40, ROWS_KEPT = 3 };

#define SHARE_MIN 0.0005 /* less shows as nothing */

/* Of the time of all of them: together, kernels of several streams and devices take longer than the program. */
static double share_with(const struct dependencies *graph, enum causal_status status)
{
    double with = 0, all = 0;
    for (size_t i = 0; i < graph->count; i++) {
        all += graph->rows[i].share;
        with += graph->rows[i].status == status ? graph->rows[i].share : 0;
    }
    return all > 0 ? with / all : 0;
}

static void write_answer(const struct dependencies *graph, struct document *d)
{
    static const struct {
        enum causal_status status;
        const char *words;
    } parts[] = {{CAUSAL_CRITICAL, "critical"},
                 {CAUSAL_PARTLY, "partly critical"},
                 {CAUSAL_HIDDEN, "hidden"},
                 {CAUSAL_INCONCLUSIVE, "inconclusive"}};
    char share[UNITS_TEXT_BYTES];
    const char *before = "";
    document_paragraph(d);
    document_span(d, SPAN_PLAIN, "kernels: ");
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        const double part = share_with(graph, parts[i].status);
        if (!(part > 0) || (part < SHARE_MIN && *before))
            continue;
        document_span(d, SPAN_PLAIN, "%s%s %s", before, parts[i].words, unit_format(share, UNIT_RATIO, part));
        before = ", ";
    }
    document_span(d, SPAN_PLAIN, " of their time, by the recorded graph");
}

void dependencies_report_host(const struct dependencies *graph, struct document *d)
{
    const struct host_dependency *h = &graph->host;
    char share[UNITS_TEXT_BYTES], low[UNITS_TEXT_BYTES], high[UNITS_TEXT_BYTES];
    if (graph->reason || !(h->share >= SHARE_MIN) || h->reason)
        return;
    document_paragraph(d);
    unit_format(low, UNIT_RATIO, h->gain.low);
    unit_format(high, UNIT_RATIO, h->gain.high);
    document_span(d, SPAN_PLAIN, "the host between its calls, %s of the time, is %s: a tenth less saves %s%s%s",
                  unit_format(share, UNIT_RATIO, h->share),
                  h->status == CAUSAL_PARTLY ? "partly critical" : causal_status_name(h->status), low,
                  strcmp(low, high) ? " to " : "", strcmp(low, high) ? high : "");
}

void dependencies_report_steps(const struct dependencies *graph, const char *what, struct document *d)
{
    size_t steps;
    const char *range = dependencies_steps(graph, &steps);
    if (!range)
        return;
    document_paragraph(d);
    document_span(d, SPAN_PLAIN, "%s, of the median of %zu steps (occurrences of ", what, steps);
    document_span(d, SPAN_CODE, "%s", range);
    document_span(d, SPAN_PLAIN, ") and of the step that gains least");
}

/* What would tell more about what was left open. */
static void write_next(const struct capture_facts *f, struct document *d)
{
    const struct dependencies *graph = &f->dependencies;
    size_t open = 0;
    for (size_t i = 0; i < graph->count; i++)
        open += graph->rows[i].reason == DEPENDENCY_UNSEEN_WAITS;
    if (!open || graph->recorded || f->is_foreign)
        return;
    document_paragraph(d);
    document_span(d, SPAN_PLAIN, "which event a stream waits for is not in this capture; ");
    document_span(d, SPAN_CODE, "--trace api");
    document_span(d, SPAN_PLAIN, " records it, and narrows what is inconclusive here");
}

/* Where kernels have headroom, their gains have said it. */
void dependencies_report_add(const struct capture_facts *f, size_t most, struct document *d)
{
    const struct dependencies *graph = &f->dependencies;
    size_t steps;
    const char *range = dependencies_steps(graph, &steps);
    const struct row_table table = {.lists = {&dependency_columns},
                                    .formats = {ROW_TABLE | (range ? ROW_TABLE_2 : 0)},
                                    .context = &f->names,
                                    .code_columns = NAME_COLUMNS};
    if (graph->reason || !graph->count || f->gain.count)
        return;
    if (share_with(graph, CAUSAL_INCONCLUSIVE) < 1 - SHARE_MIN)
        write_answer(graph, d);
    row_table_add(d, &table, graph->rows, graph->count < most ? graph->count : most);
    document_table_keep(d, ROWS_KEPT);
    write_next(f, d);
    dependencies_report_host(graph, d);
    dependencies_report_steps(graph, "saved of a step: by a tenth less of the kernel's time", d);
}

static json_t *json_bounded(const struct bounded *b)
{
    return isfinite(b->value) ? json_pack("{sf sf sf}", "value", b->value, "low", b->low, "high", b->high)
                              : json_null();
}

static json_t *json_host(const struct host_dependency *h)
{
    return json_pack("{so so so ss so}", "share", json_number_or_null(h->share), "gain", json_bounded(&h->gain),
                     "criticality", json_bounded(&h->criticality), "status", causal_status_name(h->status), "reason",
                     h->reason ? json_string(dependency_reasons[h->reason].key) : json_null());
}

json_t *json_dependencies(const struct capture_facts *f)
{
    const struct dependencies *graph = &f->dependencies;
    size_t steps;
    const char *range = dependencies_steps(graph, &steps);
    return json_pack("{so so so sI sI sI sI sI sI so so so}", "reason",
                     graph->reason ? json_string(dependency_reasons[graph->reason].key) : json_null(), "program_ns",
                     json_number_or_null(graph->program_ns), "error", json_number_or_null(graph->error), "works",
                     (json_int_t)graph->works, "calls", (json_int_t)graph->calls, "sure", (json_int_t)graph->sure,
                     "recorded", (json_int_t)graph->recorded, "unsure", (json_int_t)graph->unsure, "unexplained",
                     (json_int_t)graph->unexplained, "host", json_host(&graph->host), "steps",
                     range ? json_pack("{ss sI}", "range", range, "count", (json_int_t)steps) : json_null(), "kernels",
                     row_json_array(&dependency_columns, 0, graph->rows, graph->count, &f->names));
}
