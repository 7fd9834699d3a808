/* How much later may each phase begin, and which of them are critical? */
#include <math.h>
#include <string.h>

#include "analyzers/columns.h"
#include "analyzers/slack/slack_words.h"
#include "core/base/count_of.h"
#include "reports/reports.h"
#include "reports/rows/row_formats.h"
#include "reports/run/run_report.h"

static void write_name(const struct slack *row, struct document *d)
{
    document_span(d, SPAN_CODE, "%s", row->name);
    document_span(d, SPAN_PLAIN, " of %s in ", row->role_name);
    words_arm(d, row->variant, row->config);
}

static void write_hidden(const struct slack *row, struct document *d)
{
    document_span(d, SPAN_PLAIN, " may begin at least ");
    words_unit(d, UNIT_NS, row->slack_ns.low);
    document_span(d, SPAN_PLAIN, " later for free");
}

static void write_partly(const struct slack *row, struct document *d)
{
    if (!(row->slack_ns.value > 0)) {
        document_span(d, SPAN_PLAIN, " has no slack: each ns of delay costs %.2f ns a tile", row->criticality.value);
        return;
    }
    if (slack_is_below_doses(row)) {
        document_span(d, SPAN_PLAIN, " may begin less than ");
        words_unit(d, UNIT_NS, row->doses[0].delay_cycles / row->cycles_per_ns);
        document_span(d, SPAN_PLAIN, " later for free (the smallest delay costs: try smaller --doses)");
    } else {
        document_span(d, SPAN_PLAIN, " may begin ");
        words_unit(d, UNIT_NS, row->slack_ns.low);
        document_span(d, SPAN_PLAIN, " to ");
        words_unit(d, UNIT_NS, row->slack_ns.high);
        document_span(d, SPAN_PLAIN, " later for free");
    }
    document_span(d, SPAN_PLAIN, "; behind that each ns costs %s%.2f ns a tile",
                  isfinite(row->slope.high) ? "" : "at least ", row->slope.value);
    if (slack_slope_is_odd(row) && row->ring == 1)
        document_span(d, SPAN_PLAIN, ", not 1");
    else if (slack_slope_is_odd(row))
        document_span(d, SPAN_PLAIN, ", neither 1 nor the 1/%lld of its ring", (long long)row->ring);
}

static void write_critical(const struct slack *row, struct document *d)
{
    document_span(d, SPAN_PLAIN, " is critical: each ns of delay costs %.2f ns a tile", row->criticality.value);
}

static void write_unsteady(const struct slack *row, struct document *d)
{
    document_span(d, SPAN_PLAIN, " has no slack that can be stated: %s", row->why);
}

/* Without tiles a launch is all that there is to speak of. */
static void write_launch(const struct slack *row, struct document *d)
{
    const struct slack_dose *last = row->dose_count ? &row->doses[row->dose_count - 1] : NULL;
    if (!last || !isfinite(row->free_up_to_cycles))
        return;
    document_span(d, SPAN_PLAIN, "; up to %.0f cycles of delay a launch loses less than 0.5%%, with %.0f it loses ",
                  row->free_up_to_cycles, last->delay_cycles);
    words_unit(d, UNIT_NS, last->cost_ns.value);
}

static void write_inconclusive(const struct slack *row, struct document *d)
{
    document_span(d, SPAN_PLAIN, ": ");
    document_span(d, SPAN_STRONG, "inconclusive");
    document_span(d, SPAN_PLAIN, ", because %s", slack_reasons[row->reason].sentence);
    if (row->reason == SLACK_CONTROL_SLOWER || row->reason == SLACK_CONTROL_FASTER ||
        row->reason == SLACK_CONTROL_UNCLEAR)
        document_span(d, SPAN_PLAIN, " (%.1f%%, %.1f to %.1f%%)", 100 * row->control_change.value,
                      100 * row->control_change.low, 100 * row->control_change.high);
    if (row->reason == SLACK_NO_TILES || row->reason == SLACK_NO_CLOCK)
        write_launch(row, d);
}

/* In the headline of a single phase and in the list of several. */
void run_slack_answer(const struct slack *row, struct document *d)
{
    static void (*const by_status[])(const struct slack *, struct document *) = {
        [SLACK_INCONCLUSIVE] = write_inconclusive, [SLACK_HIDDEN] = write_hidden,     [SLACK_PARTLY] = write_partly,
        [SLACK_CRITICAL] = write_critical,         [SLACK_UNSTEADY] = write_unsteady,
    };
    write_name(row, d);
    by_status[row->status](row, d);
}

/* ---- tables ---- */

static void add_doses(const struct analysis *a, struct document *d)
{
    const struct row_table table = {.lists = {&slack_columns, &slack_dose_columns}, .formats = {SLACK_MARK, ROW_TABLE}};
    document_heading(d, 3, "Delays");
    row_table_begin(d, &table);
    for (size_t i = 0; i < a->slacks.count; i++)
        for (size_t k = 0; k < a->slacks.items[i].dose_count; k++)
            row_table_row(d, &table, &a->slacks.items[i], &a->slacks.items[i].doses[k]);
}

void run_slack_add(const struct analysis *a, struct document *d)
{
    const struct row_table table = {.lists = {&slack_columns}, .formats = {ROW_TABLE}};
    if (!a->slacks.count)
        return;
    document_heading(d, 2, "Slack");
    for (size_t i = 0; i < a->slacks.count; i++) {
        document_bullet(d);
        run_slack_answer(&a->slacks.items[i], d);
        document_span(d, SPAN_PLAIN, ".");
    }
    row_table_add(d, &table, a->slacks.items, a->slacks.count);
    document_evidence(d);
    document_paragraph(d);
    document_span(
        d, SPAN_PLAIN,
        "The slope says what a cycle of delay behind the slack costs a tile; at first: what one of the "
        "smallest delay costs. In a ring of N tiles the slope is 1/N; with another one part of the delay is hidden "
        "elsewhere, or waiting takes issue slots from others. "
        "Costs 10 cycles at: the delay at which a tile takes so much longer.");
    add_doses(a, d);
}

/* "2 critical, 1 hidden" */
void run_slack_counts(const struct analysis *a, struct document *d)
{
    static const enum slack_status order[] = {SLACK_CRITICAL, SLACK_PARTLY, SLACK_HIDDEN, SLACK_UNSTEADY,
                                              SLACK_INCONCLUSIVE};
    const char *before = "";
    document_span(d, SPAN_PLAIN, "of %zu delayed phases ", a->slacks.count);
    for (size_t i = 0; i < COUNT_OF(order); i++) {
        size_t count = 0;
        for (size_t k = 0; k < a->slacks.count; k++)
            count += a->slacks.items[k].status == order[i];
        if (count)
            document_span(d, SPAN_PLAIN, "%s%zu %s %s", before, count, count == 1 ? "is" : "are",
                          order[i] == SLACK_PARTLY ? "partly hidden" : slack_status_name(order[i]));
        before = count ? ", " : before;
    }
}

static void write_headline(const struct analysis *a, struct document *d)
{
    document_heading(d, 1, "");
    if (!a->slacks.count)
        document_span(d, SPAN_PLAIN, "no phase was delayed");
    else if (a->slacks.count == 1)
        run_slack_answer(&a->slacks.items[0], d);
    else
        run_slack_counts(a, d);
}

int report_slack(const struct analysis *a, struct document *out, struct err *e)
{
    write_headline(a, out);
    run_slack_add(a, out);
    run_notes_add(a, out);
    return out->failed ? err_memory(e) : 0;
}
