/* What are the fields of the next row, and where is it?
 *
 * Lines are split off here and given to libcsv one at a time, so that every row and every error has its line number and
 * no row exceeds its maximum. A line without any doubtful character is split at its commas without libcsv, which
 * inspects every byte several times. tests/unit/core/io/test_csv.c compares the two. */
#define _GNU_SOURCE
#include "core/io/csv.h"

#include <csv.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

enum { READ_BYTES = 64 * 1024 };

enum row_fault { ROW_GOOD, ROW_NO_MEMORY, ROW_FIELD_TOO_LONG, ROW_TOO_MANY_FIELDS, ROW_CARRIAGE_RETURN };

struct csv_reader {
    FILE *file;
    const char *path;
    struct csv_parser parser;

    char *buffer; /* bytes [begin, end) were read and are not consumed yet */
    size_t begin, end, capacity;
    bool at_end, has_mark; /* a byte-order mark was skipped */
    uint64_t read_bytes;
    int64_t line;       /* line number of buffer[begin] */
    size_t line_length; /* length of the complete line there, once it was found; else 0 */

    struct str text; /* the row's fields, each terminated */
    struct {
        struct csv_field *items;
        size_t count, capacity;
    } fields;
    bool row_done;
    enum row_fault fault;
    bool has_failed; /* the parser is in the middle of something */
};

static int start_parser(struct csv_reader *r)
{
    if (csv_init(&r->parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL))
        return -1;
    csv_set_blk_size(&r->parser, READ_BYTES); /* by default it grows long fields by 128 bytes at a time */
    return 0;
}

int csv_reader_new(struct csv_reader **out, FILE *file, const char *path, struct err *e)
{
    struct csv_reader *r = calloc(1, sizeof *r);
    *out = r;
    if (!r)
        return err_memory(e);
    if (start_parser(r)) {
        free(r);
        *out = NULL;
        return err_memory(e);
    }
    r->file = file;
    r->path = path;
    r->line = 1;
    str_init(&r->text);
    return 0;
}

void csv_reader_free(struct csv_reader *r)
{
    if (!r)
        return;
    csv_free(&r->parser);
    free(r->buffer);
    free(r->fields.items);
    str_release(&r->text);
    free(r);
}

int64_t csv_reader_line(const struct csv_reader *r)
{
    return r->line;
}

uint64_t csv_reader_offset(const struct csv_reader *r)
{
    return r->read_bytes - (r->end - r->begin);
}

static void forget_text(struct csv_reader *r, uint64_t offset)
{
    r->begin = r->end = r->line_length = 0;
    r->read_bytes = offset;
    r->at_end = false;
    r->has_mark = true; /* it stands at the beginning only */
}

int csv_reader_go_to(struct csv_reader *r, uint64_t offset, int64_t line, struct err *e)
{
    if (fseeko(r->file, (off_t)offset, SEEK_SET))
        return err_set(e, ERR_INPUT, "cannot read '%s': %s", r->path, strerror(errno));
    forget_text(r, offset);
    r->line = line;
    return 0;
}

int csv_reader_give_text(struct csv_reader *r, const char *text, size_t length, struct err *e)
{
    forget_text(r, length);
    if (r->has_failed) {
        csv_free(&r->parser);
        if (start_parser(r))
            return err_memory(e);
        r->has_failed = false;
    }
    if (array_reserve((void **)&r->buffer, &r->capacity, length, 1))
        return err_memory(e);
    memcpy(r->buffer, text, length);
    r->end = length;
    return 0;
}

/* Moves the rest to the front and reads more after it. */
static int read_more(struct csv_reader *r, struct err *e)
{
    size_t left = r->end - r->begin;
    if (left > CSV_LINE_BYTES_MAX)
        return err_set(e, ERR_INPUT, "%s:%lld: the line is longer than %d bytes; this is no CSV file", r->path,
                       (long long)r->line, CSV_LINE_BYTES_MAX);
    if (r->begin)
        memmove(r->buffer, r->buffer + r->begin, left);
    r->begin = 0;
    r->end = left;
    if (array_reserve((void **)&r->buffer, &r->capacity, left + READ_BYTES, 1))
        return err_memory(e);
    const size_t got = r->file ? fread(r->buffer + left, 1, r->capacity - left, r->file) : 0;
    r->end += got;
    r->read_bytes += got;
    if (!got && r->file && ferror(r->file))
        return err_set(e, ERR_INPUT, "cannot read '%s': %s", r->path, strerror(errno));
    r->at_end = got == 0;
    return 0;
}

/* One, at the beginning of the file: a second one is text. */
static bool skip_byte_order_mark(struct csv_reader *r)
{
    if (r->line > 1 || r->has_mark || r->end - r->begin < 3 || memcmp(r->buffer + r->begin, "\xef\xbb\xbf", 3))
        return false;
    r->begin += 3;
    r->has_mark = true;
    return true;
}

