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
#include "base/checksum.h"
#include "base/files.h"
#include "model/readers/event_member.h"

/* A slice and what comes of it stay in a processor's second cache. Further back
 * than NEAR_EVENTS no event looks for its place by itself. */
enum { SLICE_BYTES = 192 * 1024, NEAR_EVENTS = 32 };

/* A stretch of good records in the file, within one chunk. */
struct slice {
    uint64_t offset;
    uint32_t records;
    uint32_t events;                       /* of them, of kinds that are known */
    int64_t first_start_ns, last_start_ns; /* the least and the greatest in it */
    int64_t later_start_ns;                /* the least in all slices behind it */
};

struct shard_events {
    struct event_source source; /* first: the spool sees this */
    int fd;
    char *path;
    size_t record_bytes;
    int16_t rank;
    struct {
        uint32_t *items; /* the sink's id of string i + 1 of the shard */
        size_t count, capacity;
    } strings;
    struct {
        struct slice *items;
        size_t count, capacity;
    } slices;

    size_t next_slice;
    struct cpprof_event *loaded; /* the records of one slice, and then its events */
    struct cpprof_event *window;
    size_t begin, end, capacity; /* [begin, end) is in order and not yet handed out */
};

static size_t slice_records(const struct shard_events *s)
{
    return SLICE_BYTES / s->record_bytes;
}

int shard_events_new(struct shard_events **out, int fd, const char *path, uint32_t record_bytes, int32_t rank,
                     struct err *e)
{
    struct shard_events *s = calloc(1, sizeof *s);
    *out = s;
    if (!s)
        return err_memory(e);
    s->record_bytes = record_bytes;
    s->rank = (int16_t)(rank >= 0 && rank <= INT16_MAX ? rank : -1);
    s->path = strdup(path);
    s->loaded = malloc(SLICE_BYTES);
    s->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    int rc = 0;
    if (!s->path || !s->loaded)
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
    free(s->slices.items);
    free(s->loaded);
    free(s->window);
    free(s);
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
    uint64_t unknown = 0;
    for (size_t i = 0; i < s->slices.count; i++)
        unknown += s->slices.items[i].records - s->slices.items[i].events;
    return unknown;
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
    return NULL;
}

/* Also when it is no longer what was checked: nothing may be trusted twice. */
static int has_changed(const struct shard_events *s, struct err *e)
{
    return err_set(e, ERR_INPUT, "'%s' has changed while it was read", s->path);
}

static int load_bytes(struct shard_events *s, uint64_t offset, size_t bytes, struct err *e)
{
    ssize_t got = files_read_at(s->fd, s->loaded, bytes, offset);
    if (got < 0)
        return err_set(e, ERR_INPUT, "cannot read '%s': %s", s->path, strerror(errno));
    return got == (ssize_t)bytes ? 0 : has_changed(s, e);
}

/* The first `records` records that are loaded become events, where they are:
 * what the writer appended to them and what is of no known kind goes. Fills in
 * what `slice` says of them. NULL, or what is wrong with the first bad one. */
static const char *adopt_loaded(struct shard_events *s, size_t records, struct slice *slice)
{
    slice->records = slice->events = 0;
    slice->first_start_ns = INT64_MAX;
    slice->last_start_ns = INT64_MIN;
    for (; slice->records < records; slice->records++) {
        struct cpprof_event *event = &s->loaded[slice->events];
        const char *record = (const char *)s->loaded + slice->records * s->record_bytes;
        if (record != (const char *)event)
            memmove(event, record, sizeof *event);
        if (!is_known(event))
            continue;
        const char *fault = adopt(s, event);
        if (fault)
            return fault;
        slice->events++;
        if (event->start_ns < slice->first_start_ns)
            slice->first_start_ns = event->start_ns;
        if (event->start_ns > slice->last_start_ns)
            slice->last_start_ns = event->start_ns;
    }
    return NULL;
}

/* Reads one slice of a chunk and notes it. */
static int survey(struct shard_events *s, uint64_t offset, size_t bytes, uint32_t *sum, const char **fault,
                  struct err *e)
{
    struct slice slice = {.offset = offset};
    int rc = load_bytes(s, offset, bytes, e);
    if (rc)
        return rc;
    *sum = checksum_crc32(*sum, s->loaded, bytes);
    if (*fault) /* the rest of the chunk only counts for its sum */
        return 0;
    *fault = adopt_loaded(s, bytes / s->record_bytes, &slice);
    if (!slice.records)
        return 0;
    struct slice *slot = ARRAY_PUSH(&s->slices);
    if (!slot)
        return err_memory(e);
    *slot = slice;
    return 0;
}

int shard_events_add_chunk(struct shard_events *s, const struct cpprof_chunk_header *chunk, uint64_t offset,
                           const char **fault, struct err *e)
{
    const size_t slices_before = s->slices.count;
    const uint64_t slice_bytes = slice_records(s) * s->record_bytes;
    uint32_t sum = 0;
    int rc = 0;
    *fault = NULL;
    for (uint64_t left = chunk->payload_bytes; !rc && left;) {
        const size_t bytes = (size_t)(left < slice_bytes ? left : slice_bytes);
        rc = survey(s, offset, bytes, &sum, fault, e);
        offset += bytes;
        left -= bytes;
    }
    const bool differs = sum != chunk->checksum;
    const bool is_cut = chunk->payload_bytes % s->record_bytes != 0;
    if (rc || differs || is_cut)
        s->slices.count = slices_before;
    if (differs || is_cut)
        *fault = differs ? CHUNK_DIFFERS : "an event chunk holds part of a record";
    return rc;
}

