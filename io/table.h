/* table.h - typed, unit-tagged columns; a missing cell carries its reason. */
#ifndef CPPROF_TABLE_H
#define CPPROF_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "base/units.h"

enum cell_type { CELL_MISSING, CELL_NUMBER, CELL_INTEGER, CELL_TEXT };

struct cell {
    enum cell_type type;
    union {
        double number;
        int64_t integer;
        const char *text; /* owned by the table's arena; for CELL_MISSING the reason */
    };
};

enum column_trait {
    COLUMN_REQUIRED = 1,  /* never missing */
    COLUMN_KEY = 2,       /* no two rows agree in all columns that are so; missing cells agree */
    COLUMN_KEY_KNOWN = 4, /* the same, and a row in which it is missing is like no other */
    COLUMN_WHOLE = 8,     /* whole numbers */
};

enum column_range { RANGE_ANY, RANGE_FROM_0, RANGE_ABOVE_0, RANGE_FROM_1, RANGE_SHARE /* 0 to 1 */ };

/* What the cells of a column may hold (io/table_check.h); zeroed: anything. */
struct column_rule {
    unsigned traits; /* enum column_trait */
    enum column_range range;
    const char *words; /* the only ones that a text may be, blanks between them; NULL: any */
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
    const struct column *columns; /* not owned: static const schema, or the arena's */
    size_t column_count;
    size_t optional_count; /* of the last columns: a file may lack them, their cells are missing then */
    struct cell *items;    /* row-major */
    size_t count;          /* cells, = rows * column_count */
    size_t capacity;
};

void table_init(struct table *t, const struct column *columns, size_t column_count);
void table_release(struct table *t);
size_t table_rows(const struct table *t);
const struct cell *table_at(const struct table *t, size_t row, size_t column);

/* Appends a row of missing cells and returns its first cell, or NULL. */
struct cell *table_add_row(struct table *t);
struct cell cell_number(double value); /* not finite: missing, "not a number" */
struct cell cell_integer(int64_t value);
struct cell cell_text(struct table *t, const char *text); /* copied */
struct cell cell_missing(struct table *t, const char *reason);
/* What is there is missing from now on, for that reason. */
void table_clear(struct table *t, size_t row, size_t column, const char *reason);

/* Only the first `rows` rows stay. */
void table_truncate(struct table *t, size_t rows);

/* Text columns only; "" for other cells. Numbers: NAN for other cells. */
const char *table_text(const struct table *t, size_t row, size_t column);
double table_number(const struct table *t, size_t row, size_t column);

/* CSV in our own dialect: header row with the column names, base units, empty
 * cell = missing. Reading takes columns by name in any order, refuses a file
 * that lacks one that is not optional, ignores ones it does not know; when a row is bad or cut, the
 * rows before it stay in the table. Implemented in readers/table_csv.c. */
int table_read_csv(struct table *t, const char *path, struct err *e);
/* The same from a file that is open, which stays the caller's; `path` names it in messages. */
int table_read_csv_from(struct table *t, FILE *file, const char *path, struct err *e);
void table_add_csv(const struct table *t, struct str *out);                   /* header and rows, as text */
int table_append_csv(const struct table *t, const char *path, struct err *e); /* header if the file is new */

#endif
