/* How did the times of the saved references change? */
#include "reports/history_report.h"

#include <string.h>

#include "analyzers/columns.h"
#include "core/stats/change_points.h"
#include "reports/rows/row_formats.h"
#include "reports/run/run_report.h"
#include "reports/trace_words.h"

static size_t arms_that_are(const struct history *h, const char *status)
{
    size_t count = 0;
    for (size_t i = 0; i < h->arms.count; i++)
        count += !strcmp(h->arms.items[i].status, status);
    return count;
}

static void write_answer(const struct history_report *r, struct document *out)
{
    const struct history *h = r->history;
    const size_t undecided = arms_that_are(h, "not decided"), steady = arms_that_are(h, "steady");
    char references[UNITS_TEXT_BYTES], arms[UNITS_TEXT_BYTES], changes[UNITS_TEXT_BYTES];
    struct str text;
    str_init(&text);
    str_addf(&text, "%s: %s of %s: ", r->name, words_count(references, h->references, "reference", "references"),
             words_count(arms, (int64_t)h->arms.count, "arm", "arms"));
    if (h->changes.count)
        str_addf(&text, "%s of a level", words_count(changes, (int64_t)h->changes.count, "change", "changes"));
    else if (steady)
        str_add(&text, "no change of a level is shown");
    if (undecided)
        str_addf(&text, "%s%zu not decided", h->changes.count || steady ? ", " : "", undecided);
    words_answer(out, &text);
}

static void write_change(const struct history_change *c, struct document *out)
{
    char texts[3][UNITS_TEXT_BYTES];
    const double values[] = {c->ratio, c->low, c->high};
    unit_format_apart(texts, UNIT_FACTOR, values, 3);
    document_bullet(out);
    words_arm(out, c->variant, c->config);
    document_span(out, SPAN_PLAIN, " is %s from @%lld on: %s of the time before (%s to %s)", c->verdict,
                  (long long)c->after, texts[0], texts[1], texts[2]);
    if (*c->commit_after && strcmp(c->commit_before, c->commit_after) != 0)
        document_span(out, SPAN_PLAIN, ", between %.10s and %.10s", c->commit_before, c->commit_after);
    document_span(out, SPAN_PLAIN, "; %.2g of other orders divide as well", c->p_value);
}

/* The rows of an arm stand together. */
static void add_rows(const struct history *h, struct document *out)
{
    static const struct row_table table = {.lists = {&history_columns}, .formats = {ROW_TABLE}};
    const struct history_row *before = NULL;
    for (size_t i = 0; i < h->rows.count; i++) {
        const struct history_row *row = &h->rows.items[i];
        if (!before || before->arm != row->arm || strcmp(before->cache, row->cache) != 0) {
            document_heading(out, 2, "");
            words_arm(out, row->variant, "");
            document_span(out, SPAN_PLAIN, " at %s", words_case(out, row->config, row->cache));
            row_table_begin(out, &table);
        }
        row_table_row(out, &table, row, NULL);
        before = row;
    }
}

static void add_levels(const struct history *h, struct document *out)
{
    static const struct row_table changes = {.lists = {&history_change_columns}, .formats = {ROW_TABLE}};
    static const struct row_table arms = {.lists = {&history_arm_columns}, .formats = {ROW_TABLE}};
    document_heading(out, 2, "Levels");
    row_table_add(out, &arms, h->arms.items, h->arms.count);
    if (!h->changes.count)
        return;
    document_heading(out, 2, "Changes of a level");
    row_table_add(out, &changes, h->changes.items, h->changes.count);
}

static void add_caveats(const struct history *h, struct document *out)
{
    if (h->caveats.count)
        document_heading(out, 2, "Caveats");
    for (size_t i = 0; i < h->caveats.count; i++) {
        document_bullet(out);
        document_span(out, SPAN_PLAIN, "%s", h->caveats.items[i].text);
    }
}

static void add_how_to_read(const struct history *h, struct document *out)
{
    document_heading(out, 2, "How to read it");
    document_bullet(out);
    document_span(out, SPAN_PLAIN,
                  "speedups compare two references as `compare` does, each in a run of its own: what differs between "
                  "runs, but not within one, is in them");
    document_bullet(out);
    document_span(out, SPAN_PLAIN,
                  "a change of a level has references as replicates: at least %d on each side, fewer than 1 in 20 "
                  "orders of the same times that divide as well (Holm over all tests), and an interval beyond %.4g%%",
                  CHANGE_SIDE_LEAST, 100 * h->margin);
    document_bullet(out);
    document_span(out, SPAN_PLAIN,
                  "a change in the last %d references is not decided yet, and a slow drift looks like changes",
                  CHANGE_SIDE_LEAST - 1);
}

int report_history(const struct history_report *r, struct document *out, struct err *e)
{
    const struct history *h = r->history;
    write_answer(r, out);
    for (size_t i = 0; i < h->changes.count; i++)
        write_change(&h->changes.items[i], out);
    add_rows(h, out);
    add_levels(h, out);
    add_caveats(h, out);
    add_how_to_read(h, out);
    return out->failed ? err_memory(e) : 0;
}
