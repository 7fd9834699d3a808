/* In which order do viewers nest the events of a stream? */
#include "reports/export/export_order.h"

#include <stdlib.h>

#include "core/base/stream_edge.h"
#include "core/trace/event_spool.h"
#include "reports/export/export_text.h"

/* Events that start together wait for one another, up to so many: the longest comes first. */
enum { TOGETHER_MAX = 256 };

struct together {
    struct cpprof_event items[TOGETHER_MAX];
    size_t count;
    export_take take;
    void *context;
};

/* What lies inside something else that starts with it comes later; equal events keep their order. */
static int by_length(const void *a, const void *b)
{
    const struct cpprof_event *left = a, *right = b;
    const int64_t left_end = export_end_ns(left), right_end = export_end_ns(right);
    if (left_end != right_end)
        return left_end < right_end ? 1 : -1;
    return event_total_order(a, b);
}

static int give(struct together *t, struct err *e)
{
    int rc = 0;
    if (t->count > 1)
        qsort(t->items, t->count, sizeof *t->items, by_length);
    for (size_t i = 0; !rc && i < t->count; i++)
        rc = t->take(t->context, &t->items[i], e);
    t->count = 0;
    return rc;
}

static int read_all(struct together *t, struct event_stream *stream, const struct byte_sink *sink, struct err *e)
{
    struct cpprof_event event;
    int rc = 0, got = 0;
    while (!rc && !byte_sink_failed(sink) && (got = event_stream_next(stream, &event, e)) == 1) {
        if (stream_edge_is(&event)) /* other tools have no such records */
            continue;
        if (t->count == TOGETHER_MAX || (t->count && t->items[0].start_ns != event.start_ns))
            rc = give(t, e);
        t->items[t->count++] = event;
    }
    if (rc || got < 0)
        return rc ? rc : got;
    return give(t, e);
}

int export_in_order(struct event_stream *stream, const struct byte_sink *sink, export_take take, void *context,
                    struct err *e)
{
    struct together *t = malloc(sizeof *t);
    if (!t)
        return err_memory(e);
    t->count = 0;
    t->take = take;
    t->context = context;
    int rc = read_all(t, stream, sink, e);
    free(t);
    return rc;
}
