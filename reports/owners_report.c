/* Who launched the work, and how long does a step take? */
#include "reports/owners_report.h"

#include <string.h>

#include "analyzers/columns.h"
#include "core/base/units.h"
#include "reports/rows/row_formats.h"
#include "reports/trace_words.h"

enum { ROWS_SHOWN = 8, ROWS_KEPT = 3, NAME_COLUMNS = 60 };

static const char *name_of(const struct capture_facts *f, const struct owner_time *row, struct document *d)
{
    return words_end(d, short_names_full(&f->owners.names, row->name), NAME_COLUMNS);
}

/* Work that nobody is known to have launched has a name in parentheses. */
static const struct owner_time *first_known(const struct capture_facts *f, enum owner_table table)
{
    for (size_t i = 0; i < f->owners.tables[table].count; i++)
        if (*short_names_full(&f->owners.names, f->owners.tables[table].items[i].name) != '(')
            return &f->owners.tables[table].items[i];
    return NULL;
}

/* Before whose work devices were idle for longest. */
static const struct owner_time *longest_idle(const struct capture_facts *f, enum owner_table table)
{
    const struct owner_time *longest = first_known(f, table);
    for (size_t i = 0; i < f->owners.tables[table].count; i++) {
        const struct owner_time *row = &f->owners.tables[table].items[i];
        if (row->idle_ns > longest->idle_ns && *short_names_full(&f->owners.names, row->name) != '(')
            longest = row;
    }
    return longest;
}

/* What is on the first screen: of the first table that is not of ranges, which have a section of their own. */
static void write_answer(const struct capture_facts *f, struct document *d)
{
    char total[UNITS_TEXT_BYTES], idle[UNITS_TEXT_BYTES];
    enum owner_table table = OWNERS_OPERATOR;
    while (table < OWNERS_RANGE && !first_known(f, table))
        table++;
    if (table == OWNERS_RANGE)
        return;
    const struct owner_time *most = first_known(f, table), *idlest = longest_idle(f, table);
    document_paragraph(d);
    document_span(d, SPAN_PLAIN, "most by %s ", owner_table_word(table));
    document_span(d, SPAN_CODE, "%s", name_of(f, most, d));
    document_span(d, SPAN_PLAIN, ": %s of GPU work, with the GPU idle for %s before it",
                  unit_format(total, UNIT_NS, (double)most->total_ns),
                  unit_format(idle, UNIT_NS, (double)most->idle_ns));
    if (idlest == most)
        return;
    document_span(d, SPAN_PLAIN, "; it is idle longest, %s, before ",
                  unit_format(idle, UNIT_NS, (double)idlest->idle_ns));
    document_span(d, SPAN_CODE, "%s", name_of(f, idlest, d));
}

static void add_table(const struct capture_facts *f, enum owner_table table, const char *path, struct document *d)
{
    const struct row_table rows = {.lists = {&owner_time_columns}, .formats = {ROW_TABLE}, .context = &f->owners.names};
    struct document_column columns[ROW_PARTS_MAX * ROW_COLUMNS_MAX];
    const size_t count = f->owners.tables[table].count, shown = count < ROWS_SHOWN ? count : ROWS_SHOWN;
    size_t column_count = row_table_columns(&rows, columns);
    if (!count)
        return;
    columns[column_count++] = (struct document_column){owner_table_word(table), false};
    document_table(d, columns, column_count);
    for (size_t i = 0; i < shown; i++) {
        row_table_row(d, &rows, &f->owners.tables[table].items[i], NULL);
        document_cell_code(d, name_of(f, &f->owners.tables[table].items[i], d));
    }
    document_table_keep(d, ROWS_KEPT);
    if (count == shown)
        return;
    document_paragraph(d);
    document_span(d, SPAN_PLAIN, "%zu more; ", count - shown);
    document_span(d, SPAN_CODE, "cpprof stats %s --by %s", path, owner_table_key(table));
}

/* Who launched work of a capture is known by its ranges alone, which have a section of their own. */
void owners_report_add(const struct capture_facts *f, const char *path, struct document *d)
{
    const enum tier tier = d->tier;
    write_answer(f, d);
    for (int table = 0; table < OWNERS_RANGE; table++)
        add_table(f, (enum owner_table)table, path, d);
    if (!f->owners.tables[OWNERS_OPERATOR].count)
        document_tier(d, TIER_ALL);
    add_table(f, OWNERS_RANGE, path, d);
    document_tier(d, tier);
}

/* ---- steps ---- */

static void write_steps(const struct program_steps *s, struct document *d)
{
    char first[UNITS_TEXT_BYTES], middle[UNITS_TEXT_BYTES], slowest[UNITS_TEXT_BYTES];
    document_paragraph(d);
    document_span(d, SPAN_PLAIN, "%zu (", s->steps);
    document_span(d, SPAN_CODE, "%s", str_text(&s->range));
    document_span(d, SPAN_PLAIN, "): first %s, median %s, slowest %s",
                  unit_format(first, UNIT_NS, (double)s->rows[0].time_ns),
                  unit_format(middle, UNIT_NS, (double)s->rows[1].time_ns),
                  unit_format(slowest, UNIT_NS, (double)s->rows[2].time_ns));
}

void program_steps_report_add(const struct capture_facts *f, struct document *d)
{
    const struct row_table rows = {.lists = {&program_step_columns}, .formats = {ROW_TABLE}};
    const struct program_steps *s = &f->steps;
    if (!s->row_count)
        return;
    write_steps(s, d);
    row_table_add(d, &rows, s->rows, s->row_count);
    document_table_keep(d, PROGRAM_STEPS_ROWS);
}

/* ---- JSON ---- */

json_t *json_owners(const struct capture_facts *f)
{
    json_t *all = json_object();
    for (int table = 0; table < OWNER_TABLES; table++) {
        const size_t count = f->owners.tables[table].count;
        json_object_set_new(
            all, owner_table_key((enum owner_table)table),
            count ? row_json_array(&owner_time_columns, 0, f->owners.tables[table].items, count, &f->owners.names)
                  : json_null());
    }
    return all;
}

json_t *json_program_steps(const struct capture_facts *f)
{
    const struct program_steps *s = &f->steps;
    if (!s->row_count)
        return json_null();
    return json_pack("{ss sI sI so}", "range", str_text(&s->range), "steps", (json_int_t)s->steps, "processes",
                     (json_int_t)s->processes, "rows",
                     row_json_array(&program_step_columns, 0, s->rows, s->row_count, NULL));
}
