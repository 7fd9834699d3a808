/* What ran on the GPU, according to a cuda_gpu_trace (or gputrace) CSV of nsys?
 *
 * Program output and nsys's own remarks may stand around the table, columns may
 * come in any order, units stand in the header. The first row that cannot be
 * understood ends the good part. */
#define _GNU_SOURCE
#include "model/readers/nsys_gpu_trace.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "model/readers/csv.h"
#include "model/readers/decimal.h"
#include "model/readers/reader.h"
#include "model/readers/work_names.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Times since 1970 fit (73 years); what is beyond is no time. */
#define START_NS_MAX    (INT64_C(1) << 61)
#define DURATION_NS_MAX (INT64_C(1) << 53) /* 104 days */

enum trace_column {
    COLUMN_START,
    COLUMN_DURATION,
    COLUMN_CORRELATION,
    COLUMN_GRID_X,
    COLUMN_GRID_Y,
    COLUMN_GRID_Z,
    COLUMN_BLOCK_X,
    COLUMN_BLOCK_Y,
    COLUMN_BLOCK_Z,
    COLUMN_REGISTERS,
    COLUMN_SHARED_STATIC,
    COLUMN_SHARED_DYNAMIC,
    COLUMN_BYTES,
    COLUMN_THROUGHPUT,
    COLUMN_SOURCE_MEMORY,
    COLUMN_TARGET_MEMORY,
    COLUMN_DEVICE,
    COLUMN_CONTEXT,
    COLUMN_GREEN_CONTEXT,
    COLUMN_STREAM,
    COLUMN_NAME,
    COLUMN_COUNT
};

enum quantity { QUANTITY_PLAIN, QUANTITY_TIME, QUANTITY_SIZE };

static const struct {
    const char *name; /* without the unit in parentheses */
    enum quantity quantity;
    bool required;
} trace_columns[COLUMN_COUNT] = {
    [COLUMN_START] = {"Start", QUANTITY_TIME, true},
    [COLUMN_DURATION] = {"Duration", QUANTITY_TIME, true},
    [COLUMN_CORRELATION] = {"CorrId", QUANTITY_PLAIN, false},
    [COLUMN_GRID_X] = {"GrdX", QUANTITY_PLAIN, false},
    [COLUMN_GRID_Y] = {"GrdY", QUANTITY_PLAIN, false},
    [COLUMN_GRID_Z] = {"GrdZ", QUANTITY_PLAIN, false},
    [COLUMN_BLOCK_X] = {"BlkX", QUANTITY_PLAIN, false},
    [COLUMN_BLOCK_Y] = {"BlkY", QUANTITY_PLAIN, false},
    [COLUMN_BLOCK_Z] = {"BlkZ", QUANTITY_PLAIN, false},
    [COLUMN_REGISTERS] = {"Reg/Trd", QUANTITY_PLAIN, false},
    [COLUMN_SHARED_STATIC] = {"StcSMem", QUANTITY_SIZE, false},
    [COLUMN_SHARED_DYNAMIC] = {"DymSMem", QUANTITY_SIZE, false},
    [COLUMN_BYTES] = {"Bytes", QUANTITY_SIZE, false},
    [COLUMN_THROUGHPUT] = {"Throughput", QUANTITY_PLAIN, false},
    [COLUMN_SOURCE_MEMORY] = {"SrcMemKd", QUANTITY_PLAIN, false},
    [COLUMN_TARGET_MEMORY] = {"DstMemKd", QUANTITY_PLAIN, false},
    [COLUMN_DEVICE] = {"Device", QUANTITY_PLAIN, true},
    [COLUMN_CONTEXT] = {"Ctx", QUANTITY_PLAIN, false},
    [COLUMN_GREEN_CONTEXT] = {"GreenCtx", QUANTITY_PLAIN, false},
    [COLUMN_STREAM] = {"Strm", QUANTITY_PLAIN, true},
    [COLUMN_NAME] = {"Name", QUANTITY_PLAIN, true},
};

