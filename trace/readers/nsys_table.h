/* nsys_table.h - one table in the CSV output of 'nsys stats': its header, its cells.
 *
 * A layout says which columns a report has; columns may come in any order, with
 * their units in the header, and ones that are not known are ignored. */
#ifndef CPPROF_NSYS_TABLE_H
#define CPPROF_NSYS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "io/csv.h"
#include "trace/readers/event_member.h"
#include "trace/readers/reader.h"

enum { NSYS_COLUMNS_MAX = 24, NSYS_HEADER_WORDS_MAX = 6, NSYS_TABLE_PROCESSES_MAX = 1024 };

enum nsys_quantity { NSYS_PLAIN, NSYS_TIME, NSYS_SIZE };

/* Durations above 104 days are none. */
#define NSYS_DURATION_NS_MAX (INT64_C(1) << 53)

struct nsys_table;

struct nsys_column {
    const char *name; /* without the unit in parentheses */
    enum nsys_quantity quantity;
    bool required;
    struct event_member member; /* where its whole number goes; bytes 0: nowhere by itself */
};

struct nsys_layout {
    const char *report;                              /* "gpu trace" */
    const char *header_words[NSYS_HEADER_WORDS_MAX]; /* a line that holds them all is its header */
    const struct nsys_column *columns;
    size_t column_count;
    size_t start_column, duration_column; /* the times whose resolution counts */
    size_t size_column;                   /* NSYS_COLUMNS_MAX when there is none */
    size_t correlation_column;            /* likewise */
    size_t name_column;                   /* of free text, the last as nsys writes it */
    const char *lacks;                    /* what to say about a table that is no whole GPU trace; NULL */
    bool launches_only;                   /* see struct reader_sink */
    int (*read_row)(struct nsys_table *t, const struct csv_row *row, struct err *e);
};

/* From where to where a whole number goes. */
struct nsys_place {
    size_t column;
    size_t field;
    struct event_member member;
    int64_t max;
};

/* What the name of GPU work says (work_names.h), found out once. */
struct nsys_meaning {
    bool known;
    uint16_t kind; /* 0: nothing that is known */
    enum cpprof_copy_kind direction;
};

struct nsys_table {
    const struct nsys_layout *layout;
    const char *path;
    struct csv_reader *csv;
    struct reader_sink *sink;

    size_t field_count;
    size_t field[NSYS_COLUMNS_MAX];        /* of each column; NSYS_ABSENT */
    int64_t factor[NSYS_COLUMNS_MAX];      /* of its unit */
    char *title[NSYS_COLUMNS_MAX];         /* as in the header, for messages */
    int fraction_digits[NSYS_COLUMNS_MAX]; /* most that any cell had */

    struct nsys_place members[NSYS_COLUMNS_MAX]; /* the columns of the file that have a member */
    size_t member_count;

    int64_t rows;
    int64_t unplaced; /* rows of GPU work without a device or a stream */
    bool has_sizes;
    bool lacks_newline; /* behind its last row, which ends the file; a caveat says so */
    struct {
        struct nsys_meaning *items; /* by string id */
        size_t count, capacity;
    } meanings;
    struct {
        int64_t items[NSYS_TABLE_PROCESSES_MAX]; /* in the order in which they come */
        size_t count, last;                      /* most rows are of the process of the row before */
    } processes;
    struct cpprof_event previous; /* for a layout whose rows depend on the one before */
};

#define NSYS_ABSENT ((size_t)-1)

/* Reads the header that comes next; another one may have been read before. */
int nsys_table_read_header(struct nsys_table *t, struct err *e);
void nsys_table_release(struct nsys_table *t);

/* The text of a cell; "" when it is missing in any of nsys's ways. */
const char *nsys_table_cell(const struct nsys_table *t, const struct csv_row *row, size_t column);

/* ERR_INPUT with the place, the title and the text of the cell. */
int nsys_table_bad_cell(const struct nsys_table *t, const struct csv_row *row, size_t column, const char *expected,
                        struct err *e);

/* The number of a cell in ns or bytes, at least `min` (0 or -max) and at most `max`. */
int nsys_table_number(struct nsys_table *t, const struct csv_row *row, size_t column, int64_t min, int64_t max,
                      int64_t *out, struct err *e);

/* Start and end from the columns of a start and a duration. */
int nsys_table_times(struct nsys_table *t, const struct csv_row *row, size_t start, size_t duration,
                     struct cpprof_event *event, struct err *e);

/* All columns that have a member, where the cell is not missing. */
int nsys_table_members(struct nsys_table *t, const struct csv_row *row, struct cpprof_event *event, struct err *e);

/* The string id of the name in `column`, which must not be missing. */
int nsys_table_name(struct nsys_table *t, const struct csv_row *row, size_t column, uint32_t *out, struct err *e);

/* What the name with this string id says about work; NULL when memory is out. */
const struct nsys_meaning *nsys_table_meaning(struct nsys_table *t, uint32_t name);

/* How many ns or bytes is one step of the last digit that a column shows? */
int64_t nsys_table_resolution(const struct nsys_table *t, size_t column);

#endif
