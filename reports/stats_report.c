/* What takes the time, how evenly, and what has changed between two traces? */
#include "reports/stats_report.h"

#include <math.h>

#include "analyzers/columns.h"
#include "core/base/count_of.h"
#include "reports/rows/row_formats.h"

enum { COLUMNS_MAX = 16, NAME_COLUMNS = 40, PAIR_NAME_COLUMNS = 28 }; /* 120 columns in all */

static const struct {
    const char *title;
    const char *subject; /* title of the column with the names */
    const char *one, *many;
} sections[STATISTICS_SECTIONS] = {
    [STATISTICS_KERNELS] = {"Kernels", "kernel", "launch", "launches"},
    [STATISTICS_COPIES] = {"Copies", "kind", "copy", "copies"},
    [STATISTICS_MEMSETS] = {"Memsets", "kind", "memset", "memsets"},
    [STATISTICS_MIGRATIONS] = {"Migrations of managed memory", "kind", "migration", "migrations"},
    [STATISTICS_API] = {"Calls on the host", "call", "call", "calls"},
};

static bool has_bytes(enum statistics_section section)
{
    return section > STATISTICS_KERNELS && section < STATISTICS_API;
}

static const struct document_column timed_pair_columns[] = {
    {"total A", true}, {"total B", true}, {"B - A", true},  {"B / A", true}, {"count A", true},
    {"count B", true}, {"mean A", true},  {"mean B", true}, {"p50 A", true}, {"p50 B", true}};
static const struct document_column sized_pair_columns[] = {
    {"total A", true}, {"total B", true}, {"B - A", true}, {"B / A", true},   {"count A", true},
    {"count B", true}, {"p50 A", true},   {"p50 B", true}, {"bytes A", true}, {"bytes B", true}};

/* Of the rows of one trace. */
static struct row_table table_of(const struct stats_report *r, enum statistics_section section)
{
    static const unsigned formats[][2] = {{ROW_TABLE, ROW_TABLE_2}, {ROW_TABLE_3, ROW_TABLE_4}};
    const bool has_idle = section != STATISTICS_API && statistics_by_owner(r->statistics[0].by);
    return (struct row_table){.lists = {&statistics_columns}, .formats = {formats[has_idle][has_bytes(section)]}};
}

static const char *const owner_subjects[] = {[STATISTICS_BY_OPERATOR] = "operator",
                                             [STATISTICS_BY_MODULE] = "module",
                                             [STATISTICS_BY_FRAME] = "frame",
                                             [STATISTICS_BY_RANGE] = "range",
                                             [STATISTICS_BY_STEP] = "step"};

static const char *subject_of(const struct stats_report *r, enum statistics_section section)
{
    const enum statistics_by by = r->statistics[0].by;
    return statistics_by_owner(by) ? owner_subjects[by] : sections[section].subject;
}

static bool has_place(const struct stats_report *r)
{
    const enum statistics_by by = r->statistics[0].by;
    return by == STATISTICS_BY_STREAM || by == STATISTICS_BY_DEVICE ||
           (by == STATISTICS_BY_STEP && (r->statistics[0].has_ranks || r->statistics[1].has_ranks));
}

/* Behind the columns that are there already: where (by stream and by device), then the name. */
static void begin_table(const struct stats_report *r, enum statistics_section section, struct document_column *columns,
                        size_t count, struct document *out)
{
    if (has_place(r))
        columns[count++] = (struct document_column){"where", false};
    columns[count++] = (struct document_column){subject_of(r, section), false};
    document_table(out, columns, count);
}

static void begin_rows(const struct stats_report *r, enum statistics_section section, struct document *out)
{
    const struct row_table table = table_of(r, section);
    struct document_column columns[ROW_PARTS_MAX * ROW_COLUMNS_MAX];
    begin_table(r, section, columns, row_table_columns(&table, columns), out);
}

static void begin_pairs(const struct stats_report *r, enum statistics_section section, struct document *out)
{
    struct document_column columns[COLUMNS_MAX];
    const struct document_column *own = has_bytes(section) ? sized_pair_columns : timed_pair_columns;
    for (size_t i = 0; i < COUNT_OF(timed_pair_columns); i++)
        columns[i] = own[i];
    begin_table(r, section, columns, COUNT_OF(timed_pair_columns), out);
}

static const char *name_of_row(const struct stats_report *r, const struct statistics_row *row, struct document *out)
{
    const bool is_kernel_name = row->section == STATISTICS_KERNELS && r->statistics[0].by == STATISTICS_BY_NAME;
    const size_t columns = r->side_count > 1 ? PAIR_NAME_COLUMNS : NAME_COLUMNS;
    if (statistics_by_owner(r->statistics[0].by) && r->style == NAMES_SHORT)
        return words_end(out, short_names_full(r->names, row->name), columns);
    return words_name(out, r->names, row->name, is_kernel_name ? r->style : NAMES_FULL, columns);
}

