/* Which calls and operations does a trace hold, and which call started which operation? */
#define _GNU_SOURCE
#include "analyzers/dependencies/recorded_graph.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/count_of.h"
#include "core/base/key_table.h"
#include "core/base/stream_edge.h"
#include "core/trace/event_work.h"
#include "core/trace/meeting_kernels.h"
#include "core/trace/selector.h"

/* A time beyond it belongs to a damaged record, and differences below it fit. */
#define TIME_MAX_NS ((int64_t)1 << 61)

/* Small numbers for what records name. */
struct reading {
    struct recorded_graph *g;
    struct selector *communication;
    const struct strtab *strings;
    struct key_table processes, threads, devices, contexts, streams, queue_contexts, queues, meetings;
};

static void release(struct reading *r)
{
    struct key_table *const tables[] = {&r->processes, &r->threads, &r->devices,        &r->contexts,
                                        &r->streams,   &r->queues,  &r->queue_contexts, &r->meetings};
    for (size_t i = 0; i < COUNT_OF(tables); i++)
        key_table_release(tables[i]);
    selector_free(r->communication);
}

static void refuse(struct recorded_graph *g, enum dependency_reason reason)
{
    if (!g->reason)
        g->reason = reason;
}

/* A number from 0; false when memory is out. */
static bool number(struct key_table *table, int32_t a, uint32_t b, uint32_t *out)
{
    const uint32_t id = key_table_add(table, a, b);
    *out = id - 1;
    return id;
}

static bool process_of(struct reading *r, const struct cpprof_event *event, uint32_t *out)
{
    if (!number(&r->processes, event->rank, 0, out))
        return false;
    struct graph_process *p =
        *out < r->g->processes.count ? &r->g->processes.items[*out] : ARRAY_PUSH(&r->g->processes);
    return p != NULL;
}

/* Records of waits do not name the device. */
static bool queue_of(struct reading *r, const struct cpprof_event *event, uint32_t *out)
{
    uint32_t context;
    return number(&r->queue_contexts, event->rank, event->context, &context) &&
           number(&r->queues, (int32_t)context, event->stream, out);
}

static bool stream_of(struct reading *r, const struct cpprof_event *event, uint32_t *out)
{
    const uint32_t place = (uint32_t)(uint16_t)event->rank << 16 | (uint16_t)event->device;
    uint32_t context;
    return number(&r->contexts, (int32_t)place, event->context, &context) &&
           number(&r->streams, (int32_t)context, event->stream, out);
}

static int add_call(struct reading *r, const struct cpprof_event *event, struct err *e)
{
    struct graph_call *c = ARRAY_PUSH(&r->g->calls);
    if (!c || !process_of(r, event, &c->process) || !number(&r->threads, event->rank, event->thread, &c->thread))
        return err_memory(e);
    c->start_ns = event->start_ns;
    c->end_ns = event->end_ns;
    c->name = event->name;
    c->detail = event->detail;
    c->correlation = event->correlation;
    c->own = c->before = c->turn = c->done_before = GRAPH_NONE;
    for (size_t i = 0; i < GRAPH_SOURCES; i++)
        c->awaited[i] = GRAPH_NONE;
    return 0;
}

static int add_work(struct reading *r, const struct cpprof_event *event, struct err *e)
{
    uint32_t device;
    const size_t devices = r->devices.count;
    struct graph_work *w = ARRAY_PUSH(&r->g->works);
    if (!w || !process_of(r, event, &w->process) || !stream_of(r, event, &w->stream) ||
        !queue_of(r, event, &w->queue) || !number(&r->devices, event->rank, (uint32_t)event->device, &device))
        return err_memory(e);
    r->g->processes.items[w->process].devices += r->devices.count > devices;
    w->start_ns = event->start_ns;
    w->end_ns = event->end_ns;
    w->name = event->name;
    w->kind = event->kind;
    w->rank = event->rank;
    w->device = event->device;
    w->correlation = event->correlation;
    if (event->kind == CPPROF_EVENT_KERNEL)
        w->grid_blocks = (uint64_t)event->grid[0] * event->grid[1] * event->grid[2];
    if (event->kind == CPPROF_EVENT_COPY)
        w->copies = event->detail;
    w->call = w->before = w->meeting = GRAPH_NONE;
    for (size_t i = 0; i < GRAPH_SOURCES; i++)
        w->source[i] = GRAPH_NONE;
    if (event->kind == CPPROF_EVENT_KERNEL && selector_match(r->communication, event))
        w->flags |= WORK_COLLECTIVE;
    if (event_is_pageable(event))
        w->flags |= WORK_PAGEABLE;
    return 0;
}

