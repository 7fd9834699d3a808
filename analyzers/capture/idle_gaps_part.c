/* How do the gaps of many traces come together from those of each? */
#include "analyzers/capture/idle_gaps_part.h"

#include "core/base/array.h"
#include "core/base/count_of.h"

int idle_gaps_part_write(const struct idle_gaps *g, FILE *to, struct err *e)
{
    const int64_t totals[] = {g->calls, g->operations, (int64_t)g->count};
    int rc = part_write(to, totals, sizeof totals, e);
    return rc ? rc : part_write(to, g->items, g->count * sizeof *g->items, e);
}

static int map_neighbour(struct gap_neighbour *n, const struct part_reader *from, struct err *e)
{
    n->name = part_string(from, n->name);
    return part_flags_are_good(e, 3, &n->is_there, &n->is_pageable, &n->communicates);
}

static int map_gap(struct idle_gap *gap, const struct part_reader *from, struct err *e)
{
    struct gap_neighbour *const neighbours[] = {&gap->before, &gap->after, &gap->work, &gap->other};
    int rc = part_flags_are_good(e, 2, &gap->has_call, &gap->has_other);
    for (size_t i = 0; !rc && i < COUNT_OF(neighbours); i++)
        rc = map_neighbour(neighbours[i], from, e);
    gap->call.name = part_string(from, gap->call.name);
    gap->wait.name = part_string(from, gap->wait.name);
    if (!rc && (unsigned)gap->cause >= GAP_CAUSES)
        rc = part_makes_no_sense(e);
    return rc || !gap->has_other ? rc : part_rank_of(from, &gap->other_rank, e);
}

static int map_device(struct gaps_device *d, const struct part_reader *from, struct err *e)
{
    int rc = part_rank_of(from, &d->rank, e);
    if (!rc && d->largest_count > GAPS_SHOWN)
        rc = part_makes_no_sense(e);
    for (size_t i = 0; !rc && i < d->largest_count; i++)
        rc = map_gap(&d->largest[i], from, e);
    for (size_t i = 0; !rc && i < GAP_CAUSES; i++)
        rc = map_gap(&d->longest[i], from, e);
    return rc;
}

int idle_gaps_part_take(struct idle_gaps *g, struct part_reader *from, struct err *e)
{
    int64_t count = 0;
    int64_t sums[2];
    int rc = part_read(from, sums, sizeof sums, e);
    if (!rc)
        rc = part_read_count(from, GAPS_DEVICES_MAX, &count, e);
    if (rc)
        return rc;
    g->calls += sums[0];
    g->operations += sums[1];
    if (g->count + (size_t)count > GAPS_DEVICES_MAX)
        return err_set(e, ERR_INPUT, "more than %d devices", GAPS_DEVICES_MAX);
    for (int64_t i = 0; !rc && i < count; i++) {
        struct gaps_device *d = ARRAY_PUSH(g);
        if (!d)
            return err_memory(e);
        rc = part_read(from, d, sizeof *d, e);
        if (!rc)
            rc = map_device(d, from, e);
    }
    return rc;
}

/* ---- the whole measure ---- */

static int measure(void *context, struct event_stream *stream, struct err *e)
{
    return idle_gaps_measure(stream, context, e);
}

static int write(void *context, FILE *to, struct err *e)
{
    return idle_gaps_part_write(context, to, e);
}

static int take(void *context, struct part_reader *from, const struct event_stream *stream, struct err *e)
{
    (void)stream;
    return idle_gaps_part_take(context, from, e);
}

struct trace_measure idle_gaps_parts(struct idle_gaps *g)
{
    return (struct trace_measure){.context = g, .measure = measure, .write = write, .take = take};
}

int idle_gaps_finish(struct event_stream *stream, struct idle_gaps *g, struct err *e)
{
    if (event_stream_is_measured(stream)) {
        idle_gaps_sort(g);
        return 0;
    }
    idle_gaps_release(g);
    return idle_gaps_measure(stream, g, e);
}
