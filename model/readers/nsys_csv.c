/* Which trace does the CSV output of 'nsys stats' hold, and what stands around it?
 *
 * Program output and nsys's own remarks may stand around the table, and other
 * reports before and behind it: the gpu trace is taken when there is one, else
 * a trace of calls or of launches. The first row that cannot be understood ends
 * the good part. */
#define _GNU_SOURCE
#include <string.h>

#include "base/str.h"
#include "model/readers/nsys_layouts.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* The most telling first. */
static const struct nsys_layout *const layouts[] = {&nsys_gpu_layout, &nsys_api_layout, &nsys_exec_layout};

/* What nsys itself prints between tables. */
static const char *const remarks[] = {"Processing [", "Generating ", "Exporting ", "Exported ", "SKIPPED:",
                                      "NOTICE:",      "WARNING:",    "ERROR:",     "Using ",    "** "};

/* One output of nsys being read. */
struct output {
    struct nsys_table table;
    char report[64];     /* named by the last remark, until its table is met */
    struct str left_out; /* reports that are not read, comma separated */
};

enum { LEFT_OUT_BYTES_MAX = 512 };

static bool contains(const char *line, size_t length, const char *word)
{
    return memmem(line, length, word, strlen(word)) != NULL;
}

static bool is_blank(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (line[i] != ' ' && line[i] != '\t')
            return false;
    return true;
}

static bool is_remark(const char *line, size_t length)
{
    for (size_t i = 0; i < COUNT(remarks); i++)
        if (length >= strlen(remarks[i]) && !memcmp(line, remarks[i], strlen(remarks[i])))
            return true;
    return false;
}

/* Lines that start with a digit are rows: the usual case, without a closer look. */
static bool starts_as_row(const char *line, size_t length)
{
    return length && line[0] >= '0' && line[0] <= '9';
}

static bool is_header(const struct nsys_layout *layout, const char *line, size_t length)
{
    if (starts_as_row(line, length) || is_remark(line, length))
        return false;
    for (size_t i = 0; i < NSYS_HEADER_WORDS_MAX && layout->header_words[i]; i++)
        if (!contains(line, length, layout->header_words[i]))
            return false;
    return true;
}

/* Lowers *best to the first layout that has its header in this line. */
static void look_for_header(const char *line, size_t length, size_t *best)
{
    for (size_t i = 0; i < *best; i++)
        if (is_header(layouts[i], line, length))
            *best = i;
}

static size_t best_in_head(const struct reader_input *input)
{
    size_t best = COUNT(layouts);
    const char *line = input->head, *end = input->head + input->head_bytes;
    line += strncmp(line, "\xef\xbb\xbf", 3) ? 0 : 3;
    while (line < end && best) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        size_t length = (size_t)((newline ? newline : end) - line);
        look_for_header(line, length, &best);
        line += length + 1;
    }
    return best;
}

/* Reports follow one another in the order in which they were asked for: the
 * best one may stand far behind. */
static size_t best_in_file(const struct reader_input *input, size_t best)
{
    struct csv_reader *csv = NULL;
    const char *line;
    size_t length;
    if (csv_reader_new(&csv, input->file, input->path, NULL))
        return best;
    while (best && csv_reader_peek_line(csv, &line, &length, NULL) == 1) {
        look_for_header(line, length, &best);
        csv_reader_skip_line(csv);
    }
    csv_reader_free(csv);
    rewind(input->file);
    return best;
}

static size_t best_layout(const struct reader_input *input)
{
    size_t best = best_in_head(input);
    bool of_nsys = best < COUNT(layouts) || contains(input->head, input->head_bytes, "Processing [") ||
                   contains(input->head, input->head_bytes, "Time (%)");
    return best && of_nsys && input->head_bytes == READER_HEAD_BYTES ? best_in_file(input, best) : best;
}

static bool recognise(const struct reader_input *input)
{
    return input->file && best_layout(input) < COUNT(layouts);
}

/* A last row without newline is cut when fields or the end of its name are
 * missing; else what came behind it may be. */
static int check_last_row(struct nsys_table *t, const struct csv_row *row, struct err *e)
{
    const struct csv_field *last = &row->fields[row->count - 1];
    bool ends_in_name = row->count == t->field_count && t->field[t->layout->name_column] == row->count - 1;
    bool open_bracket = ends_in_name && last->text[0] == '[' && last->text[last->length - 1] != ']';
    if (row->count < t->field_count || open_bracket)
        return err_set(e, ERR_INPUT, "%s:%lld: the file ends in the middle of a row", t->path, (long long)row->line);
    return caveat_add(t->sink->caveats, CAVEAT_WEAKENS, e,
                      "%s:%lld: the file does not end with a newline: rows may be missing; export it again", t->path,
                      (long long)row->line);
}

