/* How do two threads read one table, and none of them anything that the other had to know? */
#define _GNU_SOURCE
#include "core/trace/readers/nsys_slices.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/files.h"
#include "core/base/pump.h"
#include "core/trace/readers/nsys_plain_row.h"

/* How much is read at once to find the end of the last line, and how long it may be. */
enum { TAIL_BYTES = 4096, LINE_BYTES_MAX = 64 * 1024 };

/* A place starts over with its names beyond this, as otherwise each place might keep all of the trace. */
enum { NAME_BYTES_MAX = 1024 * 1024 };

/* A slice, and all that only one thread at a time needs while it is made. */
struct place {
    struct nsys_table table; /* names and counts of this place */
    struct reader_sink sink;
    struct strtab strings;
    struct caveat_list caveats;
    struct nsys_plain plain;
    ARRAY_OF(uint32_t) ids; /* what the stream calls a name of this place; 0: not asked yet */

    ARRAY_OF(char) text;
    ARRAY_OF(struct cpprof_event) events;
    uint64_t first, end; /* where its first line begins, and behind its last row */
    bool is_whole;       /* all lines that begin in the slice are rows */
    bool has_no_memory;
};

/* What rows add to, besides names. */
struct counts {
    int64_t rows, unplaced;
    bool has_sizes;
    int fraction_digits[NSYS_COLUMNS_MAX];
};

struct nsys_slices {
    int fd;
    char *path;
    uint64_t begin, size;
    size_t slice_bytes, count;
    struct strtab *strings;
    struct place places[PUMP_PLACES];
    struct pump pump;
    bool is_over; /* the last slice that was given is not whole */
    uint64_t end; /* behind the last row that was given */
    struct counts sum;
};

/* ---- lines of a slice ---- */

static bool make_room_for_text(struct place *p, size_t bytes)
{
    return !array_reserve((void **)&p->text.items, &p->text.capacity, bytes + NSYS_PLAIN_MARGIN, 1);
}

/* Appends up to `bytes` at `offset`. Returns false at the end of the file, or when it cannot be read. */
static bool append_text(const struct nsys_slices *s, struct place *p, uint64_t offset, uint64_t bytes)
{
    if (offset + bytes > s->size)
        bytes = s->size - offset;
    p->has_no_memory |= !make_room_for_text(p, p->text.count + bytes);
    if (p->has_no_memory || !bytes)
        return false;
    const ssize_t got = files_read_at(s->fd, p->text.items + p->text.count, bytes, offset);
    p->text.count += got > 0 ? (size_t)got : 0;
    return got == (ssize_t)bytes;
}

/* Loads the text from `from` on, and the whole of the line that goes beyond `to`. Returns false when it has no end. */
static bool load_text(const struct nsys_slices *s, struct place *p, uint64_t from, uint64_t to)
{
    size_t searched = (size_t)(to - from) - 1;
    p->text.count = 0;
    bool has_more = append_text(s, p, from, to - from);
    while (has_more && !memchr(p->text.items + searched, '\n', p->text.count - searched)) {
        searched = p->text.count;
        has_more = searched <= to - from + LINE_BYTES_MAX && append_text(s, p, from + searched, TAIL_BYTES);
    }
    if (has_more)
        memset(p->text.items + p->text.count, 0, NSYS_PLAIN_MARGIN);
    return has_more;
}

static struct counts counts_of(const struct nsys_table *t)
{
    struct counts counts = {t->rows, t->unplaced, t->has_sizes, {0}};
    memcpy(counts.fraction_digits, t->fraction_digits, sizeof counts.fraction_digits);
    return counts;
}

static void set_counts(struct nsys_table *t, const struct counts *counts)
{
    t->rows = counts->rows;
    t->unplaced = counts->unplaced;
    t->has_sizes = counts->has_sizes;
    memcpy(t->fraction_digits, counts->fraction_digits, sizeof t->fraction_digits);
}

/* A row that is not plain may still be a row on one line, as libcsv reads it. One of which something must be said is
 * left to the owner, who knows its line. */
