/* When does each device run no kernel, and why, on a track of its own? */
#include "reports/export/perfetto_gaps.h"

#include <stdlib.h>
#include <string.h>

#include "analyzers/capture/idle_gaps.h"
#include "core/base/array.h"
#include "core/base/key_table.h"

struct gap_writer {
    const struct perfetto_tracks *tracks;
    struct export_names *names;
    struct key_table keys; /* rank and device */
    uint64_t *items;       /* the track of gaps, by id of keys */
    size_t count, capacity;
};

static int track_of(struct gap_writer *w, const struct gaps_device *device, uint64_t *out, struct err *e)
{
    const uint32_t id = key_table_add(&w->keys, device->rank, (uint32_t)device->device);
    if (id && id <= w->count) {
        *out = w->items[id - 1];
        return 0;
    }
    const struct perfetto_track track = {.parent = perfetto_tracks_of_device(w->tracks, device->rank, device->device),
                                         .name = "gaps",
                                         .rank = PERFETTO_RANK_GAPS,
                                         .description = "Time in which no kernel runs, by its cause."};
    uint64_t *slot = id ? ARRAY_PUSH(w) : NULL;
    int rc = slot ? perfetto_add_track(w->tracks->packets, &track, slot, e) : err_memory(e);
    if (!rc)
        *out = *slot;
    return rc;
}

static int add_name(struct gap_writer *w, const char *key, uint16_t kind, uint32_t name, struct err *e)
{
    const struct cpprof_event event = {.kind = kind, .name = name};
    size_t length;
    const char *text = export_names_of(w->names, &event, &length);
    if (!text)
        return err_memory(e);
    perfetto_add_text(w->tracks->packets, key, text, length);
    return 0;
}

static int add_neighbour(struct gap_writer *w, const char *key, const struct gap_neighbour *n, struct err *e)
{
    return n->is_there ? add_name(w, key, n->kind, n->name, e) : 0;
}

static int write_gap(void *context, const struct gaps_device *device, const struct idle_gap *gap, struct err *e)
{
    struct gap_writer *w = context;
    struct perfetto_packets *p = w->tracks->packets;
    const char *cause = gap_cause_name(gap->cause);
    uint64_t track;
    int rc = track_of(w, device, &track, e);
    if (rc)
        return rc;
    perfetto_begin_slice(p, track, "gap", cause, strlen(cause));
    rc = add_neighbour(w, "before", &gap->before, e);
    if (!rc)
        rc = add_neighbour(w, "after", &gap->after, e);
    if (!rc && gap_cause_is_work(gap->cause))
        rc = add_neighbour(w, gap_cause_key(gap->cause), &gap->work, e);
    if (!rc && gap->has_call)
        rc = add_name(w, "call", CPPROF_EVENT_API, gap->call.name, e);
    if (!rc && gap->cause == GAP_SYNC)
        rc = add_name(w, "wait", CPPROF_EVENT_API, gap->wait.name, e);
    if (!rc)
        rc = perfetto_end_event(p, gap->start_ns - w->tracks->first_ns, e);
    return rc ? rc : perfetto_end_slice(p, track, gap->end_ns - w->tracks->first_ns, e);
}

int perfetto_gaps_write(struct event_stream *stream, const struct perfetto_tracks *tracks, struct export_names *names,
                        struct caveat_list *losses, struct err *e)
{
    struct gap_writer w = {.tracks = tracks, .names = names};
    struct idle_gaps gaps;
    struct err own = {0};
    int rc = idle_gaps_each(stream, write_gap, &w, &gaps, &own);
    if (rc == ERR_INPUT)
        rc = caveat_add(losses, CAVEAT_NOTE, &own, "%s: %s", w.count ? "further gaps are left out" : "no gaps",
                        own.text);
    if (rc && e)
        *e = own;
    idle_gaps_release(&gaps);
    key_table_release(&w.keys);
    free(w.items);
    return rc;
}