static int check_field_count(const struct nsys_table *t, const struct csv_row *row, struct err *e)
{
    if (row->count == t->field_count)
        return 0;
    return err_set(e, ERR_INPUT, "%s:%lld: %zu fields where the header has %zu%s", t->path, (long long)row->line,
                   row->count, t->field_count,
                   row->count > t->field_count ? "; if these are decimal commas, export again with LC_ALL=C" : "");
}

static int read_row(struct nsys_table *t, const struct csv_row *row, struct err *e)
{
    int rc = row->terminated ? 0 : check_last_row(t, row, e);
    if (!rc)
        rc = check_field_count(t, row, e);
    if (!rc)
        rc = t->layout->read_row(t, row, e);
    t->rows += !rc;
    return rc;
}

/* What is the line that comes next? */
enum line_kind { LINE_ROW, LINE_BLANK, LINE_REMARK, LINE_HEADER, LINE_NONE };

static int next_line_kind(struct nsys_table *t, enum line_kind *kind, struct err *e)
{
    const char *line;
    size_t length;
    *kind = LINE_NONE;
    int got = csv_reader_peek_line(t->csv, &line, &length, e);
    if (got != 1)
        return got;
    if (starts_as_row(line, length))
        *kind = LINE_ROW;
    else if (is_blank(line, length))
        *kind = LINE_BLANK;
    else if (is_remark(line, length))
        *kind = LINE_REMARK;
    else
        *kind = is_header(t->layout, line, length) ? LINE_HEADER : LINE_ROW;
    return 0;
}

/* Behind a blank line stands something else. Another table may; rows of this one
 * mean that it was broken in between, and no rule may pass on what is left. */
static int leave_rest(struct nsys_table *t, int64_t line, struct err *e)
{
    for (;;) {
        enum line_kind kind;
        struct csv_row row;
        int rc = next_line_kind(t, &kind, e);
        if (rc)
            return rc;
        if (kind == LINE_NONE || kind == LINE_REMARK || kind == LINE_HEADER)
            return caveat_add(t->sink->caveats, CAVEAT_NOTE, e,
                              "%s:%lld: the %s ends before this line; the rest is not read", t->path, (long long)line,
                              t->layout->report);
        if (kind == LINE_BLANK) {
            csv_reader_skip_line(t->csv);
            continue;
        }
        int got = csv_reader_next(t->csv, &row, e);
        if (got != 1)
            return got;
        if (row.count == t->field_count)
            return err_set(e, ERR_INPUT, "%s:%lld: not a row of the %s, and rows follow it (line %lld)", t->path,
                           (long long)line, t->layout->report, (long long)row.line);
    }
}

/* The rows up to the end of the table: a remark, another header, the end of the
 * file, or, behind a blank line, a row of some other table. */
static int read_rows(struct nsys_table *t, struct err *e)
{
    bool after_blank = false;
    for (;;) {
        enum line_kind kind;
        struct csv_row row;
        int rc = next_line_kind(t, &kind, e);
        if (rc || kind == LINE_NONE || kind == LINE_REMARK || (kind == LINE_HEADER && t->rows))
            return rc;
        if (kind == LINE_HEADER && (rc = nsys_table_read_header(t, e)))
            return rc;
        if (kind == LINE_BLANK)
            csv_reader_skip_line(t->csv);
        after_blank |= kind == LINE_BLANK;
        if (kind != LINE_ROW)
            continue;
        int got = csv_reader_next(t->csv, &row, e);
        if (got != 1)
            return got;
        if (after_blank && row.count != t->field_count && row.terminated)
            return leave_rest(t, row.line, e);
        rc = read_row(t, &row, e);
        if (rc)
            return rc;
        after_blank = false;
    }
}

/* "Processing [a.sqlite] with [/opt/.../cuda_api_sum.py]..." names a report. */
static void take_remark(struct output *o, const char *line, size_t length)
{
    const char *with = memmem(line, length, "] with [", 8);
    const char *end = with ? memmem(with, length - (size_t)(with - line), ".py]", 4) : NULL;
    const char *start = end;
    while (start && start > with && start[-1] != '/' && start[-1] != '[')
        start--;
    size_t bytes = end ? (size_t)(end - start) : 0;
    if (!bytes || bytes >= sizeof o->report)
        return;
    memcpy(o->report, start, bytes);
    o->report[bytes] = '\0';
}

/* The report that was named last is not the one that is read. */
static void leave_out(struct output *o)
{
    if (*o->report && o->left_out.length < LEFT_OUT_BYTES_MAX && !strstr(str_text(&o->left_out), o->report))
        str_addf(&o->left_out, "%s%s", o->left_out.length ? ", " : "", o->report);
    o->report[0] = '\0';
}