/* Places of records of waits have no device. */
static int add_edge(struct reading *r, const struct cpprof_event *event, struct err *e)
{
    struct stream_edge edge = {
        .correlation = event->correlation, .source_correlation = event->grid[2], .to = GRAPH_NONE, .from = GRAPH_NONE};
    struct cpprof_event source = *event;
    uint32_t process;
    source.context = event->grid[0];
    source.stream = event->grid[1];
    if (!process_of(r, event, &process) || !queue_of(r, event, &edge.queue) ||
        !queue_of(r, &source, &edge.source_queue))
        return err_memory(e);
    r->g->processes.items[process].knows_edges = true;
    if (!edge.correlation)
        return 0;
    if (event->detail == HOST_EDGE)
        edge.queue = process;
    struct stream_edge *to = event->detail == HOST_EDGE ? ARRAY_PUSH(&r->g->call_edges) : ARRAY_PUSH(&r->g->edges);
    if (to)
        *to = edge;
    return to ? 0 : err_memory(e);
}

/* The call waits for what is on the stream. */
static int add_stream_wait(struct reading *r, const struct cpprof_event *event, uint32_t process, struct err *e)
{
    struct stream_edge *to = ARRAY_PUSH(&r->g->call_edges);
    if (!to)
        return err_memory(e);
    *to = (struct stream_edge){.queue = process,
                               .correlation = event->correlation,
                               .source_correlation = event->correlation,
                               .to = GRAPH_NONE,
                               .from = GRAPH_NONE};
    return queue_of(r, event, &to->source_queue) ? 0 : err_memory(e);
}

static int add_wait(struct reading *r, const struct cpprof_event *event, struct err *e)
{
    struct stream_wait wait = {.time_ns = event->start_ns};
    uint32_t process;
    if (!process_of(r, event, &process))
        return err_memory(e);
    r->g->processes.items[process].knows_waits = true;
    if (event->detail == CPPROF_SYNC_STREAM && event->correlation)
        return add_stream_wait(r, event, process, e);
    if (event->detail != CPPROF_SYNC_STREAM_EVENT)
        return 0;
    struct stream_wait *to = queue_of(r, event, &wait.queue) ? ARRAY_PUSH(&r->g->waits) : NULL;
    if (!to)
        return err_memory(e);
    *to = wait;
    return 0;
}

static bool is_of_graph(const struct cpprof_event *event)
{
    return event->kind == CPPROF_EVENT_API || event->kind == CPPROF_EVENT_SYNC ||
           (event_is_gpu_work(event) && event->kind != CPPROF_EVENT_MIGRATION);
}

static int add_event(struct reading *r, const struct cpprof_event *event, struct err *e)
{
    struct recorded_graph *g = r->g;
    if (!is_of_graph(event))
        return 0;
    if (event->flags & CPPROF_EVENT_UNFINISHED) {
        g->unfinished += event_is_gpu_work(event);
        return 0;
    }
    if (event->start_ns < -TIME_MAX_NS || event->end_ns > TIME_MAX_NS || event->end_ns < event->start_ns) {
        refuse(g, DEPENDENCY_RECORDS_MISSING);
        return 0;
    }
    if (g->calls.count + g->works.count + g->waits.count + g->edges.count + g->call_edges.count >= GRAPH_NODES_MAX) {
        refuse(g, DEPENDENCY_TOO_LONG);
        return 0;
    }
    if (event->kind == CPPROF_EVENT_API)
        return add_call(r, event, e);
    if (stream_edge_is(event))
        return add_edge(r, event, e);
    return event->kind == CPPROF_EVENT_SYNC ? add_wait(r, event, e) : add_work(r, event, e);
}

