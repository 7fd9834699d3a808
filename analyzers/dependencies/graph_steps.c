/* When does each step of a program end? */
#include "analyzers/dependencies/graph_steps.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/strtab.h"
#include "core/trace/step_names.h"

static bool is_step(const struct graph_steps *s, const char *name)
{
    const size_t length = step_names_stem(name);
    return length == s->range.length && !memcmp(name, str_text(&s->range), length);
}

static int read_ranges(struct graph_steps *s, struct event_stream *stream, struct err *e)
{
    struct cpprof_event event;
    int rc = event_stream_rewind(stream, e);
    while (!rc && (rc = event_stream_next(stream, &event, e)) == 1) {
        rc = 0;
        if (event.kind != CPPROF_EVENT_RANGE || event.flags & CPPROF_EVENT_UNFINISHED ||
            event.end_ns <= event.start_ns || !is_step(s, strtab_text(event_stream_strings(stream), event.name)))
            continue;
        struct graph_step *step = ARRAY_PUSH(&s->items);
        if (!step)
            return err_memory(e);
        *step = (struct graph_step){event.start_ns, event.end_ns, INT64_MIN, event.rank};
    }
    return rc;
}

static int by_start(const void *left, const void *right)
{
    const struct graph_step *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return (a->end_ns < b->end_ns) - (a->end_ns > b->end_ns);
}

/* One that begins inside another is a part of it. */
static void sort_steps(struct graph_steps *s)
{
    size_t kept = 0;
    if (s->items.count)
        qsort(s->items.items, s->items.count, sizeof *s->items.items, by_start);
    for (size_t i = 0; i < s->items.count; i++) {
        const struct graph_step *step = &s->items.items[i], *last = kept ? &s->items.items[kept - 1] : NULL;
        if (!last || last->rank != step->rank || last->end_ns <= step->start_ns)
            s->items.items[kept++] = *step;
    }
    s->items.count = kept;
}

/* Returns the step that is open at that time. */
static uint32_t step_at(const struct graph_steps *s, int16_t rank, int64_t time_ns)
{
    size_t low = 0, high = s->items.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct graph_step *step = &s->items.items[middle];
        if (step->rank < rank || (step->rank == rank && step->end_ns <= time_ns))
            low = middle + 1;
        else
            high = middle;
    }
    const struct graph_step *step = low < s->items.count ? &s->items.items[low] : NULL;
    return step && step->rank == rank && step->start_ns <= time_ns ? (uint32_t)low : GRAPH_NONE;
}

static int join_work(struct graph_steps *s, const struct recorded_graph *g, struct err *e)
{
    s->step_of = calloc(g->works.count + 1, sizeof *s->step_of);
    if (!s->step_of)
        return err_memory(e);
    for (size_t i = 0; i < g->works.count; i++) {
        const struct graph_work *w = &g->works.items[i];
        s->step_of[i] = w->call == GRAPH_NONE ? GRAPH_NONE : step_at(s, w->rank, g->calls.items[w->call].start_ns);
    }
    return 0;
}

/* Gives each step its end; one without work ends with the one before it. */
static void find_ends(struct graph_steps *s, const struct recorded_graph *g, const int64_t *work_end_ns)
{
    for (size_t i = 0; i < s->items.count; i++)
        s->items.items[i].done_ns = INT64_MIN;
    for (size_t i = 0; i < g->works.count; i++) {
        struct graph_step *step = s->step_of[i] == GRAPH_NONE ? NULL : &s->items.items[s->step_of[i]];
        const int64_t end_ns = work_end_ns ? work_end_ns[i] : g->works.items[i].end_ns;
        if (step && end_ns > step->done_ns)
            step->done_ns = end_ns;
    }
}

static bool has_length(const struct graph_steps *s, size_t index)
{
    const struct graph_step *step = &s->items.items[index];
    return index && step[-1].rank == step->rank && step->done_ns != INT64_MIN && step[-1].done_ns != INT64_MIN;
}

void graph_steps_measure(struct graph_steps *s, const struct recorded_graph *g, const int64_t *work_end_ns,
                         double *lengths_ns)
{
    size_t count = 0;
    find_ends(s, g, work_end_ns);
    for (size_t i = 0; i < s->items.count; i++)
        if (has_length(s, i))
            lengths_ns[count++] = (double)(s->items.items[i].done_ns - s->items.items[i - 1].done_ns);
}

int graph_steps_find(struct graph_steps *s, const struct recorded_graph *g, struct event_stream *stream, struct err *e)
{
    str_init(&s->range);
    int rc = step_names_choose(&s->range, stream, e);
    if (rc || !s->range.length)
        return rc;
    rc = read_ranges(s, stream, e);
    if (rc)
        return rc;
    sort_steps(s);
    rc = join_work(s, g, e);
    if (rc)
        return rc;
    find_ends(s, g, NULL);
    for (size_t i = 0; i < s->items.count; i++)
        s->lengths += has_length(s, i);
    if (s->lengths + 1 < GRAPH_STEPS_MIN)
        s->lengths = 0;
    return 0;
}

void graph_steps_release(struct graph_steps *s)
{
    str_release(&s->range);
    free(s->items.items);
    free(s->step_of);
    memset(s, 0, sizeof *s);
}
