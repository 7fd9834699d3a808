/* How much later may each phase of a kernel begin for free, and how is that known? */
#include <math.h>
#include <string.h>

#include "analyzers/columns.h"
#include "analyzers/slack/slack_rows.h"
#include "reports/reports.h"
#include "reports/rows/row_formats.h"
#include "reports/run_report.h"

static void write_name(const struct slack *s, struct document *d)
{
    words_arm(d, s->variant, s->config);
    document_span(d, SPAN_PLAIN, ", ");
    document_span(d, SPAN_STRONG, "%s", s->name);
    document_span(d, SPAN_PLAIN, " (%s)", s->role_name);
}

static void write_answer(const struct slack *s, struct document *d)
{
    const double cost = s->critical.value;
    write_name(s, d);
    if (!strcmp(s->status, "hidden"))
        document_span(d, SPAN_PLAIN, ": may begin %.0f ns later for free, or more: no delay cost anything", s->ns.low);
    else if (!strcmp(s->status, "critical"))
        document_span(d, SPAN_PLAIN, ": is critical: each ns of delay makes a tile %.2f ns longer", cost);
    else if (!strcmp(s->status, "partly"))
        document_span(d, SPAN_PLAIN,
                      ": may begin %.0f ns later for free (%.0f to %.0f); beyond that each ns of delay makes a tile "
                      "%.2f ns longer",
                      s->ns.value, s->ns.low, s->ns.high, s->slope.value);
    else
        document_span(d, SPAN_PLAIN, ": is %s, because %s", s->status, s->why);
    if (!strcmp(s->reason, "control_differs") || !strcmp(s->reason, "control_unclear"))
        document_span(d, SPAN_PLAIN, " (%.1f%%, %.1f to %.1f%%)", 100 * s->control.value, 100 * s->control.low,
                      100 * s->control.high);
}

static void add_answers(const struct analysis *a, struct document *d)
{
    for (size_t i = 0; i < a->slacks.count; i++) {
        document_bullet(d);
        write_answer(&a->slacks.items[i], d);
        document_span(d, SPAN_PLAIN, ".");
    }
}

/* A line for each mark: what each dose cost. */
static void add_doses(const struct analysis *a, struct document *d)
{
    document_heading(d, 3, "Doses");
    document_paragraph(d);
    document_span(d, SPAN_PLAIN, "Cycles of delay, and by how many cycles a tile becomes longer:");
    for (size_t i = 0; i < a->slacks.count; i++) {
        const struct slack *s = &a->slacks.items[i];
        document_bullet(d);
        write_name(s, d);
        document_span(d, SPAN_PLAIN, ":");
        for (size_t k = 0; k < s->dose_count; k++)
            document_span(d, SPAN_PLAIN, "%s %.0f: %+.0f", k ? ";" : "", s->doses[k].delay_cycles,
                          s->doses[k].cycles.value);
        document_span(d, SPAN_PLAIN, s->dose_count ? "." : " none.");
    }
}

void run_slack_add(const struct analysis *a, struct document *d)
{
    const struct row_table table = {.lists = {&slack_columns}, .formats = {ROW_TABLE}};
    if (!a->slacks.count)
        return;
    document_heading(d, 2, "Slack");
    add_answers(a, d);
    row_table_add(d, &table, a->slacks.items, a->slacks.count);
    document_paragraph(d);
    document_span(
        d, SPAN_PLAIN,
        "A mark before the phase waits. Where copies and math are in one role, a delay of the math is not one of "
        "the copies: their slack needs a role of its own.");
    add_doses(a, d);
}

static void write_headline(const struct analysis *a, struct document *d)
{
    size_t ok = 0;
    for (size_t i = 0; i < a->slacks.count; i++)
        ok += a->slacks.items[i].is_ok;
    document_heading(d, 1, "");
    document_span(d, SPAN_PLAIN, "the slack of %zu of %zu phases is known", ok, a->slacks.count);
}

static void write_missing(struct document *d, const char *what, const char *why)
{
    document_bullet(d);
    document_span(d, SPAN_PLAIN, "%s: missing because %s", what, why);
}

static void write_caveat(struct document *d, const struct caveat *caveat)
{
    document_bullet(d);
    document_span(d, SPAN_PLAIN, "%s", caveat->text);
}

int report_slack(const struct analysis *a, struct document *out, struct err *e)
{
    write_headline(a, out);
    run_slack_add(a, out);
    run_missing_each(a, out, write_missing);
    run_caveats_each(a, out, write_caveat);
    return out->failed ? err_memory(e) : 0;
}
