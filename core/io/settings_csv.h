/* settings_csv.h - reads our tables that people edit: CSV after a line with their kind and version, "#
 * cpprof.thresholds/1". */
#ifndef CPPROF_SETTINGS_CSV_H
#define CPPROF_SETTINGS_CSV_H

#include <stddef.h>

#include "core/base/err.h"
#include "core/base/str.h"

enum { SETTINGS_COLUMNS_MAX = 16, SETTINGS_ROWS_MAX = 4096 };

struct settings_format {
    const char *name; /* "cpprof.thresholds" */
    int version;
    const char *printed_by;     /* the command that prints a file of this kind, for messages */
    const char *const *columns; /* names; other columns of the file are ignored */
    size_t column_count;
    size_t needed_count; /* how many of the first columns are required */
};

/* Takes one row. `fields` are in the order of the format's columns, "" for one that the file lacks. `place` is
 * "FILE:LINE", to begin a message with. */
typedef int (*settings_row)(void *context, const char *const *fields, const char *place, struct err *e);

/* Calls `take` for each row. Errors in the file are ERR_USAGE with their place. */
int settings_csv_read(const char *path, const struct settings_format *format, settings_row take, void *context,
                      struct err *e);

/* Appends the first two lines of a file of this kind. */
void settings_csv_begin(struct str *out, const struct settings_format *format);

#endif
