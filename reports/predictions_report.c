/* What would help, and by how much? */
#include "reports/run_report.h"

static const char *percent(char *text, double share)
{
    return unit_format(text, UNIT_RATIO, share);
}

static void cell_interval(struct document *d, const struct prediction *p)
{
    char low[UNITS_TEXT_BYTES], high[UNITS_TEXT_BYTES];
    document_cell(d, "%s to %s", percent(low, p->gain_low), percent(high, p->gain_high));
}

static void cell_measured(struct document *d, const struct prediction *p)
{
    struct str text;
    char gain[UNITS_TEXT_BYTES];
    str_init(&text);
    for (size_t i = 0; i < p->outcome_count; i++)
        str_addf(&text, "%s%s with %s: %s", i ? "; " : "", percent(gain, p->outcomes[i].gain), p->outcomes[i].with,
                 p->outcomes[i].inside ? "inside" : "OUTSIDE");
    d->failed |= text.failed;
    document_cell(d, "%s", p->outcome_count ? str_text(&text) : "not in this run");
    str_release(&text);
}

static void add_assumptions(const struct analysis *a, struct document *d)
{
    document_paragraph(d);
    document_span(d, SPAN_PLAIN,
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
    static const struct document_column columns[] = {{"variant", false},        {"shape", false},    {"change", false},
                                                     {"predicted gain", true}, {"measured", false}, {"because", false}};
    if (!a->predictions.count)
        return;
    document_heading(d, 3, "What would help, and by how much");
    document_table(d, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < a->predictions.count; i++) {
        const struct prediction *p = &a->predictions.items[i];
        document_cell_code(d, p->variant);
        document_cell(d, "%s", p->shape);
        document_cell(d, "%s", p->change);
        cell_interval(d, p);
        cell_measured(d, p);
        document_cell(d, "%s", p->because);
    }
    add_assumptions(a, d);
}
