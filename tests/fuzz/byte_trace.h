/* byte_trace.h - bytes of a fuzzer become a short trace: many equal times, touching ends, shared ids. */
#ifndef CPPROF_BYTE_TRACE_H
#define CPPROF_BYTE_TRACE_H

#include <stdbool.h>

#include "core/trace/event_stream.h"
#include "tests/fuzz/fuzz.h"

enum { BYTE_TRACE_EVENTS_MAX = 48, BYTE_TRACE_AXIS_NS = 96, BYTE_TRACE_NAMES = 4, BYTES_PER_EVENT = 6 };

/* Kind, start, length, place, name and more, correlation. */
static inline struct cpprof_event byte_event(const uint8_t *b, int64_t base_ns)
{
    static const struct {
        uint16_t kind;
        uint32_t detail;
    } kinds[16] = {{CPPROF_EVENT_KERNEL, 0},
                   {CPPROF_EVENT_KERNEL, 0},
                   {CPPROF_EVENT_COPY, CPPROF_COPY_H2D},
                   {CPPROF_EVENT_COPY, CPPROF_COPY_D2H},
                   {CPPROF_EVENT_MEMSET, 0},
                   {CPPROF_EVENT_MIGRATION, CPPROF_COPY_H2D},
                   {CPPROF_EVENT_API, CPPROF_API_LAUNCH},
                   {CPPROF_EVENT_API, CPPROF_API_LAUNCH},
                   {CPPROF_EVENT_API, CPPROF_API_COPY},
                   {CPPROF_EVENT_API, CPPROF_API_SYNC},
                   {CPPROF_EVENT_API, CPPROF_API_OTHER},
                   {CPPROF_EVENT_SYNC, CPPROF_SYNC_STREAM},
                   {CPPROF_EVENT_RANGE, 0},
                   {CPPROF_EVENT_RANGE, 0},
                   {CPPROF_EVENT_RANGE, 0},
                   {CPPROF_EVENT_OVERHEAD, 0}};
    const uint16_t kind = kinds[b[0] & 15].kind;
    const bool of_host = kind == CPPROF_EVENT_API || kind == CPPROF_EVENT_SYNC || kind == CPPROF_EVENT_RANGE;
    const bool is_open = (b[0] & 0x70) == 0x70; /* rarely */
    const int64_t start_ns = base_ns + b[1] % (BYTE_TRACE_AXIS_NS / 2);
    return (struct cpprof_event){
        .kind = kind,
        .detail = kinds[b[0] & 15].detail,
        .flags = (uint16_t)((is_open ? CPPROF_EVENT_UNFINISHED : 0) |
                            (kind == CPPROF_EVENT_COPY && b[0] & 0x80 ? CPPROF_EVENT_SRC_PAGEABLE : 0)),
        .start_ns = start_ns,
        .end_ns = is_open ? 0 : start_ns + b[2] % (BYTE_TRACE_AXIS_NS / 2),
        .device = (int16_t)(of_host ? -1 : (b[3] >> 2 & 3) - 1),
        .rank = (int16_t)((b[3] >> 4 & 3) - 1),
        .stream = of_host ? 0 : b[3] & 3u,
        .thread = of_host ? b[3] & 3u : 0,
        .context = b[3] >> 6 & 1u,
        .name = b[4] % (BYTE_TRACE_NAMES + 1u),
        .size_bytes = b[4] >> 4,
        .correlation = b[5] & 31u};
}

/* All that the bytes have, no more than BYTE_TRACE_EVENTS_MAX. Returns how many. */
static inline size_t byte_events(struct cpprof_event *out, const uint8_t *data, size_t size, int64_t base_ns)
{
    size_t count = 0;
    for (; count < BYTE_TRACE_EVENTS_MAX && size >= BYTES_PER_EVENT; size -= BYTES_PER_EVENT, data += BYTES_PER_EVENT)
        out[count++] = byte_event(data, base_ns);
    return count;
}

/* The caller frees it. Names are "a", "b", ... with the ids 1, 2, ... */
static inline struct event_stream *byte_stream(const struct cpprof_event *events, size_t count)
{
    struct strtab strings;
    struct event_stream *stream;
    strtab_init(&strings);
    for (char name[] = "a"; name[0] < 'a' + BYTE_TRACE_NAMES; name[0]++)
        REQUIRE(strtab_add(&strings, name) == (uint32_t)(name[0] - 'a' + 1));
    REQUIRE(event_stream_from_events(&stream, events, count, &strings, NULL) == 0);
    strtab_release(&strings);
    return stream;
}

/* The events in the order of the stream, which is rewound. */
static inline void byte_trace_sort(struct event_stream *stream, struct cpprof_event *events, size_t count)
{
    struct cpprof_event event;
    size_t read = 0;
    REQUIRE(event_stream_rewind(stream, NULL) == 0);
    for (; event_stream_next(stream, &event, NULL) == 1; events[read++] = event)
        REQUIRE(read < count);
    REQUIRE(read == count && event_stream_rewind(stream, NULL) == 0);
}

static inline bool byte_event_is_open(const struct cpprof_event *event)
{
    return event->flags & CPPROF_EVENT_UNFINISHED || event->end_ns < event->start_ns;
}

#endif
