/* What are the rows of this table of settings, and is it of the right kind? */
#include "core/io/settings_csv.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/io/csv.h"

enum { ABSENT = -1, PLACE_BYTES = 512 };

struct reading {
    const char *path;
    const struct settings_format *format;
    int field_of[SETTINGS_COLUMNS_MAX]; /* which field each column is; ABSENT */
};

static int refuse_kind(const struct reading *r, const char *found, struct err *e)
{
    return err_set(e, ERR_USAGE, "%s:1: the first line is '%.60s', not '# %s/%d': %s prints such a file", r->path,
                   found, r->format->name, r->format->version, r->format->printed_by);
}

/* "# cpprof.thresholds/1" */
static int read_kind(const struct reading *r, struct csv_reader *csv, struct err *e)
{
    const char *text;
    size_t length;
    char line[128], name[64];
    int version, used = 0;
    const int rc = csv_reader_peek_line(csv, &text, &length, e);
    if (rc < 0)
        return rc;
    if (!rc)
        return err_set(e, ERR_USAGE, "'%s' is empty: %s prints such a file", r->path, r->format->printed_by);
    snprintf(line, sizeof line, "%.*s", (int)(length < sizeof line ? length : sizeof line - 1), text);
    line[strcspn(line, "\r\n")] = '\0';
    if (sscanf(line, "# %63[^/ ]/%9d%n", name, &version, &used) != 2 || line[used] || strcmp(name, r->format->name))
        return refuse_kind(r, line, e);
    if (version != r->format->version)
        return err_set(e, ERR_USAGE,
                       "%s:1: version %d of %s, and this cpprof reads version %d: compare it with what %s prints",
                       r->path, version, name, r->format->version, r->format->printed_by);
    csv_reader_skip_line(csv);
    return 0;
}

static int read_header(struct reading *r, const struct csv_row *row, struct err *e)
{
    for (size_t column = 0; column < r->format->column_count; column++) {
        r->field_of[column] = ABSENT;
        for (size_t i = 0; i < row->count; i++)
            if (!strcmp(row->fields[i].text, r->format->columns[column]))
                r->field_of[column] = (int)i;
        if (r->field_of[column] == ABSENT && column < r->format->needed_count)
            return err_set(e, ERR_USAGE, "%s:%lld: the header lacks the column '%s'", r->path, (long long)row->line,
                           r->format->columns[column]);
    }
    return 0;
}

static int read_row(const struct reading *r, const struct csv_row *row, settings_row take, void *context, struct err *e)
{
    const char *fields[SETTINGS_COLUMNS_MAX];
    char place[PLACE_BYTES];
    snprintf(place, sizeof place, "%s:%lld", r->path, (long long)row->line);
    for (size_t column = 0; column < r->format->column_count; column++) {
        const int field = r->field_of[column];
        fields[column] = field != ABSENT && (size_t)field < row->count ? row->fields[field].text : "";
    }
    return take(context, fields, place, e);
}

static int read_rows(struct reading *r, struct csv_reader *csv, settings_row take, void *context, struct err *e)
{
    struct csv_row row;
    int rc = read_kind(r, csv, e);
    int found = rc ? rc : csv_reader_next(csv, &row, e);
    if (!rc && !found)
        return err_set(e, ERR_USAGE, "%s: nothing follows its first line", r->path);
    if (found > 0)
        rc = read_header(r, &row, e);
    for (size_t rows = 0; !rc && found > 0 && (found = csv_reader_next(csv, &row, e)) > 0; rows++)
        rc = rows < SETTINGS_ROWS_MAX
                 ? read_row(r, &row, take, context, e)
                 : err_set(e, ERR_USAGE, "%s:%lld: more than %d rows", r->path, (long long)row.line, SETTINGS_ROWS_MAX);
    return rc || found >= 0 ? rc : found;
}

/* An error in a settings file is an error in the command line that names it. */
static int refuse_damage(struct err *e)
{
    if (e)
        e->code = ERR_USAGE;
    return ERR_USAGE;
}

int settings_csv_read(const char *path, const struct settings_format *format, settings_row take, void *context,
                      struct err *e)
{
    struct reading r = {.path = path, .format = format};
    struct csv_reader *csv = NULL;
    FILE *file = fopen(path, "re");
    if (!file)
        return err_set(e, ERR_USAGE, "cannot open '%s': %s", path, strerror(errno));
    int rc = csv_reader_new(&csv, file, path, e);
    if (!rc)
        rc = read_rows(&r, csv, take, context, e);
    csv_reader_free(csv);
    fclose(file);
    return rc == ERR_INPUT ? refuse_damage(e) : rc;
}

void settings_csv_begin(struct str *out, const struct settings_format *format)
{
    str_addf(out, "# %s/%d\n", format->name, format->version);
    for (size_t i = 0; i < format->column_count; i++)
        str_addf(out, "%s%s", i ? "," : "", format->columns[i]);
    str_addf(out, "\n");
}
