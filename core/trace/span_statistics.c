/* How long was each range open, how long each kind of overhead? */
#include "core/trace/span_statistics.h"

#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/key_table.h"

enum { OVERHEAD_KEY = -1 }; /* in place of a domain */

void span_statistics_release(struct span_statistics *s)
{
    free(s->items);
    *s = (struct span_statistics){0};
}

/* The row of an event, from 0; SPANS_MAX when there are too many. */
static int find_row(struct span_statistics *s, struct key_table *keys, const struct cpprof_event *event, uint32_t *row,
                    struct err *e)
{
    const bool is_range = event->kind == CPPROF_EVENT_RANGE;
    const uint32_t id = key_table_add(keys, is_range ? (int32_t)event->detail : OVERHEAD_KEY, event->name);
    if (!id)
        return err_memory(e);
    *row = id > SPANS_MAX ? SPANS_MAX : id - 1;
    if (*row < s->count || *row == SPANS_MAX)
        return 0;
    struct span_row *slot = ARRAY_PUSH(s);
    if (!slot)
        return err_memory(e);
    *slot = (struct span_row){.kind = event->kind, .name = event->name, .domain = is_range ? event->detail : 0};
    return 0;
}

static int gather(struct event_stream *stream, struct span_statistics *s, struct duration_groups *groups,
                  struct key_table *keys, struct err *e)
{
    struct cpprof_event event;
    int rc = event_stream_rewind(stream, e);
    while (!rc && (rc = event_stream_next(stream, &event, e)) == 1) {
        uint32_t row = 0;
        rc = 0;
        if ((event.kind != CPPROF_EVENT_RANGE && event.kind != CPPROF_EVENT_OVERHEAD) ||
            event.flags & CPPROF_EVENT_UNFINISHED)
            continue;
        rc = find_row(s, keys, &event, &row, e);
        if (!rc && row == SPANS_MAX)
            s->left_out++;
        else if (!rc)
            rc = duration_groups_add(groups, row, duration_ns(event.start_ns, event.end_ns), e);
    }
    return rc ? rc : duration_groups_finish(groups, e);
}

static int by_total(const void *a, const void *b)
{
    const struct span_row *p = a, *q = b;
    if (p->kind != q->kind)
        return p->kind < q->kind ? -1 : 1;
    if (p->durations.total_ns != q->durations.total_ns)
        return p->durations.total_ns > q->durations.total_ns ? -1 : 1;
    if (p->name != q->name)
        return p->name < q->name ? -1 : 1;
    return (p->domain > q->domain) - (p->domain < q->domain);
}

int span_statistics_measure(struct event_stream *stream, struct span_statistics *out, struct err *e)
{
    struct duration_groups *groups = NULL;
    struct key_table keys = {0};
    *out = (struct span_statistics){0};
    int rc = duration_groups_new(&groups, e);
    if (!rc)
        rc = gather(stream, out, groups, &keys, e);
    for (size_t i = 0; !rc && i < out->count; i++)
        out->items[i].durations = *duration_groups_get(groups, (uint32_t)i);
    if (!rc && out->count)
        qsort(out->items, out->count, sizeof *out->items, by_total);
    key_table_release(&keys);
    duration_groups_free(groups);
    return rc;
}
