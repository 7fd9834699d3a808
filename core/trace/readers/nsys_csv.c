/* Which trace does the CSV output of 'nsys stats' hold, and what else is in the output?
 *
 * Program output and nsys's own remarks may surround the table, and other reports may come before and after it. The gpu
 * trace is read when there is one, together with the trace of calls of the same capture; else a trace of calls, or of
 * launches. The first row that cannot be understood ends the good part. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "core/base/count_of.h"
#include "core/base/str.h"
#include "core/trace/readers/nsys_layouts.h"
#include "core/trace/readers/nsys_sorted.h"

/* The most useful first. */
enum { LAYOUT_GPU, LAYOUT_CALLS, LAYOUT_LAUNCHES, LAYOUTS };
static const struct nsys_layout *const layouts[LAYOUTS] = {
    [LAYOUT_GPU] = &nsys_gpu_layout, [LAYOUT_CALLS] = &nsys_api_layout, [LAYOUT_LAUNCHES] = &nsys_exec_layout};

/* Lines that nsys itself prints between tables. */
static const char *const remarks[] = {"Processing [", "Generating ", "Exporting ", "Exported ", "SKIPPED:",
                                      "NOTICE:",      "WARNING:",    "ERROR:",     "Using ",    "** "};

/* The name of a report in a remark of nsys; "" when there was no remark. */
struct report_name {
    char report[64];
    char capture[128]; /* the capture that it was made from */
};

/* One output of nsys being read. */
struct output {
    struct nsys_table table;
    struct report_name last;  /* of the last remark, until its table begins */
    struct report_name taken; /* of the table that is being read */
    bool met[LAYOUTS];        /* other tables that could have been read */
    struct report_name other[LAYOUTS];
    bool has_joined;     /* the calls of another table were added */
    struct str left_out; /* names of reports that are not read, separated by commas */
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
    for (size_t i = 0; i < COUNT_OF(remarks); i++)
        if (length >= strlen(remarks[i]) && !memcmp(line, remarks[i], strlen(remarks[i])))
            return true;
    return false;
}

/* A line that starts with a digit is a row. This is the usual case and needs no closer look. */
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

/* Lowers *best to the first layout whose header is in this line. */
static void look_for_header(const char *line, size_t length, size_t *best)
{
    for (size_t i = 0; i < *best; i++)
        if (is_header(layouts[i], line, length))
            *best = i;
}

