/* How are events laid out so that a viewer shows every one of them? */
#include "reports/export/export_tracks.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/trace/selector.h"
#include "reports/export/export_text.h"

/* Beyond so many lines of one stream or thread the last one takes what does not
 * fit: the file still holds it, the picture may not. */
enum { LINES_MAX = 64, HOST_DEPTH_MAX = 128, GPU_DEPTH_MAX = 1 };

/* Devices keep their ordinals, as in traces of Kineto, which have one rank and no number for it. */
enum { RANK_STRIDE = 50000, UNKNOWN_DEVICE = 49998, HOST = 49999 };

/* Larger than any thread id of Linux. */
#define EXTRA_LINE_THREAD 0x80000000u

struct line {
    int64_t *items; /* ends of what is open, the innermost last */
    size_t count, capacity;
    uint32_t thread;
};

struct export_track {
    struct line *items;
    size_t count, capacity;
};

void export_tracks_release(struct export_tracks *t)
{
    for (size_t i = 0; i < t->count; i++) {
        for (size_t k = 0; k < t->items[i].count; k++)
            free(t->items[i].items[k].items);
        free(t->items[i].items);
    }
    free(t->items);
    key_table_release(&t->processes);
    key_table_release(&t->keys);
    *t = (struct export_tracks){0};
}

uint32_t export_process_of(const struct cpprof_event *event)
{
    const uint32_t base = (uint32_t)(event->rank + 1) * RANK_STRIDE;
    if (!event_is_gpu_work(event))
        return base + HOST;
    return base + (event->device < 0 ? UNKNOWN_DEVICE : (uint32_t)event->device);
}

/* Closes what has ended, and tells whether the event lies inside of all that has not. */
static bool fits(struct line *line, const struct cpprof_event *event, size_t depth_max)
{
    while (line->count && line->items[line->count - 1] <= event->start_ns)
        line->count--;
    return !line->count || (line->count < depth_max && export_end_ns(event) <= line->items[line->count - 1]);
}

static struct line *new_line(struct export_tracks *t, struct export_track *track, uint32_t thread)
{
    struct line *line = ARRAY_PUSH(track);
    if (line)
        line->thread = track->count == 1 ? thread : EXTRA_LINE_THREAD + t->extra_lines++;
    return line;
}

/* NULL when memory is out. */
static struct line *find_line(struct export_tracks *t, struct export_track *track, const struct cpprof_event *event,
                              uint32_t thread)
{
    const size_t depth_max = event_is_gpu_work(event) ? GPU_DEPTH_MAX : HOST_DEPTH_MAX;
    for (size_t i = 0; i < track->count; i++)
        if (fits(&track->items[i], event, depth_max))
            return &track->items[i];
    return track->count < LINES_MAX ? new_line(t, track, thread) : &track->items[track->count - 1];
}

static int open_event(struct line *line, const struct cpprof_event *event, struct err *e)
{
    if (line->count == HOST_DEPTH_MAX)
        return 0;
    int64_t *end = ARRAY_PUSH(line);
    if (!end)
        return err_memory(e);
    *end = export_end_ns(event);
    return 0;
}

static struct export_track *find_track(struct export_tracks *t, uint32_t process, uint32_t thread)
{
    const uint32_t id = key_table_add(&t->keys, (int32_t)process, thread);
    if (id > t->count && !ARRAY_PUSH(t))
        return NULL;
    return id ? &t->items[id - 1] : NULL;
}

int export_tracks_place(struct export_tracks *t, const struct cpprof_event *event, struct export_place *out,
                        struct err *e)
{
    const uint32_t process = export_process_of(event);
    const uint32_t thread = event_is_gpu_work(event) ? event->stream : event->thread;
    const size_t processes = t->processes.count;
    struct export_track *track = find_track(t, process, thread);
    if (!track || !key_table_add(&t->processes, 0, process))
        return err_memory(e);
    const size_t lines = track->count;
    struct line *line = find_line(t, track, event, thread);
    if (!line)
        return err_memory(e);
    *out = (struct export_place){.process = process,
                                 .thread = line->thread,
                                 .line = (size_t)(line - track->items),
                                 .is_new_process = t->processes.count > processes,
                                 .is_new_line = track->count > lines};
    return open_event(line, event, e);
}

void export_process_name(struct str *out, const struct cpprof_event *event)
{
    if (event->rank >= 0)
        str_addf(out, "rank %d: ", event->rank);
    if (!event_is_gpu_work(event))
        str_add(out, "host");
    else if (event->device < 0)
        str_add(out, "GPU unknown");
    else
        str_addf(out, "GPU %d", event->device);
}

void export_line_name(struct str *out, const struct cpprof_event *event, const struct export_place *place)
{
    if (event_is_gpu_work(event))
        str_addf(out, "stream %" PRIu32, event->stream);
    else if (event->thread)
        str_addf(out, "thread %" PRIu32, event->thread);
    else
        str_add(out, "thread unknown");
    if (place->line)
        str_addf(out, ", line %zu", place->line + 1);
}