/* ---- calls ---- */

static int by_thread(const void *left, const void *right)
{
    const struct graph_call *a = left, *b = right;
#define COMPARE(x, y)                                                                                                  \
    if ((x) != (y))                                                                                                    \
        return (x) < (y) ? -1 : 1;
    COMPARE(a->thread, b->thread)
    COMPARE(a->start_ns, b->start_ns)
    COMPARE(b->end_ns, a->end_ns)
    COMPARE(a->correlation, b->correlation)
    return 0;
}

/* The call that stands for a call: the outermost one. */
struct alias {
    uint32_t process, correlation, call;
    bool starts_work;
};

static int by_id(const void *left, const void *right)
{
    const struct alias *a = left, *b = right;
    COMPARE(a->process, b->process)
    COMPARE(a->correlation, b->correlation)
    COMPARE(b->starts_work, a->starts_work)
    COMPARE(a->call, b->call)
    return 0;
}

static bool starts_work(const struct graph_call *c)
{
    return c->detail == CPPROF_API_LAUNCH || c->detail == CPPROF_API_COPY;
}

/* Keeps the outermost calls of each thread, and notes which one stands for each. */
static void fold_calls(struct recorded_graph *g, struct alias *aliases)
{
    size_t kept = 0;
    for (size_t i = 0; i < g->calls.count; i++) {
        const struct graph_call c = g->calls.items[i];
        struct graph_call *outer = kept ? &g->calls.items[kept - 1] : NULL;
        const bool is_inside =
            outer && outer->thread == c.thread && c.end_ns <= outer->end_ns && c.start_ns < outer->end_ns;
        if (!is_inside)
            g->calls.items[kept++] = c;
        else if (outer->detail == CPPROF_API_OTHER)
            outer->detail = c.detail;
        aliases[i] = (struct alias){c.process, c.correlation, (uint32_t)kept - 1, starts_work(&c)};
    }
    g->calls.count = kept;
}

static const struct alias *alias_of(const struct alias *aliases, size_t count, uint32_t process, uint32_t correlation)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct alias *a = &aliases[middle];
        if (a->process < process || (a->process == process && a->correlation < correlation))
            low = middle + 1;
        else
            high = middle;
    }
    const struct alias *a = low < count ? &aliases[low] : NULL;
    return a && correlation && a->process == process && a->correlation == correlation ? a : NULL;
}

static void join_work(struct recorded_graph *g, uint32_t index, const struct alias *a)
{
    struct graph_work *w = &g->works.items[index];
    if (!a || !a->starts_work) {
        g->uncalled++;
        return;
    }
    struct graph_call *c = &g->calls.items[a->call];
    w->call = a->call;
    if (c->parts++)
        w->flags |= WORK_LATER_PART;
    if (c->own == GRAPH_NONE || g->works.items[c->own].end_ns < w->end_ns)
        c->own = index;
}

static int join_calls(struct recorded_graph *g, struct err *e)
{
    const size_t count = g->calls.count;
    struct alias *aliases = calloc(count + 1, sizeof *aliases);
    if (!aliases)
        return err_memory(e);
    if (count)
        qsort(g->calls.items, count, sizeof *g->calls.items, by_thread);
    fold_calls(g, aliases);
    qsort(aliases, count, sizeof *aliases, by_id);
    for (size_t i = 0; i < g->works.count; i++)
        join_work(g, (uint32_t)i, alias_of(aliases, count, g->works.items[i].process, g->works.items[i].correlation));
    for (size_t i = 0; i < g->call_edges.count; i++) {
        struct stream_edge *edge = &g->call_edges.items[i];
        const struct alias *a = alias_of(aliases, count, edge->queue, edge->correlation);
        edge->to = a ? a->call : GRAPH_NONE;
    }
    free(aliases);
    return 0;
}

/* ---- collectives ---- */

