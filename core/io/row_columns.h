/* row_columns.h - the columns of a result as data. One line in a list gives a column's name, where its row has the
 * value, its formats and its meaning. reports/rows/ writes every format from these lists, and docs/json.md is generated
 * from them. */
#ifndef CPPROF_ROW_COLUMNS_H
#define CPPROF_ROW_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/count_of.h"
#include "core/base/reason.h"
#include "core/base/str.h"
#include "core/base/units.h"

/* The formats that have a column. A result may appear in several tables, or in shorter ones with fewer columns. */
enum row_format {
    ROW_JSON = 1,
    ROW_JSON_MORE = 2, /* in some rows only; the list states in which */
    ROW_CSV = 4,
    ROW_TABLE = 8,
    ROW_TABLE_2 = 16,
    ROW_TABLE_3 = 32,
    ROW_TABLE_4 = 64,
    ROW_JSON_KNOWN = 128, /* JSON, but without the member where its value is not known: other columns are null then */
    ROW_ALL_JSON = ROW_JSON | ROW_JSON_MORE | ROW_JSON_KNOWN
};

enum row_kind { ROW_TEXT, ROW_NUMBER, ROW_INTEGER, ROW_BOOLEAN, ROW_LIST, ROW_OBJECT };

struct row_value {
    enum { ROW_UNKNOWN, ROW_IS_TEXT, ROW_IS_NUMBER, ROW_IS_INTEGER, ROW_IS_BOOLEAN } type;
    union {
        const char *text;
        double number; /* finite */
        int64_t integer;
        bool boolean;
    };
};
struct row_value row_unknown(void);
struct row_value row_text(const char *text);            /* NULL: unknown */
struct row_value row_text_or_unknown(const char *text); /* "" is unknown, too */
struct row_value row_number(double value);              /* not finite: unknown */
struct row_value row_integer(int64_t value);
struct row_value row_whole_or_number(double value); /* an integer where it has no fraction */
struct row_value row_boolean(bool value);
struct row_value row_ratio(double part, double whole); /* unknown unless whole > 0 */

/* Computes a value that is not one member of its row. `context` is given to the writer by its caller. The text of the
 * value may be built in `scratch`, which is empty. */
typedef struct row_value row_maker(const void *row, const void *context, struct str *scratch);

/* Returns the number of rows inside a row, and the first of them. An object has one row, or none where it is not known.
 * Some rows at NULL: memory is out. */
typedef size_t row_inner(const void *row, const void *context, const void **items);

struct row_columns;

/* Where a row has the value. The macros below make it. */
struct row_source {
    enum row_kind kind;
    enum { ROW_AS_TEXT, ROW_AS_DOUBLE, ROW_AS_INT64, ROW_AS_SIZE, ROW_AS_INT, ROW_AS_BOOL, ROW_AS_REASON } member;
    size_t offset;
    bool empty_is_unknown; /* "", or an int below 0 */
    row_maker *make;       /* NULL: the member at `offset` */
    row_inner *inner;
    const struct row_columns *inside; /* the columns of an object or a list of objects; NULL for a list of texts or of
                                         integers (int64_t) */
    const struct reason *reasons;     /* the table of an enum */
};

/* A member of a struct; its kind follows from its type. Other types, such as an enum, do not compile: they need a
 * function (ROW_MADE). */
#define ROW_AT(type, field)                                                                                                  \
    {                                                                                                                        \
        _Generic(((type *)0)->field, const char *: ROW_TEXT, bool: ROW_BOOLEAN, double: ROW_NUMBER, default: ROW_INTEGER), \
     _Generic(((type *)0)->field, const char *: ROW_AS_TEXT, double: ROW_AS_DOUBLE, int64_t: ROW_AS_INT64,              \
              size_t: ROW_AS_SIZE, int: ROW_AS_INT, bool: ROW_AS_BOOL),                                                 \
     offsetof(type, field), false, NULL, NULL, NULL, NULL \
    }
/* A text or an int that may be missing: null in JSON. A missing text is "", a missing int is below 0. */
#define ROW_AT_OR_NULL(type, field)                                                                                     \
    {                                                                                                                   \
        _Generic(((type *)0)->field, const char *: ROW_TEXT, int: ROW_INTEGER),                                       \
     _Generic(((type *)0)->field, const char *: ROW_AS_TEXT, int: ROW_AS_INT),                                     \
     offsetof(type, field), true, NULL, NULL, NULL, NULL \
    }
