/* Who launched the work? */
#include "analyzers/capture/owner_times.h"

#include <stdlib.h>

#include "analyzers/capture/trace_statistics.h"

static const struct {
    enum statistics_by by;
    const char *key, *word;
} tables[OWNER_TABLES] = {
    [OWNERS_OPERATOR] = {STATISTICS_BY_OPERATOR, "op", "operator"},
    [OWNERS_MODULE] = {STATISTICS_BY_MODULE, "module", "module"},
    [OWNERS_FRAME] = {STATISTICS_BY_FRAME, "frame", "frame"},
    [OWNERS_RANGE] = {STATISTICS_BY_RANGE, "range", "range"},
};

const char *owner_table_key(enum owner_table table)
{
    return tables[table].key;
}

const char *owner_table_word(enum owner_table table)
{
    return tables[table].word;
}

static int by_time(const void *left, const void *right)
{
    const struct owner_time *a = left, *b = right;
    const double x = (double)a->total_ns + (double)a->idle_ns, y = (double)b->total_ns + (double)b->idle_ns;
    if (x != y)
        return x > y ? -1 : 1;
    return (a->name > b->name) - (a->name < b->name);
}

static int by_name(const void *left, const void *right)
{
    const struct owner_time *a = left, *b = right;
    return (a->name > b->name) - (a->name < b->name);
}

/* Kernels and copies of one owner are rows of their own in the statistics. */
static size_t join_rows(struct owner_time *items, size_t count)
{
    size_t kept = 0;
    if (count)
        qsort(items, count, sizeof *items, by_name);
    for (size_t i = 0; i < count; i++) {
        if (!kept || items[kept - 1].name != items[i].name) {
            items[kept++] = items[i];
            continue;
        }
        items[kept - 1].count += items[i].count;
        items[kept - 1].total_ns += items[i].total_ns;
        items[kept - 1].idle_ns += items[i].idle_ns;
    }
    if (kept)
        qsort(items, kept, sizeof *items, by_time);
    return kept;
}

static int take_rows(struct owner_times *o, enum owner_table table, const struct trace_statistics *s, struct err *e)
{
    struct owner_time *items = calloc(s->count + 1, sizeof *items);
    size_t count = 0;
    if (!items)
        return err_memory(e);
    for (size_t i = 0; i < s->count; i++) {
        const struct statistics_row *row = &s->items[i];
        if (row->section == STATISTICS_API)
            continue;
        items[count++] = (struct owner_time){.name = row->name,
                                             .count = (int64_t)row->durations.count + row->unfinished,
                                             .total_ns = row->durations.total_ns,
                                             .idle_ns = row->idle_ns > 0 ? row->idle_ns : 0};
    }
    o->tables[table].items = items;
    o->tables[table].count = join_rows(items, count);
    for (size_t i = 0; i < o->tables[table].count; i++)
        items[i].share = s->gpu_ns > 0 ? (double)items[i].total_ns / (double)s->gpu_ns : 0;
    return 0;
}

static int measure_table(struct owner_times *o, enum owner_table table, struct event_stream *stream, struct err *e)
{
    struct trace_statistics s = {0};
    struct err none = {0};
    int rc = trace_statistics_by_owner(stream, tables[table].by, NULL, &o->names, &s, &none);
    if (!rc)
        rc = take_rows(o, table, &s, e);
    else if (rc == ERR_INPUT) /* there are none of this kind */
        rc = 0;
    else
        err_set(e, rc, "%s", none.text);
    trace_statistics_release(&s);
    return rc;
}

int owner_times_measure(struct owner_times *o, struct event_stream *stream, struct err *e)
{
    int rc = 0;
    short_names_init(&o->names);
    for (int table = 0; table < OWNER_TABLES && !rc; table++)
        rc = measure_table(o, (enum owner_table)table, stream, e);
    return rc;
}

void owner_times_release(struct owner_times *o)
{
    for (size_t i = 0; i < OWNER_TABLES; i++)
        free(o->tables[i].items);
    short_names_release(&o->names);
    *o = (struct owner_times){0};
}
