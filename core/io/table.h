/* table.h - tables of typed columns with units. A missing cell has a reason. */
#ifndef CPPROF_TABLE_H
#define CPPROF_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/str.h"
#include "core/base/units.h"

enum cell_type { CELL_MISSING, CELL_NUMBER, CELL_INTEGER, CELL_TEXT };

struct cell {
    enum cell_type type;
    union {
        double number;
        int64_t integer;
        const char *text; /* owned by the table's arena; the reason of CELL_MISSING */
    };
};

enum column_trait {
    COLUMN_REQUIRED = 1,  /* never missing */
    COLUMN_KEY = 2,       /* no two rows agree in all columns with this trait; missing cells agree */
    COLUMN_KEY_KNOWN = 4, /* the same, but a row with a missing cell agrees with no other */
    COLUMN_WHOLE = 8,     /* whole numbers */
};

enum column_range { RANGE_ANY, RANGE_FROM_0, RANGE_ABOVE_0, RANGE_FROM_1, RANGE_SHARE /* 0 to 1 */ };

/* What the cells of a column may hold (core/io/table_check.h). Zeroed: anything. */
struct column_rule {
    unsigned traits; /* enum column_trait */
    enum column_range range;
    const char *words; /* the only texts allowed, separated by blanks; NULL: any */
};

struct column {
    const char *name; /* as in the CSV header */
    enum unit unit;   /* UNIT_TEXT for text columns */
    struct column_rule rule;
};

/* A column that may hold anything. */
#define COLUMN_ANY(name, unit)                                                                                         \
    {                                                                                                                  \
        (name), (unit),                                                                                                \
        {                                                                                                              \
            0, RANGE_ANY, NULL                                                                                         \
        }                                                                                                              \
    }

struct table {
    struct arena arena;
    const struct column *columns; /* a static const schema, or owned by the arena */
    size_t column_count;
    size_t optional_count; /* how many of the last columns a file may lack; their cells are then missing */
    struct cell *items;    /* row-major */
    size_t count;          /* number of cells, rows * column_count */
    size_t capacity;
};

void table_init(struct table *t, const struct column *columns, size_t column_count);
void table_release(struct table *t);
size_t table_rows(const struct table *t);
const struct cell *table_at(const struct table *t, size_t row, size_t column);

/* Appends a row of missing cells and returns its first cell; NULL when memory is out. */
struct cell *table_add_row(struct table *t);
struct cell cell_number(double value); /* not finite: missing, with the reason "not a number" */
struct cell cell_integer(int64_t value);
struct cell cell_text(struct table *t, const char *text); /* copies the text */
struct cell cell_missing(struct table *t, const char *reason);
/* Makes a cell missing, with that reason. */
void table_clear(struct table *t, size_t row, size_t column, const char *reason);

/* Removes all rows after the first `rows`. */
void table_truncate(struct table *t, size_t rows);

/* Return the value of a cell: the text of a text cell, else ""; the number of a number cell, else NAN. */
const char *table_text(const struct table *t, size_t row, size_t column);
double table_number(const struct table *t, size_t row, size_t column);

/* CSV in our own dialect: a header with the column names, values in base units, an empty cell for a missing one.
 *
 * Reading finds columns by name in any order, ignores unknown ones, and refuses a file that lacks a required one. When
 * a row is invalid or incomplete, the rows before it stay in the table. Implemented in core/io/table_csv.c. */
int table_read_csv(struct table *t, const char *path, struct err *e);
/* Does the same from an open file. The caller keeps `file`; messages name it `path`. */
int table_read_csv_from(struct table *t, FILE *file, const char *path, struct err *e);
void table_add_csv(const struct table *t, struct str *out);                   /* appends header and rows as text */
int table_append_csv(const struct table *t, const char *path, struct err *e); /* with a header if the file is new */

#endif
