/* settings_csv.h - a table of ours that people change by hand: CSV under a line
 * that names what it is and its version, "# cpprof.thresholds/1". */
#ifndef CPPROF_SETTINGS_CSV_H
#define CPPROF_SETTINGS_CSV_H

#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

enum { SETTINGS_COLUMNS_MAX = 16, SETTINGS_ROWS_MAX = 4096 };

struct settings_format {
    const char *name; /* "cpprof.thresholds" */
    int version;
    const char *printed_by;     /* the command that prints such a file, for messages */
    const char *const *columns; /* names; others in the file are passed over */
    size_t column_count;
    size_t needed_count; /* so many of the first ones must be there */
};

/* `fields` in the order of the format's columns, "" for one that is not there;
 * `place` is "FILE:LINE", to begin a message with. */
typedef int (*settings_row)(void *context, const char *const *fields, const char *place, struct err *e);

/* Calls `take` for each row. What is wrong with the file is ERR_USAGE with its place. */
int settings_csv_read(const char *path, const struct settings_format *format, settings_row take, void *context,
                      struct err *e);

/* The two lines that such a file begins with. */
void settings_csv_begin(struct str *out, const struct settings_format *format);

#endif