/* Finds the next line in the buffer; *length counts its newline, if it has one. */
static int find_line(struct csv_reader *r, size_t *length, struct err *e)
{
    size_t searched = 0;
    if (r->line_length) {
        *length = r->line_length;
        return 1;
    }
    for (;;) {
        if (skip_byte_order_mark(r))
            searched = 0;
        size_t left = r->end - r->begin;
        const char *from = left ? r->buffer + r->begin : NULL;
        const char *newline = left ? memchr(from + searched, '\n', left - searched) : NULL;
        if (newline) {
            *length = r->line_length = (size_t)(newline - from) + 1;
            return 1;
        }
        if (r->at_end) {
            *length = left;
            return left > 0;
        }
        searched = left;
        int rc = read_more(r, e);
        if (rc)
            return rc;
    }
}

static void consume(struct csv_reader *r, size_t length)
{
    r->begin += length;
    r->line_length = 0;
    r->line++;
}

int csv_reader_peek_line(struct csv_reader *r, const char **text, size_t *length, struct err *e)
{
    int found = find_line(r, length, e);
    if (found != 1)
        return found;
    *text = r->buffer + r->begin;
    while (*length && ((*text)[*length - 1] == '\n' || (*text)[*length - 1] == '\r'))
        --*length;
    return 1;
}

void csv_reader_skip_line(struct csv_reader *r)
{
    size_t length;
    if (find_line(r, &length, NULL) == 1)
        consume(r, length);
}

/* Stores offsets until the row is complete, because the text may move. */
static void take_field(void *bytes, size_t length, void *context)
{
    struct csv_reader *r = context;
    if (r->row_done)
        r->fault = ROW_CARRIAGE_RETURN;
    else if (length > CSV_FIELD_BYTES_MAX)
        r->fault = ROW_FIELD_TOO_LONG;
    else if (r->fields.count == CSV_FIELDS_MAX)
        r->fault = ROW_TOO_MANY_FIELDS;
    if (r->fault)
        return;
    struct csv_field *field = ARRAY_PUSH(&r->fields);
    if (!field) {
        r->fault = ROW_NO_MEMORY;
        return;
    }
    field->length = length;
    str_add_bytes(&r->text, bytes, length + 1); /* CSV_APPEND_NULL put a zero after it */
}

static void take_row(int terminator, void *context)
{
    struct csv_reader *r = context;
    (void)terminator;
    r->row_done = true;
}

static int report_fault(const struct csv_reader *r, int64_t line, struct err *e)
{
    static const char *const sentences[] = {
        [ROW_FIELD_TOO_LONG] = "a field is longer than 1 MiB; a quote may be missing",
        [ROW_TOO_MANY_FIELDS] = "the row has more than 4096 fields",
        [ROW_CARRIAGE_RETURN] = "a carriage return stands inside the row; convert the line ends",
    };
    if (r->fault == ROW_NO_MEMORY || r->text.failed)
        return err_memory(e);
    return err_set(e, ERR_INPUT, "%s:%lld: %s", r->path, (long long)line, sentences[r->fault]);
}

static int report_parser(const struct csv_reader *r, int64_t row_line, size_t column, struct err *e)
{
    struct csv_parser parser = r->parser;
    if (csv_error(&parser) != CSV_EPARSE)
        return err_memory(e);
    if (row_line != r->line)
        return err_set(e, ERR_INPUT, "%s:%lld: misplaced quote at column %zu, in the row that starts on line %lld",
                       r->path, (long long)r->line, column, (long long)row_line);
    return err_set(e, ERR_INPUT, "%s:%lld: misplaced quote at column %zu", r->path, (long long)r->line, column);
}

/* Feeds one line, and limits the size of the row: an unclosed quote would otherwise gather lines without end. */
static int feed_line(struct csv_reader *r, size_t length, int64_t row_line, size_t *row_bytes, struct err *e)
{
    *row_bytes += length;
    if (*row_bytes > CSV_LINE_BYTES_MAX)
        return err_set(e, ERR_INPUT,
                       "%s:%lld: the row that starts here is longer than %d bytes; a quote may be missing", r->path,
                       (long long)row_line, CSV_LINE_BYTES_MAX);
    size_t used = csv_parse(&r->parser, r->buffer + r->begin, length, take_field, take_row, r);
    if (used != length)
        return report_parser(r, row_line, used + 1, e);
    consume(r, length);
    return r->fault || r->text.failed ? report_fault(r, row_line, e) : 0;
}

/* Ends the file. A last row without newline is still a row; an open quote is an error. */
static int finish(struct csv_reader *r, int64_t row_line, struct err *e)
{
    if (csv_fini(&r->parser, take_field, take_row, r))
        return err_set(e, ERR_INPUT, "%s:%lld: the file ends inside a quoted field of the row that starts here",
                       r->path, (long long)row_line);
    return r->fault || r->text.failed ? report_fault(r, row_line, e) : 0;
}

/* How is the field that starts here quoted? */
struct plain_field {
    char *text;
    char *end;
    char *next; /* the separator after it, or the end of the line */
};