static bool read_by_libcsv(struct place *p, const char *line, const char *behind, struct cpprof_event *event)
{
    struct nsys_table *t = &p->table;
    const struct counts before = counts_of(t);
    struct csv_row row;
    const bool is_row = !csv_reader_give_text(t->csv, line, (size_t)(behind - line), NULL) &&
                        csv_reader_next(t->csv, &row, NULL) == 1 && row.terminated &&
                        csv_reader_offset(t->csv) == (uint64_t)(behind - line) && row.count == t->field_count &&
                        !t->layout->read_event(t, &row, event, NULL) && event->kind && !p->caveats.count;
    if (!is_row)
        set_counts(t, &before);
    return is_row;
}

static bool read_row(struct place *p, const char *line, const char *newline, struct cpprof_event *event)
{
    return line[0] >= '0' && line[0] <= '9' &&
           (nsys_plain_read(&p->plain, line, newline, event) || read_by_libcsv(p, line, newline + 1, event));
}

/* Reads the rows that begin before `to`. */
static void read_rows(struct place *p, const char *at, const char *to, const char *end)
{
    const char *from = p->text.items;
    const uint64_t offset = p->first - (uint64_t)(at - from);
    p->is_whole = true;
    while (p->is_whole && at < to) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (array_reserve((void **)&p->events.items, &p->events.capacity, p->events.count + 1, sizeof *p->events.items))
            p->has_no_memory = true;
        p->is_whole = newline && !p->has_no_memory && read_row(p, at, newline, &p->events.items[p->events.count]);
        if (!p->is_whole)
            break;
        p->events.count++;
        p->table.rows++;
        at = newline + 1;
    }
    p->end = offset + (uint64_t)(at - from);
}

static void clear_place(struct place *p)
{
    if (p->strings.size_bytes > NAME_BYTES_MAX) {
        strtab_release(&p->strings);
        p->table.meanings.count = 0;
        p->ids.count = 0;
        nsys_plain_forget_names(&p->plain);
    }
    caveat_list_release(&p->caveats);
    p->events.count = 0;
    set_counts(&p->table, &(struct counts){0});
    p->is_whole = p->has_no_memory = false;
}

/* Slice i has the lines that begin in its stretch of the file. A line begins behind a newline, so the byte before the
 * stretch is looked at, too. */
static void make_slice(void *context, size_t i)
{
    struct nsys_slices *s = context;
    struct place *p = &s->places[i % PUMP_PLACES];
    const uint64_t from = s->begin + i * s->slice_bytes, rest = s->size - from;
    const uint64_t to = rest > s->slice_bytes ? from + s->slice_bytes : s->size;
    const uint64_t seen = i ? from - 1 : from;
    clear_place(p);
    p->first = p->end = from;
    if (!load_text(s, p, seen, to))
        return;
    const char *end = p->text.items + p->text.count;
    const char *newline = i ? memchr(p->text.items, '\n', p->text.count) : NULL;
    const char *at = newline ? newline + 1 : p->text.items;
    p->first = seen + (uint64_t)(at - p->text.items);
    read_rows(p, at, p->text.items + (to - seen), end);
}

/* ---- the owner's side ---- */

static int prepare_place(struct nsys_slices *s, struct place *p, const struct nsys_table *t, struct err *e)
{
    p->table = *t; /* the header; titles are for messages, which nobody here writes */
    p->table.path = s->path;
    p->table.sink = &p->sink;
    p->table.csv = NULL;
    memset(p->table.title, 0, sizeof p->table.title);
    memset(&p->table.meanings, 0, sizeof p->table.meanings);
    strtab_init(&p->strings);
    caveat_list_init(&p->caveats);
    p->sink = (struct reader_sink){.strings = &p->strings, .caveats = &p->caveats, .rank = -1};
    const int rc = nsys_plain_init(&p->plain, &p->table, e);
    return rc ? rc : csv_reader_new(&p->table.csv, NULL, s->path, e);
}

static void release_place(struct place *p)
{
    nsys_plain_release(&p->plain);
    csv_reader_free(p->table.csv);
    free(p->table.meanings.items);
    free(p->ids.items);
    free(p->text.items);
    free(p->events.items);
    caveat_list_release(&p->caveats);
    strtab_release(&p->strings);
}

void nsys_slices_free(struct nsys_slices *s)
{
    if (!s)
        return;
    pump_stop(&s->pump);
    for (size_t i = 0; i < PUMP_PLACES; i++)
        release_place(&s->places[i]);
    if (s->fd >= 0)
        close(s->fd);
    free(s->path);
    free(s);
}

