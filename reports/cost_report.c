/* What did the overlap bring, and what did it cost each side? */
#include <math.h>

#include "reports/reports.h"
#include "reports/trace_words.h"

static void add_side(const char *name, const char *source, const struct cost_side *side, struct document *out)
{
    document_cell(out, "%s", name);
    document_cell_code(out, source);
    document_cell_unit(out, UNIT_NS, (double)side->span_ns);
    document_cell_unit(out, UNIT_COUNT, (double)side->events_alone);
    document_cell_unit(out, UNIT_COUNT, (double)side->events_together);
    document_cell_unit(out, UNIT_NS, (double)side->busy_alone_ns);
    document_cell_unit(out, UNIT_NS, (double)side->busy_together_ns);
    document_cell_unit(out, UNIT_FACTOR, side->slowdown);
}

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
    static const struct document_column columns[] = {
        {"", false},        {"trace", false},     {"T alone", true},  {"events alone", true},
        {"together", true}, {"busy alone", true}, {"together", true}, {"slower by", true}};
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
    document_span(out, SPAN_CODE, "%s", r->both);
    document_table(out, columns, sizeof columns / sizeof columns[0]);
    add_side("A", r->a, &c->a, out);
    add_side("B", r->b, &c->b, out);
    add_caveats(r, out);
    return out->failed ? err_memory(e) : 0;
}

static json_t *side_of(const char *source, const struct cost_side *side)
{
    return json_pack("{so sI sI sI sI sI so}", "source", json_text(source), "span_ns", (json_int_t)side->span_ns,
                     "events_alone", (json_int_t)side->events_alone, "events_together",
                     (json_int_t)side->events_together, "busy_alone_ns", (json_int_t)side->busy_alone_ns,
                     "busy_together_ns", (json_int_t)side->busy_together_ns, "slowdown",
                     json_number_or_null(side->slowdown));
}

json_t *json_cost(const struct cost_report *r)
{
    return json_pack("{ss so so so sI so sI sI sI}", "schema", "cpprof.cost/1", "a", side_of(r->a, &r->cost->a), "b",
                     side_of(r->b, &r->cost->b), "source", json_text(r->both), "span_ns", (json_int_t)r->cost->span_ns,
                     "gain_ratio", json_number_or_null(r->cost->gain), "ambiguous", (json_int_t)r->cost->ambiguous,
                     "unknown", (json_int_t)r->cost->unknown, "differing", (json_int_t)r->cost->differing);
}
