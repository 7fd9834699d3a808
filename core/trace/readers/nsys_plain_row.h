/* nsys_plain_row.h - reads a row of GPU work that is on one line, without libcsv, when nothing in it is doubtful.
 *
 * A row that is taken gives the event that core/io/csv.c and the layout's read_event give. All others are refused
 * without a reason, and go there: with a quote inside a field, a space around one, a byte of 0, a number that is not
 * short, a cell that nsys marks as missing in words, an operation that is not known
 * (tests/unit/core/trace/test_nsys_plain_row.c). */
#ifndef CPPROF_NSYS_PLAIN_ROW_H
#define CPPROF_NSYS_PLAIN_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/trace/readers/nsys_table.h"

enum { PLAIN_DEVICES = 8, PLAIN_NAMES = 256 };

/* So many bytes behind a line must be readable, whatever they are. */
enum { NSYS_PLAIN_MARGIN = 64 };

struct plain_field;

/* A cell of a device that was understood. */
struct plain_device {
    char text[64];
    size_t length; /* 0: none */
    int16_t ordinal;
};

/* A name that was understood, as long as the table's strings are kept. */
struct plain_name {
    const char *text; /* NULL: none */
    size_t length;
    uint32_t id;
    uint16_t kind;
    enum cpprof_copy_kind direction;
};

struct nsys_plain {
    struct nsys_table *table; /* whose header was read; names and counts go there */
    struct plain_field *fields;
    size_t field_count;
    struct plain_device devices[PLAIN_DEVICES];
    const struct plain_device *last_device;
    struct plain_name names[PLAIN_NAMES];
};

/* Begins to read rows of this table. Neither may move. Its layout has read_event. */
int nsys_plain_init(struct nsys_plain *p, struct nsys_table *t, struct err *e);
void nsys_plain_release(struct nsys_plain *p);

/* Call it when the strings of the table are new. */
void nsys_plain_forget_names(struct nsys_plain *p);

/* Reads a line that begins with a digit. `newline` is the first one in it. Returns false when the row is not plain;
 * then `event` has no meaning, and nothing was counted. */
bool nsys_plain_read(struct nsys_plain *p, const char *line, const char *newline, struct cpprof_event *event);

#endif
