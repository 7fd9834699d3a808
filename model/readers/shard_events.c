/* Which events does a shard hold, in order of their starts, without a copy of them all? */
#define _GNU_SOURCE
#include "model/readers/shard_events.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "model/readers/event_member.h"

/* A stretch of records in the file, whole and good. */
struct chunk {
    uint64_t offset;
    size_t records;
    int64_t first_start_ns, last_start_ns; /* the least and the greatest in it */
    int64_t later_start_ns;                /* the least in all chunks behind it */
};

struct shard_events {
    struct event_source source; /* first: the spool sees this */
    int fd;
    char *path;
    size_t record_bytes;
    int16_t rank;
    int16_t devices[SHARD_DEVICES_MAX];
    size_t device_count;
    struct {
        uint32_t *items; /* the sink's id of string i + 1 of the shard */
        size_t count, capacity;
    } strings;
    struct {
        struct chunk *items;
        size_t count, capacity;
    } chunks;
    uint64_t unknown;

    size_t next_chunk;
    char *payload; /* of one chunk */
    size_t payload_capacity;
    struct cpprof_event *window;
    size_t begin, end, capacity; /* [begin, end) is in order and not yet handed out */
};

int shard_events_new(struct shard_events **out, FILE *file, const char *path, uint32_t record_bytes, int32_t rank,
                     struct err *e)
{
    struct shard_events *s = calloc(1, sizeof *s);
    *out = s;
    if (!s)
        return err_memory(e);
    s->record_bytes = record_bytes;
    s->rank = (int16_t)(rank >= 0 && rank <= INT16_MAX ? rank : -1);
    s->path = strdup(path);
    s->fd = fcntl(fileno(file), F_DUPFD_CLOEXEC, 0);
    int rc = 0;
    if (!s->path)
        rc = err_memory(e);
    else if (s->fd < 0)
        rc = err_set(e, ERR_ENVIRONMENT, "cannot keep '%s' open: %s", path, strerror(errno));
    if (rc) {
        shard_events_free(s);
        *out = NULL;
    }
    return rc;
}

void shard_events_free(struct shard_events *s)
{
    if (!s)
        return;
    if (s->fd >= 0)
        close(s->fd);
    free(s->path);
    free(s->strings.items);
    free(s->chunks.items);
    free(s->payload);
    free(s->window);
    free(s);
}

void shard_events_identify(struct shard_events *s, const struct shard_identity *identity)
{
    s->rank = identity->rank;
    s->device_count = identity->device_count < SHARD_DEVICES_MAX ? identity->device_count : SHARD_DEVICES_MAX;
    memcpy(s->devices, identity->devices, s->device_count * sizeof *s->devices);
}

int shard_events_add_string(struct shard_events *s, uint32_t id, struct err *e)
{
    uint32_t *slot = ARRAY_PUSH(&s->strings);
    if (!slot)
        return err_memory(e);
    *slot = id;
    return 0;
}

size_t shard_events_strings(const struct shard_events *s)
{
    return s->strings.count;
}

uint64_t shard_events_unknown(const struct shard_events *s)
{
    return s->unknown;
}

static bool is_known(const struct cpprof_event *event)
{
    return event->kind >= CPPROF_EVENT_KERNEL && event->kind <= CPPROF_EVENT_OVERHEAD;
}

static bool times_are_sane(const struct cpprof_event *event)
{
    if (event->flags & CPPROF_EVENT_UNFINISHED)
        return event->start_ns >= -EVENT_TIME_NS_MAX && event->start_ns <= EVENT_TIME_NS_MAX;
    return event_times_are_sane(event->start_ns, event->end_ns);
}

/* Shard ids become the sink's. False for an id that no string chunk has named. */
static bool translate(const struct shard_events *s, uint32_t *id)
{
    if (*id > s->strings.count)
        return false;
    if (*id)
        *id = s->strings.items[*id - 1];
    return true;
}

/* Makes a record of the file, of a kind that is known, an event of the sink.
 * NULL, or what is wrong with it. */
static const char *adopt(const struct shard_events *s, struct cpprof_event *event)
{
    if (!times_are_sane(event))
        return "an event ends before it starts, or its times are no times";
    if (!translate(s, &event->name) || (event->kind == CPPROF_EVENT_RANGE && !translate(s, &event->detail)))
        return "an event names a string that is not there";
    event->rank = s->rank;
    if (event->device >= 0 && (size_t)event->device < s->device_count)
        event->device = s->devices[event->device];
    return NULL;
}

static void widen(struct chunk *chunk, int64_t start_ns)
{
    if (start_ns < chunk->first_start_ns)
        chunk->first_start_ns = start_ns;
    if (start_ns > chunk->last_start_ns)
        chunk->last_start_ns = start_ns;
}

int shard_events_add_chunk(struct shard_events *s, const char *payload, size_t bytes, uint64_t offset,
                           const char **fault, struct err *e)
{
    struct chunk chunk = {.offset = offset, .first_start_ns = INT64_MAX, .last_start_ns = INT64_MIN};
    *fault = NULL;
    for (size_t at = 0; at < bytes; at += s->record_bytes, chunk.records++) {
        struct cpprof_event event;
        memcpy(&event, payload + at, sizeof event);
        if (!is_known(&event)) {
            s->unknown++;
            continue;
        }
        *fault = adopt(s, &event);
        if (*fault)
            break;
        widen(&chunk, event.start_ns);
        s->source.count++;
    }
    if (!chunk.records)
        return 0;
    struct chunk *slot = ARRAY_PUSH(&s->chunks);
    if (!slot)
        return err_memory(e);
    *slot = chunk;
    return 0;
}

