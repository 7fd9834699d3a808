/* Which parts of a shard's file have good events, and what are they? */
#define _GNU_SOURCE
#include "core/trace/readers/shard_slices.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/checksum.h"
#include "core/base/files.h"
#include "core/base/pump.h"
#include "core/trace/event_spool.h"
#include "core/trace/event_work.h"
#include "core/trace/readers/event_member.h"

/* An event whose place is further back is not moved by itself; the slice is sorted. */
enum { NEAR_EVENTS = 32 };

/* Reasons why a slice could not be loaded that are not errnos. */
enum { HAS_CHANGED = -1 };

int shard_slices_init(struct shard_slices *s, const struct shard_file *file, uint32_t record_bytes, int32_t rank,
                      struct err *e)
{
    *s = (struct shard_slices){.record_bytes = record_bytes, .owns_fd = !file->stays_open};
    s->rank = (int16_t)(rank >= 0 && rank <= INT16_MAX ? rank : -1);
    s->fd = file->stays_open ? file->fd : fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
    if (s->fd < 0)
        return err_set(e, ERR_ENVIRONMENT, "cannot keep '%s' open: %s", file->path, strerror(errno));
    s->path = strdup(file->path);
    bool complete = s->path != NULL;
    s->is_alone = !pump_gets_thread();
    for (size_t i = 0; complete && i < PUMP_PLACES; i++)
        complete = (s->places[i] = s->is_alone && i ? s->places[0] : malloc(SLICE_BYTES)) != NULL;
    return complete ? 0 : err_memory(e);
}

void shard_slices_release(struct shard_slices *s)
{
    if (s->owns_fd && s->fd >= 0)
        close(s->fd);
    free(s->path);
    free(s->strings.items);
    free(s->slices.items);
    free(s->comm_copies.items);
    for (size_t i = 0; i < (s->is_alone ? 1 : PUMP_PLACES); i++)
        free(s->places[i]);
}

void shard_slices_start_pump(const struct shard_slices *s, struct pump *p, size_t count, pump_make *make, void *context)
{
    if (s->is_alone)
        pump_start_alone(p, count, make, context);
    else
        pump_start(p, count, make, context);
}

void shard_slices_identify(struct shard_slices *s, const struct shard_identity *identity)
{
    s->rank = identity->rank;
    s->flags = identity->hides_kernels ? EVENT_OF_HIDDEN : 0;
    s->device_count = identity->device_count < SHARD_DEVICES_MAX ? identity->device_count : SHARD_DEVICES_MAX;
    memcpy(s->devices, identity->devices, s->device_count * sizeof *s->devices);
}

int shard_slices_set_error(const struct shard_slices *s, int trouble, struct err *e)
{
    if (trouble == HAS_CHANGED)
        return err_set(e, ERR_INPUT, "'%s' has changed while it was read", s->path);
    return err_set(e, ERR_INPUT, "cannot read '%s': %s", s->path, strerror(trouble));
}

static bool is_known(const struct cpprof_event *event)
{
    return event->kind >= CPPROF_EVENT_KERNEL && event->kind <= CPPROF_EVENT_OVERHEAD;
}

/* The record that a collector leaves of a range whose beginning it did not see. */
static bool is_lone_end(const struct cpprof_event *event)
{
    return event->kind == CPPROF_EVENT_RANGE && !event->name && event->start_ns == event->end_ns &&
           !(event->flags & CPPROF_EVENT_UNFINISHED);
}

static bool times_are_sane(const struct cpprof_event *event)
{
    if (event->flags & CPPROF_EVENT_UNFINISHED)
        return event->start_ns >= -EVENT_TIME_NS_MAX && event->start_ns <= EVENT_TIME_NS_MAX;
    return event_times_fit(event->start_ns, event->end_ns);
}

bool shard_slices_translate(const struct shard_slices *s, uint32_t *id)
{
    if (*id > s->strings.count)
        return false;
    if (*id)
        *id = s->strings.items[*id - 1];
    return true;
}

bool shard_slices_adopt_name(const struct shard_slices *s, struct object_name *name)
{
    name->rank = s->rank;
    if (name->object == CPPROF_NAMED_DEVICE && name->id < s->device_count && s->devices[name->id] >= 0)
        name->id = (uint32_t)s->devices[name->id];
    return shard_slices_translate(s, &name->name);
}

int shard_slices_device(const struct shard_slices *s, int ordinal)
{
    return ordinal >= 0 && (size_t)ordinal < s->device_count ? s->devices[ordinal] : ordinal;
}

