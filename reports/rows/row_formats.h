/* row_formats.h - rows in every format, by the list of their columns (core/io/row_columns.h). */
#ifndef CPPROF_ROW_FORMATS_H
#define CPPROF_ROW_FORMATS_H

#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/str.h"
#include "core/io/row_columns.h"
#include "core/trace/short_names.h"
#include "reports/document/document.h"

/* An object with a member for each column of ROW_JSON, and of `more` (0, ROW_JSON_MORE); of ROW_JSON_KNOWN where the
 * value is known. NULL when memory is out. */
json_t *row_json(const struct row_columns *list, unsigned more, const void *row, const void *context);
/* The same of each row, in an array. */
json_t *row_json_array(const struct row_columns *list, unsigned more, const void *rows, size_t count,
                       const void *context);
/* The object with the members of `more` behind its own. Takes both; NULL when either is. */
json_t *row_json_joined(json_t *object, json_t *more);

/* A header, then a line for each row; texts are inert (inert_cell.h), what is not known is an empty cell. */
int row_csv(const struct row_columns *list, const void *rows, size_t count, const void *context, struct str *out,
            struct err *e);

/* A table. Its rows may have a part from each of two lists, as an arm and one of its readings. */
enum { ROW_PARTS_MAX = 2 };
struct row_table {
    const struct row_columns *lists[ROW_PARTS_MAX]; /* the second may be NULL */
    unsigned formats[ROW_PARTS_MAX];
    const void *context;
    struct short_names *names; /* of its kernels; NULL of a table without ROW_KERNEL */
    size_t code_columns;       /* longer texts of ROW_CODE lose their middle; 0: none does */
};
/* Its columns, for a table that has more behind them. Returns their number. */
size_t row_table_columns(const struct row_table *t, struct document_column out[ROW_PARTS_MAX * ROW_COLUMNS_MAX]);
void row_table_begin(struct document *d, const struct row_table *t);
void row_table_row(struct document *d, const struct row_table *t, const void *row, const void *second);
/* The whole table, of one list. */
void row_table_add(struct document *d, const struct row_table *t, const void *rows, size_t count);

/* The table of a list in docs/json.md, a row for each member. */
void row_page_add(const struct row_columns *list, struct str *out);
/* The unit of a member where it has one, else NULL. */
const char *row_unit_name(const struct row_column *column);
/* The JSON Schema of a row with all members that JSON may have. It refers to the lists inside as #/$defs/NAME. */
json_t *row_schema(const struct row_columns *list);
/* Appends that name: the list's, with _ for blanks. */
void row_schema_name(const struct row_columns *list, struct str *out);

#endif