static int meet(struct reading *r, struct graph_work *w, uint32_t ordinal, struct err *e)
{
    struct recorded_graph *g = r->g;
    uint32_t id;
    if (!number(&r->meetings, (int32_t)w->name, ordinal, &id))
        return err_memory(e);
    struct graph_meeting *m = id < g->meetings.count ? &g->meetings.items[id] : ARRAY_PUSH(&g->meetings);
    if (!m)
        return err_memory(e);
    if (!m->members || w->start_ns > m->last_start_ns)
        m->last_start_ns = w->start_ns;
    if (!m->members++ || w->end_ns < m->first_end_ns)
        m->first_end_ns = w->end_ns;
    w->meeting = id;
    return 0;
}

/* How many devices take part. */
static uint32_t participants(const struct recorded_graph *g)
{
    uint32_t most = 0;
    for (size_t i = 0; i < g->meetings.count; i++)
        if (g->meetings.items[i].members > most)
            most = g->meetings.items[i].members;
    return most;
}

/* A collective ends when all came, unless not all of them are there, or they are not those of one collective. */
static void part(struct recorded_graph *g)
{
    const uint32_t all = participants(g);
    for (size_t i = 0; i < g->works.count; i++) {
        struct graph_work *w = &g->works.items[i];
        const struct graph_meeting *m = w->meeting == GRAPH_NONE ? NULL : &g->meetings.items[w->meeting];
        if (m && (all < 2 || m->members != all || m->last_start_ns >= m->first_end_ns))
            w->meeting = GRAPH_NONE;
    }
}

/* The n-th one of a name on each device is taken to be the same. Ranks of several traces have clocks of their own. */
static int join_collectives(struct reading *r, struct event_stream *stream, struct err *e)
{
    struct recorded_graph *g = r->g;
    struct key_table of_device = {0};
    ARRAY_OF(uint32_t) seen = {0};
    int rc = 0;
    for (size_t i = 0; i < g->works.count && !rc; i++) {
        struct graph_work *w = &g->works.items[i];
        uint32_t id;
        if (event_stream_origin(stream, w->rank) != event_stream_origin(stream, g->works.items[0].rank)) {
            refuse(g, DEPENDENCY_SEVERAL_CLOCKS);
            break;
        }
        if (!(w->flags & WORK_COLLECTIVE) || !meeting_kernel_is_of_all(strtab_text(r->strings, w->name)))
            continue;
        if (!number(&of_device, (int32_t)((uint32_t)(uint16_t)w->rank << 16 | (uint16_t)w->device), w->name, &id) ||
            (id >= seen.count && !ARRAY_PUSH(&seen)))
            rc = err_memory(e);
        else
            rc = meet(r, w, seen.items[id]++, e);
    }
    free(seen.items);
    key_table_release(&of_device);
    if (!rc)
        part(g);
    return rc;
}

/* ---- all of it ---- */

static void note_span(struct recorded_graph *g)
{
    g->first_ns = g->works.count ? g->works.items[0].start_ns : 0;
    g->last_ns = g->first_ns;
    for (size_t i = 0; i < g->works.count; i++)
        if (g->works.items[i].end_ns > g->last_ns)
            g->last_ns = g->works.items[i].end_ns;
}

static int read_events(struct reading *r, struct event_stream *stream, struct err *e)
{
    struct cpprof_event event;
    int rc = selector_new(&r->communication, CLASS_COMM, e);
    if (!rc)
        rc = selector_bind(r->communication, stream, e);
    if (!rc)
        rc = event_stream_rewind(stream, e);
    while (!rc && (rc = event_stream_next(stream, &event, e)) == 1)
        rc = add_event(r, &event, e);
    return rc;
}

int recorded_graph_read(struct recorded_graph *g, struct event_stream *stream, struct err *e)
{
    struct reading r = {.g = g, .strings = event_stream_strings(stream)};
    int rc = read_events(&r, stream, e);
    if (!rc && !g->reason)
        rc = join_calls(g, e);
    if (!rc && !g->reason)
        rc = join_collectives(&r, stream, e);
    note_span(g);
    release(&r);
    return rc;
}

void recorded_graph_release(struct recorded_graph *g)
{
    free(g->calls.items);
    free(g->works.items);
    free(g->waits.items);
    free(g->edges.items);
    free(g->call_edges.items);
    free(g->processes.items);
    free(g->meetings.items);
    free(g->points);
    *g = (struct recorded_graph){0};
}
