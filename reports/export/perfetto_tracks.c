/* On which track does an event stand, and what ends there before it begins? */
#include "reports/export/perfetto_tracks.h"

#include <stdlib.h>

#include "core/base/array.h"
#include "reports/export/export_text.h"

void perfetto_tracks_release(struct perfetto_tracks *t)
{
    for (size_t i = 0; i < t->count; i++)
        free(t->items[i].items);
    free(t->items);
    free(t->process_tracks.items);
    key_table_release(&t->processes);
    key_table_release(&t->keys);
    export_tracks_release(&t->places);
    *t = (struct perfetto_tracks){0};
}

/* To viewers, process 0 is the idle one of the machine. */
static int32_t process_number(uint32_t process)
{
    return (int32_t)process + 1;
}

static int name_process(struct perfetto_tracks *t, const struct cpprof_event *event, uint32_t process, struct err *e)
{
    struct str name;
    str_init(&name);
    export_process_name(&name, event);
    uint64_t *track = ARRAY_PUSH(&t->process_tracks);
    const struct perfetto_track descriptor = {
        .name = str_text(&name), .process = process_number(process), .rank = (int32_t)t->process_tracks.count};
    int rc = name.failed || !track ? err_memory(e) : perfetto_add_track(t->packets, &descriptor, track, e);
    str_release(&name);
    return rc;
}

static int process_track(struct perfetto_tracks *t, const struct cpprof_event *event, uint32_t process, uint64_t *out,
                         struct err *e)
{
    const uint32_t id = key_table_add(&t->processes, 0, process);
    int rc = id ? 0 : err_memory(e);
    if (id > t->process_tracks.count)
        rc = name_process(t, event, process, e);
    if (!rc)
        *out = t->process_tracks.items[id - 1];
    return rc;
}

static int name_line(struct perfetto_tracks *t, const struct cpprof_event *event, const struct export_place *place,
                     uint64_t process, struct err *e)
{
    struct str name;
    str_init(&name);
    export_line_name(&name, event, place);
    struct perfetto_line *line = ARRAY_PUSH(t);
    const struct perfetto_track descriptor = {
        .parent = process, .name = str_text(&name), .rank = PERFETTO_RANK_LINES + (int32_t)(t->count & INT16_MAX)};
    int rc = name.failed || !line ? err_memory(e) : perfetto_add_track(t->packets, &descriptor, &line->track, e);
    str_release(&name);
    return rc;
}

static int find_line(struct perfetto_tracks *t, const struct cpprof_event *event, const struct export_place *place,
                     uint64_t process, struct perfetto_line **out, struct err *e)
{
    const uint32_t id = key_table_add(&t->keys, (int32_t)place->process, place->thread);
    int rc = id ? 0 : err_memory(e);
    if (id > t->count)
        rc = name_line(t, event, place, process, e);
    if (!rc)
        *out = &t->items[id - 1];
    return rc;
}

static int end_innermost(struct perfetto_tracks *t, struct perfetto_line *line, struct err *e)
{
    return perfetto_end_slice(t->packets, line->track, line->items[--line->count] - t->first_ns, e);
}

static int open_slice(struct perfetto_tracks *t, struct perfetto_line *line, const struct cpprof_event *event,
                      int64_t *end_ns, struct err *e)
{
    int rc = 0;
    while (line->count && line->items[line->count - 1] <= event->start_ns && !rc)
        rc = end_innermost(t, line, e);
    if (rc)
        return rc;
    *end_ns = export_end_ns(event);
    if (line->count && *end_ns > line->items[line->count - 1])
        *end_ns = line->items[line->count - 1];
    int64_t *end = ARRAY_PUSH(line);
    if (!end)
        return err_memory(e);
    *end = *end_ns;
    return 0;
}

int perfetto_tracks_place(struct perfetto_tracks *t, const struct cpprof_event *event, struct perfetto_spot *out,
                          struct err *e)
{
    struct export_place place;
    struct perfetto_line *line = NULL;
    int rc = export_tracks_place(&t->places, event, &place, e);
    if (!rc)
        rc = process_track(t, event, place.process, &out->process, e);
    if (!rc)
        rc = find_line(t, event, &place, out->process, &line, e);
    if (!rc)
        rc = open_slice(t, line, event, &out->end_ns, e);
    if (rc)
        return rc;
    out->track = line->track;
    out->is_further = place.line > 0;
    return 0;
}

uint64_t perfetto_tracks_of_device(const struct perfetto_tracks *t, int rank, int device)
{
    const struct cpprof_event work = {.kind = CPPROF_EVENT_KERNEL, .rank = (int16_t)rank, .device = (int16_t)device};
    const uint32_t id = key_table_find(&t->processes, 0, export_process_of(&work));
    return id ? t->process_tracks.items[id - 1] : 0;
}

int perfetto_tracks_end(struct perfetto_tracks *t, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < t->count; i++)
        while (t->items[i].count && !rc)
            rc = end_innermost(t, &t->items[i], e);
    return rc;
}
