/* What did it bring to run A beside B, and what did it cost each? */
#include "analyzers/overlap/measure_cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/str.h"
#include "core/trace/selector.h"
#include "core/trace/timeline.h"

enum { IN_A = 1, IN_B = 2, KINDS = CPPROF_EVENT_MIGRATION + 1 };

/* What is known of one key: whose it is, and how much more there is of it alone than together. */
struct known_work {
    unsigned char sides; /* IN_A, IN_B */
    int64_t events;
    uint64_t bytes; /* modulo 2^64: only nothing left matters */
};

/* Kind and name of work, over all three traces. */
struct names {
    struct strtab keys;
    struct known_work *items; /* per key */
    size_t capacity;
};

/* One trace, with the key of each of its names. */
struct side_stream {
    struct event_stream *stream;
    size_t name_count;
    uint32_t *keys; /* by (name, kind); 0: not looked up */
};

/* The union of one device's work, as events come in the order of their starts. */
struct device_busy {
    int rank, device;
    int64_t until_ns;
};

struct busy {
    struct device_busy *items;
    size_t count, capacity;
    int64_t busy_ns, events;
};

static int side_init(struct side_stream *s, struct event_stream *stream, struct err *e)
{
    if (event_stream_is_launches_only(stream))
        return err_set(e, ERR_INPUT,
                       "'%s' has launches and no copies: what overlaps cannot be told; export everything: nsys export "
                       "--type sqlite REPORT.nsys-rep",
                       event_stream_source(stream));
    s->stream = stream;
    s->name_count = strtab_count(event_stream_strings(stream)) + 1;
    s->keys = calloc(s->name_count * KINDS, sizeof *s->keys);
    return s->keys ? 0 : err_memory(e);
}

static int look_up(struct names *names, struct side_stream *s, const struct cpprof_event *work, uint32_t *out,
                   struct err *e)
{
    const uint32_t name = work->name < s->name_count ? work->name : 0;
    uint32_t *known = &s->keys[(size_t)name * KINDS + work->kind];
    if (!*known) {
        struct str key;
        str_init(&key);
        str_addf(&key, "%u ", (unsigned)work->kind);
        str_add(&key, strtab_text(event_stream_strings(s->stream), name));
        *known = key.failed ? 0 : strtab_add_bytes(&names->keys, str_text(&key), key.length);
        str_release(&key);
        const size_t had = names->capacity;
        if (!*known || array_reserve((void **)&names->items, &names->capacity, *known + 1, sizeof *names->items))
            return err_memory(e);
        if (names->capacity > had)
            memset(names->items + had, 0, (names->capacity - had) * sizeof *names->items);
    }
    *out = *known;
    return 0;
}

/* 1 and finished GPU work, by its GPU; 0 at the end. */
static int next_work(struct side_stream *s, struct cpprof_event *out, struct err *e)
{
    int code;
    while ((code = event_stream_next(s->stream, out, e)) == 1)
        if (event_is_gpu_work(out) && !(out->flags & CPPROF_EVENT_UNFINISHED) && out->end_ns >= out->start_ns)
            break;
    if (code == 1 && (out->start_ns < -TIMELINE_TIME_MAX_NS || out->end_ns > TIMELINE_TIME_MAX_NS))
        return err_set(e, ERR_INPUT, "an event at %lld ns is more than 73 years from time zero",
                       (long long)out->start_ns);
    if (code == 1)
        event_stream_gpu_of(s->stream, &out->rank, &out->device);
    return code;
}

static int mark(struct names *names, struct side_stream *s, unsigned char side, struct err *e)
{
    struct cpprof_event work;
    uint32_t key;
    int code = event_stream_rewind(s->stream, e);
    while (!code && (code = next_work(s, &work, e)) == 1) {
        code = look_up(names, s, &work, &key, e);
        if (code)
            break;
        names->items[key].sides |= side;
        names->items[key].events++;
        names->items[key].bytes += work.size_bytes;
    }
    return code;
}

static int add_busy(struct busy *b, const struct cpprof_event *work, struct err *e)
{
    size_t i = 0;
    while (i < b->count && (b->items[i].rank != work->rank || b->items[i].device != work->device))
        i++;
    if (i == b->count) {
        if (b->count == COST_DEVICES_MAX)
            return err_set(e, ERR_INPUT, "more than %d pairs of rank and device", COST_DEVICES_MAX);
        struct device_busy *new = ARRAY_PUSH(b);
        if (!new)
            return err_memory(e);
        *new = (struct device_busy){work->rank, work->device, work->start_ns};
    }
    struct device_busy *device = &b->items[i];
    const int64_t from_ns = work->start_ns > device->until_ns ? work->start_ns : device->until_ns;
    b->events++;
    if (work->end_ns > from_ns) {
        b->busy_ns += work->end_ns - from_ns;
        device->until_ns = work->end_ns;
    }
    return 0;
}

/* One trace: its span, and the busy time of either side's own work in it. */
struct measured {
    int64_t first_ns, last_ns;
    struct busy of_a, of_b;
    int64_t events, ambiguous, unknown;
    bool is_of_both; /* measured last: what it has is taken off what there is alone */
};