/* Where a column's whole number goes in the event. */
static const struct {
    enum trace_column column;
    size_t offset;
    size_t bytes; /* 2, 4 or 8 */
} trace_members[] = {
#define MEMBER(member) offsetof(struct cpprof_event, member), sizeof((struct cpprof_event *)0)->member
    {COLUMN_CORRELATION, MEMBER(correlation)},
    {COLUMN_GRID_X, MEMBER(grid[0])},
    {COLUMN_GRID_Y, MEMBER(grid[1])},
    {COLUMN_GRID_Z, MEMBER(grid[2])},
    {COLUMN_BLOCK_X, MEMBER(block[0])},
    {COLUMN_BLOCK_Y, MEMBER(block[1])},
    {COLUMN_BLOCK_Z, MEMBER(block[2])},
    {COLUMN_REGISTERS, MEMBER(registers)},
    {COLUMN_SHARED_STATIC, MEMBER(shared_static_bytes)},
    {COLUMN_SHARED_DYNAMIC, MEMBER(shared_dynamic_bytes)},
    {COLUMN_BYTES, MEMBER(size_bytes)},
    {COLUMN_CONTEXT, MEMBER(context)},
    {COLUMN_STREAM, MEMBER(stream)},
#undef MEMBER
};

static const struct {
    enum quantity quantity;
    const char *name;
    int64_t factor; /* ns or bytes */
} trace_units[] = {
    {QUANTITY_TIME, "ns", 1},
    {QUANTITY_TIME, "nsec", 1},
    {QUANTITY_TIME, "us", 1000},
    {QUANTITY_TIME, "usec", 1000},
    {QUANTITY_TIME, "\xce\xbcs", 1000}, /* Greek mu */
    {QUANTITY_TIME, "\xc2\xb5s", 1000}, /* micro sign */
    {QUANTITY_TIME, "ms", 1000000},
    {QUANTITY_TIME, "msec", 1000000},
    {QUANTITY_TIME, "s", 1000000000},
    {QUANTITY_TIME, "sec", 1000000000},
    {QUANTITY_SIZE, "B", 1},
    {QUANTITY_SIZE, "KB", 1000},
    {QUANTITY_SIZE, "MB", 1000000},
    {QUANTITY_SIZE, "GB", 1000000000},
    {QUANTITY_SIZE, "KiB", 1024},
    {QUANTITY_SIZE, "MiB", 1048576},
    {QUANTITY_SIZE, "GiB", 1073741824},
};

/* What nsys itself prints between tables. */
static const char *const remarks[] = {"Processing [", "Generating ", "Exporting ", "Exported ", "SKIPPED:",
                                      "NOTICE:",      "WARNING:",    "ERROR:",     "Using ",    "** "};

#define ABSENT ((size_t)-1)

/* One table being read. */
struct trace_table {
    const char *path;
    struct csv_reader *csv;
    struct reader_sink *sink;

    size_t field_count;
    size_t field[COLUMN_COUNT];        /* of each column; ABSENT */
    int64_t factor[COLUMN_COUNT];      /* of its unit */
    char *title[COLUMN_COUNT];         /* as in the header, for messages */
    int fraction_digits[COLUMN_COUNT]; /* most that any cell had */

    int64_t rows;
    bool has_sizes;

    struct {
        struct name_meaning *items; /* by string id */
        size_t count, capacity;
    } meanings;
};

/* What a name says about the work; the same few names come again and again. */
struct name_meaning {
    bool known;
    uint16_t kind;
    enum cpprof_copy_kind direction;
};

static bool contains(const char *line, size_t length, const char *word)
{
    return memmem(line, length, word, strlen(word)) != NULL;
}

bool nsys_gpu_trace_is_header(const char *line, size_t length)
{
    static const char *const words[] = {"Start (", "Duration (", "Device", "Strm", "Name", ","};
    for (size_t i = 0; i < COUNT(words); i++)
        if (!contains(line, length, words[i]))
            return false;
    return true;
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

static bool recognise(const struct reader_input *input)
{
    if (!input->file)
        return false;
    const char *line = input->head, *end = input->head + input->head_bytes;
    while (line < end) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        size_t length = (size_t)((newline ? newline : end) - line);
        if (nsys_gpu_trace_is_header(line, length))
            return true;
        line += length + 1;
    }
    return false;
}

