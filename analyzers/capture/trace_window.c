/* What ran around a gap? */
#include "analyzers/capture/trace_window.h"

#include <stdlib.h>

#include "core/trace/duration_groups.h"
#include "core/trace/event_spool.h"
#include "core/trace/event_work.h"

static bool is_inside(const struct trace_window *w, const struct cpprof_event *event)
{
    return event_is_gpu_work(event) && !(event->flags & CPPROF_EVENT_UNFINISHED) && event->rank == w->rank &&
           event->device == w->device && event->end_ns > w->begin_ns && event->start_ns < w->end_ns;
}

static int keep(struct trace_window *w, const struct cpprof_event *event, struct err *e)
{
    if (w->slices.count == WINDOW_SLICES_MAX) {
        w->left_out++;
        return 0;
    }
    struct window_slice *slice = ARRAY_PUSH(&w->slices);
    if (!slice)
        return err_memory(e);
    *slice = (struct window_slice){.start_ns = event->start_ns,
                                   .end_ns = event->end_ns,
                                   .context = event->context,
                                   .stream = event->stream,
                                   .what = {true, event_is_pageable(event), event->flags & EVENT_COMMUNICATES,
                                            event->kind, event->name, event->detail, event->stream}};
    return 0;
}

int trace_window_read(struct event_stream *stream, int32_t rank, int32_t device, int64_t begin_ns, int64_t end_ns,
                      struct trace_window *out, struct err *e)
{
    struct cpprof_event event;
    *out = (struct trace_window){.rank = rank, .device = device, .begin_ns = begin_ns, .end_ns = end_ns};
    int rc = event_stream_rewind(stream, e);
    while (!rc && (rc = event_stream_next(stream, &event, e)) == 1) {
        if (event.start_ns >= end_ns)
            return 0;
        rc = is_inside(out, &event) ? keep(out, &event, e) : 0;
    }
    return rc;
}

void trace_window_release(struct trace_window *w)
{
    free(w->slices.items);
    *w = (struct trace_window){0};
}

static enum gap_cause main_cause(const struct gaps_device *d)
{
    int most = 0;
    for (int cause = 1; cause < GAP_CAUSES; cause++)
        if (d->cause_ns[cause] > d->cause_ns[most])
            most = cause;
    return (enum gap_cause)most;
}

const struct idle_gap *trace_window_gap(const struct idle_gaps *gaps, const struct gaps_device **device)
{
    const struct gaps_device *worst = NULL;
    for (size_t i = 0; i < gaps->count; i++) {
        const struct gaps_device *d = &gaps->items[i];
        if (d->largest_count && (!worst || gaps_no_kernel_ns(d) > gaps_no_kernel_ns(worst)))
            worst = d;
    }
    *device = worst;
    return worst ? &worst->longest[main_cause(worst)] : NULL;
}

void trace_window_around(int64_t start_ns, int64_t stop_ns, const struct gaps_device *device, int64_t *begin_ns,
                         int64_t *end_ns)
{
    const int64_t beside_ns = duration_ns(start_ns, stop_ns) / 3;
    const int64_t before_ns = duration_ns(device->first_start_ns, start_ns),
                  after_ns = duration_ns(stop_ns, device->last_end_ns);
    *begin_ns = start_ns - (before_ns < beside_ns ? before_ns : beside_ns);
    *end_ns = stop_ns + (after_ns < beside_ns ? after_ns : beside_ns);
}
