/* hand_trace.h - events written by hand, a row each, become an event stream. */
#ifndef CPPROF_HAND_TRACE_H
#define CPPROF_HAND_TRACE_H

#include <stdlib.h>

#include "core/trace/event_stream.h"

/* From KERNEL on: the work of a device. */
enum hand_kind { LAUNCH_CALL, COPY_CALL, SYNC_CALL, OTHER_CALL, DRIVER_LAUNCH, RANGE, KERNEL, H2D, D2H, P2P, MEMSET };

/* A row for tests of what devices do. */
struct tiny_event {
    enum hand_kind kind;
    int64_t start_ns, end_ns; /* end_ns < 0: unfinished */
    unsigned place;           /* stream of work, thread of calls and ranges */
    const char *name;
    int device;
    unsigned size_bytes;
};

/* A row for tests of calls and the work that they start. */
struct host_event {
    enum hand_kind kind;
    int64_t start_ns, end_ns; /* end_ns < 0: unfinished */
    unsigned correlation;
    unsigned place; /* stream of work, thread of calls and ranges */
    const char *name;
    int device, rank; /* rank 0 is -1: none */
};

static inline struct cpprof_event hand_event(const struct tiny_event *t, struct strtab *strings)
{
    static const struct {
        uint16_t kind;
        uint32_t detail;
        uint16_t flags;
    } kinds[] = {[KERNEL] = {CPPROF_EVENT_KERNEL, 0, 0},
                 [H2D] = {CPPROF_EVENT_COPY, CPPROF_COPY_H2D, 0},
                 [D2H] = {CPPROF_EVENT_COPY, CPPROF_COPY_D2H, 0},
                 [P2P] = {CPPROF_EVENT_COPY, CPPROF_COPY_P2P, 0},
                 [MEMSET] = {CPPROF_EVENT_MEMSET, 0, 0},
                 [LAUNCH_CALL] = {CPPROF_EVENT_API, CPPROF_API_LAUNCH, 0},
                 [COPY_CALL] = {CPPROF_EVENT_API, CPPROF_API_COPY, 0},
                 [SYNC_CALL] = {CPPROF_EVENT_API, CPPROF_API_SYNC, 0},
                 [OTHER_CALL] = {CPPROF_EVENT_API, CPPROF_API_OTHER, 0},
                 [DRIVER_LAUNCH] = {CPPROF_EVENT_API, CPPROF_API_LAUNCH, CPPROF_EVENT_DRIVER_API},
                 [RANGE] = {CPPROF_EVENT_RANGE, 0, 0}};
    const bool is_work = t->kind >= KERNEL, unfinished = t->end_ns < 0;
    return (struct cpprof_event){.kind = kinds[t->kind].kind,
                                 .detail = kinds[t->kind].detail,
                                 .flags = (uint16_t)(kinds[t->kind].flags | (unfinished ? CPPROF_EVENT_UNFINISHED : 0)),
                                 .start_ns = t->start_ns,
                                 .end_ns = unfinished ? 0 : t->end_ns,
                                 .stream = is_work ? t->place : 0,
                                 .thread = is_work ? 0 : t->place,
                                 .name = strtab_add(strings, t->name),
                                 .device = (int16_t)(is_work ? t->device : -1),
                                 .rank = -1,
                                 .size_bytes = t->size_bytes};
}

static inline struct cpprof_event host_to_event(const struct host_event *h, struct strtab *strings)
{
    struct cpprof_event event =
        hand_event(&(struct tiny_event){h->kind, h->start_ns, h->end_ns, h->place, h->name, h->device, 0}, strings);
    event.correlation = h->correlation;
    event.rank = (int16_t)(h->rank - 1);
    return event;
}

/* Of `tiny` rows or, where there are none, of `host` rows. The caller frees the stream; a test that cannot have one
 * ends here. */
static inline struct event_stream *hand_stream(const struct tiny_event *tiny, const struct host_event *host,
                                               size_t count)
{
    struct strtab strings;
    strtab_init(&strings);
    struct cpprof_event *records = calloc(count + 1, sizeof *records);
    for (size_t i = 0; records && i < count; i++)
        records[i] = tiny ? hand_event(&tiny[i], &strings) : host_to_event(&host[i], &strings);
    struct event_stream *stream = NULL;
    struct err e = {0};
    if (!records || event_stream_from_events(&stream, records, count, &strings, &e))
        abort();
    free(records);
    strtab_release(&strings);
    return stream;
}

static inline struct event_stream *tiny_stream(const struct tiny_event *events, size_t count)
{
    return hand_stream(events, NULL, count);
}

static inline struct event_stream *host_stream(const struct host_event *events, size_t count)
{
    return hand_stream(NULL, events, count);
}

#endif
