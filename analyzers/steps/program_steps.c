/* How long does a step of the program take, and what is in it? */
#include <stdlib.h>
#include <string.h>

#include "analyzers/steps/trace_steps.h"
#include "core/trace/step_names.h"

enum { LEAST_STEPS = 2 };

static int by_time(const void *left, const void *right)
{
    const struct step *a = left, *b = right;
    const int64_t x = a->end_ns - a->start_ns, y = b->end_ns - b->start_ns;
    if (x != y)
        return x < y ? -1 : 1;
    return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

static void add_row(struct program_steps *s, const char *which, const struct step *step)
{
    struct program_step *row = &s->rows[s->row_count++];
    *row = (struct program_step){.which = which, .rank = step->rank, .time_ns = step->end_ns - step->start_ns};
    memcpy(row->part_ns, step->part_ns, sizeof row->part_ns);
}

/* The median is a step that there was: when their number is even, the shorter of the two in the middle. */
static void choose_rows(struct program_steps *s, struct trace_steps *t)
{
    s->steps = t->count + t->side.left_out;
    s->processes = t->side.processes;
    if (s->steps < LEAST_STEPS || !t->count)
        return;
    add_row(s, "first", t->has_first ? &t->first : &t->items[0]);
    qsort(t->items, t->count, sizeof *t->items, by_time);
    add_row(s, "median", &t->items[(t->count - 1) / 2]);
    add_row(s, "slowest", &t->items[t->count - 1]);
}

int program_steps_measure(struct program_steps *s, struct event_stream *stream, struct err *e)
{
    struct trace_steps steps = {0};
    struct err none = {0};
    str_init(&s->range);
    int rc = step_names_choose(&s->range, stream, e);
    if (!rc && s->range.length) {
        rc = trace_steps_read_named(&steps, stream, str_text(&s->range), &none);
        if (!rc)
            choose_rows(s, &steps);
        else if (rc == ERR_INPUT || rc == ERR_USAGE)
            rc = 0;
        else
            err_set(e, rc, "%s", none.text);
        trace_steps_release(&steps);
    }
    return rc;
}

void program_steps_release(struct program_steps *s)
{
    str_release(&s->range);
}