static int add_work(struct names *names, struct side_stream *s, const struct cpprof_event *work, struct measured *m,
                    struct err *e)
{
    if (!m->events++ || work->end_ns > m->last_ns)
        m->last_ns = work->end_ns;
    uint32_t key;
    int code = look_up(names, s, work, &key, e);
    if (code)
        return code;
    if (m->is_of_both) {
        names->items[key].events--;
        names->items[key].bytes -= work->size_bytes;
    }
    switch (names->items[key].sides) {
    case IN_A: return add_busy(&m->of_a, work, e);
    case IN_B: return add_busy(&m->of_b, work, e);
    case IN_A | IN_B: m->ambiguous++; return 0;
    default: m->unknown++; return 0;
    }
}

static int measure(struct names *names, struct side_stream *s, struct measured *m, struct err *e)
{
    struct cpprof_event work;
    int code = event_stream_rewind(s->stream, e);
    while (!code && (code = next_work(s, &work, e)) == 1) {
        if (!m->events)
            m->first_ns = work.start_ns;
        code = add_work(names, s, &work, m, e);
    }
    if (!code && !m->events)
        code = err_set(e, ERR_INPUT, "'%s' has no GPU events: nothing can be compared", event_stream_source(s->stream));
    return code;
}

static struct cost_side side_of(const char *name, const struct measured *alone, const struct busy *own,
                                const struct busy *together)
{
    return (struct cost_side){.name = name,
                              .span_ns = alone->last_ns - alone->first_ns,
                              .events_alone = own->events,
                              .events_together = together->events,
                              .busy_alone_ns = own->busy_ns,
                              .busy_together_ns = together->busy_ns,
                              .slowdown = own->busy_ns ? (double)together->busy_ns / (double)own->busy_ns : NAN};
}

static int64_t count_differing(const struct names *names)
{
    int64_t differing = 0;
    for (size_t i = 0; i < names->capacity; i++)
        differing += names->items[i].events || names->items[i].bytes;
    return differing;
}

static void conclude(const struct measured *a, const struct measured *b, const struct measured *both,
                     struct overlap_cost *out)
{
    *out = (struct overlap_cost){.a = side_of("A", a, &a->of_a, &both->of_a),
                                 .b = side_of("B", b, &b->of_b, &both->of_b),
                                 .span_ns = both->last_ns - both->first_ns,
                                 .ambiguous = a->ambiguous + b->ambiguous + both->ambiguous,
                                 .unknown = both->unknown};
    const int64_t least_ns = out->a.span_ns < out->b.span_ns ? out->a.span_ns : out->b.span_ns;
    out->gain = least_ns ? (double)(out->a.span_ns + out->b.span_ns - out->span_ns) / (double)least_ns : NAN;
}

/* Some of a side's work is in the third trace: by its own names, or, when all of them are the other's too, by those. */
static bool occurs(const struct busy *alone, const struct busy *together, int64_t ambiguous)
{
    return alone->events ? together->events > 0 : ambiguous > 0;
}

/* Spans of unrelated work can be subtracted, and say nothing. */
static int check_related(const struct measured measured[3], struct event_stream *const streams[3], struct err *e)
{
    const struct measured *both = &measured[2];
    const bool has_a = occurs(&measured[0].of_a, &both->of_a, both->ambiguous);
    const bool has_b = occurs(&measured[1].of_b, &both->of_b, both->ambiguous);
    if (has_a && has_b)
        return 0;
    return err_set(e, ERR_INPUT, "no work of '%s' is in '%s': no trace of both together, nothing can be compared",
                   event_stream_source(streams[has_a ? 1 : 0]), event_stream_source(streams[2]));
}

int overlap_cost_measure(struct event_stream *a, struct event_stream *b, struct event_stream *both,
                         struct overlap_cost *out, struct err *e)
{
    struct event_stream *const streams[] = {a, b, both};
    struct side_stream sides[3] = {{0}};
    struct measured measured[3] = {[2] = {.is_of_both = true}};
    struct names names = {.items = NULL};
    strtab_init(&names.keys);
    int code = 0;
    for (size_t i = 0; !code && i < 3; i++)
        code = side_init(&sides[i], streams[i], e);
    if (!code)
        code = mark(&names, &sides[0], IN_A, e);
    if (!code)
        code = mark(&names, &sides[1], IN_B, e);
    for (size_t i = 0; !code && i < 3; i++)
        code = measure(&names, &sides[i], &measured[i], e);
    if (!code)
        code = check_related(measured, streams, e);
    if (!code) {
        conclude(&measured[0], &measured[1], &measured[2], out);
        out->differing = count_differing(&names);
        out->a.source = event_stream_source(a);
        out->b.source = event_stream_source(b);
        out->source = event_stream_source(both);
    }
    for (size_t i = 0; i < 3; i++) {
        free(sides[i].keys);
        free(measured[i].of_a.items);
        free(measured[i].of_b.items);
    }
    free(names.items);
    strtab_release(&names.keys);
    return code;
}
