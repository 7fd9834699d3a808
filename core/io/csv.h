/* csv.h - reads a CSV file row by row, with the line where each row began.
 *
 * Only csv.c includes libcsv's header. Quoting is strict: a stray or unclosed quote is an error with its place. */
#ifndef CPPROF_CSV_H
#define CPPROF_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/base/err.h"
#include "core/base/str.h"

enum { CSV_FIELD_BYTES_MAX = 1024 * 1024, CSV_LINE_BYTES_MAX = 4 * 1024 * 1024, CSV_FIELDS_MAX = 4096 };

/* `text` is terminated; it may hold further zero bytes. */
struct csv_field {
    const char *text;
    size_t length;
};

/* Valid until the next call on the reader. */
struct csv_row {
    const struct csv_field *fields;
    size_t count;
    int64_t line;    /* 1-based, where the row starts */
    bool terminated; /* ended by a newline; false only for the last row, which may be incomplete */
};

struct csv_reader;

/* Begins at the file's current position, which counts as line 1, and skips a UTF-8 byte-order mark. The caller keeps
 * `file`; messages name it `path`. `file` is NULL for a reader that is given text. */
int csv_reader_new(struct csv_reader **out, FILE *file, const char *path, struct err *e);
void csv_reader_free(struct csv_reader *r);

/* Goes on at `offset` of the file, where line number `line` begins, between two rows. */
int csv_reader_go_to(struct csv_reader *r, uint64_t offset, int64_t line, struct err *e);

/* Makes a copy of this text all that is left to read, in the middle of a file: no byte-order mark is skipped. For a
 * reader without a file, also after an error. */
int csv_reader_give_text(struct csv_reader *r, const char *text, size_t length, struct err *e);

/* Gives the next physical line without its newline, for a preamble that is not CSV, and does not consume it. The text
 * is not terminated, and is valid until the next call. Returns 1, 0 at the end, or an error code. */
int csv_reader_peek_line(struct csv_reader *r, const char **text, size_t *length, struct err *e);
void csv_reader_skip_line(struct csv_reader *r);
int64_t csv_reader_line(const struct csv_reader *r); /* number of the next line */

/* Returns how many bytes it has gone through: the next line begins there. */
uint64_t csv_reader_offset(const struct csv_reader *r);

/* Reads the next row and skips blank lines. Returns 1, 0 at the end, or an error code; the message of ERR_INPUT starts
 * with the place. After an error the reader must not be used. */
int csv_reader_next(struct csv_reader *r, struct csv_row *row, struct err *e);

/* Appends a field as CSV, quoted where needed. */
void csv_add_field(struct str *out, const char *text, size_t length);

#endif
