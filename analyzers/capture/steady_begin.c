/* When does a program begin to do the same over and over? */
#include "analyzers/capture/steady_begin.h"

#include <stdlib.h>

#include "analyzers/capture/repeating_part.h"
#include "core/base/array.h"

struct started_kernels {
    ARRAY_OF(uint32_t) names;
    ARRAY_OF(int64_t) starts_ns;
    int device, rank; /* of the first one */
};

static int take(struct started_kernels *k, const struct cpprof_event *event, struct err *e)
{
    if (!k->names.count) {
        k->device = event->device;
        k->rank = event->rank;
    }
    if (event->device != k->device || event->rank != k->rank)
        return 0;
    uint32_t *name = ARRAY_PUSH(&k->names);
    int64_t *start_ns = ARRAY_PUSH(&k->starts_ns);
    if (!name || !start_ns)
        return err_memory(e);
    *name = event->name;
    *start_ns = event->start_ns;
    return 0;
}

static int read_kernels(struct started_kernels *k, struct event_stream *stream, struct err *e)
{
    struct cpprof_event event;
    int got = 0, rc = event_stream_rewind(stream, e);
    while (!rc && k->names.count <= STEADY_KERNELS_MAX && (got = event_stream_next(stream, &event, e)) > 0)
        if (event.kind == CPPROF_EVENT_KERNEL)
            rc = take(k, &event, e);
    return rc ? rc : got < 0 ? got : 0;
}

int steady_begin_find(struct event_stream *stream, int64_t *begin_ns, struct err *e)
{
    struct started_kernels k = {.device = -1};
    struct repeating_part part = {0};
    *begin_ns = 0;
    int rc = read_kernels(&k, stream, e);
    if (!rc && k.names.count <= STEADY_KERNELS_MAX)
        rc = repeating_part_find(k.names.items, k.names.count, &part, e);
    if (!rc && part.end)
        *begin_ns = k.starts_ns.items[part.first + part.period]; /* code is loaded in the first one */
    free(k.names.items);
    free(k.starts_ns.items);
    return rc;
}
