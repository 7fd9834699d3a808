/* tiny_trace.h - a few events written by hand become an event stream. */
#ifndef CPPROF_TINY_TRACE_H
#define CPPROF_TINY_TRACE_H

#include <stdlib.h>

#include "trace/event_stream.h"

enum tiny_kind { KERNEL, H2D, D2H, MEMSET, API, WAIT_CALL };

struct tiny_event {
    enum tiny_kind kind;
    int64_t start_ns, end_ns; /* end_ns < 0: unfinished */
    unsigned stream;          /* of API calls: the thread */
    const char *name;
    int device;
    unsigned size_bytes;
};

static inline struct cpprof_event tiny_to_event(const struct tiny_event *t, struct strtab *strings)
{
    static const struct {
        uint16_t kind;
        uint32_t detail;
    } kinds[] = {[KERNEL] = {CPPROF_EVENT_KERNEL, 0},
                 [H2D] = {CPPROF_EVENT_COPY, CPPROF_COPY_H2D},
                 [D2H] = {CPPROF_EVENT_COPY, CPPROF_COPY_D2H},
                 [MEMSET] = {CPPROF_EVENT_MEMSET, 0},
                 [API] = {CPPROF_EVENT_API, 0},
                 [WAIT_CALL] = {CPPROF_EVENT_API, CPPROF_API_SYNC}};
    const bool of_host = t->kind == API || t->kind == WAIT_CALL;
    return (struct cpprof_event){.kind = kinds[t->kind].kind,
                                 .detail = kinds[t->kind].detail,
                                 .start_ns = t->start_ns,
                                 .end_ns = t->end_ns < 0 ? 0 : t->end_ns,
                                 .flags = t->end_ns < 0 ? CPPROF_EVENT_UNFINISHED : 0,
                                 .stream = of_host ? 0 : t->stream,
                                 .thread = of_host ? t->stream : 0,
                                 .name = strtab_add(strings, t->name),
                                 .device = (int16_t)(of_host ? -1 : t->device),
                                 .rank = -1,
                                 .size_bytes = t->size_bytes};
}

/* The caller frees the stream; a test that cannot have one ends here. */
static inline struct event_stream *tiny_stream(const struct tiny_event *events, size_t count)
{
    struct strtab strings;
    strtab_init(&strings);
    struct cpprof_event *records = calloc(count + 1, sizeof *records);
    for (size_t i = 0; records && i < count; i++)
        records[i] = tiny_to_event(&events[i], &strings);
    struct event_stream *stream = NULL;
    struct err e = {0};
    if (!records || event_stream_from_events(&stream, records, count, &strings, &e))
        abort();
    free(records);
    strtab_release(&strings);
    return stream;
}

#endif