/* Moves the last event to its place among the sorted ones before it. False when that is not near. */
static bool settle(struct cpprof_event *first, struct cpprof_event *event)
{
    struct cpprof_event *place = event;
    while (place > first && event - place < NEAR_EVENTS && event_total_order(place - 1, event) > 0)
        place--;
    if (place > first && event - place == NEAR_EVENTS)
        return false;
    const struct cpprof_event early = *event;
    memmove(place + 1, place, (size_t)(event - place) * sizeof *event);
    *place = early;
    return true;
}

/* Most slices are in order, or have events that ended a little before others
 * which had started earlier. */
static void sort_loaded(struct shard_events *s, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct cpprof_event *event = &s->loaded[i];
        if (event[-1].start_ns < event->start_ns || event_total_order(event - 1, event) <= 0)
            continue;
        if (!settle(s->loaded, event)) {
            qsort(s->loaded, count, sizeof *s->loaded, event_total_order);
            return;
        }
    }
}

/* The events of a slice that was surveyed, in order. */
static int load_slice(struct shard_events *s, const struct slice *slice, struct err *e)
{
    struct slice now;
    int rc = load_bytes(s, slice->offset, slice->records * s->record_bytes, e);
    if (rc)
        return rc;
    const char *fault = adopt_loaded(s, slice->records, &now);
    if (fault || now.events != slice->events || now.first_start_ns != slice->first_start_ns ||
        now.last_start_ns != slice->last_start_ns)
        return has_changed(s, e);
    sort_loaded(s, slice->events);
    return 0;
}

/* Moves what is left of the window to its front and merges the loaded events
 * into it, from the back: what they do not precede stays where it is. */
static void merge_loaded(struct shard_events *s, size_t count)
{
    size_t left = s->end - s->begin;
    if (s->begin)
        memmove(s->window, s->window + s->begin, left * sizeof *s->window);
    s->begin = 0;
    s->end = left + count;
    for (size_t to = s->end; left && count; to--) {
        const bool stays_last = event_total_order(&s->window[left - 1], &s->loaded[count - 1]) > 0;
        s->window[to - 1] = stays_last ? s->window[--left] : s->loaded[--count];
    }
    memcpy(s->window, s->loaded, count * sizeof *s->window);
}

static int next_event(struct event_source *source, const struct cpprof_event **out, struct err *e)
{
    struct shard_events *s = (struct shard_events *)source;
    while (s->next_slice < s->slices.count) {
        int64_t safe_ns = s->next_slice ? s->slices.items[s->next_slice - 1].later_start_ns : INT64_MIN;
        if (s->begin < s->end && s->window[s->begin].start_ns < safe_ns)
            break;
        const struct slice *slice = &s->slices.items[s->next_slice];
        int rc = load_slice(s, slice, e);
        if (rc)
            return rc;
        merge_loaded(s, slice->events);
        s->next_slice++;
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
    s->next_slice = s->begin = s->end = 0;
    return 0;
}

static void free_events(struct event_source *source)
{
    shard_events_free((struct shard_events *)source);
}

/* How many events can be in the window at most? While slice `last` is loaded,
 * all of those whose greatest start is not safe before it. */
static size_t window_needed(struct shard_events *s)
{
    int64_t later_ns = INT64_MAX;
    for (size_t i = s->slices.count; i-- > 0;) {
        struct slice *slice = &s->slices.items[i];
        slice->later_start_ns = later_ns;
        if (slice->first_start_ns < later_ns)
            later_ns = slice->first_start_ns;
    }
    size_t needed = 0, held = 0, first = 0;
    for (size_t last = 0; last < s->slices.count; last++) {
        held += s->slices.items[last].events;
        if (held > needed)
            needed = held;
        /* What is safe after this slice leaves, from the front. */
        while (first <= last && s->slices.items[first].last_start_ns < s->slices.items[last].later_start_ns)
            held -= s->slices.items[first++].events;
    }
    return needed;
}

static int64_t count_events(const struct shard_events *s)
{
    int64_t count = 0;
    for (size_t i = 0; i < s->slices.count; i++)
        count += s->slices.items[i].events;
    return count;
}

static int copy_events(struct shard_events *s, struct event_spool *spool, struct err *e)
{
    for (size_t i = 0; i < s->slices.count; i++) {
        const struct slice *slice = &s->slices.items[i];
        int rc = load_slice(s, slice, e);
        for (size_t k = 0; !rc && k < slice->events; k++)
            rc = event_spool_add(spool, &s->loaded[k], e);
        if (rc)
            return rc;
    }
    return 0;
}

int shard_events_give(struct shard_events *s, struct event_spool *spool, struct err *e)
{
    s->source.count = count_events(s);
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
