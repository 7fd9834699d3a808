/* How do units of the GPU rise when a launch begins, and fall when it ends? */
#include <math.h>
#include <string.h>

#include "analyzers/columns.h"
#include "reports/reports.h"
#include "reports/rows/row_formats.h"
#include "reports/run/run_report.h"

/* The work that most of the time goes to. */
static const struct inside_fold_unit *work_of(const struct inside *row)
{
    const struct inside_fold_unit *most = NULL;
    for (size_t i = 0; i < row->series_count; i++)
        for (size_t k = 0; k < row->fold.unit_count; k++) {
            const struct inside_fold_unit *unit = &row->fold.units[k];
            if (!strcmp(unit->unit, row->series[i].work) && (!most || unit->plateau > most->plateau))
                most = unit;
        }
    return most;
}

/* "1.95 us after the begin (791 ns to 2.71 us)" */
static void write_time(const struct bounded *ns, const char *where, struct document *d)
{
    if (!isfinite(ns->value)) {
        document_span(d, SPAN_PLAIN, "at an unknown time %s", where);
        return;
    }
    words_unit(d, UNIT_NS, ns->value);
    document_span(d, SPAN_PLAIN, " %s (", where);
    words_unit(d, UNIT_NS, ns->low);
    document_span(d, SPAN_PLAIN, " to ");
    words_unit(d, UNIT_NS, ns->high);
    document_span(d, SPAN_PLAIN, ")");
}

static void write_work(const struct inside_fold_unit *unit, struct document *d)
{
    document_span(d, SPAN_CODE, "%s", unit->unit);
    document_span(d, SPAN_PLAIN, " reaches half of its plateau of ");
    words_unit(d, UNIT_RATIO, unit->plateau);
    document_span(d, SPAN_PLAIN, " ");
    write_time(&unit->lead_in_ns, "after the begin", d);
    document_span(d, SPAN_PLAIN, ", and has it for the last time ");
    write_time(&unit->tail_ns, "before the end", d);
}

static void write_fold(const struct inside *row, struct document *d)
{
    const struct inside_fold_unit *work = work_of(row);
    words_unit(d, UNIT_COUNT, (double)row->fold.folded);
    document_span(d, SPAN_PLAIN, " launches of ");
    words_unit(d, UNIT_NS, row->fold.length_ns);
    document_span(d, SPAN_PLAIN, " on one axis, a point each ");
    words_unit(d, UNIT_NS, row->fold.step_ns);
    document_span(d, SPAN_PLAIN, ": ");
    if (work)
        write_work(work, d);
    else
        document_span(d, SPAN_PLAIN, "neither tensor cores nor FMA are active");
}

static void write_doubt(const struct inside *row, struct document *d)
{
    document_span(d, SPAN_STRONG, "inconclusive");
    document_span(d, SPAN_PLAIN, ", because %s", row->fold.why);
}

static bool is_sampled(const struct inside *row, bool is_ok)
{
    return row->fold.launches && row->fold.is_ok == is_ok;
}

static void add_arms(const struct analysis *a, bool is_ok, struct document *d)
{
    for (size_t i = 0; i < a->insides.count; i++) {
        const struct inside *row = &a->insides.items[i];
        if (!is_sampled(row, is_ok))
            continue;
        document_bullet(d);
        words_arm(d, row->off->variant, row->config);
        document_span(d, SPAN_PLAIN, ": ");
        (is_ok ? write_fold : write_doubt)(row, d);
        document_span(d, SPAN_PLAIN, ".");
    }
}

static void add_units(const struct analysis *a, struct document *d)
{
    const struct row_table table = {.lists = {&inside_columns, &inside_fold_unit_columns},
                                    .formats = {INSIDE_ARM, ROW_TABLE}};
    row_table_begin(d, &table);
    for (size_t i = 0; i < a->insides.count; i++)
        for (size_t k = 0; k < a->insides.items[i].fold.unit_count; k++)
            row_table_row(d, &table, &a->insides.items[i], &a->insides.items[i].fold.units[k]);
    document_paragraph(d);
    document_span(d, SPAN_PLAIN,
                  "Without marks. More launches make the axis finer, not the samples shorter: the intervals hold for "
                  "whatever a unit does within a sample.");
}

void run_inside_fold_answers(const struct analysis *a, struct document *d)
{
    add_arms(a, true, d);
}

void run_inside_fold_add(const struct analysis *a, struct document *d)
{
    size_t folded = 0, refused = 0;
    for (size_t i = 0; i < a->insides.count; i++) {
        folded += is_sampled(&a->insides.items[i], true);
        refused += is_sampled(&a->insides.items[i], false);
    }
    if (!folded && !refused)
        return;
    document_heading(d, 3, "Begin and end of a launch, sampled");
    add_arms(a, false, d);
    if (folded)
        add_units(a, d);
}
