/* json_csv.h - the rows of a result as CSV, made from its JSON: the columns have the names of the members there. */
#ifndef CPPROF_JSON_CSV_H
#define CPPROF_JSON_CSV_H

#include <stdbool.h>

#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/str.h"

/* The members that lead from the document to a list of rows. What stands on the way is in each of its rows; a list
 * without rows has one row with that alone. */
enum { JSON_ROWS_DEPTH = 3 };
struct json_rows {
    const char *path[JSON_ROWS_DEPTH + 1]; /* ends with NULL */
};

/* Appends a header and a line for each row. `lists` ends with an empty path; of several the column `section` says
 * which. Without any, the document is the row. "p50_ns" of the member "api" is the column api_p50_ns; lists inside a
 * row are left out; null is an empty cell. Texts are inert (reports/document/inert_cell.h). */
int json_csv(const json_t *document, const struct json_rows *lists, struct str *out, struct err *e);

#endif