/* "Bytes (MB)" is column Bytes; returns the text behind the name, or NULL. */
static const char *after_name(const char *title, const char *name)
{
    size_t length = strlen(name);
    if (strncmp(title, name, length) || (title[length] && title[length] != ' '))
        return NULL;
    return title + length;
}

static int64_t unit_factor(enum quantity quantity, const char *suffix)
{
    for (size_t i = 0; i < COUNT(trace_units); i++) {
        size_t length = strlen(trace_units[i].name);
        if (trace_units[i].quantity == quantity && !strncmp(suffix, " (", 2) &&
            !strncmp(suffix + 2, trace_units[i].name, length) && !strcmp(suffix + 2 + length, ")"))
            return trace_units[i].factor;
    }
    return 0;
}

static int take_title(struct trace_table *t, size_t column, size_t field, const char *title, const char *suffix,
                      int64_t line, struct err *e)
{
    if (t->field[column] != ABSENT)
        return err_set(e, ERR_INPUT, "%s:%lld: the header repeats column '%s'", t->path, (long long)line,
                       trace_columns[column].name);
    t->factor[column] = trace_columns[column].quantity ? unit_factor(trace_columns[column].quantity, suffix) : 1;
    if (!t->factor[column])
        return err_set(e, ERR_INPUT, "%s:%lld: column '%.60s' has no unit that is known (%s)", t->path, (long long)line,
                       title, trace_columns[column].quantity == QUANTITY_TIME ? "ns, us, ms, s" : "B, KB, MB, GB");
    t->field[column] = field;
    t->title[column] = strdup(title);
    return t->title[column] ? 0 : err_memory(e);
}

static int read_title(struct trace_table *t, size_t field, const char *title, int64_t line, struct err *e)
{
    for (size_t column = 0; column < COLUMN_COUNT; column++) {
        const char *suffix = after_name(title, trace_columns[column].name);
        if (suffix)
            return take_title(t, column, field, title, suffix, line, e);
    }
    return caveat_add(t->sink->caveats, CAVEAT_NOTE, e, "%s:%lld: unknown column '%.60s' is ignored", t->path,
                      (long long)line, title);
}

static void forget_titles(struct trace_table *t)
{
    for (size_t column = 0; column < COLUMN_COUNT; column++) {
        t->field[column] = ABSENT;
        free(t->title[column]);
        t->title[column] = NULL;
    }
}

static int read_header(struct trace_table *t, struct err *e)
{
    struct csv_row row;
    int got = csv_reader_next(t->csv, &row, e);
    if (got != 1)
        return got ? got : err_set(e, ERR_INTERNAL, "the header of '%s' is gone", t->path);
    t->field_count = row.count;
    forget_titles(t);
    for (size_t field = 0; field < row.count; field++) {
        int rc = read_title(t, field, row.fields[field].text, row.line, e);
        if (rc)
            return rc;
    }
    for (size_t column = 0; column < COLUMN_COUNT; column++)
        if (trace_columns[column].required && t->field[column] == ABSENT)
            return err_set(e, ERR_INPUT, "%s:%lld: the header lacks column '%s'", t->path, (long long)row.line,
                           trace_columns[column].name);
    return 0;
}

/* The text of a cell; "" when it is missing in any of nsys's ways. */
static const char *cell_of(const struct trace_table *t, const struct csv_row *row, size_t column)
{
    if (t->field[column] == ABSENT)
        return "";
    const char *text = row->fields[t->field[column]].text;
    if (text[0] != 'N' && text[0] != '-')
        return text; /* the usual case, for every cell of the file */
    return !strcmp(text, "None") || !strcmp(text, "-") ? "" : text;
}

static int bad_cell(const struct trace_table *t, const struct csv_row *row, size_t column, const char *expected,
                    struct err *e)
{
    return err_set(e, ERR_INPUT, "%s:%lld: column '%s' is '%.60s', expected %s", t->path, (long long)row->line,
                   t->title[column], row->fields[t->field[column]].text, expected);
}

static int read_scaled(struct trace_table *t, const struct csv_row *row, size_t column, int64_t max, int64_t *out,
                       struct err *e)
{
    struct decimal number;
    if (!decimal_read(cell_of(t, row, column), t->factor[column], &number))
        return bad_cell(t, row, column, "a decimal number", e);
    if (number.value > max || number.value < (column == COLUMN_START ? -max : 0))
        return bad_cell(t, row, column, number.value < 0 ? "none below 0" : "a smaller number", e);
    if (number.fraction_digits > t->fraction_digits[column])
        t->fraction_digits[column] = number.fraction_digits;
    *out = number.value;
    return 0;
}