static size_t best_in_head(const struct open_input *input)
{
    size_t best = LAYOUTS;
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

/* Reports come in the order in which they were asked for, so the best one may be far behind. */
static size_t best_in_file(const struct open_input *input, size_t best)
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

static size_t best_layout(const struct open_input *input)
{
    size_t best = best_in_head(input);
    bool of_nsys = best < LAYOUTS || contains(input->head, input->head_bytes, "Processing [") ||
                   contains(input->head, input->head_bytes, "Time (%)");
    return best && of_nsys && input->head_bytes == INPUT_HEAD_BYTES ? best_in_file(input, best) : best;
}

static bool recognise(const struct open_input *input)
{
    return input->file && best_layout(input) < LAYOUTS;
}

/* A last row without newline is incomplete when fields, or the end of its name, are missing; otherwise rows after it
 * may be missing. */
static int check_last_row(struct nsys_table *t, const struct csv_row *row, struct err *e)
{
    t->lacks_newline = true;
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

/* What is the next line? */
enum line_kind { LINE_ROW, LINE_BLANK, LINE_REMARK, LINE_HEADER, LINE_OTHER_HEADER, LINE_NONE };

/* Returns the layout that has this header; LAYOUTS when none has. */
static size_t layout_of_header(const char *line, size_t length)
{
    size_t best = LAYOUTS;
    look_for_header(line, length, &best);
    return best;
}

static enum line_kind kind_of_words(const struct nsys_table *t, const char *line, size_t length)
{
    const size_t layout = layout_of_header(line, length);
    if (layout == LAYOUTS)
        return LINE_ROW;
    return layouts[layout] == t->layout ? LINE_HEADER : LINE_OTHER_HEADER;
}

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
        *kind = kind_of_words(t, line, length);
    return 0;
}

/* Something else follows after a blank line. It may be another table. Rows of the same table mean that it was
 * interrupted; then no rule may pass on the rest. */
static int leave_rest(struct nsys_table *t, int64_t line, struct err *e)
{
    for (;;) {
        enum line_kind kind;
        struct csv_row row;
        int rc = next_line_kind(t, &kind, e);
        if (rc)
            return rc;
        if (kind == LINE_NONE || kind == LINE_REMARK || kind == LINE_HEADER || kind == LINE_OTHER_HEADER)
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

/* Reads rows up to the end of the table: a remark, another header, the end of the file or, after a blank line, a row of
 * another table. */
static int read_all_rows(struct nsys_table *t, struct err *e)
{
    bool after_blank = false;
    for (;;) {
        enum line_kind kind;
        struct csv_row row;
        int rc = next_line_kind(t, &kind, e);
        if (rc || kind == LINE_NONE || kind == LINE_REMARK || kind == LINE_OTHER_HEADER ||
            (kind == LINE_HEADER && t->rows))
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

/* Keeps the rows of slices, as far as slices have them, and goes to the first row behind them. */
static int keep_slices(struct nsys_table *t, struct nsys_slices *slices, struct err *e)
{
    const int64_t line = csv_reader_line(t->csv);
    struct nsys_slice slice;
    int got, rc = 0;
    nsys_slices_rewind(slices);
    while (!rc && (got = nsys_slices_next(slices, &slice, e)) != 0) {
        rc = got < 0 ? got : 0;
        for (size_t i = 0; !rc && i < slice.count; i++)
            rc = event_spool_add(t->sink->events, &slice.events[i], e);
    }
    const int64_t before = t->rows;
    nsys_slices_add_counts(slices, t);
    t->is_over = !rc && nsys_slices_reached_end(slices);
    return rc || t->is_over ? rc : csv_reader_go_to(t->csv, nsys_slices_offset(slices), line + (t->rows - before), e);
}

static void note_time_error(struct reader_sink *sink, int64_t time_error_ns)
{
    if (time_error_ns > sink->time_error_ns)
        sink->time_error_ns = time_error_ns;
}

static int note_resolution(struct nsys_table *t, struct err *e)
{
    const struct nsys_layout *l = t->layout;
    int64_t start = nsys_table_resolution(t, l->start_column), duration = nsys_table_resolution(t, l->duration_column);
    int64_t time = start > duration ? start : duration;
    int rc = 0;
    if (time > 1) /* an end is a sum, so it may be off by half a step of each */
        note_time_error(t->sink, (start + duration + 1) / 2);
    if (time > 1)
        rc = caveat_add(t->sink->caveats, CAVEAT_NOTE, e, "%s: times are rounded to %lld ns (columns '%s', '%s')",
                        t->path, (long long)time, t->title[l->start_column], t->title[l->duration_column]);
    if (!rc && t->has_sizes && nsys_table_resolution(t, l->size_column) > 1)
        rc = caveat_add(t->sink->caveats, CAVEAT_NOTE, e, "%s: sizes are rounded to %lld bytes (column '%s')", t->path,
                        (long long)nsys_table_resolution(t, l->size_column), t->title[l->size_column]);
    return rc;
}

static int note_unplaced(const struct nsys_table *t, struct err *e)
{
    if (!t->unplaced)
        return 0;
    t->sink->has_unplaced = true;
    return caveat_add(t->sink->caveats, CAVEAT_WEAKENS, e,
                      "%s: rows that do not say on which device or stream they ran ('Device', 'Strm'): %lld", t->path,
                      (long long)t->unplaced);
}

/* Says what the rows together have to say. */
static int note_rows(struct nsys_table *t, struct err *e)
{
    const int rc = note_unplaced(t, e);
    return rc ? rc : note_resolution(t, e);
}

static bool ends_in_newline(FILE *file)
{
    return !fseek(file, -1, SEEK_END) && fgetc(file) == '\n';
}

/* What must be said of rows that are read on demand, behind the last one. */
struct end_notes {
    struct nsys_table table; /* with titles of its own */
    struct reader_sink sink;
    char *path;
};

static void free_end_notes(void *context)
{
    struct end_notes *notes = context;
    if (!notes)
        return;
    nsys_table_release(&notes->table);
    free(notes->path);
    free(notes);
}

static int say_end_notes(void *context, const struct nsys_slices *slices, struct err *e)
{
    struct end_notes *notes = context;
    nsys_slices_add_counts(slices, &notes->table);
    return note_rows(&notes->table, e);
}

/* Takes the titles of the table, which has no more use for them. */
static struct end_notes *end_notes_new(struct nsys_table *t)
{
    struct end_notes *notes = calloc(1, sizeof *notes);
    if (!notes)
        return NULL;
    notes->path = strdup(t->path);
    if (!notes->path) {
        free(notes);
        return NULL;
    }
    notes->table = *t;
    notes->sink = *t->sink;
    notes->table.sink = &notes->sink;
    notes->table.path = notes->path;
    notes->table.csv = NULL;
    memset(&notes->table.meanings, 0, sizeof notes->table.meanings);
    memset(t->title, 0, sizeof t->title);
    return notes;
}

/* May the rows be read when their events are asked for? Nothing else of the file may be told of then, and times must be
 * exact without a look at them. */
static bool may_be_on_demand(const struct output *o, FILE *file)
{
    const struct nsys_table *t = &o->table;
    bool may = t->sink->may_be_on_demand && t->factor[t->layout->start_column] == 1 &&
               t->factor[t->layout->duration_column] == 1 && !o->left_out.length;
    for (size_t i = 0; i < LAYOUTS; i++)
        may &= !o->met[i];
    return may && ends_in_newline(file);
}

static int read_on_demand(struct nsys_table *t, struct nsys_slices *slices, struct err *e)
{
    struct event_source *source = NULL;
    struct end_notes *notes = end_notes_new(t);
    const struct nsys_sorted_end end = {say_end_notes, free_end_notes, notes};
    const int rc = notes ? nsys_sorted_new(&source, slices, &end, e) : err_memory(e);
    if (rc) {
        free_end_notes(notes);
        nsys_slices_free(slices);
        return rc;
    }
    if (!event_spool_add_source(t->sink->events, source)) {
        source->free(source);
        return err_set(e, ERR_INTERNAL, "an empty spool takes no source");
    }
    t->is_over = t->sink->is_on_demand = true;
    return 0;
}

static int read_rows(struct output *o, FILE *file, struct err *e)
{
    struct nsys_table *t = &o->table;
    struct nsys_slices *slices;
    int rc = nsys_slices_new(&slices, t, file, csv_reader_offset(t->csv), NSYS_SLICE_BYTES, t->sink->strings, e);
    if (!rc && slices && may_be_on_demand(o, file))
        return read_on_demand(t, slices, e);
    if (!rc && slices)
        rc = keep_slices(t, slices, e);
    nsys_slices_free(slices);
    return rc || t->is_over ? rc : read_all_rows(t, e);
}

/* Copies the name if it is not empty and fits. */
static void copy_name(char *to, size_t bytes, const char *start, const char *end)
{
    const size_t length = start && end > start ? (size_t)(end - start) : 0;
    if (!length || length >= bytes)
        return;
    memcpy(to, start, length);
    to[length] = '\0';
}

/* Reads the name of a report from "Processing [a.sqlite] with [/opt/.../cuda_api_sum.py]...". */
static void take_remark(struct output *o, const char *line, size_t length)
{
    const char *with = memmem(line, length, "] with [", 8);
    const char *end = with ? memmem(with, length - (size_t)(with - line), ".py]", 4) : NULL;
    const char *open = end ? memchr(line, '[', (size_t)(with - line)) : NULL, *start = end;
    while (start && start > with && start[-1] != '/' && start[-1] != '[')
        start--;
    copy_name(o->last.report, sizeof o->last.report, start, end);
    copy_name(o->last.capture, sizeof o->last.capture, open ? open + 1 : NULL, with);
}

static void leave_out(struct output *o, const char *report)
{
    if (*report && o->left_out.length < LEFT_OUT_BYTES_MAX && !strstr(str_text(&o->left_out), report))
        str_addf(&o->left_out, "%s%s", o->left_out.length ? ", " : "", report);
}

/* Notes that the last named report is not one that can be read. */
static void leave_out_last(struct output *o)
{
    leave_out(o, o->last.report);
    o->last = (struct report_name){0};
}

/* Notes a table that could be read, while another one is being looked for. */
static void pass_over(struct output *o, const char *line, size_t length)
{
    const size_t layout = layout_of_header(line, length);
    if (!o->met[layout])
        o->other[layout] = o->last;
    o->met[layout] = true;
    o->last = (struct report_name){0};
}

static void take_note_of(struct output *o, enum line_kind kind)
{
    const char *line;
    size_t length;
    if ((kind != LINE_REMARK && kind != LINE_OTHER_HEADER) ||
        csv_reader_peek_line(o->table.csv, &line, &length, NULL) != 1)
        return;
    if (kind == LINE_OTHER_HEADER) {
        pass_over(o, line, length);
        return;
    }
    leave_out_last(o);
    take_remark(o, line, length);
}

/* Skips lines until the next one is the table's header. *found is false at the end of the file. */
static int skip_to_header(struct output *o, bool *found, struct err *e)
{
    struct nsys_table *t = &o->table;
    for (;;) {
        enum line_kind kind;
        int rc = next_line_kind(t, &kind, e);
        *found = kind == LINE_HEADER;
        if (rc || kind == LINE_HEADER || kind == LINE_NONE)
            return rc;
        take_note_of(o, kind);
        csv_reader_skip_line(t->csv);
    }
}

/* Two captures have two clocks, so a second table is not merged; a caveat names it. Damage after the table does not
 * matter. */
static int look_behind(struct output *o, struct err *e)
{
    for (bool found;;) {
        if (skip_to_header(o, &found, NULL) || !found)
            return 0;
        o->last = (struct report_name){0};
        int rc = caveat_add(o->table.sink->caveats, CAVEAT_WEAKENS, e,
                            "%s:%lld: a second %s starts here and is not read; put it into a file of its own",
                            o->table.path, (long long)csv_reader_line(o->table.csv), o->table.layout->report);
        if (rc)
            return rc;
        csv_reader_skip_line(o->table.csv);
    }
}

static const char *name_of_other(const struct output *o, size_t layout)
{
    return *o->other[layout].report ? o->other[layout].report : layouts[layout]->report;
}

/* Appends which of them could be read, each from a file of its own. */
static void add_readable(const struct output *o, struct str *text)
{
    const size_t before = text->length;
    for (size_t i = 0; i < LAYOUTS; i++)
        if (o->met[i])
            str_addf(text, "%s%s", text->length == before ? "; to use it, put into a file of its own: " : ", ",
                     name_of_other(o, i));
}

static int note_left_out(struct output *o, struct err *e)
{
    struct str *text = &o->left_out;
    leave_out_last(o);
    for (size_t i = 0; i < LAYOUTS; i++)
        if (o->met[i]) {
            o->table.sink->has_unread = true;
            leave_out(o, name_of_other(o, i));
        }
    const bool any = text->length > 0;
    add_readable(o, text);
    if (text->failed)
        return err_memory(e);
    if (!any)
        return 0;
    if (o->has_joined)
        return caveat_add(o->table.sink->caveats, CAVEAT_NOTE, e, "%s: not read: %s", o->table.path, text->text);
    return caveat_add(o->table.sink->caveats, CAVEAT_NOTE, e, "%s: only the %s is read, not: %s", o->table.path,
                      o->table.layout->report, text->text);
}

/* After a bad row the rows before it are kept. */
static int keep_good_part(struct nsys_table *t, struct err *bad, struct err *e)
{
    if (!t->rows || bad->code != ERR_INPUT)
        return err_set(e, bad->code, "%s", bad->text);
    return caveat_add(t->sink->caveats, CAVEAT_TRUNCATED, e, "%s; only the rows before it are used: %lld", bad->text,
                      (long long)t->rows);
}

/* Reads the rows of the next table of this kind. Damage after it does not matter. */
static int read_table(struct output *o, FILE *file, struct err *e)
{
    struct nsys_table *t = &o->table;
    bool found;
    int rc = skip_to_header(o, &found, e);
    if (!rc && !found)
        rc = err_set(e, ERR_INTERNAL, "the header of '%s' is gone", t->path);
    o->taken = o->last;
    o->last = (struct report_name){0};
    if (!rc)
        rc = nsys_table_read_header(t, e);
    if (rc)
        return rc;
    struct err bad = {0};
    rc = read_rows(o, file, &bad);
    rc = rc ? keep_good_part(t, &bad, e) : t->is_over ? 0 : look_behind(o, e);
    if (!rc && !t->rows && !t->sink->is_on_demand)
        rc = err_set(e, ERR_INPUT,
                     "'%s' has the header of a %s but no rows: nothing ran on the GPU while it was captured", t->path,
                     t->layout->report);
    return rc;
}

static int open_output(struct output *o, const struct open_input *input, size_t layout, struct reader_sink *sink,
                       struct err *e)
{
    *o = (struct output){.table = {.layout = layouts[layout], .path = input->path, .sink = sink}};
    str_init(&o->left_out);
    rewind(input->file);
    return csv_reader_new(&o->table.csv, input->file, input->path, e);
}

static void close_output(struct output *o)
{
    csv_reader_free(o->table.csv);
    nsys_table_release(&o->table);
    str_release(&o->left_out);
}

/* Two reports of one capture share a clock. Only nsys's remarks name the capture of a report. */
static bool is_of_same_capture(const struct output *o, size_t layout)
{
    return *o->taken.capture && !strcmp(o->taken.capture, o->other[layout].capture);
}

static bool has_correlations(const struct nsys_table *t)
{
    return t->field[t->layout->correlation_column] != NSYS_ABSENT;
}

static int move_events(struct event_spool *from, struct event_spool *to, struct err *e)
{
    struct cpprof_event event;
    int rc = event_spool_rewind(from, e);
    while (!rc && (rc = event_spool_next(from, &event, e)) == 1)
        rc = event_spool_add(to, &event, e);
    return rc;
}

static int move_caveats(const struct caveat_list *from, struct caveat_list *to, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < from->count; i++)
        rc = caveat_add(to, from->items[i].kind, e, "%s", from->items[i].text);
    return rc;
}

/* GPU work does not name its process, so correlation ids of several processes could be confused. */
static int take_calls(struct output *o, struct output *calls, struct err *e)
{
    if (calls->table.processes.count > 1 || !has_correlations(&calls->table))
        return 0;
    o->met[LAYOUT_CALLS] = false;
    o->has_joined = true;
    o->table.lacks_newline |= calls->table.lacks_newline;
    int rc = note_resolution(&calls->table, e);
    note_time_error(o->table.sink, calls->table.sink->time_error_ns);
    if (!rc)
        rc = move_caveats(calls->table.sink->caveats, o->table.sink->caveats, e);
    if (!rc)
        rc = move_events(calls->table.sink->events, o->table.sink->events, e);
    return rc ? rc
              : caveat_add(o->table.sink->caveats, CAVEAT_NOTE, e,
                           "%s: the %s and the %s of '%s' are read as one, joined by correlation ids", o->table.path,
                           o->table.layout->report, calls->table.layout->report, o->taken.capture);
}

/* The calls that started the work of a gpu trace are in another report of the same capture. */
static int join_calls(struct output *o, const struct open_input *input, struct err *e)
{
    if (o->table.layout != &nsys_gpu_layout || !o->met[LAYOUT_CALLS] || !is_of_same_capture(o, LAYOUT_CALLS) ||
        !has_correlations(&o->table))
        return 0;
    struct caveat_list caveats;
    struct reader_sink sink = {.strings = o->table.sink->strings, .caveats = &caveats, .rank = -1};
    struct output calls;
    struct err bad = {0};
    caveat_list_init(&caveats);
    int rc = open_output(&calls, input, LAYOUT_CALLS, &sink, e);
    if (!rc)
        rc = event_spool_new(&sink.events, e);
    if (!rc && !(rc = read_table(&calls, input->file, &bad)))
        rc = take_calls(o, &calls, e);
    else if (bad.code)
        rc = bad.code == ERR_INPUT ? caveat_add(o->table.sink->caveats, CAVEAT_TRUNCATED, e, "%s", bad.text)
                                   : err_set(e, bad.code, "%s", bad.text);
    close_output(&calls);
    event_spool_free(sink.events);
    caveat_list_release(&caveats);
    return rc;
}

static int add_notes(struct output *o, struct err *e)
{
    struct nsys_table *t = &o->table;
    int rc = t->sink->is_on_demand ? 0 : note_rows(t, e);
    if (!rc)
        rc = note_left_out(o, e);
    if (!rc && t->layout->lacks)
        rc = caveat_add(t->sink->caveats, CAVEAT_NOTE, e, "%s: %s", t->path, t->layout->lacks);
    return rc;
}

/* A file that is cut in a report after those that were read may lack further reports, such as one of calls. */
static int check_end(const struct output *o, const struct open_input *input, struct err *e)
{
    const struct caveat_list *caveats = o->table.sink->caveats;
    if (o->table.lacks_newline || caveat_has(caveats, CAVEAT_TRUNCATED) || ends_in_newline(input->file))
        return 0;
    return caveat_add(o->table.sink->caveats, CAVEAT_WEAKENS, e,
                      "%s: the file does not end with a newline: a report behind the %s is cut, more may be missing; "
                      "export it again",
                      input->path, o->table.layout->report);
}

static int read_output(const struct open_input *input, struct reader_sink *sink, struct err *e)
{
    const size_t best = best_layout(input);
    if (best == LAYOUTS)
        return err_set(e, ERR_INTERNAL, "the header of '%s' is gone", input->path);
    sink->launches_only = layouts[best]->launches_only;
    struct output o;
    int rc = open_output(&o, input, best, sink, e);
    if (!rc)
        rc = read_table(&o, input->file, e);
    if (!rc)
        rc = join_calls(&o, input, e);
    if (!rc)
        rc = check_end(&o, input, e);
    if (!rc)
        rc = add_notes(&o, e);
    close_output(&o);
    return rc;
}

const struct reader nsys_csv_reader = {"CSV of nsys stats", recognise, read_output};
