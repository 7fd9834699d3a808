/* Which events does a shard hold, in the order of their starts, without copying them all? */
#include "core/trace/readers/shard_events.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

struct shard_events {
    struct event_source source; /* must be first: the spool uses it */
    struct shard_slices file;
    struct pump pump; /* loads slices ahead */
    int trouble[PUMP_PLACES];
    size_t next_slice;
    struct cpprof_event *window;     /* for events that must wait for later slices */
    const struct cpprof_event *view; /* the window, or the place of the last slice */
    size_t begin, end;               /* its events [begin, end) are in order and not handed out yet */
    size_t capacity;
};

static const struct slice *slice_at(const struct shard_events *s, size_t i)
{
    return &s->file.slices.items[i];
}

/* Moves the rest of the view to the front of the window. */
static void keep_rest(struct shard_events *s)
{
    s->end -= s->begin;
    if (s->view != s->window || s->begin)
        memmove(s->window, s->view + s->begin, s->end * sizeof *s->window);
    s->view = s->window;
    s->begin = 0;
}

/* Merges the events of a slice into the window from the back: events before all of them need not move. */
static void merge(struct shard_events *s, const struct cpprof_event *events, size_t count)
{
    size_t left = s->end;
    s->end += count;
    for (size_t to = s->end; left && count; to--) {
        const bool stays_last = event_total_order(&s->window[left - 1], &events[count - 1]) > 0;
        s->window[to - 1] = stays_last ? s->window[--left] : events[--count];
    }
    memcpy(s->window, events, count * sizeof *events);
}

static void load_slice(void *context, size_t i)
{
    struct shard_events *s = context;
    s->trouble[i % PUMP_PLACES] = shard_slices_load(&s->file, i);
}

/* Puts the next slice into view; without a copy when no events wait. */
static int take_slice(struct shard_events *s, struct err *e)
{
    const bool is_alone = s->begin == s->end;
    keep_rest(s); /* before its place is loaded again */
    size_t i;
    if (!pump_next(&s->pump, &i))
        return err_set(e, ERR_INTERNAL, "a slice is gone");
    if (s->trouble[i % PUMP_PLACES])
        return shard_slices_set_error(&s->file, s->trouble[i % PUMP_PLACES], e);
    const struct cpprof_event *events = s->file.places[i % PUMP_PLACES];
    const size_t count = slice_at(s, i)->events;
    s->next_slice++;
    if (is_alone) {
        s->view = events;
        s->end = count;
    } else {
        merge(s, events, count);
    }
    return 0;
}

static int next_event(struct event_source *source, const struct cpprof_event **out, struct err *e)
{
    struct shard_events *s = (struct shard_events *)source;
    while (s->next_slice < s->file.slices.count) {
        int64_t safe_ns = s->next_slice ? slice_at(s, s->next_slice - 1)->later_start_ns : INT64_MIN;
        if (s->begin < s->end && s->view[s->begin].start_ns < safe_ns)
            break;
        int rc = take_slice(s, e);
        if (rc)
            return rc;
    }
    if (s->begin == s->end)
        return 0;
    *out = &s->view[s->begin++];
    return 1;
}

static int rewind_events(struct event_source *source, struct err *e)
{
    struct shard_events *s = (struct shard_events *)source;
    if (array_reserve((void **)&s->window, &s->capacity, source->window_events + 1, sizeof *s->window))
        return err_memory(e);
    s->view = s->window;
    s->next_slice = s->begin = s->end = 0;
    pump_stop(&s->pump);
    shard_slices_start_pump(&s->file, &s->pump, s->file.slices.count, load_slice, s);
    return 0;
}

static void free_events(struct event_source *source)
{
    struct shard_events *s = (struct shard_events *)source;
    pump_stop(&s->pump);
    shard_slices_release(&s->file);
    free(s->window);
    free(s);
}

/* How many events can be in the window at most? While slice `last` is taken: all events of the slices whose largest
 * start may still be preceded. */
static size_t window_needed(struct shard_events *s)
{
    int64_t later_ns = INT64_MAX;
    for (size_t i = s->file.slices.count; i-- > 0;) {
        struct slice *slice = &s->file.slices.items[i];
        slice->later_start_ns = later_ns;
        if (slice->first_start_ns < later_ns)
            later_ns = slice->first_start_ns;
    }
    size_t needed = 0, held = 0, first = 0;
    for (size_t last = 0; last < s->file.slices.count; last++) {
        held += slice_at(s, last)->events;
        if (held > needed)
            needed = held;
        /* slices that are safe after this one leave at the front */
        while (first <= last && slice_at(s, first)->last_start_ns < slice_at(s, last)->later_start_ns)
            held -= slice_at(s, first++)->events;
    }
    return needed;
}

static int64_t count_events(const struct shard_events *s)
{
    int64_t count = 0;
    for (size_t i = 0; i < s->file.slices.count; i++)
        count += slice_at(s, i)->events;
    return count;
}

static int copy_events(struct shard_events *s, struct event_spool *spool, struct err *e)
{
    for (size_t i = 0; i < s->file.slices.count; i++) {
        int trouble = shard_slices_load(&s->file, i);
        int rc = trouble ? shard_slices_set_error(&s->file, trouble, e) : 0;
        for (size_t k = 0; !rc && k < slice_at(s, i)->events; k++)
            rc = event_spool_add(spool, &s->file.places[i % PUMP_PLACES][k], e);
        if (rc)
            return rc;
    }
    return 0;
}

int shard_events_give(struct shard_slices *slices, struct event_spool *spool, struct err *e)
{
    struct shard_events *s = calloc(1, sizeof *s);
    if (!s) {
        shard_slices_release(slices);
        return err_memory(e);
    }
    s->file = *slices;
    s->source = (struct event_source){
        .count = count_events(s), .rewind = rewind_events, .next = next_event, .free = free_events};
    s->source.window_events = window_needed(s);
    if (event_spool_add_source(spool, &s->source))
        return 0;
    int rc = copy_events(s, spool, e);
    free_events(&s->source);
    return rc;
}
