/* sqlite_rows.h - reads rows of tables in an untrusted SQLite file.
 *
 * Only sqlite_rows.c includes SQLite's header. The file is mapped and read in place: no other file is opened, locked or
 * written, and SQLite may only read tables. Views, triggers and computed columns of the file never run. The time for
 * all reading is limited in proportion to the size of the file. */
#ifndef CPPROF_SQLITE_ROWS_H
#define CPPROF_SQLITE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/base/err.h"

struct sqlite_file;
struct sqlite_rows;

enum sqlite_cell { SQLITE_CELL_NONE, SQLITE_CELL_INTEGER, SQLITE_CELL_TEXT, SQLITE_CELL_OTHER };

enum { SQLITE_TEXT_BYTES_MAX = 1024 * 1024, SQLITE_COLUMNS_MAX = 64 };

bool sqlite_file_is(const char *head, size_t bytes);

/* The caller keeps `file`, which must live until sqlite_file_close; messages name it `path`. */
int sqlite_file_open(struct sqlite_file **out, FILE *file, const char *path, struct err *e);
void sqlite_file_close(struct sqlite_file *f);

/* Returns the database's size as its header states it. It is larger than the file when the file was truncated; the
 * complete pages of such a file are read. */
int64_t sqlite_file_own_bytes(const struct sqlite_file *f);
int64_t sqlite_file_bytes(const struct sqlite_file *f); /* bytes that the file has */

/* Does the file have this table? Views, virtual tables and tables with computed columns are UNUSABLE, because reading
 * them would run what the file defines. A value below 0 is an error code. */
enum { SQLITE_TABLE_ABSENT, SQLITE_TABLE_USABLE, SQLITE_TABLE_UNUSABLE };
int sqlite_file_has(struct sqlite_file *f, const char *table, struct err *e);

/* Opens the rows of a table in the order in which they are stored. A column that the table lacks is SQLITE_CELL_NONE in
 * every row. */
int sqlite_rows_open(struct sqlite_rows **out, struct sqlite_file *f, const char *table, const char *const *columns,
                     size_t column_count, struct err *e);

/* Does the same for the rows whose integer column `key` has the value that sqlite_rows_seek sets before the first
 * step. */
int sqlite_rows_open_by(struct sqlite_rows **out, struct sqlite_file *f, const char *table, const char *key,
                        const char *const *columns, size_t column_count, struct err *e);
void sqlite_rows_seek(struct sqlite_rows *r, int64_t key);
void sqlite_rows_close(struct sqlite_rows *r);
bool sqlite_rows_has(const struct sqlite_rows *r, size_t column); /* does the table have that column? */

/* Steps to the next row. Returns 1, 0 at the end, or an error code. */
int sqlite_rows_next(struct sqlite_rows *r, struct err *e);
int64_t sqlite_rows_number(const struct sqlite_rows *r); /* number of the current row, from 1 */

/* The cells of the current row. Text is valid until the next step. It is terminated, and may contain further zero
 * bytes. */
enum sqlite_cell sqlite_rows_type(const struct sqlite_rows *r, size_t column);
int64_t sqlite_rows_integer(const struct sqlite_rows *r, size_t column); /* 0 when it is not an integer */
const char *sqlite_rows_text(const struct sqlite_rows *r, size_t column, size_t *length); /* "" when it is not text */

#endif
