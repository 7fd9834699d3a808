/* Do JSON files that are made from lists of columns say what the lists say?
 * usage: made_json [--refresh] WHAT FILE      --refresh writes the file anew
 *
 * WHAT is `schema`: the rows of all documents, docs/schema/columns.json, to which the schemas beside it refer; or
 * `tables`: the columns of a bundle's tables, for the Python package. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/columns.h"
#include "core/base/count_of.h"
#include "core/base/files.h"
#include "core/bundle/bundle_tables.h"
#include "reports/rows/row_formats.h"
#include "tests/docs/page_difference.h"

enum { FILE_BYTES_MAX = 1024 * 1024 };

static bool has_json(const struct row_columns *list)
{
    struct row_choice chosen;
    row_choose(&chosen, list, ROW_ALL_JSON);
    return chosen.count > 0;
}

/* Lists of one name say the same (test_row_columns). */
static json_t *schema_of_rows(void)
{
    json_t *rows = json_object();
    for (size_t i = 0; i < column_list_count; i++) {
        struct str name;
        str_init(&name);
        row_schema_name(column_lists[i], &name);
        if (has_json(column_lists[i]) && !json_object_get(rows, str_text(&name)))
            json_object_set_new(rows, str_text(&name), row_schema(column_lists[i]));
        str_release(&name);
    }
    return json_pack("{ss ss so}", "$schema", "https://json-schema.org/draft/2020-12/schema", "description",
                     "The rows of all documents, made from the lists of their columns. A description begins with the "
                     "unit, as in [ns].",
                     "$defs", rows);
}

static json_t *columns_of(const struct table *table)
{
    json_t *columns = json_array();
    for (size_t i = 0; i < table->column_count; i++) {
        const struct column *c = &table->columns[i];
        json_array_append_new(columns, json_pack("{ss ss sb sb}", "name", c->name, "unit", unit_name(c->unit), "whole",
                                                 (c->rule.traits & COLUMN_WHOLE) != 0, "may_lack",
                                                 i + table->optional_count >= table->column_count));
    }
    return columns;
}

/* By the name of the file without its ending. */
static json_t *bundle_tables(void)
{
    json_t *tables = json_object();
    for (int which = 0; which < BUNDLE_TABLE_COUNT; which++) {
        struct table table;
        char name[64];
        snprintf(name, sizeof name, "%s", bundle_table_file((enum bundle_table)which));
        *strrchr(name, '.') = '\0';
        bundle_table_init(&table, (enum bundle_table)which);
        json_object_set_new(tables, name, columns_of(&table));
        table_release(&table);
    }
    return tables;
}

static const struct {
    const char *name;
    json_t *(*make)(void);
} made[] = {{"schema", schema_of_rows}, {"tables", bundle_tables}};

static char *make(const char *what)
{
    for (size_t i = 0; i < COUNT_OF(made); i++)
        if (!strcmp(made[i].name, what)) {
            json_t *value = made[i].make();
            char *text = value ? json_to_text(value) : NULL;
            json_decref(value);
            return text;
        }
    fprintf(stderr, "made_json: nothing is called '%s'\n", what);
    return NULL;
}

static int compare(const char *path, const char *should, struct err *e)
{
    struct str is;
    str_init(&is);
    const int status =
        files_read(path, FILE_BYTES_MAX, &is, e) ? 1 : page_difference(path, str_text(&is), should, "refresh_docs");
    str_release(&is);
    return status;
}

int main(int argc, char **argv)
{
    const bool refresh = argc == 4 && !strcmp(argv[1], "--refresh");
    if (argc != 3 && !refresh) {
        fprintf(stderr, "usage: made_json [--refresh] schema|tables FILE\n");
        return 2;
    }
    struct err e = {0};
    const char *path = argv[argc - 1];
    char *text = make(argv[argc - 2]);
    const int status = !text     ? 1
                       : refresh ? files_write_atomic(path, text, strlen(text), &e) != 0
                                 : compare(path, text, &e);
    if (e.code)
        fprintf(stderr, "made_json: %s\n", e.text);
    free(text);
    return status;
}