/* Also when it is no longer what was checked: nothing may be trusted twice. */
static int has_changed(const struct shard_events *s, struct err *e)
{
    return err_set(e, ERR_INPUT, "'%s' has changed while it was read", s->path);
}

static int load_payload(struct shard_events *s, const struct chunk *chunk, struct err *e)
{
    size_t left = chunk->records * s->record_bytes;
    if (array_reserve((void **)&s->payload, &s->payload_capacity, left, 1))
        return err_memory(e);
    char *to = s->payload;
    off_t at = (off_t)chunk->offset;
    while (left) {
        ssize_t got = pread(s->fd, to, left, at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return err_set(e, ERR_INPUT, "cannot read '%s': %s", s->path, strerror(errno));
        if (!got)
            return has_changed(s, e);
        to += got;
        at += got;
        left -= (size_t)got;
    }
    return 0;
}

/* Record i of the loaded chunk: 1 and the event, 0 when it is left out. */
static int take_record(const struct shard_events *s, const struct chunk *chunk, size_t i, struct cpprof_event *out,
                       struct err *e)
{
    memcpy(out, s->payload + i * s->record_bytes, sizeof *out);
    if (!is_known(out))
        return 0;
    if (adopt(s, out) || out->start_ns < chunk->first_start_ns || out->start_ns > chunk->last_start_ns)
        return has_changed(s, e);
    return 1;
}

/* Moves what is left to the front and puts the chunk's events behind it, in order. */
static int load_chunk(struct shard_events *s, const struct chunk *chunk, struct err *e)
{
    int rc = load_payload(s, chunk, e);
    if (rc)
        return rc;
    if (s->end - s->begin + chunk->records > s->capacity)
        return has_changed(s, e);
    if (s->begin)
        memmove(s->window, s->window + s->begin, (s->end - s->begin) * sizeof *s->window);
    s->end -= s->begin;
    s->begin = 0;
    bool sorted = true;
    for (size_t i = 0; i < chunk->records; i++) {
        struct cpprof_event *event = &s->window[s->end];
        int got = take_record(s, chunk, i, event, e);
        if (got < 0)
            return got;
        if (got && s->end && sorted)
            sorted = event_total_order(event - 1, event) <= 0;
        s->end += (size_t)got;
    }
    if (!sorted)
        qsort(s->window, s->end, sizeof *s->window, event_total_order);
    return 0;
}

static int next_event(struct event_source *source, const struct cpprof_event **out, struct err *e)
{
    struct shard_events *s = (struct shard_events *)source;
    while (s->next_chunk < s->chunks.count) {
        int64_t safe_ns = s->next_chunk ? s->chunks.items[s->next_chunk - 1].later_start_ns : INT64_MIN;
        if (s->begin < s->end && s->window[s->begin].start_ns < safe_ns)
            break;
        int rc = load_chunk(s, &s->chunks.items[s->next_chunk], e);
        if (rc)
            return rc;
        s->next_chunk++;
    }
    if (s->begin == s->end)
        return 0;
    *out = &s->window[s->begin++];
    return 1;
}

static int rewind_events(struct event_source *source, struct err *e)
{
    struct shard_events *s = (struct shard_events *)source;
    if (array_reserve((void **)&s->window, &s->capacity, source->window_events + 1, sizeof *s->window))
        return err_memory(e);
    s->next_chunk = s->begin = s->end = 0;
    return 0;
}

static void free_events(struct event_source *source)
{
    shard_events_free((struct shard_events *)source);
}

/* How many events can be in the window at most? While chunk `last` is loaded,
 * all of those whose greatest start is not safe before it. */
static size_t window_needed(struct shard_events *s)
{
    int64_t later_ns = INT64_MAX;
    for (size_t i = s->chunks.count; i-- > 0;) {
        struct chunk *chunk = &s->chunks.items[i];
        chunk->later_start_ns = later_ns;
        if (chunk->first_start_ns < later_ns)
            later_ns = chunk->first_start_ns;
    }
    size_t needed = 0, held = 0, first = 0;
    for (size_t last = 0; last < s->chunks.count; last++) {
        held += s->chunks.items[last].records;
        if (held > needed)
            needed = held;
        /* What is safe after this chunk leaves, from the front. */
        while (first <= last && s->chunks.items[first].last_start_ns < s->chunks.items[last].later_start_ns)
            held -= s->chunks.items[first++].records;
    }
    return needed;
}

static int copy_events(struct shard_events *s, struct event_spool *spool, struct err *e)
{
    for (size_t c = 0; c < s->chunks.count; c++) {
        const struct chunk *chunk = &s->chunks.items[c];
        int rc = load_payload(s, chunk, e);
        for (size_t i = 0; !rc && i < chunk->records; i++) {
            struct cpprof_event event;
            rc = take_record(s, chunk, i, &event, e);
            if (rc == 1)
                rc = event_spool_add(spool, &event, e);
        }
        if (rc)
            return rc;
    }
    return 0;
}

int shard_events_give(struct shard_events *s, struct event_spool *spool, struct err *e)
{
    s->source.window_events = window_needed(s);
    s->source.rewind = rewind_events;
    s->source.next = next_event;
    s->source.free = free_events;
    if (event_spool_add_source(spool, &s->source))
        return 0;
    int rc = copy_events(s, spool, e);
    shard_events_free(s);
    return rc;
}
