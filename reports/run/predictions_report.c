/* What would help, and by how much? */
#include "analyzers/columns.h"
#include "reports/rows/row_formats.h"
#include "reports/run/run_report.h"

static void add_assumptions(const struct analysis *a, struct document *d)
{
    document_paragraph(d);
    document_span(
        d, SPAN_PLAIN,
        "Each interval is said by the counters of that arm alone, before the change is made, with everything else "
        "unchanged. The changes are alternatives: their gains do not add up. What is assumed:");
    for (size_t i = 0; i < a->predictions.count; i++) {
        size_t first = 0;
        while (a->predictions.items[first].id != a->predictions.items[i].id)
            first++;
        if (first != i)
            continue;
        document_bullet(d);
        document_span(d, SPAN_PLAIN, "%s: %s", a->predictions.items[i].change, a->predictions.items[i].assumption);
    }
}

void run_predictions_add(const struct analysis *a, struct document *d)
{
    const struct row_table table = {.lists = {&prediction_columns}, .formats = {ROW_TABLE}};
    if (!a->predictions.count)
        return;
    document_heading(d, 3, "What would help, and by how much");
    row_table_add(d, &table, a->predictions.items, a->predictions.count);
    document_evidence(d);
    add_assumptions(a, d);
}
