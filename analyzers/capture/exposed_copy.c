/* Which copy takes most time while no kernel runs?
 *
 * Events come by start. So all kernels that began before a moment are known at that moment, and what they cover beyond
 * it is one interval, up to the end of the last of them: the time that they cover before it is a sum. Of a copy the
 * difference of two such sums is hidden. */
#include "analyzers/capture/exposed_copy.h"

#include <stdlib.h>

#include "core/base/count_sum.h"
#include "core/trace/duration_groups.h"
#include "core/trace/event_spool.h"
#include "core/trace/event_work.h"

struct running_copy {
    struct exposed_copy copy;
    int64_t covered_ns; /* at its start */
};

struct device_cover {
    int64_t covered_ns; /* by kernels, up to `end_ns` */
    int64_t end_ns;
    bool has_kernel;
    struct running_copy running[EXPOSED_COPIES_AT_ONCE];
    size_t count;
};

struct search {
    const struct event_stream *stream;
    const struct idle_gaps *gaps;
    struct device_cover **covers; /* one for each device that has copies or kernels */
    struct exposed_copy worst;
};

/* Communication has advice of its own. */
static bool is_transfer(const struct cpprof_event *event)
{
    return event->kind == CPPROF_EVENT_COPY && !(event->flags & EVENT_COMMUNICATES) &&
           event->detail >= CPPROF_COPY_H2D && event->detail <= CPPROF_COPY_P2P;
}

/* By kernels that began before `ns`. */
static int64_t covered_before(const struct device_cover *c, int64_t ns)
{
    return c->covered_ns - (c->has_kernel && c->end_ns > ns ? duration_ns(ns, c->end_ns) : 0);
}

static void judge(struct search *s, const struct device_cover *c, struct running_copy *r)
{
    const int64_t all_ns = duration_ns(r->copy.start_ns, r->copy.end_ns),
                  hidden_ns = duration_ns(r->covered_ns, covered_before(c, r->copy.end_ns));
    r->copy.exposed_ns = all_ns > hidden_ns ? all_ns - hidden_ns : 0;
    if ((double)r->copy.exposed_ns > EXPOSED_SHARE_MIN * (double)gaps_span_ns(r->copy.device) &&
        r->copy.exposed_ns > s->worst.exposed_ns)
        s->worst = r->copy;
}

/* All that ended by now, before a kernel is added that begins now. */
static void end_copies(struct search *s, struct device_cover *c, int64_t now_ns)
{
    for (size_t i = 0; i < c->count;)
        if (c->running[i].copy.end_ns <= now_ns) {
            judge(s, c, &c->running[i]);
            c->running[i] = c->running[--c->count];
        } else
            i++;
}

static void add_kernel(struct device_cover *c, const struct cpprof_event *event)
{
    const int64_t from_ns = c->has_kernel && c->end_ns > event->start_ns ? c->end_ns : event->start_ns;
    if (event->end_ns > from_ns)
        count_add(&c->covered_ns, duration_ns(from_ns, event->end_ns));
    c->end_ns = c->has_kernel && c->end_ns > event->end_ns ? c->end_ns : event->end_ns;
    c->has_kernel = true;
}

static void add_copy(struct device_cover *c, const struct gaps_device *device, const struct cpprof_event *event)
{
    if (c->count == EXPOSED_COPIES_AT_ONCE)
        return;
    c->running[c->count++] = (struct running_copy){.copy = {.device = device,
                                                            .start_ns = event->start_ns,
                                                            .end_ns = event->end_ns,
                                                            .size_bytes = event->size_bytes,
                                                            .what = {true, event_is_pageable(event), false, event->kind,
                                                                     event->name, event->detail, event->stream}},
                                                   .covered_ns = covered_before(c, event->start_ns)};
}

static int take(struct search *s, const struct cpprof_event *event, struct err *e)
{
    const bool is_kernel = event->kind == CPPROF_EVENT_KERNEL;
    if ((event->flags & CPPROF_EVENT_UNFINISHED) || (!is_kernel && !is_transfer(event)))
        return 0;
    int16_t rank = event->rank, gpu = event->device;
    event_stream_gpu_of(s->stream, &rank, &gpu);
    const struct gaps_device *device = idle_gaps_device(s->gaps, rank, gpu);
    if (!device)
        return 0;
    struct device_cover **c = &s->covers[device - s->gaps->items];
    if (!*c && !(*c = calloc(1, sizeof **c)))
        return err_memory(e);
    end_copies(s, *c, event->start_ns);
    if (is_kernel)
        add_kernel(*c, event);
    else
        add_copy(*c, device, event);
    return 0;
}

static void finish(struct search *s)
{
    for (size_t i = 0; i < s->gaps->count; i++) {
        if (s->covers[i])
            end_copies(s, s->covers[i], INT64_MAX);
        free(s->covers[i]);
    }
}

int exposed_copy_find(struct event_stream *stream, const struct idle_gaps *gaps, struct exposed_copy *out,
                      struct err *e)
{
    struct search s = {
        .stream = stream, .gaps = gaps, .covers = calloc(gaps->count + 1, sizeof(struct device_cover *))};
    struct cpprof_event event;
    int rc = s.covers ? event_stream_rewind(stream, e) : err_memory(e);
    while (!rc && (rc = event_stream_next(stream, &event, e)) == 1)
        rc = take(&s, &event, e);
    if (s.covers)
        finish(&s);
    free(s.covers);
    *out = s.worst;
    return rc;
}