/* The key of a reason (core/base/reason.h), whose enum is the member; null in JSON for "". */
#define ROW_REASON(type, field, table)                                                                                 \
    {                                                                                                                  \
        ROW_TEXT, ROW_AS_REASON, offsetof(type, field), true, NULL, NULL, NULL, (table)                                \
    }
#define ROW_MADE(kind, maker)                                                                                          \
    {                                                                                                                  \
        (kind), ROW_AS_TEXT, 0, false, (maker), NULL, NULL, NULL                                                       \
    }
#define ROW_LIST_OF(rows, inside)                                                                                      \
    {                                                                                                                  \
        ROW_LIST, ROW_AS_TEXT, 0, false, NULL, (rows), (inside), NULL                                                  \
    }
#define ROW_LIST_OF_INTEGERS(integers)                                                                                 \
    {                                                                                                                  \
        ROW_LIST, ROW_AS_INT64, 0, false, NULL, (integers), NULL, NULL                                                 \
    }
#define ROW_OBJECT_OF(one, inside)                                                                                     \
    {                                                                                                                  \
        ROW_OBJECT, ROW_AS_TEXT, 0, false, NULL, (one), (inside), NULL                                                 \
    }

/* Formats a value for the cell of a table. Without it a text is shown as it is, and a number in the column's unit. */
typedef void row_show(struct str *out, const struct row_value *value, const void *row, const void *context);
/* ROW_KERNEL: a symbol, shown by the shortest name that differs from the others. ROW_SIGNED: a number that has a plus
 * above 0. */
enum row_style { ROW_PLAIN, ROW_CODE, ROW_KERNEL, ROW_SIGNED };

struct row_title {
    const char *text; /* NULL for a column that no table has */
    enum row_style style;
    row_show *show;
    const char *unknown; /* what a cell says where the value is not known; NULL: "n/a" */
};
#define ROW_NO_TITLE                                                                                                   \
    {                                                                                                                  \
        NULL, ROW_PLAIN, NULL, NULL                                                                                    \
    }
#define ROW_TITLE(text)                                                                                                \
    {                                                                                                                  \
        (text), ROW_PLAIN, NULL, NULL                                                                                  \
    }
#define ROW_TITLE_CODE(text)                                                                                           \
    {                                                                                                                  \
        (text), ROW_CODE, NULL, NULL                                                                                   \
    }
#define ROW_TITLE_KERNEL(text)                                                                                         \
    {                                                                                                                  \
        (text), ROW_KERNEL, NULL, NULL                                                                                 \
    }
#define ROW_TITLE_SIGNED(text)                                                                                         \
    {                                                                                                                  \
        (text), ROW_SIGNED, NULL, NULL                                                                                 \
    }
#define ROW_SHOWN(text, show)                                                                                          \
    {                                                                                                                  \
        (text), ROW_PLAIN, (show), NULL                                                                                \
    }
#define ROW_TITLE_OR(text, style, unknown)                                                                             \
    {                                                                                                                  \
        (text), (style), NULL, (unknown)                                                                               \
    }

struct row_column {
    const char *name; /* the member of JSON, the column of CSV */
    struct row_source source;
    enum unit unit;
    unsigned formats;
    struct row_title title;
    const char *description; /* for docs/json.md, in Markdown; "" for a column that only tables have */
};

/* All formats use the order of the list. A format that was published in another order lists the names that come first,
 * separated by blanks; all other columns follow. So a new column needs only its own line. */
struct row_order {
    unsigned format;
    const char *first;
};

enum { ROW_ORDERS_MAX = 4, ROW_COLUMNS_MAX = 64 };

struct row_columns {
    const char *name; /* the name of the result in docs/json.md: "comparison" */
    size_t row_bytes;
    const struct row_column *items;
    size_t count;
    struct row_order orders[ROW_ORDERS_MAX]; /* the rest zeroed */
};

#define ROW_COLUMNS_ORDERED(name, type, columns, ...)                                                                  \
    {                                                                                                                  \
        (name), sizeof(type), (columns), COUNT_OF(columns),                                                            \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define ROW_COLUMNS(name, type, columns) ROW_COLUMNS_ORDERED(name, type, columns, {0, ""})

/* The columns of a list that belong to any of these formats, in their order. */
struct row_choice {
    const struct row_column *items[ROW_COLUMNS_MAX];
    size_t count;
};
void row_choose(struct row_choice *out, const struct row_columns *list, unsigned formats);

/* Returns the value of a column; unknown for lists and objects. It is valid as long as `scratch` and the row are. */
struct row_value row_value_of(const struct row_column *column, const void *row, const void *context,
                              struct str *scratch);

#endif
