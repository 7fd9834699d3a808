/* What did the overlap bring, and what did it cost each side? */
#include <math.h>

#include "analyzers/columns.h"
#include "reports/reports.h"
#include "reports/rows/row_formats.h"
#include "reports/trace_words.h"

static void write_count(struct document *out, const char *format, int64_t count) __attribute__((format(printf, 2, 0)));

static void write_count(struct document *out, const char *format, int64_t count)
{
    if (!count)
        return;
    document_bullet(out);
    document_span(out, SPAN_PLAIN, format, (long long)count);
}

static void add_caveats(const struct cost_report *r, struct document *out)
{
    const struct overlap_cost *c = r->cost;
    document_heading(out, 2, "How to read it");
    document_bullet(out);
    document_span(
        out, SPAN_PLAIN,
        "gain: (T of A + T of B - T of both) / min(T of A, T of B), from first start to last end of GPU work: "
        "100%% when the shorter one is hidden, 0%% when they run one after the other, less when they slow "
        "each other down");
    document_bullet(out);
    document_span(out, SPAN_PLAIN, "work is A's or B's by kind and name");
    write_count(out, "events of which A and B both have the name, in no column of busy time: %lld", c->ambiguous);
    write_count(out, "events of both together that are in neither trace alone: %lld", c->unknown);
    for (size_t t = 0; t < 3; t++)
        for (size_t i = 0; i < r->caveats[t]->count; i++) {
            document_bullet(out);
            document_span(out, SPAN_PLAIN, "%s", r->caveats[t]->items[i].text);
        }
}

/* A difference of spans of different work is a number, and no gain. */
static void write_inconclusive(const struct overlap_cost *c, struct document *out)
{
    char names[UNITS_TEXT_BYTES];
    document_paragraph(out);
    document_span(out, SPAN_STRONG, "INCONCLUSIVE");
    document_span(out, SPAN_PLAIN,
                  ": both together is not A's work and B's: %s with other numbers of events or bytes than alone",
                  words_count(names, c->differing, "name", "names"));
}

int report_cost(const struct cost_report *r, struct document *out, struct err *e)
{
    const struct row_table table = {.lists = {&cost_side_columns}, .formats = {ROW_TABLE}};
    const struct overlap_cost *c = r->cost;
    const double saved_ns = (double)(c->a.span_ns + c->b.span_ns - c->span_ns);
    char gain[UNITS_TEXT_BYTES], span[UNITS_TEXT_BYTES], saved[UNITS_TEXT_BYTES];
    if (c->differing)
        write_inconclusive(c, out);
    document_paragraph(out);
    document_span(out, SPAN_STRONG, "running both together %s %s of the shorter one", saved_ns < 0 ? "loses" : "gains",
                  unit_format(gain, UNIT_RATIO, fabs(c->gain)));
    document_span(out, SPAN_PLAIN, ": %s together, %s %s than one after the other, on ",
                  unit_format(span, UNIT_NS, (double)c->span_ns), unit_format(saved, UNIT_NS, fabs(saved_ns)),
                  saved_ns < 0 ? "longer" : "shorter");
    document_span(out, SPAN_CODE, "%s", c->source);
    row_table_begin(out, &table);
    row_table_row(out, &table, &c->a, NULL);
    row_table_row(out, &table, &c->b, NULL);
    add_caveats(r, out);
    return out->failed ? err_memory(e) : 0;
}

json_t *json_cost(const struct cost_report *r)
{
    return row_json_joined(json_pack("{ss}", "schema", "cpprof.cost/1"), row_json(&cost_columns, 0, r->cost, NULL));
}
