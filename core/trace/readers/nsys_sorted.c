/* Are the rows of a table in order, and which is the next?
 *
 * Rows that start at the same time may have any order in the file. They are sorted, which the next slice may have a
 * part in, so the last ones of a slice wait for it. */
#include "core/trace/readers/nsys_sorted.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

/* How many rows that start at the same time may wait. */
enum { WAITING_MAX = 16384 };

struct nsys_sorted {
    struct event_source source; /* must be first: the spool uses it */
    struct nsys_slices *slices;
    struct nsys_sorted_end end;
    bool is_told;
    bool is_at_end;
    int64_t rows;
    ARRAY_OF(struct cpprof_event) waiting; /* they start at the same time, before the rest of the slice */
    size_t ready, next_waiting;            /* as many of them are given now, and the next one */
    const struct cpprof_event *slice;      /* its events [next, safe) are given, those up to count wait */
    size_t next, safe, count;
};

static int64_t last_start_ns(const struct nsys_sorted *s)
{
    return s->waiting.count ? s->waiting.items[s->waiting.count - 1].start_ns : INT64_MIN;
}

/* Rows that were good in an earlier pass are bad only when the file has changed. */
static int set_disorder(const struct nsys_sorted *s, struct err *e)
{
    return err_set(e, ERR_INPUT,
                   s->is_told ? "the trace has changed while it was read; read it again when it is complete"
                              : "the trace is not one of rows in the order of their starts");
}

static int wait_for_more(struct nsys_sorted *s, const struct cpprof_event *events, size_t count, struct err *e)
{
    if (!count)
        return 0;
    if (s->waiting.count + count > WAITING_MAX)
        return set_disorder(s, e);
    if (array_reserve((void **)&s->waiting.items, &s->waiting.capacity, s->waiting.count + count + 1,
                      sizeof *s->waiting.items))
        return err_memory(e);
    memcpy(s->waiting.items + s->waiting.count, events, count * sizeof *events);
    s->waiting.count += count;
    return 0;
}

/* Sorts events that start at the same time. Returns false when one starts before the one in front of it. */
static bool put_in_order(struct cpprof_event *events, size_t count)
{
    for (size_t from = 0, i = 1; i <= count; i++) {
        if (i < count && events[i].start_ns == events[from].start_ns)
            continue;
        if (i < count && events[i].start_ns < events[from].start_ns)
            return false;
        if (i - from > 1)
            qsort(events + from, i - from, sizeof *events, event_total_order);
        from = i;
    }
    return true;
}

/* Nobody can join those that wait any more. */
static void give_waiting(struct nsys_sorted *s)
{
    if (s->waiting.count > 1)
        qsort(s->waiting.items, s->waiting.count, sizeof *s->waiting.items, event_total_order);
    s->ready = s->waiting.count;
    s->next_waiting = 0;
}

/* Takes the events of a slice. Those that start with the ones that wait join them, and the last ones will wait. */
static int take_slice(struct nsys_sorted *s, const struct nsys_slice *slice, struct err *e)
{
    size_t first = 0, safe = slice->count;
    s->rows += (int64_t)slice->count;
    if (!slice->count)
        return 0;
    if (slice->events[0].start_ns < last_start_ns(s) || !put_in_order(slice->events, slice->count))
        return set_disorder(s, e);
    while (s->waiting.count && first < slice->count && slice->events[first].start_ns == last_start_ns(s))
        first++;
    const int rc = wait_for_more(s, slice->events, first, e);
    if (rc || first == slice->count)
        return rc;
    give_waiting(s);
    while (safe > first && slice->events[safe - 1].start_ns == slice->events[slice->count - 1].start_ns)
        safe--;
    s->slice = slice->events;
    s->next = first;
    s->safe = safe;
    s->count = slice->count;
    return 0;
}

static int finish(struct nsys_sorted *s, struct err *e)
{
    if (!nsys_slices_reached_end(s->slices) || (s->is_told && s->rows != s->source.count))
        return set_disorder(s, e);
    s->is_at_end = true;
    s->source.count = s->rows;
    give_waiting(s);
    const bool was_told = s->is_told;
    s->is_told = true;
    return was_told || !s->end.say ? 0 : s->end.say(s->end.context, s->slices, e);
}

/* All that could be given was given. */
static int refill(struct nsys_sorted *s, struct err *e)
{
    struct nsys_slice slice;
    if (s->ready)
        s->waiting.count = 0;
    s->ready = s->next_waiting = 0;
    int rc = wait_for_more(s, s->slice + s->safe, s->count - s->safe, e);
    s->next = s->safe = s->count = 0;
    const int got = rc ? rc : nsys_slices_next(s->slices, &slice, e);
    if (got < 0)
        return got;
    return got ? take_slice(s, &slice, e) : finish(s, e);
}

static int next_event(struct event_source *source, const struct cpprof_event **out, struct err *e)
{
    struct nsys_sorted *s = (struct nsys_sorted *)source;
    for (;;) {
        if (s->next_waiting < s->ready) {
            *out = &s->waiting.items[s->next_waiting++];
            return 1;
        }
        if (s->next < s->safe) {
            *out = &s->slice[s->next++];
            return 1;
        }
        if (s->is_at_end)
            return 0;
        const int rc = refill(s, e);
        if (rc)
            return rc;
    }
}

static int rewind_events(struct event_source *source, struct err *e)
{
    struct nsys_sorted *s = (struct nsys_sorted *)source;
    (void)e;
    s->waiting.count = s->ready = s->next_waiting = s->next = s->safe = s->count = 0;
    s->rows = 0;
    s->is_at_end = false;
    nsys_slices_rewind(s->slices);
    return 0;
}

static void free_events(struct event_source *source)
{
    struct nsys_sorted *s = (struct nsys_sorted *)source;
    nsys_slices_free(s->slices);
    if (s->end.free)
        s->end.free(s->end.context);
    free(s->waiting.items);
    free(s);
}

int nsys_sorted_new(struct event_source **out, struct nsys_slices *slices, const struct nsys_sorted_end *end,
                    struct err *e)
{
    struct nsys_sorted *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return err_memory(e);
    s->slices = slices;
    s->end = *end;
    s->source = (struct event_source){
        .window_events = WAITING_MAX, .rewind = rewind_events, .next = next_event, .free = free_events};
    *out = &s->source;
    return 0;
}
