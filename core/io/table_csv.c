/* How do our own tables get into CSV files and out of them? */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/str.h"
#include "core/base/write_all.h"
#include "core/io/csv.h"
#include "core/io/table.h"

enum { COLUMN_IGNORED = -1, NUMBER_BYTES_MAX = 64 };

/* Which column of the table does each field of the file belong to? */
struct layout {
    int column[CSV_FIELDS_MAX];
    size_t field_count;
};

static int column_by_name(const struct table *t, const char *name)
{
    for (size_t i = 0; i < t->column_count; i++)
        if (!strcmp(t->columns[i].name, name))
            return (int)i;
    return COLUMN_IGNORED;
}

static int read_layout(const struct table *t, const struct csv_row *header, const char *path, struct layout *layout,
                       struct err *e)
{
    layout->field_count = header->count;
    for (size_t field = 0; field < header->count; field++)
        layout->column[field] = column_by_name(t, header->fields[field].text);
    for (size_t column = 0; column < t->column_count; column++) {
        size_t found = 0;
        for (size_t field = 0; field < header->count; field++)
            found += layout->column[field] == (int)column;
        const bool optional = column + t->optional_count >= t->column_count;
        if (found != 1 && !(optional && !found))
            return err_set(e, ERR_INPUT, "%s:%lld: the header %s column '%s'", path, (long long)header->line,
                           found ? "repeats" : "lacks", t->columns[column].name);
    }
    return 0;
}

/* Reads decimal numbers only: strtod would also accept hex, inf and nan. */
static bool read_number(const char *text, struct cell *out)
{
    size_t length = strlen(text);
    if (length > NUMBER_BYTES_MAX || strspn(text, "0123456789+-.eE") != length)
        return false;
    char *end;
    errno = 0;
    long long integer = strtoll(text, &end, 10);
    if (!*end && !errno) {
        *out = cell_integer(integer);
        return true;
    }
    double number = strtod(text, &end);
    *out = cell_number(number);
    return !*end && end != text && isfinite(number);
}

static int read_cells(struct table *t, const struct csv_row *row, const struct layout *layout, const char *path,
                      struct err *e)
{
    if (row->count != layout->field_count)
        return err_set(e, ERR_INPUT, "%s:%lld: %zu fields where the header has %zu", path, (long long)row->line,
                       row->count, layout->field_count);
    if (!row->terminated)
        return err_set(e, ERR_INPUT, "%s:%lld: the file ends in the middle of a row", path, (long long)row->line);
    struct cell *cells = table_add_row(t);
    if (!cells)
        return err_memory(e);
    for (size_t field = 0; field < row->count; field++) {
        const char *text = row->fields[field].text;
        int column = layout->column[field];
        if (column == COLUMN_IGNORED || !*text)
            continue;
        if (t->columns[column].unit == UNIT_TEXT) {
            cells[column] = cell_text(t, text);
        } else if (!read_number(text, &cells[column])) {
            t->count -= t->column_count;
            return err_set(e, ERR_INPUT, "%s:%lld: column '%s' is '%.40s', expected a number", path,
                           (long long)row->line, t->columns[column].name, text);
        }
    }
    return 0;
}

static int read_rows(struct table *t, struct csv_reader *reader, const char *path, struct err *e)
{
    struct layout *layout = malloc(sizeof *layout);
    if (!layout)
        return err_memory(e);
    struct csv_row row;
    int got = csv_reader_next(reader, &row, e);
    int rc = got == 1  ? read_layout(t, &row, path, layout, e)
             : got < 0 ? got
                       : err_set(e, ERR_INPUT, "'%s' is empty: it lacks even a header", path);
    while (!rc && (got = csv_reader_next(reader, &row, e)) == 1)
        rc = read_cells(t, &row, layout, path, e);
    free(layout);
    return rc ? rc : got;
}

int table_read_csv_from(struct table *t, FILE *file, const char *path, struct err *e)
{
    struct csv_reader *reader;
    int rc = csv_reader_new(&reader, file, path, e);
    if (!rc)
        rc = read_rows(t, reader, path, e);
    csv_reader_free(reader);
    return rc;
}

int table_read_csv(struct table *t, const char *path, struct err *e)
{
    FILE *file = fopen(path, "rbe");
    if (!file)
        return err_set(e, ERR_INPUT, "cannot read '%s': %s", path, strerror(errno));
    const int rc = table_read_csv_from(t, file, path, e);
    fclose(file);
    return rc;
}

/* Appends the shortest form that reads back as the same double. */
static void add_number(struct str *out, double value)
{
    char text[NUMBER_BYTES_MAX];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    str_add(out, text);
}

static void add_cell(struct str *out, const struct cell *cell)
{
    switch (cell->type) {
    case CELL_MISSING: break;
    case CELL_NUMBER: add_number(out, cell->number); break;
    case CELL_INTEGER: str_addf(out, "%" PRId64, cell->integer); break;
    case CELL_TEXT: csv_add_field(out, cell->text, strlen(cell->text)); break;
    }
}

static void add_header(struct str *out, const struct table *t)
{
    for (size_t i = 0; i < t->column_count; i++) {
        if (i)
            str_add_char(out, ',');
        csv_add_field(out, t->columns[i].name, strlen(t->columns[i].name));
    }
    str_add_char(out, '\n');
}

static void add_rows(struct str *out, const struct table *t)
{
    for (size_t i = 0; i < t->count; i++) {
        add_cell(out, &t->items[i]);
        str_add_char(out, (i + 1) % t->column_count ? ',' : '\n');
    }
}

void table_add_csv(const struct table *t, struct str *out)
{
    add_header(out, t);
    add_rows(out, t);
}

/* Appends with one write, so that a process that dies leaves complete rows. */
static int append_rows(int fd, const struct table *t, const char *path, struct err *e)
{
    struct stat info;
    struct str text;
    str_init(&text);
    int rc = 0;
    if (fstat(fd, &info)) {
        rc = err_set(e, ERR_ENVIRONMENT, "cannot write '%s': %s", path, strerror(errno));
    } else {
        if (info.st_size == 0)
            add_header(&text, t);
        add_rows(&text, t);
        if (text.failed)
            rc = err_memory(e);
        else if (write_all(fd, text.text, text.length))
            rc = err_set(e, ERR_ENVIRONMENT, "cannot write '%s': %s", path, strerror(errno));
    }
    str_release(&text);
    return rc;
}

int table_append_csv(const struct table *t, const char *path, struct err *e)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0)
        return err_set(e, ERR_ENVIRONMENT, "cannot write '%s': %s", path, strerror(errno));
    int rc = append_rows(fd, t, path, e);
    if (close(fd) && !rc)
        rc = err_set(e, ERR_ENVIRONMENT, "cannot write '%s': %s", path, strerror(errno));
    return rc;
}
