/* What do the columns of a table of 'nsys stats' mean, and what is in a cell? */
#define _GNU_SOURCE
#include "core/trace/readers/nsys_table.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/count_of.h"
#include "core/io/decimal.h"
#include "core/trace/readers/work_names.h"

static const struct {
    enum nsys_quantity quantity;
    const char *name;
    int64_t factor; /* ns or bytes */
} units[] = {
    {NSYS_TIME, "ns", 1},
    {NSYS_TIME, "nsec", 1},
    {NSYS_TIME, "us", 1000},
    {NSYS_TIME, "usec", 1000},
    {NSYS_TIME, "\xce\xbcs", 1000}, /* Greek mu */
    {NSYS_TIME, "\xc2\xb5s", 1000}, /* micro sign */
    {NSYS_TIME, "ms", 1000000},
    {NSYS_TIME, "msec", 1000000},
    {NSYS_TIME, "s", 1000000000},
    {NSYS_TIME, "sec", 1000000000},
    {NSYS_SIZE, "B", 1},
    {NSYS_SIZE, "KB", 1000},
    {NSYS_SIZE, "MB", 1000000},
    {NSYS_SIZE, "GB", 1000000000},
    {NSYS_SIZE, "KiB", 1024},
    {NSYS_SIZE, "MiB", 1048576},
    {NSYS_SIZE, "GiB", 1073741824},
};

/* "Bytes (MB)" is the column Bytes. Returns the text after the name, or NULL. */
static const char *after_name(const char *title, const char *name)
{
    size_t length = strlen(name);
    if (strncmp(title, name, length) || (title[length] && title[length] != ' '))
        return NULL;
    return title + length;
}

static int64_t unit_factor(enum nsys_quantity quantity, const char *suffix)
{
    for (size_t i = 0; i < COUNT_OF(units); i++) {
        size_t length = strlen(units[i].name);
        if (units[i].quantity == quantity && !strncmp(suffix, " (", 2) && !strncmp(suffix + 2, units[i].name, length) &&
            !strcmp(suffix + 2 + length, ")"))
            return units[i].factor;
    }
    return 0;
}

static int take_title(struct nsys_table *t, size_t column, size_t field, const char *title, const char *suffix,
                      int64_t line, struct err *e)
{
    if (t->field[column] != NSYS_ABSENT)
        return err_set(e, ERR_INPUT, "%s:%lld: the header repeats column '%s'", t->path, (long long)line,
                       t->layout->columns[column].name);
    t->factor[column] =
        t->layout->columns[column].quantity ? unit_factor(t->layout->columns[column].quantity, suffix) : 1;
    if (!t->factor[column])
        return err_set(e, ERR_INPUT, "%s:%lld: column '%.60s' has no unit that is known (%s)", t->path, (long long)line,
                       title, t->layout->columns[column].quantity == NSYS_TIME ? "ns, us, ms, s" : "B, KB, MB, GB");
    t->field[column] = field;
    t->title[column] = strdup(title);
    return t->title[column] ? 0 : err_memory(e);
}

static int read_title(struct nsys_table *t, size_t field, const char *title, int64_t line, struct err *e)
{
    for (size_t column = 0; column < t->layout->column_count; column++) {
        const char *suffix = after_name(title, t->layout->columns[column].name);
        if (suffix)
            return take_title(t, column, field, title, suffix, line, e);
    }
    return caveat_add(t->sink->caveats, CAVEAT_NOTE, e, "%s:%lld: unknown column '%.60s' is ignored", t->path,
                      (long long)line, title);
}

void nsys_table_release(struct nsys_table *t)
{
    for (size_t column = 0; column < t->layout->column_count; column++) {
        t->field[column] = NSYS_ABSENT;
        free(t->title[column]);
        t->title[column] = NULL;
    }
    free(t->meanings.items);
    t->meanings.items = NULL;
    t->meanings.count = t->meanings.capacity = 0;
}

static void list_members(struct nsys_table *t)
{
    t->member_count = 0;
    for (size_t column = 0; column < t->layout->column_count; column++) {
        struct event_member member = t->layout->columns[column].member;
        if (!member.bytes || t->field[column] == NSYS_ABSENT)
            continue;
        int64_t max = member.max;
        t->members[t->member_count++] =
            (struct nsys_place){column, t->field[column], member, max < INT64_MAX / 1024 ? max : INT64_MAX / 1024};
    }
}

int nsys_table_read_header(struct nsys_table *t, struct err *e)
{
    struct csv_row row;
    int got = csv_reader_next(t->csv, &row, e);
    if (got != 1)
        return got ? got : err_set(e, ERR_INTERNAL, "the header of '%s' is gone", t->path);
    t->field_count = row.count;
    nsys_table_release(t);
    for (size_t field = 0; field < row.count; field++) {
        int rc = read_title(t, field, row.fields[field].text, row.line, e);
        if (rc)
            return rc;
    }
    for (size_t column = 0; column < t->layout->column_count; column++)
        if (t->layout->columns[column].required && t->field[column] == NSYS_ABSENT)
            return err_set(e, ERR_INPUT, "%s:%lld: the header lacks column '%s'", t->path, (long long)row.line,
                           t->layout->columns[column].name);
    list_members(t);
    return 0;
}

