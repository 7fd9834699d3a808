/* nsys_table.h - reads one table in the CSV output of 'nsys stats': its header and its cells.
 *
 * A layout lists the columns of a report. Columns may come in any order, with their units in the header. Unknown
 * columns are ignored. */
#ifndef CPPROF_NSYS_TABLE_H
#define CPPROF_NSYS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/io/csv.h"
#include "core/trace/readers/event_member.h"
#include "core/trace/readers/reader.h"

enum { NSYS_COLUMNS_MAX = 24, NSYS_HEADER_WORDS_MAX = 6, NSYS_TABLE_PROCESSES_MAX = 1024 };

enum nsys_quantity { NSYS_PLAIN, NSYS_TIME, NSYS_SIZE };

/* Longer durations (104 days) are not accepted. */
#define NSYS_DURATION_NS_MAX (INT64_C(1) << 53)

struct nsys_table;

/* What a column says of GPU work, besides numbers that are members of events (nsys_plain_row.h). */
enum nsys_role {
    NSYS_NO_ROLE,
    NSYS_START,
    NSYS_DURATION,
    NSYS_DEVICE,
    NSYS_STREAM,
    NSYS_SOURCE_MEMORY,
    NSYS_TARGET_MEMORY,
    NSYS_NAME
};

struct nsys_column {
    const char *name; /* without the unit in parentheses */
    enum nsys_quantity quantity;
    bool required;
    struct event_member member; /* where its whole number is stored; bytes 0: nowhere */
    enum nsys_role role;
};

struct nsys_layout {
    const char *report;                              /* "gpu trace" */
    const char *header_words[NSYS_HEADER_WORDS_MAX]; /* a line with all of these words is the header */
    const struct nsys_column *columns;
    size_t column_count;
    size_t start_column, duration_column; /* the columns whose resolution limits the times */
    size_t size_column;                   /* NSYS_COLUMNS_MAX when there is none */
    size_t correlation_column;            /* likewise */
    size_t name_column;                   /* the column of free text, which nsys writes last */
    const char *lacks;                    /* a remark about tables that are not whole GPU traces; NULL: none */
    bool launches_only;                   /* see struct reader_sink */
    int (*read_row)(struct nsys_table *t, const struct csv_row *row, struct err *e);
    /* For tables in which each row is one event, and no row is read differently for what was read before it. An unknown
     * operation gives an event of kind 0, which is left out. NULL: rows depend on one another. */
    int (*read_event)(struct nsys_table *t, const struct csv_row *row, struct cpprof_event *event, struct err *e);
};

/* A column of the file and the member that its number goes to. */
struct nsys_place {
    size_t column;
    size_t field;
    struct event_member member;
    int64_t max;
};

/* What the name of GPU work means (work_names.h), looked up once. */
struct nsys_meaning {
    bool known;
    uint16_t kind; /* 0: an unknown kind */
    enum cpprof_copy_kind direction;
};

struct nsys_table {
    const struct nsys_layout *layout;
    const char *path;
    struct csv_reader *csv;
    struct reader_sink *sink;

    size_t field_count;
    size_t field[NSYS_COLUMNS_MAX];        /* of each column; NSYS_ABSENT when the file lacks it */
    int64_t factor[NSYS_COLUMNS_MAX];      /* of its unit */
    char *title[NSYS_COLUMNS_MAX];         /* as in the header, for messages */
    int fraction_digits[NSYS_COLUMNS_MAX]; /* the most that any cell had */

    struct nsys_place members[NSYS_COLUMNS_MAX]; /* columns of the file that have a member */
    size_t member_count;

    int64_t rows;
    int64_t unplaced; /* rows of GPU work without a device or a stream */
    bool has_sizes;
    bool is_over;       /* up to the end of the file */
    bool lacks_newline; /* its last row, which ends the file, has no newline; a caveat says so */
    struct {
        struct nsys_meaning *items; /* by string id */
        size_t count, capacity;
    } meanings;
    struct {
        int64_t items[NSYS_TABLE_PROCESSES_MAX]; /* in the order of their first rows */
        size_t count, last;                      /* index of the previous row's process, which most rows share */
    } processes;
    struct cpprof_event previous; /* for layouts whose rows depend on the previous one */
};

#define NSYS_ABSENT ((size_t)-1)

/* Reads the next line as a header. Another header may have been read before. */
int nsys_table_read_header(struct nsys_table *t, struct err *e);
void nsys_table_release(struct nsys_table *t);

/* Returns the text of a cell; "" for all the ways in which nsys marks a missing one. */
const char *nsys_table_cell(const struct nsys_table *t, const struct csv_row *row, size_t column);

/* Returns ERR_INPUT; the message has the place, the column's title and the text of the cell. */
int nsys_table_bad_cell(const struct nsys_table *t, const struct csv_row *row, size_t column, const char *expected,
                        struct err *e);

/* Reads a cell as ns or bytes, at least `min` (0 or -max) and at most `max`. */
int nsys_table_number(struct nsys_table *t, const struct csv_row *row, size_t column, int64_t min, int64_t max,
                      int64_t *out, struct err *e);

/* Sets the start and end of the event from the columns of a start and a duration. */
int nsys_table_times(struct nsys_table *t, const struct csv_row *row, size_t start, size_t duration,
                     struct cpprof_event *event, struct err *e);

/* Sets all members that have a column, from cells that are not missing. */
int nsys_table_members(struct nsys_table *t, const struct csv_row *row, struct cpprof_event *event, struct err *e);

/* Gives the string id of the name in `column`. A missing name is an error. */
int nsys_table_name(struct nsys_table *t, const struct csv_row *row, size_t column, uint32_t *out, struct err *e);

/* Returns the meaning of the name with this string id; NULL when memory is out. */
const struct nsys_meaning *nsys_table_meaning(struct nsys_table *t, uint32_t name);

/* Returns how many ns or bytes one step of the last digit in a column is. */
int64_t nsys_table_resolution(const struct nsys_table *t, size_t column);

#endif