static void add_identity(const struct stats_report *r, const struct statistics_row *row, struct document *out)
{
    const bool is_host = row->section == STATISTICS_API;
    const enum statistics_by by = r->statistics[0].by;
    if (by == STATISTICS_BY_STEP && has_place(r)) {
        document_cell(out, row->rank >= 0 ? "rank %d" : "-", (int)row->rank);
    } else if (has_place(r)) {
        const char *place = words_place(out, row->rank, row->device, is_host);
        if (by == STATISTICS_BY_STREAM)
            document_cell(out, "%s, %s %u", place, is_host ? "thread" : "stream", (unsigned)row->stream);
        else
            document_cell(out, "%s", place);
    }
    document_cell_code(out, name_of_row(r, row, out));
}

static void add_row(const struct stats_report *r, const struct statistics_row *row, struct document *out)
{
    const struct row_table table = table_of(r, row->section);
    row_table_row(out, &table, row, NULL);
    add_identity(r, row, out);
}

static bool is_shown(const struct stats_report *r, size_t rows_before)
{
    return !r->top || rows_before < r->top;
}

static void write_left_out(size_t rows, double total_ns, struct document *out)
{
    if (!rows)
        return;
    char total[UNITS_TEXT_BYTES];
    document_paragraph(out);
    document_span(out, SPAN_PLAIN, "%zu more with %s together are left out; 'cpprof stats --top' shows them.", rows,
                  unit_format(total, UNIT_NS, total_ns));
}

static void add_section(const struct stats_report *r, enum statistics_section section, struct document *out)
{
    const struct trace_statistics *s = &r->statistics[0];
    size_t rows = 0, left_out = 0;
    double left_out_ns = 0;
    for (size_t i = 0; i < s->count; i++) {
        const struct statistics_row *row = &s->items[i];
        if (row->section != section)
            continue;
        if (!rows) {
            document_heading(out, 2, sections[section].title);
            begin_rows(r, section, out);
        }
        if (is_shown(r, rows++)) {
            add_row(r, row, out);
        } else {
            left_out++;
            left_out_ns += (double)row->durations.total_ns;
        }
    }
    write_left_out(left_out, left_out_ns, out);
}

/* ---- two traces ---- */

/* What one side has of a pair; nothing at all is "-", which is not "n/a". */
static void add_side_cell(const struct statistics_row *row, enum unit unit, double value, struct document *out)
{
    if (row)
        document_cell_unit(out, unit, value);
    else
        document_cell(out, "-");
}

static double total_ns(const struct statistics_row *row)
{
    return row ? (double)row->durations.total_ns : 0;
}

static double operations(const struct statistics_row *row)
{
    return row ? (double)(row->durations.count + row->unfinished) : 0;
}

static void add_totals(const struct statistics_pair *p, struct document *out)
{
    add_side_cell(p->a, UNIT_NS, total_ns(p->a), out);
    add_side_cell(p->b, UNIT_NS, total_ns(p->b), out);
    words_cell_signed(out, UNIT_NS, total_ns(p->b) - total_ns(p->a));
    if (!p->a || !p->b)
        document_cell(out, "only in %s", p->a ? "A" : "B");
    else
        document_cell_unit(out, UNIT_FACTOR, words_ratio(total_ns(p->b), total_ns(p->a)));
    add_side_cell(p->a, UNIT_COUNT, operations(p->a), out);
    add_side_cell(p->b, UNIT_COUNT, operations(p->b), out);
}

static void add_pair(const struct stats_report *r, const struct statistics_pair *p, struct document *out)
{
    const struct statistics_row *any = p->a ? p->a : p->b;
    add_totals(p, out);
    if (!has_bytes(any->section)) {
        add_side_cell(p->a, UNIT_NS, p->a ? p->a->durations.mean_ns : NAN, out);
        add_side_cell(p->b, UNIT_NS, p->b ? p->b->durations.mean_ns : NAN, out);
    }
    add_side_cell(p->a, UNIT_NS, p->a ? p->a->durations.p50_ns : NAN, out);
    add_side_cell(p->b, UNIT_NS, p->b ? p->b->durations.p50_ns : NAN, out);
    if (has_bytes(any->section)) {
        add_side_cell(p->a, UNIT_BYTES, p->a ? (double)p->a->size_bytes : NAN, out);
        add_side_cell(p->b, UNIT_BYTES, p->b ? (double)p->b->size_bytes : NAN, out);
    }
    add_identity(r, any, out);
}

static void add_pair_section(const struct stats_report *r, enum statistics_section section, struct document *out)
{
    size_t rows = 0, left_out = 0;
    double left_out_ns = 0;
    for (size_t i = 0; i < r->pairs->count; i++) {
        const struct statistics_pair *p = &r->pairs->items[i];
        if ((p->a ? p->a : p->b)->section != section)
            continue;
        if (!rows) {
            document_heading(out, 2, sections[section].title);
            begin_pairs(r, section, out);
        }
        if (is_shown(r, rows++)) {
            add_pair(r, p, out);
        } else {
            left_out++;
            left_out_ns += total_ns(p->a) + total_ns(p->b);
        }
    }
    write_left_out(left_out, left_out_ns, out);
}

/* ---- the first lines ---- */