static bool is_space(char c)
{
    return c == ' ' || c == '\t';
}

/* Takes a field without quotes and without spaces around it. The search also stops at the end of the line: a newline,
 * or the carriage return before it. */
static bool take_bare(struct plain_field *f, char *at, char *end)
{
    static const bool stops[256] = {[','] = true, ['"'] = true, ['\r'] = true, ['\n'] = true};
    f->text = at;
    while (!stops[(unsigned char)*at])
        at++;
    f->end = f->next = at;
    if (*at != ',' && at != end)
        return false;
    return at == f->text || (!is_space(f->text[0]) && !is_space(at[-1]));
}

/* Takes a field in quotes that contains no quotes. */
static bool take_quoted(struct plain_field *f, char *at, char *end)
{
    f->text = at + 1;
    f->end = memchr(f->text, '"', (size_t)(end - f->text));
    if (!f->end || memchr(f->text, '\r', (size_t)(f->end - f->text)))
        return false;
    f->next = f->end + 1;
    return f->next == end || *f->next == ',';
}

static bool find_plain_fields(struct csv_reader *r, char *at, char *end)
{
    size_t count = 0;
    for (;; at++) {
        struct plain_field f;
        bool plain = *at == '"' ? take_quoted(&f, at, end) : take_bare(&f, at, end);
        if (!plain || count == CSV_FIELDS_MAX)
            return false;
        if (count == r->fields.capacity &&
            array_reserve((void **)&r->fields.items, &r->fields.capacity, count + 1, sizeof *r->fields.items))
            return false;
        r->fields.items[count++] = (struct csv_field){f.text, (size_t)(f.end - f.text)};
        at = f.next;
        if (at == end)
            break;
    }
    r->fields.count = count;
    return true;
}

/* Splits a complete line in place when nothing in it is doubtful: no quote inside a field, no space that libcsv would
 * strip, nothing near a limit. Returns false and leaves the line unchanged otherwise; libcsv then parses it. */
static bool split_plain(struct csv_reader *r, size_t length, struct csv_row *row)
{
    char *from = r->buffer + r->begin, *end = from + length - 1;
    if (*end != '\n' || length > CSV_FIELD_BYTES_MAX)
        return false;
    if (end > from && end[-1] == '\r')
        end--;
    if (!find_plain_fields(r, from, end))
        return false;
    for (size_t i = 0; i < r->fields.count; i++) {
        const struct csv_field *field = &r->fields.items[i];
        from[(size_t)(field->text - from) + field->length] = '\0'; /* overwrites its comma, quote or line end */
    }
    *row = (struct csv_row){r->fields.items, r->fields.count, r->line, true};
    consume(r, length);
    return true;
}

static void resolve_fields(struct csv_reader *r)
{
    const char *at = str_text(&r->text);
    for (size_t i = 0; i < r->fields.count; i++) {
        r->fields.items[i].text = at;
        at += r->fields.items[i].length + 1;
    }
}

static bool is_blank(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!strchr(" \t\r\n", text[i]) || !text[i])
            return false;
    return true;
}

static int read_row(struct csv_reader *r, struct csv_row *row, struct err *e)
{
    r->fields.count = 0;
    r->row_done = false;
    r->fault = ROW_GOOD;
    str_clear(&r->text);
    int64_t row_line = r->line;
    size_t row_bytes = 0;
    bool terminated = true;
    while (!r->row_done) {
        size_t length;
        int found = find_line(r, &length, e);
        if (found < 0)
            return found;
        if (found && !row_bytes && is_blank(r->buffer + r->begin, length)) {
            consume(r, length);
            row_line = r->line;
            continue;
        }
        if (found && !row_bytes && split_plain(r, length, row))
            return 1;
        if (found)
            terminated = r->buffer[r->begin + length - 1] == '\n';
        int rc = found ? feed_line(r, length, row_line, &row_bytes, e) : finish(r, row_line, e);
        if (rc)
            return rc;
        if (!found && !r->row_done)
            return 0;
    }
    resolve_fields(r);
    *row = (struct csv_row){r->fields.items, r->fields.count, row_line, terminated};
    return 1;
}

int csv_reader_next(struct csv_reader *r, struct csv_row *row, struct err *e)
{
    const int got = read_row(r, row, e);
    r->has_failed |= got < 0;
    return got;
}

void csv_add_field(struct str *out, const char *text, size_t length)
{
    bool plain =
        length == 0 || (text[0] != ' ' && text[0] != '\t' && text[length - 1] != ' ' && text[length - 1] != '\t');
    for (size_t i = 0; plain && i < length; i++)
        plain = !strchr(",\"\r\n", text[i]);
    if (plain) {
        str_add_bytes(out, text, length);
        return;
    }
    size_t need = csv_write(NULL, 0, text, length);
    char *quoted = malloc(need);
    if (!quoted) {
        out->failed = true;
        return;
    }
    csv_write(quoted, need, text, length);
    str_add_bytes(out, quoted, need);
    free(quoted);
}
