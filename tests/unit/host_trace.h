/* host_trace.h - calls and the work that they start, written by hand, as an event stream. */
#ifndef CPPROF_HOST_TRACE_H
#define CPPROF_HOST_TRACE_H

#include <stdlib.h>

#include "trace/event_stream.h"

enum host_kind { LAUNCH_CALL, COPY_CALL, SYNC_CALL, OTHER_CALL, DRIVER_LAUNCH, A_RANGE, A_KERNEL, A_COPY, A_MEMSET };

struct host_event {
    enum host_kind kind;
    int64_t start_ns, end_ns;
    unsigned correlation;
    unsigned place; /* stream of work, thread of calls and ranges */
    const char *name;
    int device, rank; /* rank 0 is -1: none */
};

static inline struct cpprof_event host_to_event(const struct host_event *h, struct strtab *strings)
{
    static const struct {
        uint16_t kind;
        uint32_t detail;
        uint16_t flags;
    } kinds[] = {[LAUNCH_CALL] = {CPPROF_EVENT_API, CPPROF_API_LAUNCH, 0},
                 [COPY_CALL] = {CPPROF_EVENT_API, CPPROF_API_COPY, 0},
                 [SYNC_CALL] = {CPPROF_EVENT_API, CPPROF_API_SYNC, 0},
                 [OTHER_CALL] = {CPPROF_EVENT_API, CPPROF_API_OTHER, 0},
                 [DRIVER_LAUNCH] = {CPPROF_EVENT_API, CPPROF_API_LAUNCH, CPPROF_EVENT_DRIVER_API},
                 [A_RANGE] = {CPPROF_EVENT_RANGE, 0, 0},
                 [A_KERNEL] = {CPPROF_EVENT_KERNEL, 0, 0},
                 [A_COPY] = {CPPROF_EVENT_COPY, CPPROF_COPY_H2D, 0},
                 [A_MEMSET] = {CPPROF_EVENT_MEMSET, 0, 0}};
    const bool is_work = h->kind >= A_KERNEL;
    return (struct cpprof_event){.kind = kinds[h->kind].kind,
                                 .detail = kinds[h->kind].detail,
                                 .flags = (uint16_t)(kinds[h->kind].flags |
                                                     (h->end_ns < 0 ? CPPROF_EVENT_UNFINISHED : 0)),
                                 .start_ns = h->start_ns,
                                 .end_ns = h->end_ns < 0 ? 0 : h->end_ns,
                                 .correlation = h->correlation,
                                 .stream = is_work ? h->place : 0,
                                 .thread = is_work ? 0 : h->place,
                                 .name = strtab_add(strings, h->name),
                                 .device = (int16_t)(is_work ? h->device : -1),
                                 .rank = (int16_t)(h->rank - 1)};
}

/* The caller frees the stream; a test that cannot have one ends here. */
static inline struct event_stream *host_stream(const struct host_event *events, size_t count)
{
    struct strtab strings;
    strtab_init(&strings);
    struct cpprof_event *records = calloc(count + 1, sizeof *records);
    for (size_t i = 0; records && i < count; i++)
        records[i] = host_to_event(&events[i], &strings);
    struct event_stream *stream = NULL;
    struct err e = {0};
    if (!records || event_stream_from_events(&stream, records, count, &strings, &e))
        abort();
    free(records);
    strtab_release(&strings);
    return stream;
}

#endif
