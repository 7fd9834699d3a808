/* Is a training step faster after the change, and where? */
#include "reports/steps_report.h"

#include <math.h>

#include "analyzers/columns.h"
#include "core/base/demangle.h"
#include "reports/rows/row_formats.h"
#include "reports/run/run_report.h"

enum { WORK_FIRST = 3, WORK_ROWS = 20, NAME_COLUMNS = 48 };

/* ---- names ---- */

/* Returns the id of its name, 0 when memory is out. */
static uint32_t name_of(const struct step_work *w, struct short_names *names)
{
    struct str full;
    str_init(&full);
    demangle_full(&full, w->name);
    const uint32_t id = full.failed ? 0 : short_names_add(names, str_text(&full));
    str_release(&full);
    return id;
}

/* All that is compared: what a name needs to be told apart depends on the others. */
static int add_names(const struct step_comparison *c, struct short_names *names, struct err *e)
{
    for (size_t i = 0; i < c->work.count; i++)
        if (!name_of(&c->work.items[i], names))
            return err_memory(e);
    return 0;
}

/* ---- the first lines ---- */

/* 60 or 7.5: a launch may not be in every step. */
static const char *launches(struct document *d, double count)
{
    return count == floor(count) ? arena_printf(&d->arena, "%.0f", count) : arena_printf(&d->arena, "%.1f", count);
}

static size_t count_different(const struct step_comparison *c)
{
    size_t count = 0;
    for (size_t i = 0; i < c->work.count; i++)
        count += c->work.items[i].differs;
    return count;
}

static void write_one_difference(const struct step_work *w, struct short_names *names, struct document *out)
{
    if (w->is_kernel)
        document_span(out, SPAN_CODE, "%s", words_name(out, names, name_of(w, names), NAMES_SHORT, NAME_COLUMNS));
    else
        document_span(out, SPAN_PLAIN, "%s", w->name);
    document_span(out, SPAN_PLAIN, "%s%s%s %s instead of %s", *w->launched ? " (" : "", w->launched,
                  *w->launched ? ")" : "", launches(out, w->after_launches), launches(out, w->before_launches));
}

/* The differences with the largest change of time, in a sentence. */
static void write_different_work(const struct step_comparison *c, struct short_names *names, struct document *out)
{
    const size_t count = count_different(c);
    size_t said = 0;
    if (!count)
        return;
    document_paragraph(out);
    document_span(out, SPAN_STRONG, "The work differs.");
    document_span(out, SPAN_PLAIN, " Launches per step: ");
    for (size_t i = 0; i < c->work.count && said < WORK_FIRST; i++) {
        if (!c->work.items[i].differs)
            continue;
        document_span(out, SPAN_PLAIN, "%s", said++ ? ", " : "");
        write_one_difference(&c->work.items[i], names, out);
    }
    if (count > said)
        document_span(out, SPAN_PLAIN, ", and %zu more", count - said);
    document_span(out, SPAN_PLAIN, ".");
}

static void add_interval(const struct step_comparison *c, struct str *text)
{
    const double values[] = {c->interval.ratio, c->interval.low, c->interval.high};
    char texts[3][UNITS_TEXT_BYTES];
    if (!isfinite(c->interval.ratio))
        return;
    unit_format_apart(texts, UNIT_FACTOR, values, 3);
    str_addf(text, ": a step takes %s of the time", texts[0]);
    if (isfinite(c->interval.high))
        str_addf(text, " (%s to %s)", texts[1], texts[2]);
}

static void write_verdict(const struct step_comparison *c, struct document *out)
{
    const bool is_pair = !c->has_replicates && (c->verdict == COMPARE_FASTER || c->verdict == COMPARE_SLOWER);
    struct str text;
    str_init(&text);
    str_addf(&text, "%s%s", comparison_verdict_name(c->verdict), is_pair ? " for this pair of traces" : "");
    add_interval(c, &text);
    words_answer(out, &text);
    document_paragraph(out);
    document_span(out, SPAN_PLAIN, "Because %s.", step_reasons[c->reason].sentence);
    for (size_t i = 0; i < c->machines.count; i++) {
        document_bullet(out);
        document_span(out, SPAN_PLAIN, "Machines: %s.", c->machines.items[i]);
    }
}

static void write_side(const struct steps_report *r, size_t side, const char *name, struct document *out)
{
    const struct step_side *s = &r->comparison->sides[side];
    char steps[UNITS_TEXT_BYTES], processes[UNITS_TEXT_BYTES];
    document_fact(out, name);
    document_span(out, SPAN_CODE, "%s", r->sides[side].source);
    document_span(out, SPAN_PLAIN, ", %s of %s, ", words_count(steps, (int64_t)s->steps, "step", "steps"),
                  words_count(processes, (int64_t)s->processes, "process", "processes"));
    if (!s->range) {
        document_span(out, SPAN_PLAIN, "the whole trace");
        return;
    }
    document_span(out, SPAN_PLAIN, "each an occurrence of ");
    document_span(out, SPAN_CODE, "%s", s->range);
    if (s->left_out)
        document_span(out, SPAN_PLAIN, "; the first of each process is left out");
}

/* ---- tables ---- */

static void add_work(const struct step_comparison *c, bool differs, const char *title, struct short_names *names,
                     struct document *out)
{
    const struct row_table table = {.lists = {&step_work_columns}, .formats = {ROW_TABLE}, .names = names};
    size_t rows = 0;
    for (size_t i = 0; i < c->work.count && rows < WORK_ROWS; i++) {
        if (c->work.items[i].differs != differs)
            continue;
        if (!rows++) {
            document_heading(out, 2, title);
            row_table_begin(out, &table);
        }
        row_table_row(out, &table, &c->work.items[i], NULL);
    }
}

static void add_tables(const struct step_comparison *c, struct short_names *names, struct document *out)
{
    static const struct row_table parts = {.lists = {&step_difference_columns}, .formats = {ROW_TABLE}};
    document_heading(out, 2, "Where the time of a step goes");
    row_table_add(out, &parts, c->measures, STEP_MEASURES);
    add_work(c, true, "Work that differs", names, out);
    add_work(c, false, "Other work, the largest change first", names, out);
}

int report_steps(const struct steps_report *r, struct document *out, struct err *e)
{
    struct short_names names;
    short_names_init(&names);
    const int rc = add_names(r->comparison, &names, e);
    if (!rc) {
        write_different_work(r->comparison, &names, out);
        write_verdict(r->comparison, out);
        write_side(r, 0, "A, before", out);
        write_side(r, 1, "B, after", out);
        add_tables(r->comparison, &names, out);
        words_caveats(out, r->sides, TRACE_SIDES);
    }
    short_names_release(&names);
    return rc ? rc : out->failed ? err_memory(e) : 0;
}