/* Returns the text of a cell; "" for all the ways in which nsys marks a missing one. */
const char *nsys_table_cell(const struct nsys_table *t, const struct csv_row *row, size_t column)
{
    if (t->field[column] == NSYS_ABSENT)
        return "";
    const char *text = row->fields[t->field[column]].text;
    if (text[0] != 'N' && text[0] != '-')
        return text; /* the usual case */
    return !strcmp(text, "None") || !strcmp(text, "-") ? "" : text;
}

int nsys_table_bad_cell(const struct nsys_table *t, const struct csv_row *row, size_t column, const char *expected,
                        struct err *e)
{
    return err_set(e, ERR_INPUT, "%s:%lld: column '%s' is '%.60s', expected %s", t->path, (long long)row->line,
                   t->title[column], row->fields[t->field[column]].text, expected);
}

/* Are there digits on both sides of its only comma? */
static bool has_decimal_comma(const char *text)
{
    const char *comma = strchr(text, ',');
    return comma && comma > text && comma[-1] >= '0' && comma[-1] <= '9' && comma[1] >= '0' && comma[1] <= '9' &&
           !strchr(comma + 1, ',') && !strchr(text, '.');
}

static const char *expected_of(const char *text)
{
    return has_decimal_comma(text) ? "a decimal number: a decimal comma is none; export again with LC_ALL=C"
                                   : "a decimal number";
}

int nsys_table_number(struct nsys_table *t, const struct csv_row *row, size_t column, int64_t min, int64_t max,
                      int64_t *out, struct err *e)
{
    struct decimal number;
    const char *text = nsys_table_cell(t, row, column);
    if (!decimal_read(text, strlen(text), t->factor[column], &number))
        return nsys_table_bad_cell(t, row, column, expected_of(text), e);
    if (number.value > max || number.value < min)
        return nsys_table_bad_cell(t, row, column, number.value < 0 ? "none below 0" : "a smaller number", e);
    if (number.fraction_digits > t->fraction_digits[column])
        t->fraction_digits[column] = number.fraction_digits;
    *out = number.value;
    return 0;
}

/* Most cells have a few digits and nothing else. */
static bool read_few_digits(const char *text, int64_t *value)
{
    enum { FEW = 9 };
    int digits = 0;
    for (*value = 0; text[digits] >= '0' && text[digits] <= '9'; digits++) {
        if (digits == FEW)
            return false;
        *value = *value * 10 + (text[digits] - '0');
    }
    return digits && !text[digits];
}

int nsys_table_members(struct nsys_table *t, const struct csv_row *row, struct cpprof_event *event, struct err *e)
{
    for (size_t i = 0; i < t->member_count; i++) {
        const struct nsys_place *place = &t->members[i];
        const char *text = row->fields[place->field].text;
        int64_t value;
        if (!*text)
            continue;
        /* below 10^9 * 2^30 < 2^60 */
        if (read_few_digits(text, &value) && value * t->factor[place->column] <= place->max) {
            event_member_set(event, place->member, value * t->factor[place->column]);
            continue;
        }
        if (!*nsys_table_cell(t, row, place->column))
            continue;
        int rc = nsys_table_number(t, row, place->column, 0, place->max, &value, e);
        if (rc)
            return rc;
        event_member_set(event, place->member, value);
    }
    return 0;
}

int nsys_table_times(struct nsys_table *t, const struct csv_row *row, size_t start, size_t duration,
                     struct cpprof_event *event, struct err *e)
{
    int64_t duration_ns;
    int rc = nsys_table_number(t, row, start, -EVENT_TIME_NS_MAX, EVENT_TIME_NS_MAX, &event->start_ns, e);
    if (!rc)
        rc = nsys_table_number(t, row, duration, -NSYS_DURATION_NS_MAX, NSYS_DURATION_NS_MAX, &duration_ns, e);
    if (!rc)
        event->end_ns = event->start_ns + duration_ns;
    return rc;
}

int nsys_table_name(struct nsys_table *t, const struct csv_row *row, size_t column, uint32_t *out, struct err *e)
{
    if (!*nsys_table_cell(t, row, column))
        return nsys_table_bad_cell(t, row, column, "a name", e);
    const struct csv_field *name = &row->fields[t->field[column]];
    *out = strtab_add_bytes(t->sink->strings, name->text, name->length);
    return *out ? 0 : err_memory(e);
}

const struct nsys_meaning *nsys_table_meaning(struct nsys_table *t, uint32_t name)
{
    while (t->meanings.count <= name)
        if (!ARRAY_PUSH(&t->meanings))
            return NULL;
    struct nsys_meaning *meaning = &t->meanings.items[name];
    if (!meaning->known) {
        const char *text = strtab_text(t->sink->strings, name);
        *meaning = (struct nsys_meaning){true, work_kind_of_name(text), work_copy_direction(text)};
    }
    return meaning;
}

/* Returns how many ns or bytes one step of the last digit in a column is. */
int64_t nsys_table_resolution(const struct nsys_table *t, size_t column)
{
    int64_t step = t->factor[column];
    for (int i = 0; i < t->fraction_digits[column] && step > 1; i++)
        step = (step + 9) / 10;
    return step;
}