static void store(struct cpprof_event *event, size_t offset, size_t bytes, int64_t value)
{
    unsigned char *to = (unsigned char *)event + offset;
    uint64_t wide = (uint64_t)value;
    uint32_t middle = (uint32_t)value;
    uint16_t narrow = (uint16_t)value;
    switch (bytes) {
    case sizeof narrow: memcpy(to, &narrow, sizeof narrow); break;
    case sizeof middle: memcpy(to, &middle, sizeof middle); break;
    case sizeof wide: memcpy(to, &wide, sizeof wide); break;
    }
}

static int read_members(struct trace_table *t, const struct csv_row *row, struct cpprof_event *event, struct err *e)
{
    for (size_t i = 0; i < COUNT(trace_members); i++) {
        size_t column = trace_members[i].column, bytes = trace_members[i].bytes;
        if (!*cell_of(t, row, column))
            continue;
        int64_t value, max = bytes < sizeof max ? (INT64_C(1) << (8 * bytes)) - 1 : INT64_MAX / 1024;
        int rc = read_scaled(t, row, column, max, &value, e);
        if (rc)
            return rc;
        store(event, trace_members[i].offset, bytes, value);
    }
    return 0;
}

static int read_times(struct trace_table *t, const struct csv_row *row, struct cpprof_event *event, struct err *e)
{
    int64_t duration_ns;
    int rc = read_scaled(t, row, COLUMN_START, START_NS_MAX, &event->start_ns, e);
    if (!rc)
        rc = read_scaled(t, row, COLUMN_DURATION, DURATION_NS_MAX, &duration_ns, e);
    if (!rc)
        event->end_ns = event->start_ns + duration_ns;
    return rc;
}

/* "NVIDIA A100 80GB PCIe (0)" is device 0; a bare number is taken too. */
static int read_device(struct trace_table *t, const struct csv_row *row, struct cpprof_event *event, struct err *e)
{
    const char *text = cell_of(t, row, COLUMN_DEVICE);
    const char *open = strrchr(text, '(');
    const char *digits = open ? open + 1 : text;
    event->device = -1;
    if (!*text)
        return 0;
    char *end;
    long ordinal = strtol(digits, &end, 10);
    bool good =
        end != digits && *digits >= '0' && *digits <= '9' && ordinal <= INT16_MAX && !strcmp(end, open ? ")" : "");
    if (!good)
        return bad_cell(t, row, COLUMN_DEVICE, "a name and '(ordinal)'", e);
    event->device = (int16_t)ordinal;
    return 0;
}

static uint16_t pageable_flags(const struct trace_table *t, const struct csv_row *row)
{
    unsigned flags = 0;
    if (!strcmp(cell_of(t, row, COLUMN_SOURCE_MEMORY), "Pageable"))
        flags |= CPPROF_EVENT_SRC_PAGEABLE;
    if (!strcmp(cell_of(t, row, COLUMN_TARGET_MEMORY), "Pageable"))
        flags |= CPPROF_EVENT_DST_PAGEABLE;
    return (uint16_t)flags;
}

static const struct name_meaning *meaning_of(struct trace_table *t, uint32_t name, const char *text)
{
    while (t->meanings.count <= name)
        if (!ARRAY_PUSH(&t->meanings))
            return NULL;
    struct name_meaning *meaning = &t->meanings.items[name];
    if (!meaning->known)
        *meaning = (struct name_meaning){true, work_kind_of_name(text), work_copy_direction(text)};
    return meaning;
}

