/* sqlite_rows.h - rows of the tables in an SQLite file that nobody vouches for.
 *
 * sqlite_rows.c is the only file that includes SQLite's header. The file is
 * mapped and read in place: nothing is opened, locked or written beside it, and
 * SQLite may only read tables. Views, triggers and computed columns of the file
 * are never run, and all reading together takes no longer than the size of the
 * file explains. */
#ifndef CPPROF_SQLITE_ROWS_H
#define CPPROF_SQLITE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

struct sqlite_file;
struct sqlite_rows;

enum sqlite_cell { SQLITE_CELL_NONE, SQLITE_CELL_INTEGER, SQLITE_CELL_TEXT, SQLITE_CELL_OTHER };

enum { SQLITE_TEXT_BYTES_MAX = 1024 * 1024, SQLITE_COLUMNS_MAX = 64 };

bool sqlite_file_is(const char *head, size_t bytes);

/* `file` stays the caller's and must live as long; `path` names it in messages. */
int sqlite_file_open(struct sqlite_file **out, FILE *file, const char *path, struct err *e);
void sqlite_file_close(struct sqlite_file *f);

/* How many bytes the database has by its own count; more than are there when it
 * was cut. What is left of such a one is read by whole pages. */
int64_t sqlite_file_own_bytes(const struct sqlite_file *f);
int64_t sqlite_file_bytes(const struct sqlite_file *f); /* that are there */

/* Has the file such a table? A view, a virtual table and a table with computed
 * columns are there and unusable: to read them is to run what the file says.
 * Below 0 it is an error code. */
enum { SQLITE_TABLE_ABSENT, SQLITE_TABLE_USABLE, SQLITE_TABLE_UNUSABLE };
int sqlite_file_has(struct sqlite_file *f, const char *table, struct err *e);

/* The rows of a table, in the order in which they are stored, with these
 * columns; one that the table lacks holds SQLITE_CELL_NONE in every row. */
int sqlite_rows_open(struct sqlite_rows **out, struct sqlite_file *f, const char *table, const char *const *columns,
                     size_t column_count, struct err *e);

/* The same, of the rows in which the integer column `key` has a value that
 * sqlite_rows_seek sets before the first step. */
int sqlite_rows_open_by(struct sqlite_rows **out, struct sqlite_file *f, const char *table, const char *key,
                        const char *const *columns, size_t column_count, struct err *e);
void sqlite_rows_seek(struct sqlite_rows *r, int64_t key);
void sqlite_rows_close(struct sqlite_rows *r);
bool sqlite_rows_has(const struct sqlite_rows *r, size_t column); /* whether the table has that column */

/* 1 and a row, 0 at the end, or an error code. */
int sqlite_rows_next(struct sqlite_rows *r, struct err *e);
int64_t sqlite_rows_number(const struct sqlite_rows *r); /* of the current row, from 1 */

/* The cells of the current row. Text is valid until the next step, and
 * terminated; it may hold further zero bytes. */
enum sqlite_cell sqlite_rows_type(const struct sqlite_rows *r, size_t column);
int64_t sqlite_rows_integer(const struct sqlite_rows *r, size_t column);                  /* 0 unless it is one */
const char *sqlite_rows_text(const struct sqlite_rows *r, size_t column, size_t *length); /* "" unless it is text */

#endif