/* Returns the size of a regular file; 0 for anything else. */
static uint64_t size_of(FILE *file)
{
    struct stat info;
    const int fd = fileno(file);
    return fd >= 0 && !fstat(fd, &info) && S_ISREG(info.st_mode) ? (uint64_t)info.st_size : 0;
}

int nsys_slices_new(struct nsys_slices **out, const struct nsys_table *t, FILE *file, uint64_t begin,
                    size_t slice_bytes, struct strtab *strings, struct err *e)
{
    const uint64_t size = size_of(file);
    *out = NULL;
    if (!t->layout->read_event || size < begin || size - begin < 2 * slice_bytes)
        return 0;
    struct nsys_slices *s = calloc(1, sizeof *s);
    if (!s)
        return err_memory(e);
    s->begin = begin;
    s->size = size;
    s->slice_bytes = slice_bytes;
    s->count = (size_t)((size - begin + slice_bytes - 1) / slice_bytes);
    s->strings = strings;
    s->fd = fcntl(fileno(file), F_DUPFD_CLOEXEC, 0);
    s->path = strdup(t->path);
    int rc = s->fd >= 0 && s->path ? 0 : err_memory(e);
    for (size_t i = 0; !rc && i < PUMP_PLACES; i++)
        rc = prepare_place(s, &s->places[i], t, e);
    if (rc)
        nsys_slices_free(s);
    else
        *out = s;
    return rc;
}

void nsys_slices_rewind(struct nsys_slices *s)
{
    pump_stop(&s->pump);
    s->is_over = false;
    s->end = s->begin;
    s->sum = (struct counts){0};
    pump_start(&s->pump, s->count, make_slice, s);
}

static void add_counts(struct counts *sum, const struct counts *more)
{
    sum->rows += more->rows;
    sum->unplaced += more->unplaced;
    sum->has_sizes |= more->has_sizes;
    for (size_t i = 0; i < NSYS_COLUMNS_MAX; i++)
        if (more->fraction_digits[i] > sum->fraction_digits[i])
            sum->fraction_digits[i] = more->fraction_digits[i];
}

void nsys_slices_add_counts(const struct nsys_slices *s, struct nsys_table *t)
{
    struct counts sum = counts_of(t);
    add_counts(&sum, &s->sum);
    set_counts(t, &sum);
}

/* Names of a place get the ids of the stream, the first time that an event has them. */
static int name_events(struct nsys_slices *s, struct place *p, struct err *e)
{
    const size_t names = strtab_count(&p->strings) + 1;
    if (array_reserve((void **)&p->ids.items, &p->ids.capacity, names, sizeof *p->ids.items))
        return err_memory(e);
    for (; p->ids.count < names; p->ids.count++)
        p->ids.items[p->ids.count] = 0;
    for (size_t i = 0; i < p->events.count; i++) {
        const uint32_t name = p->events.items[i].name;
        uint32_t *id = &p->ids.items[name];
        if (!*id)
            *id = strtab_add_bytes(s->strings, strtab_text(&p->strings, name), strtab_length(&p->strings, name));
        if (!*id)
            return err_memory(e);
        p->events.items[i].name = *id;
    }
    return 0;
}

int nsys_slices_next(struct nsys_slices *s, struct nsys_slice *out, struct err *e)
{
    size_t i;
    if (s->is_over || !pump_next(&s->pump, &i))
        return 0;
    struct place *p = &s->places[i % PUMP_PLACES];
    if (p->has_no_memory)
        return err_memory(e);
    if (p->first != s->end) { /* the row before it goes on in it */
        s->is_over = true;
        return 0;
    }
    const int rc = name_events(s, p, e);
    s->is_over = !p->is_whole;
    s->end = p->end;
    const struct counts counts = counts_of(&p->table);
    add_counts(&s->sum, &counts);
    *out = (struct nsys_slice){p->events.items, p->events.count};
    return rc ? rc : 1;
}

bool nsys_slices_reached_end(const struct nsys_slices *s)
{
    return !s->is_over && s->end == s->size;
}

uint64_t nsys_slices_offset(const struct nsys_slices *s)
{
    return s->end;
}
