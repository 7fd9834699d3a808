/* What does docs/json.md say of a result's members? */
#include "reports/rows/row_formats.h"

static bool has_unit(const struct row_column *column)
{
    const bool is_integer = column->source.kind == ROW_INTEGER && column->unit != UNIT_COUNT;
    return (is_integer || column->source.kind == ROW_NUMBER) && column->unit != UNIT_NONE;
}

const char *row_unit_name(const struct row_column *column)
{
    return has_unit(column) ? unit_name(column->unit) : NULL;
}

/* The unit where there is one, else what kind of value it is. */
static const char *holds(const struct row_column *column)
{
    static const char *const kinds[] = {[ROW_TEXT] = "text",       [ROW_NUMBER] = "number", [ROW_INTEGER] = "count",
                                        [ROW_BOOLEAN] = "boolean", [ROW_LIST] = "list",     [ROW_OBJECT] = "object"};
    const char *unit = row_unit_name(column);
    return unit ? unit : kinds[column->source.kind];
}

void row_page_add(const struct row_columns *list, struct str *out)
{
    struct row_choice chosen;
    row_choose(&chosen, list, ROW_ALL_JSON);
    str_add(out, "| member | holds | is |\n|---|---|---|\n");
    for (size_t i = 0; i < chosen.count; i++)
        str_addf(out, "| `%s` | %s | %s |\n", chosen.items[i]->name, holds(chosen.items[i]),
                 chosen.items[i]->description);
}