/* Passes over lines until a header of the table comes next; *found is false at the end of the file. */
static int skip_to_header(struct output *o, bool *found, struct err *e)
{
    struct nsys_table *t = &o->table;
    const char *line;
    size_t length;
    for (;;) {
        enum line_kind kind;
        int rc = next_line_kind(t, &kind, e);
        *found = kind == LINE_HEADER;
        if (rc || kind == LINE_HEADER || kind == LINE_NONE)
            return rc;
        if (kind == LINE_REMARK && csv_reader_peek_line(t->csv, &line, &length, NULL) == 1) {
            leave_out(o);
            take_remark(o, line, length);
        }
        csv_reader_skip_line(t->csv);
    }
}

/* Two captures have two clocks: a second table is not mixed in, but said. What
 * comes after the table cannot harm it. */
static int look_behind(struct output *o, struct err *e)
{
    for (bool found;;) {
        if (skip_to_header(o, &found, NULL) || !found)
            return 0;
        o->report[0] = '\0';
        int rc = caveat_add(o->table.sink->caveats, CAVEAT_WEAKENS, e,
                            "%s:%lld: a second %s starts here and is not read; put it into a file of its own",
                            o->table.path, (long long)csv_reader_line(o->table.csv), o->table.layout->report);
        if (rc)
            return rc;
        csv_reader_skip_line(o->table.csv);
    }
}

static int note_left_out(struct output *o, struct err *e)
{
    leave_out(o);
    if (o->left_out.failed)
        return err_memory(e);
    if (!o->left_out.length)
        return 0;
    return caveat_add(o->table.sink->caveats, CAVEAT_NOTE, e, "%s: only the %s is read, not: %s", o->table.path,
                      o->table.layout->report, o->left_out.text);
}

static int note_resolution(struct nsys_table *t, struct err *e)
{
    const struct nsys_layout *l = t->layout;
    int64_t start = nsys_table_resolution(t, l->start_column), duration = nsys_table_resolution(t, l->duration_column);
    int64_t time = start > duration ? start : duration;
    int rc = 0;
    if (time > 1)
        rc = caveat_add(t->sink->caveats, CAVEAT_NOTE, e, "%s: times are rounded to %lld ns (columns '%s', '%s')",
                        t->path, (long long)time, t->title[l->start_column], t->title[l->duration_column]);
    if (!rc && t->has_sizes && nsys_table_resolution(t, l->size_column) > 1)
        rc = caveat_add(t->sink->caveats, CAVEAT_NOTE, e, "%s: sizes are rounded to %lld bytes (column '%s')", t->path,
                        (long long)nsys_table_resolution(t, l->size_column), t->title[l->size_column]);
    return rc;
}

/* A bad row leaves the rows before it usable. */
static int keep_good_part(struct nsys_table *t, struct err *bad, struct err *e)
{
    if (!t->rows || bad->code != ERR_INPUT)
        return err_set(e, bad->code, "%s", bad->text);
    return caveat_add(t->sink->caveats, CAVEAT_TRUNCATED, e, "%s; only the rows before it are used: %lld", bad->text,
                      (long long)t->rows);
}

static int add_notes(struct output *o, struct err *e)
{
    struct nsys_table *t = &o->table;
    int rc = note_resolution(t, e);
    if (!rc)
        rc = note_left_out(o, e);
    if (!rc && t->layout->lacks)
        rc = caveat_add(t->sink->caveats, CAVEAT_NOTE, e, "%s: %s", t->path, t->layout->lacks);
    return rc;
}

static int read_table(struct output *o, struct err *e)
{
    struct nsys_table *t = &o->table;
    bool found;
    int rc = skip_to_header(o, &found, e);
    if (!rc && !found)
        rc = err_set(e, ERR_INTERNAL, "the header of '%s' is gone", t->path);
    o->report[0] = '\0';
    if (!rc)
        rc = nsys_table_read_header(t, e);
    if (rc)
        return rc;
    struct err bad = {0};
    rc = read_rows(t, &bad);
    rc = rc ? keep_good_part(t, &bad, e) : look_behind(o, e);
    if (!rc && !t->rows)
        rc = err_set(e, ERR_INPUT,
                     "'%s' has the header of a %s but no rows: nothing ran on the GPU while it was captured", t->path,
                     t->layout->report);
    return rc ? rc : add_notes(o, e);
}

static int read_output(const struct reader_input *input, struct reader_sink *sink, struct err *e)
{
    size_t best = best_layout(input);
    if (best == COUNT(layouts))
        return err_set(e, ERR_INTERNAL, "the header of '%s' is gone", input->path);
    struct output o = {.table = {.layout = layouts[best], .path = input->path, .sink = sink}};
    str_init(&o.left_out);
    sink->launches_only = layouts[best]->launches_only;
    int rc = csv_reader_new(&o.table.csv, input->file, input->path, e);
    if (!rc)
        rc = read_table(&o, e);
    csv_reader_free(o.table.csv);
    nsys_table_release(&o.table);
    str_release(&o.left_out);
    return rc;
}

const struct reader nsys_csv_reader = {"CSV of nsys stats", recognise, read_output};
