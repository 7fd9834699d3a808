/* What is a table of rows? */
#include <string.h>

#include "reports/rows/row_formats.h"
#include "reports/run/run_cases.h"
#include "reports/run/run_report.h"
#include "reports/trace_words.h"

static bool is_number(const struct row_column *column)
{
    return column->source.kind == ROW_NUMBER || column->source.kind == ROW_INTEGER;
}

size_t row_table_columns(const struct row_table *t, struct document_column out[ROW_PARTS_MAX * ROW_COLUMNS_MAX])
{
    size_t count = 0;
    for (size_t part = 0; part < ROW_PARTS_MAX && t->lists[part]; part++) {
        struct row_choice chosen;
        row_choose(&chosen, t->lists[part], t->formats[part]);
        for (size_t i = 0; i < chosen.count; i++)
            out[count++] = (struct document_column){chosen.items[i]->title.text, is_number(chosen.items[i])};
    }
    return count;
}

void row_table_begin(struct document *d, const struct row_table *t)
{
    struct document_column columns[ROW_PARTS_MAX * ROW_COLUMNS_MAX];
    document_table(d, columns, row_table_columns(t, columns));
}

/* The case of an arm, of which a report may say most once. */
static bool is_case(const struct row_column *column)
{
    return !strcmp(column->name, "shape") || !strcmp(column->name, "size");
}

static void add_number(struct document *d, const struct row_column *column, double value)
{
    if (column->title.style == ROW_SIGNED)
        words_cell_signed(d, column->unit, value);
    else
        document_cell_unit(d, column->unit, value);
}

static void add_plain(struct document *d, const struct row_column *column, const struct row_value *value)
{
    switch (value->type) {
    case ROW_UNKNOWN: document_cell(d, "%s", column->title.unknown ? column->title.unknown : "n/a"); break;
    case ROW_IS_TEXT: document_cell(d, "%s", is_case(column) ? case_short(d, value->text) : value->text); break;
    case ROW_IS_NUMBER: add_number(d, column, value->number); break;
    case ROW_IS_INTEGER: add_number(d, column, (double)value->integer); break;
    case ROW_IS_BOOLEAN: document_cell(d, "%s", value->boolean ? "yes" : "no"); break;
    }
}

static void add_shown(struct document *d, const struct row_column *column, const struct row_value *value,
                      const void *row, const void *context)
{
    struct str text;
    str_init(&text);
    column->title.show(&text, value, row, context);
    document_cell(d, "%s", is_case(column) ? case_short(d, str_text(&text)) : str_text(&text));
    d->failed |= text.failed;
    str_release(&text);
}

static void add_cell(struct document *d, const struct row_table *t, const struct row_column *column, const void *row,
                     struct str *scratch)
{
    const struct row_value value = row_value_of(column, row, t->context, scratch);
    const bool is_text = value.type == ROW_IS_TEXT;
    d->failed |= scratch->failed;
    if (column->title.show)
        add_shown(d, column, &value, row, t->context);
    else if (is_text && column->title.style == ROW_CODE)
        document_cell_code(d, t->code_columns ? words_fitted(d, value.text, t->code_columns) : value.text);
    else if (is_text && column->title.style == ROW_KERNEL)
        cell_kernel(d, t->names, value.text);
    else
        add_plain(d, column, &value);
}

void row_table_row(struct document *d, const struct row_table *t, const void *row, const void *second)
{
    const void *const rows[ROW_PARTS_MAX] = {row, second};
    struct str scratch;
    str_init(&scratch);
    for (size_t part = 0; part < ROW_PARTS_MAX && t->lists[part]; part++) {
        struct row_choice chosen;
        row_choose(&chosen, t->lists[part], t->formats[part]);
        for (size_t i = 0; i < chosen.count; i++)
            add_cell(d, t, chosen.items[i], rows[part], &scratch);
    }
    str_release(&scratch);
}

void row_table_add(struct document *d, const struct row_table *t, const void *rows, size_t count)
{
    row_table_begin(d, t);
    for (size_t i = 0; i < count; i++)
        row_table_row(d, t, (const char *)rows + i * t->lists[0]->row_bytes, NULL);
}