static void write_share(const struct trace_statistics *s, enum statistics_section section, const char *word,
                        const char *before, struct str *text)
{
    char share[UNITS_TEXT_BYTES];
    str_addf(text, "%s%s %s", before, word,
             unit_format(share, UNIT_RATIO, words_ratio((double)s->section_ns[section], (double)s->gpu_ns)));
}

/* "GPU work 12.0 us in 3 operations: kernels 75.0%, copies 25.0%; calls on the host 1.2 us" */
static void write_totals(const struct trace_statistics *s, struct str *text)
{
    char total[UNITS_TEXT_BYTES], count[UNITS_TEXT_BYTES];
    if (s->gpu_count) {
        str_addf(text, "GPU work %s in %s: ", unit_format(total, UNIT_NS, (double)s->gpu_ns),
                 words_count(count, s->gpu_count, "operation", "operations"));
        write_share(s, STATISTICS_KERNELS, "kernels", "", text);
        for (int section = STATISTICS_COPIES; section < STATISTICS_API; section++)
            if (section == STATISTICS_COPIES || s->section_count[section])
                write_share(s, (enum statistics_section)section, sections[section].many, ", ", text);
    } else {
        str_add(text, "no GPU work");
    }
    if (s->section_count[STATISTICS_API])
        str_addf(text, "; calls on the host %s in %s",
                 unit_format(total, UNIT_NS, (double)s->section_ns[STATISTICS_API]),
                 unit_format(count, UNIT_COUNT, (double)s->section_count[STATISTICS_API]));
}

/* "60 launches instead of 68": a ratio of sums is no ratio of speeds then. */
static void write_counts(const struct stats_report *r, enum statistics_section section, struct str *text)
{
    const int64_t a = r->statistics[0].section_count[section], b = r->statistics[1].section_count[section];
    char b_text[UNITS_TEXT_BYTES], a_text[UNITS_TEXT_BYTES];
    if (a != b)
        str_addf(text, "%s%s %s instead of %s", text->length ? ", " : "", unit_format(b_text, UNIT_COUNT, (double)b),
                 b == 1 ? sections[section].one : sections[section].many, unit_format(a_text, UNIT_COUNT, (double)a));
}

/* "GPU work 68.0 us in A, 62.1 us in B (0.913x, 60 launches instead of 68)", of the sections from first to last. */
static void write_change(const struct stats_report *r, const char *what, enum statistics_section first,
                         enum statistics_section last, struct str *text)
{
    double ns[TRACE_SIDES] = {0};
    char a[UNITS_TEXT_BYTES], b[UNITS_TEXT_BYTES], factor[UNITS_TEXT_BYTES];
    struct str behind;
    for (size_t side = 0; side < TRACE_SIDES; side++)
        for (int section = (int)first; section <= (int)last; section++)
            ns[side] += (double)r->statistics[side].section_ns[section];
    str_init(&behind);
    if (ns[0] > 0)
        str_add(&behind, unit_format(factor, UNIT_FACTOR, ns[1] / ns[0]));
    for (int section = (int)first; section <= (int)last; section++)
        write_counts(r, (enum statistics_section)section, &behind);
    str_addf(text, "%s %s in A, %s in B", what, unit_format(a, UNIT_NS, ns[0]), unit_format(b, UNIT_NS, ns[1]));
    if (behind.length)
        str_addf(text, " (%s)", str_text(&behind));
    text->failed |= behind.failed;
    str_release(&behind);
}

static void write_changes(const struct stats_report *r, struct str *text)
{
    const struct trace_statistics *a = &r->statistics[0], *b = &r->statistics[1];
    write_change(r, "GPU work", STATISTICS_KERNELS, STATISTICS_API - 1, text);
    if (a->section_count[STATISTICS_API] || b->section_count[STATISTICS_API])
        write_change(r, "; calls on the host", STATISTICS_API, STATISTICS_API, text);
}

static void write_unfinished(const struct stats_report *r, struct document *out)
{
    int64_t unfinished = 0;
    for (size_t i = 0; i < r->side_count; i++)
        unfinished += r->statistics[i].unfinished;
    if (!unfinished)
        return;
    document_paragraph(out);
    document_span(out, SPAN_PLAIN, "Operations that never ended: %lld (counted, not measured).", (long long)unfinished);
}

int report_stats(const struct stats_report *r, struct document *out, struct err *e)
{
    struct str answer;
    str_init(&answer);
    for (size_t i = 0; i < r->side_count && !answer.length; i++)
        str_add(&answer, words_in_doubt(r->sides[i].caveats));
    if (r->side_count == 1)
        write_totals(&r->statistics[0], &answer);
    else
        write_changes(r, &answer);
    words_answer(out, &answer);
    words_sources(out, r->sides, r->side_count);
    write_unfinished(r, out);
    for (int section = 0; section < STATISTICS_SECTIONS; section++) {
        if (r->side_count == 1)
            add_section(r, (enum statistics_section)section, out);
        else
            add_pair_section(r, (enum statistics_section)section, out);
    }
    words_caveats(out, r->sides, r->side_count);
    return out->failed ? err_memory(e) : 0;
}