static int read_name(struct trace_table *t, const struct csv_row *row, struct cpprof_event *event, struct err *e)
{
    const struct csv_field *name = &row->fields[t->field[COLUMN_NAME]];
    if (!*cell_of(t, row, COLUMN_NAME))
        return bad_cell(t, row, COLUMN_NAME, "a name", e);
    event->name = strtab_add_bytes(t->sink->strings, name->text, name->length);
    const struct name_meaning *meaning = event->name ? meaning_of(t, event->name, name->text) : NULL;
    if (!meaning)
        return err_memory(e);
    event->kind = meaning->kind;
    if (event->kind != CPPROF_EVENT_COPY && event->kind != CPPROF_EVENT_MIGRATION)
        return 0;
    event->detail = meaning->direction;
    event->flags = pageable_flags(t, row);
    if (event->detail == CPPROF_COPY_UNKNOWN)
        return caveat_add(t->sink->caveats, CAVEAT_NOTE, e, "%s:%lld: '%.60s' is a copy in no direction that is known",
                          t->path, (long long)row->line, name->text);
    return 0;
}

/* A last row without newline may be cut: it is, when fields or the end of the
 * name are missing; what cannot be told is said. */
static int check_last_row(struct trace_table *t, const struct csv_row *row, struct err *e)
{
    const struct csv_field *last = &row->fields[row->count - 1];
    bool ends_in_name = row->count == t->field_count && t->field[COLUMN_NAME] == row->count - 1;
    bool open_bracket = ends_in_name && last->text[0] == '[' && last->text[last->length - 1] != ']';
    if (row->count < t->field_count || open_bracket)
        return err_set(e, ERR_INPUT, "%s:%lld: the file ends in the middle of a row", t->path, (long long)row->line);
    return caveat_add(t->sink->caveats, ends_in_name ? CAVEAT_NOTE : CAVEAT_WEAKENS, e,
                      "%s:%lld: the last row ends without a newline and may be cut", t->path, (long long)row->line);
}

static int check_field_count(const struct trace_table *t, const struct csv_row *row, struct err *e)
{
    if (row->count == t->field_count)
        return 0;
    return err_set(e, ERR_INPUT, "%s:%lld: %zu fields where the header has %zu%s", t->path, (long long)row->line,
                   row->count, t->field_count,
                   row->count > t->field_count ? "; if these are decimal commas, export again with LC_ALL=C" : "");
}

static int read_row(struct trace_table *t, const struct csv_row *row, struct err *e)
{
    struct cpprof_event event = {.rank = -1};
    int rc = row->terminated ? 0 : check_last_row(t, row, e);
    if (!rc)
        rc = check_field_count(t, row, e);
    if (!rc)
        rc = read_times(t, row, &event, e);
    if (!rc)
        rc = read_members(t, row, &event, e);
    if (!rc)
        rc = read_device(t, row, &event, e);
    if (!rc)
        rc = read_name(t, row, &event, e);
    if (rc)
        return rc;
    t->rows++;
    t->has_sizes |= event.size_bytes > 0;
    if (!event.kind)
        return caveat_add(t->sink->caveats, CAVEAT_WEAKENS, e,
                          "%s:%lld: '%.60s' is no operation that is known; left out", t->path, (long long)row->line,
                          strtab_text(t->sink->strings, event.name));
    return event_spool_add(t->sink->events, &event, e);
}

/* What is the line that comes next? */
enum line_kind { LINE_ROW, LINE_BLANK, LINE_REMARK, LINE_HEADER, LINE_NONE };

static int next_line_kind(struct trace_table *t, enum line_kind *kind, struct err *e)
{
    const char *line;
    size_t length;
    *kind = LINE_NONE;
    int got = csv_reader_peek_line(t->csv, &line, &length, e);
    if (got != 1)
        return got;
    if (length && line[0] >= '0' && line[0] <= '9')
        *kind = LINE_ROW; /* the usual case, without a closer look */
    else if (is_blank(line, length))
        *kind = LINE_BLANK;
    else if (is_remark(line, length))
        *kind = LINE_REMARK;
    else
        *kind = nsys_gpu_trace_is_header(line, length) ? LINE_HEADER : LINE_ROW;
    return 0;
}

/* The rows up to the end of the table: a remark, another header, the end of the
 * file, or, behind a blank line, a row of some other table. */