static int by_id(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static bool is_of_collective(const struct shard_slices *s, const struct cpprof_event *event)
{
    return s->comm_copies.count && event_is_between_gpus(event) &&
           bsearch(&event->correlation, s->comm_copies.items, s->comm_copies.count, sizeof event->correlation, by_id);
}

int shard_slices_add_comm_copy(struct shard_slices *s, uint32_t correlation)
{
    uint32_t *slot = ARRAY_PUSH(&s->comm_copies);
    if (slot)
        *slot = correlation;
    return slot ? 0 : ERR_MEMORY;
}

void shard_slices_sort_comm_copies(struct shard_slices *s)
{
    if (s->comm_copies.count)
        qsort(s->comm_copies.items, s->comm_copies.count, sizeof *s->comm_copies.items, by_id);
}

/* Turns a record of a known kind into an event of the sink. Returns NULL, or the problem. */
static const char *adopt(const struct shard_slices *s, struct cpprof_event *event)
{
    if (!times_are_sane(event))
        return "the times of an event are no times";
    if (!shard_slices_translate(s, &event->name) ||
        (event->kind == CPPROF_EVENT_RANGE && !shard_slices_translate(s, &event->detail)))
        return "an event names a string that is not there";
    event->flags &= (uint16_t)~EVENT_FOUND;
    event->flags |= s->flags;
    if (is_of_collective(s, event))
        event->flags |= EVENT_COMMUNICATES;
    event->rank = s->rank;
    event->device = (int16_t)shard_slices_device(s, event->device);
    return NULL;
}

/* Turns the first `records` records of `place` into events in place. Fields that a newer writer appended, and records
 * of unknown kinds, are dropped. Fills in the slice's summary of its events. Returns NULL, or the problem of the first
 * bad record. */
static const char *adopt_records(const struct shard_slices *s, struct cpprof_event *place, size_t records,
                                 struct slice *slice)
{
    slice->records = slice->events = slice->lone_ends = 0;
    slice->devices = 0;
    slice->has_peer_copies = false;
    slice->first_start_ns = INT64_MAX;
    slice->last_start_ns = INT64_MIN;
    for (; slice->records < records; slice->records++) {
        struct cpprof_event *event = &place[slice->events];
        const char *record = (const char *)place + slice->records * s->record_bytes;
        if (record != (const char *)event)
            memmove(event, record, sizeof *event);
        if (!is_known(event))
            continue;
        const char *fault = adopt(s, event);
        if (fault)
            return fault;
        if (is_lone_end(event)) {
            slice->lone_ends++;
            continue;
        }
        slice->events++;
        if (event->device >= 0 && event->device < SHARD_DEVICES_MAX && event_is_gpu_work(event))
            slice->devices |= UINT64_C(1) << event->device;
        slice->has_peer_copies |= event_is_between_gpus(event);
        if (event->start_ns < slice->first_start_ns)
            slice->first_start_ns = event->start_ns;
        if (event->start_ns > slice->last_start_ns)
            slice->last_start_ns = event->start_ns;
    }
    return NULL;
}

/* Returns 0 or the trouble. */
static int load_bytes(const struct shard_slices *s, void *place, uint64_t offset, size_t bytes)
{
    ssize_t got = files_read_at(s->fd, place, bytes, offset);
    if (got < 0)
        return errno;
    return got == (ssize_t)bytes ? 0 : HAS_CHANGED;
}

static size_t bytes_of_slice(const struct shard_slices *s)
{
    return SLICE_BYTES / s->record_bytes * s->record_bytes;
}

int shard_slices_add_chunk(struct shard_slices *s, const struct cpprof_chunk_header *header, uint64_t offset,
                           struct err *e)
{
    s->chunks[s->chunk_count++] = (struct slice_chunk){.offset = offset,
                                                       .payload_bytes = (size_t)header->payload_bytes,
                                                       .checksum = header->checksum,
                                                       .first_slice = s->slices.count};
    for (size_t at = 0; at < header->payload_bytes; at += bytes_of_slice(s)) {
        struct slice *slice = ARRAY_PUSH(&s->slices);
        if (!slice)
            return err_memory(e);
        slice->offset = offset + at;
    }
    return 0;
}

bool shard_slices_list_is_full(const struct shard_slices *s)
{
    return s->chunk_count == CHUNKS_AT_ONCE;
}

/* Reads one chunk slice by slice, using a place of its own. After an impossible record the remaining bytes only count
 * for the checksum. */
static void survey_chunk(void *context, size_t i)
{
    struct shard_slices *s = context;
    struct slice_chunk *chunk = &s->chunks[i];
    struct slice *slice = chunk->payload_bytes ? &s->slices.items[chunk->first_slice] : NULL;
    struct cpprof_event *place = s->places[i % PUMP_PLACES];
    uint32_t sum = 0;
    for (size_t at = 0; at < chunk->payload_bytes; at += bytes_of_slice(s), slice++) {
        const size_t left = chunk->payload_bytes - at;
        const size_t bytes = left < bytes_of_slice(s) ? left : bytes_of_slice(s);
        chunk->trouble = load_bytes(s, place, slice->offset, bytes);
        if (chunk->trouble)
            return;
        sum = checksum_crc32(sum, place, bytes);
        const size_t records = chunk->fault ? 0 : bytes / s->record_bytes;
        const char *fault = adopt_records(s, place, records, slice);
        if (fault)
            chunk->fault = fault;
    }
    chunk->is_lost = sum != chunk->checksum || chunk->payload_bytes % s->record_bytes;
    if (chunk->is_lost)
        chunk->fault =
            sum != chunk->checksum ? "a chunk does not match its checksum" : "an event chunk holds part of a record";
}

int shard_slices_survey(struct shard_slices *s, const char **fault, uint64_t *offset, struct err *e)
{
    const struct slice_chunk *bad = NULL;
    struct pump pump;
    size_t i;
    shard_slices_start_pump(s, &pump, s->chunk_count, survey_chunk, s);
    while (!bad && pump_next(&pump, &i))
        if (s->chunks[i].fault || s->chunks[i].trouble)
            bad = &s->chunks[i];
    pump_stop(&pump);
    if (bad && (bad->is_lost || bad->trouble))
        s->slices.count = bad->first_slice;
    else if (bad && i + 1 < s->chunk_count)
        s->slices.count = bad[1].first_slice;
    s->chunk_count = 0;
    *fault = bad ? bad->fault : NULL;
    *offset = bad ? bad->offset : 0;
    return bad && bad->trouble ? shard_slices_set_error(s, bad->trouble, e) : 0;
}

uint64_t shard_slices_unknown(const struct shard_slices *s)
{
    uint64_t unknown = 0;
    for (size_t i = 0; i < s->slices.count; i++)
        unknown += s->slices.items[i].records - s->slices.items[i].events - s->slices.items[i].lone_ends;
    return unknown;
}

uint64_t shard_slices_devices(const struct shard_slices *s)
{
    uint64_t devices = 0;
    for (size_t i = 0; i < s->slices.count; i++)
        devices |= s->slices.items[i].devices;
    return devices;
}

bool shard_slices_have_peer_copies(const struct shard_slices *s)
{
    for (size_t i = 0; i < s->slices.count; i++)
        if (s->slices.items[i].has_peer_copies)
            return true;
    return false;
}

uint64_t shard_slices_lone_ends(const struct shard_slices *s)
{
    uint64_t ends = 0;
    for (size_t i = 0; i < s->slices.count; i++)
        ends += s->slices.items[i].lone_ends;
    return ends;
}

/* Moves the last event to its place among the sorted events before it. Returns false when that place is not near. */
static bool settle(struct cpprof_event *first, struct cpprof_event *event)
{
    struct cpprof_event *place = event;
    while (place > first && event_total_order(place - 1, event) > 0)
        if (event - --place > NEAR_EVENTS)
            return false;
    const struct cpprof_event early = *event;
    memmove(place + 1, place, (size_t)(event - place) * sizeof *event);
    *place = early;
    return true;
}

/* Most slices are in order except for events that ended a little before others that had started earlier. */
static void sort_events(struct cpprof_event *events, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct cpprof_event *event = &events[i];
        if (event[-1].start_ns < event->start_ns || event_total_order(event - 1, event) <= 0)
            continue;
        if (!settle(events, event)) {
            qsort(events, count, sizeof *events, event_total_order);
            return;
        }
    }
}

/* All checks are made again: the file may have changed since the survey. */
int shard_slices_load(const struct shard_slices *s, size_t i)
{
    const struct slice *wanted = &s->slices.items[i];
    struct cpprof_event *place = s->places[i % PUMP_PLACES];
    struct slice found;
    int trouble = load_bytes(s, place, wanted->offset, wanted->records * s->record_bytes);
    if (trouble)
        return trouble;
    const char *fault = adopt_records(s, place, wanted->records, &found);
    if (fault || found.events != wanted->events || found.first_start_ns != wanted->first_start_ns ||
        found.last_start_ns != wanted->last_start_ns)
        return HAS_CHANGED;
    sort_events(place, found.events);
    return 0;
}
