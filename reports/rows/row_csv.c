/* What does a spreadsheet read of rows? */
#include <string.h>

#include "core/io/table.h"
#include "reports/document/inert_cell.h"
#include "reports/rows/row_formats.h"

static struct cell inert_text(struct table *t, const char *text, bool *failed)
{
    struct str inert;
    str_init(&inert);
    inert_cell_add(&inert, text, strlen(text));
    const struct cell cell = cell_text(t, str_text(&inert));
    *failed |= inert.failed;
    str_release(&inert);
    return cell;
}

static struct cell cell_of(struct table *t, const struct row_value *value, bool *failed)
{
    switch (value->type) {
    case ROW_UNKNOWN: break;
    case ROW_IS_TEXT: return inert_text(t, value->text, failed);
    case ROW_IS_NUMBER: return cell_number(value->number);
    case ROW_IS_INTEGER: return cell_integer(value->integer);
    case ROW_IS_BOOLEAN: return cell_text(t, value->boolean ? "yes" : "no");
    }
    return cell_missing(t, "");
}

static bool add_row(struct table *t, const struct row_choice *chosen, const void *row, const void *context)
{
    struct str scratch;
    struct cell *cells = table_add_row(t);
    bool failed = !cells;
    str_init(&scratch);
    for (size_t i = 0; !failed && i < chosen->count; i++) {
        const struct row_value value = row_value_of(chosen->items[i], row, context, &scratch);
        failed |= scratch.failed;
        cells[i] = cell_of(t, &value, &failed);
    }
    str_release(&scratch);
    return !failed;
}

int row_csv(const struct row_columns *list, const void *rows, size_t count, const void *context, struct str *out,
            struct err *e)
{
    struct row_choice chosen;
    struct column columns[ROW_COLUMNS_MAX] = {0};
    struct table t;
    row_choose(&chosen, list, ROW_CSV);
    for (size_t i = 0; i < chosen.count; i++)
        columns[i] = (struct column)COLUMN_ANY(chosen.items[i]->name, chosen.items[i]->unit);
    table_init(&t, columns, chosen.count);
    bool failed = false;
    for (size_t i = 0; i < count && !failed; i++)
        failed = !add_row(&t, &chosen, (const char *)rows + i * list->row_bytes, context);
    table_add_csv(&t, out);
    table_release(&t);
    return failed || out->failed ? err_memory(e) : 0;
}