static int read_rows(struct trace_table *t, struct err *e)
{
    bool after_blank = false;
    for (;;) {
        enum line_kind kind;
        struct csv_row row;
        int rc = next_line_kind(t, &kind, e);
        if (rc || kind == LINE_NONE || kind == LINE_REMARK || (kind == LINE_HEADER && t->rows))
            return rc;
        if (kind == LINE_HEADER && (rc = read_header(t, e)))
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
            return caveat_add(t->sink->caveats, CAVEAT_NOTE, e,
                              "%s:%lld: the gpu trace ends before this line; the rest is not read", t->path,
                              (long long)row.line);
        rc = read_row(t, &row, e);
        if (rc)
            return rc;
        after_blank = false;
    }
}

/* Two captures have two clocks: a second table is not mixed in, but said. */
static int look_for_second_table(struct trace_table *t, struct err *e)
{
    enum line_kind kind;
    for (;;) {
        if (next_line_kind(t, &kind, NULL) || kind == LINE_NONE)
            return 0;
        if (kind == LINE_HEADER)
            return caveat_add(t->sink->caveats, CAVEAT_WEAKENS, e,
                              "%s:%lld: a second gpu trace starts here and is not read; put it into a file of its own",
                              t->path, (long long)csv_reader_line(t->csv));
        csv_reader_skip_line(t->csv);
    }
}

/* How many ns or bytes is one step of the last digit that a column shows? */
static int64_t resolution(const struct trace_table *t, size_t column)
{
    int64_t step = t->factor[column];
    for (int i = 0; i < t->fraction_digits[column] && step > 1; i++)
        step = (step + 9) / 10;
    return step;
}

static int note_resolution(struct trace_table *t, struct err *e)
{
    int64_t start = resolution(t, COLUMN_START), duration = resolution(t, COLUMN_DURATION);
    int64_t time = start > duration ? start : duration;
    int rc = 0;
    if (time > 1)
        rc = caveat_add(t->sink->caveats, CAVEAT_NOTE, e, "%s: times are rounded to %lld ns (columns '%s', '%s')",
                        t->path, (long long)time, t->title[COLUMN_START], t->title[COLUMN_DURATION]);
    if (!rc && t->has_sizes && resolution(t, COLUMN_BYTES) > 1)
        rc = caveat_add(t->sink->caveats, CAVEAT_NOTE, e, "%s: sizes are rounded to %lld bytes (column '%s')", t->path,
                        (long long)resolution(t, COLUMN_BYTES), t->title[COLUMN_BYTES]);
    return rc;
}

static int skip_preamble(struct trace_table *t, struct err *e)
{
    enum line_kind kind;
    for (;;) {
        int rc = next_line_kind(t, &kind, e);
        if (rc || kind == LINE_HEADER)
            return rc;
        if (kind == LINE_NONE)
            return err_set(e, ERR_INTERNAL, "the header of '%s' is gone", t->path);
        csv_reader_skip_line(t->csv);
    }
}

/* A bad row leaves the rows before it usable. */
static int keep_good_part(struct trace_table *t, struct err *bad, struct err *e)
{
    if (!t->rows || bad->code != ERR_INPUT)
        return err_set(e, bad->code, "%s", bad->text);
    return caveat_add(t->sink->caveats, CAVEAT_TRUNCATED, e, "%s; only the rows before it are used: %lld", bad->text,
                      (long long)t->rows);
}

static int read_table(struct trace_table *t, struct err *e)
{
    int rc = skip_preamble(t, e);
    if (!rc)
        rc = read_header(t, e);
    if (rc)
        return rc;
    struct err bad = {0};
    rc = read_rows(t, &bad);
    rc = rc ? keep_good_part(t, &bad, e) : look_for_second_table(t, e);
    if (!rc && !t->rows)
        rc = err_set(e, ERR_INPUT,
                     "'%s' has the header of a gpu trace but no rows: nothing ran on the GPU while it was captured",
                     t->path);
    return rc ? rc : note_resolution(t, e);
}

static int read_trace(const struct reader_input *input, struct reader_sink *sink, struct err *e)
{
    struct trace_table table = {.path = input->path, .sink = sink};
    int rc = csv_reader_new(&table.csv, input->file, input->path, e);
    if (!rc)
        rc = read_table(&table, e);
    csv_reader_free(table.csv);
    free(table.meanings.items);
    forget_titles(&table);
    return rc;
}

const struct reader nsys_gpu_trace_reader = {"nsys cuda_gpu_trace CSV", recognise, read_trace};
