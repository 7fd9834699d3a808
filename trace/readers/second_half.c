/* How do two processors read one table? */
#define _GNU_SOURCE
#include "trace/readers/second_half.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "trace/event_spool.h"

enum { LOOK_BYTES = 64 * 1024, WINDOW_EVENTS = 8192 };

static const off_t worth_bytes = 16 * 1024 * 1024;

struct second_half {
    struct nsys_table table;
    struct reader_sink sink;
    struct strtab strings;
    struct caveat_list caveats;
    FILE *file;
    uint64_t offset;
    second_half_reader *read;
    pthread_t thread;
    bool has_thread, is_good;
    atomic_bool stop;
};

/* Events of the half, with the names that they have in the stream. */
struct half_source {
    struct event_source source;
    struct event_spool *events;
    uint32_t *ids;
    struct cpprof_event event;
};

/* ---- where and whether ---- */

static bool has_two_processors(void)
{
    cpu_set_t set;
    return !sched_getaffinity(0, sizeof set, &set) && CPU_COUNT(&set) > 1;
}

/* Returns the place behind the first newline from the middle on; 0 when there is none soon. */
static uint64_t middle_of(int fd, off_t size)
{
    static _Thread_local char bytes[LOOK_BYTES];
    const uint64_t from = (uint64_t)size / 2;
    const ssize_t got = files_read_at(fd, bytes, sizeof bytes, from);
    const char *newline = got > 0 ? memchr(bytes, '\n', (size_t)got) : NULL;
    return newline ? from + (uint64_t)(newline - bytes) + 1 : 0;
}

static uint64_t offset_for(FILE *file)
{
    struct stat info;
    const int fd = fileno(file);
    if (fd < 0 || fstat(fd, &info) || !S_ISREG(info.st_mode) || info.st_size < worth_bytes || !has_two_processors())
        return 0;
    return middle_of(fd, info.st_size);
}

/* With a position of its own. */
static FILE *open_at(FILE *file, uint64_t offset)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
    FILE *own = fopen(path, "re");
    if (own && fseeko(own, (off_t)offset, SEEK_SET)) {
        fclose(own);
        own = NULL;
    }
    return own;
}

/* ---- the thread ---- */

static void *work(void *context)
{
    struct second_half *h = context;
    h->is_good = h->read(&h->table, &h->stop) && !h->caveats.count;
    return NULL;
}

static bool prepare(struct second_half *h, const struct nsys_table *t, FILE *file)
{
    h->table = *t; /* the header; nothing was counted yet */
    h->table.sink = &h->sink;
    h->table.csv = NULL;
    memset(h->table.title, 0, sizeof h->table.title); /* they are the owner's, and for messages */
    memset(&h->table.meanings, 0, sizeof h->table.meanings);
    strtab_init(&h->strings);
    h->strings.size_bytes_max = t->sink->strings->size_bytes_max;
    caveat_list_init(&h->caveats);
    h->sink = (struct reader_sink){.strings = &h->strings, .caveats = &h->caveats, .rank = -1};
    h->file = open_at(file, h->offset);
    return h->file && !event_spool_new(&h->sink.events, NULL) && !csv_reader_new(&h->table.csv, h->file, t->path, NULL);
}

struct second_half *second_half_begin(const struct nsys_table *t, FILE *file, second_half_reader *read)
{
    const uint64_t offset = offset_for(file);
    struct second_half *h = offset ? calloc(1, sizeof *h) : NULL;
    if (!h)
        return NULL;
    h->offset = offset;
    h->read = read;
    h->has_thread = prepare(h, t, file) && !pthread_create(&h->thread, NULL, work, h);
    if (!h->has_thread) {
        second_half_free(h);
        return NULL;
    }
    return h;
}

static void wait_for(struct second_half *h)
{
    if (h->has_thread)
        pthread_join(h->thread, NULL);
    h->has_thread = false;
}

void second_half_free(struct second_half *h)
{
    if (!h)
        return;
    atomic_store(&h->stop, true);
    wait_for(h);
    csv_reader_free(h->table.csv);
    free(h->table.meanings.items);
    event_spool_free(h->sink.events);
    strtab_release(&h->strings);
    caveat_list_release(&h->caveats);
    if (h->file)
        fclose(h->file);
    free(h);
}

uint64_t second_half_offset(const struct second_half *h)
{
    return h->offset;
}

/* ---- what it leaves ---- */

static int next_event(struct event_source *source, const struct cpprof_event **out, struct err *e)
{
    struct half_source *s = (struct half_source *)source;
    const int got = event_spool_next(s->events, &s->event, e);
    s->event.name = got == 1 ? s->ids[s->event.name] : 0;
    *out = &s->event;
    return got;
}

static int rewind_events(struct event_source *source, struct err *e)
{
    return event_spool_rewind(((struct half_source *)source)->events, e);
}

static void free_events(struct event_source *source)
{
    struct half_source *s = (struct half_source *)source;
    event_spool_free(s->events);
    free(s->ids);
    free(s);
}

static int copy_events(struct half_source *s, struct event_spool *to, struct err *e)
{
    const struct cpprof_event *event;
    int rc = rewind_events(&s->source, e);
    while (!rc && (rc = next_event(&s->source, &event, e)) == 1)
        rc = event_spool_add(to, event, e);
    return rc;
}

/* Names get the ids that they would have had, since they come behind all of the first half. */
static bool add_names(struct half_source *s, const struct strtab *from, struct strtab *to)
{
    const uint32_t count = (uint32_t)strtab_count(from);
    s->ids = calloc((size_t)count + 1, sizeof *s->ids);
    bool is_whole = s->ids != NULL;
    for (uint32_t id = 1; is_whole && id <= count; id++)
        is_whole = (s->ids[id] = strtab_add_bytes(to, strtab_text(from, id), strtab_length(from, id))) != 0;
    return is_whole;
}

static void add_counts(struct nsys_table *t, const struct nsys_table *half)
{
    t->rows += half->rows;
    t->unplaced += half->unplaced;
    t->has_sizes |= half->has_sizes;
    for (size_t i = 0; i < NSYS_COLUMNS_MAX; i++)
        if (half->fraction_digits[i] > t->fraction_digits[i])
            t->fraction_digits[i] = half->fraction_digits[i];
}

int second_half_take(struct second_half *h, struct nsys_table *t, struct err *e)
{
    wait_for(h);
    struct half_source *s = h->is_good ? calloc(1, sizeof *s) : NULL;
    if (!s)
        return h->is_good ? err_memory(e) : 0;
    s->source = (struct event_source){.count = event_spool_count(h->sink.events),
                                      .window_events = WINDOW_EVENTS,
                                      .rewind = rewind_events,
                                      .next = next_event,
                                      .free = free_events};
    if (!add_names(s, &h->strings, t->sink->strings)) {
        free(s->ids);
        free(s);
        return 0; /* the owner says which name has no room */
    }
    s->events = h->sink.events;
    h->sink.events = NULL;
    add_counts(t, &h->table);
    if (event_spool_add_source(t->sink->events, &s->source))
        return 1;
    const int rc = copy_events(s, t->sink->events, e);
    free_events(&s->source);
    return rc ? rc : 1;
}
