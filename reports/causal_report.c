/* What would a faster kernel, copy or host save of the program's time? */
#include "reports/causal_report.h"

#include <math.h>
#include <string.h>

#include "analyzers/columns.h"
#include "core/base/causal_plan.h"
#include "core/base/units.h"
#include "reports/rows/row_formats.h"
#include "reports/trace_words.h"

enum { NAME_COLUMNS = 40 };

/* Where delays are too long or too short, others are shorter or longer by this. */
static const double OTHER_DOSES = 4;

/* Nothing below it shows with two digits: there is no "-0.00". */
static double shown(double slope)
{
    return fabs(slope) < 0.005 ? 0 : slope;
}

static void write_slope(struct document *d, const char *before, const struct bounded *b)
{
    document_span(d, SPAN_PLAIN, "%s%.2f ms (%.2f to %.2f)", before, shown(b->value), shown(b->low), shown(b->high));
}

/* Delays of another size may tell what these do not. */
static void write_next_doses(const struct causal_row *row, double factor, struct document *d)
{
    const double shortest_ns = factor * (double)row->doses[1].asked_ns,
                 longest_ns = factor * (double)row->doses[row->dose_count - 1].asked_ns;
    if (shortest_ns < CAUSAL_DOSE_NS_MIN || longest_ns > CAUSAL_DOSE_NS_MAX)
        return;
    document_span(d, SPAN_PLAIN, "; try ");
    if (row->dose_count == CAUSAL_DOSES_MAX)
        document_span(d, SPAN_CODE, "--doses=%.0fus,%.0fus", shortest_ns / 1000, longest_ns / 1000);
    else
        document_span(d, SPAN_CODE, "--doses=%.0fus", shortest_ns / 1000);
}

static void write_doubt(const struct causal_row *row, struct document *d)
{
    document_span(d, SPAN_STRONG, "inconclusive");
    document_span(d, SPAN_PLAIN, ", because %s", causal_reasons[row->reason].sentence);
    if (row->reason == CAUSAL_TOO_COARSE)
        write_next_doses(row, OTHER_DOSES, d);
    if (row->reason != CAUSAL_NOT_LINEAR)
        return;
    char text[UNITS_TEXT_BYTES];
    write_slope(d, ": 1 ms of delay costs ", &row->first);
    document_span(d, SPAN_PLAIN, " up to %s a launch", unit_format(text, UNIT_NS, row->doses[1].delay_ns));
    write_slope(d, ", and ", &row->further);
    document_span(d, SPAN_PLAIN, " from there on");
    write_next_doses(row, 1 / OTHER_DOSES, d);
}

/* What a kernel that is a tenth faster would bring, where it matters. */
static void write_tenth(const struct causal_row *row, struct document *d)
{
    char gain[UNITS_TEXT_BYTES];
    if (row->status == CAUSAL_HIDDEN || !(row->share > 0))
        return;
    document_span(d, SPAN_PLAIN, "; a tenth of its time is %s of the program's",
                  unit_format(gain, UNIT_RATIO, row->share * row->criticality.value / 10));
}

static void write_answer(const struct capture_facts *f, const struct causal_row *row, struct document *d)
{
    document_bullet(d);
    document_span(d, SPAN_PLAIN, "%s", row->asked.on_host ? "the host before " : "");
    document_span(d, SPAN_CODE, "%s", row->name ? short_names_text(&f->names, row->name) : row->target);
    if (row->kernels > 1)
        document_span(d, SPAN_PLAIN, " and %lld more that match", (long long)row->kernels - 1);
    document_span(d, SPAN_PLAIN, ": ");
    if (row->status == CAUSAL_INCONCLUSIVE) {
        write_doubt(row, d);
        return;
    }
    if (row->status == CAUSAL_HIDDEN)
        document_span(d, SPAN_PLAIN, "hidden, a faster one saves next to nothing; ");
    write_slope(d, row->asked.on_host ? "1 ms less of it saves " : "a saving of 1 ms in it saves ", &row->criticality);
    document_span(d, SPAN_PLAIN, " of the program");
    write_tenth(row, d);
}

void causal_report_add(const struct capture_facts *f, struct document *d)
{
    const struct row_table table = {
        .lists = {&causal_columns}, .formats = {ROW_TABLE}, .context = &f->names, .code_columns = NAME_COLUMNS};
    if (!f->causal.count)
        return;
    document_paragraph(d);
    document_span(
        d, SPAN_PLAIN,
        "kernels, copies or the host were delayed to see what a faster one would save: the trace holds the delays, so "
        "its times are not those of the program");
    row_table_add(d, &table, f->causal.items, f->causal.count);
    for (size_t i = 0; i < f->causal.count; i++)
        write_answer(f, &f->causal.items[i], d);
    words_missing(d, &f->map, "delays", "Delays missing");
}

json_t *json_causal(const struct capture_facts *f)
{
    if (!f->causal.count)
        return json_null();
    return json_pack("{so sI}", "kernels",
                     row_json_array(&causal_columns, 0, f->causal.items, f->causal.count, &f->names), "left_out",
                     (json_int_t)f->causal.left_out);
}
