/* How does a trace become a file for Perfetto?
 *
 * The same slices, names and arguments as in Chrome JSON (chrome_export.c), and what that has no place for: counters
 * over time and the gaps of each device. A first pass writes the events and counts, a second one finds the gaps. */
#include <stdlib.h>
#include <string.h>

#include "core/trace/event_work.h"
#include "reports/export/export_args.h"
#include "reports/export/export_names.h"
#include "reports/export/export_order.h"
#include "reports/export/perfetto_counters.h"
#include "reports/export/perfetto_gaps.h"
#include "reports/export/perfetto_inside.h"
#include "reports/export/perfetto_rules.h"
#include "reports/export/perfetto_tracks.h"
#include "reports/export/trace_export.h"

/* Times since 1970 are later than the begin of the year 2000; other clocks begin with a machine or a recording. */
#define YEAR_2000_NS INT64_C(946684800000000000)

/* Before all processes. */
enum { ABOUT_RANK = 0 };

struct perfetto_writer {
    const struct trace_export *x;
    struct perfetto_packets packets;
    struct perfetto_tracks tracks;
    struct perfetto_counters counters;
    struct export_names names;
    struct caveat_list *losses;
};

static void add_args(struct perfetto_writer *w, const struct cpprof_event *event, const struct perfetto_spot *spot)
{
    struct export_arg args[EXPORT_ARGS_MAX];
    struct perfetto_packets *p = &w->packets;
    const size_t count = export_args_of(args, event, spot->is_further, w->x->survey->several_ranks, w->names.strings);
    for (size_t i = 0; i < count; i++)
        switch (args[i].type) {
        case EXPORT_ARG_WHOLE: perfetto_add_whole(p, args[i].key, args[i].numbers[0]); break;
        case EXPORT_ARG_AXES: perfetto_add_wholes(p, args[i].key, args[i].numbers, 3); break;
        case EXPORT_ARG_TEXT: perfetto_add_text(p, args[i].key, args[i].text, args[i].length); break;
        }
}

static int write_event(void *context, const struct cpprof_event *event, struct err *e)
{
    struct perfetto_writer *w = context;
    const struct trace_survey *survey = w->x->survey;
    struct perfetto_spot spot;
    size_t length;
    int rc = perfetto_tracks_place(&w->tracks, event, &spot, e);
    if (rc)
        return rc;
    const char *name = export_names_of(&w->names, event, &length);
    if (!name)
        return err_memory(e);
    perfetto_begin_slice(&w->packets, spot.track, export_category_of(event), name, length);
    add_args(w, event, &spot);
    if (spot.end_ns < event->end_ns && !(event->flags & CPPROF_EVENT_UNFINISHED))
        perfetto_add_whole(&w->packets, "real duration ns", event->end_ns - event->start_ns);
    const int64_t arrow = export_arrow_of(event);
    if (arrow && survey->kinds[CPPROF_EVENT_API])
        perfetto_add_flow(&w->packets, (uint64_t)arrow);
    rc = perfetto_end_event(&w->packets, event->start_ns - survey->first_ns, e);
    if (!rc && event_is_gpu_work(event))
        rc = perfetto_counters_add(&w->counters, event, spot.process, e);
    return rc;
}

/* ---- what is known about the trace as a whole ---- */

static const char *const caveat_categories[] = {
    [CAVEAT_NOTE] = "note",          [CAVEAT_RANGES] = "weakens ranges", [CAVEAT_HIDDEN] = "hides kernels",
    [CAVEAT_TIMES] = "doubts times", [CAVEAT_WEAKENS] = "weakens",       [CAVEAT_TRUNCATED] = "truncated",
};

static int write_remark(struct perfetto_writer *w, uint64_t track, const char *category, const char *text,
                        struct err *e)
{
    perfetto_begin_instant(&w->packets, track, category, text, strlen(text));
    return perfetto_end_event(&w->packets, 0, e);
}

static int write_facts(struct perfetto_writer *w, uint64_t track, struct err *e)
{
    static const char name[] = "about this trace", writer[] = "cpprof";
    struct perfetto_packets *p = &w->packets;
    struct event_stream *stream = w->x->stream;
    perfetto_begin_instant(p, track, "about", name, strlen(name));
    perfetto_add_text(p, "writer", writer, strlen(writer));
    perfetto_add_whole(p, "begin ns", w->x->survey->first_ns);
    if (!w->x->survey->several_ranks && w->x->survey->rank >= 0)
        perfetto_add_whole(p, "rank", w->x->survey->rank);
    if (w->x->survey->launches_only)
        perfetto_add_whole(p, "launches only", 1);
    if (event_stream_may_lack_waits(stream))
        perfetto_add_whole(p, "waits unknown", 1);
    if (event_stream_lacks_migrations(stream))
        perfetto_add_whole(p, "migrations unknown", 1);
    if (event_stream_time_error_ns(stream))
        perfetto_add_whole(p, "times off by ns", event_stream_time_error_ns(stream));
    return perfetto_end_event(p, 0, e);
}

static int write_about(struct perfetto_writer *w, struct err *e)
{
    const struct caveat_list *caveats = event_stream_caveats(w->x->stream);
    const struct perfetto_track about = {.name = "cpprof", .rank = ABOUT_RANK};
    uint64_t track;
    int rc = perfetto_add_track(&w->packets, &about, &track, e);
    if (!rc)
        rc = write_facts(w, track, e);
    for (size_t i = 0; i < caveats->count && !rc; i++)
        rc = write_remark(w, track, caveat_categories[caveats->items[i].kind], caveats->items[i].text, e);
    for (size_t i = 0; i < w->losses->count && !rc; i++)
        rc = write_remark(w, track, "left out", w->losses->items[i].text, e);
    return rc;
}

/* ---- the file ---- */

static int write_events(struct perfetto_writer *w, struct err *e)
{
    const int64_t first_ns = w->x->survey->first_ns;
    int rc = first_ns > YEAR_2000_NS ? perfetto_set_clock(&w->packets, first_ns, e) : 0;
    if (!rc)
        rc = export_in_order(w->x->stream, w->packets.sink, write_event, w, e);
    return rc ? rc : perfetto_tracks_end(&w->tracks, e);
}

static int note_counters(struct perfetto_writer *w, struct err *e)
{
    const size_t left_out = perfetto_counters_left_out(&w->counters);
    return left_out
               ? caveat_add(w->losses, CAVEAT_NOTE, e, "counters of %zu devices are left out: the first %d have them",
                            left_out, COUNTER_DEVICES_MAX)
               : 0;
}

/* Launches are no work, and their durations are not those of kernels. */
static int write_measures(struct perfetto_writer *w, struct err *e)
{
    if (!w->x->survey->gpu_work || w->x->survey->launches_only || byte_sink_failed(w->packets.sink))
        return 0;
    int rc = perfetto_counters_write(&w->counters, &w->packets, e);
    if (!rc)
        rc = note_counters(w, e);
    return rc ? rc : perfetto_gaps_write(w->x->stream, &w->tracks, &w->names, w->losses, e);
}

static int write_inside(struct perfetto_writer *w, struct err *e)
{
    int rc = w->x->lanes ? perfetto_lanes_write(w->x->lanes, &w->packets, e) : 0;
    return rc || !w->x->run ? rc : perfetto_samples_write(w->x->run, &w->packets, w->losses, e);
}

int perfetto_export_write(const struct trace_export *x, struct byte_sink *sink, struct err *e)
{
    struct caveat_list own;
    struct perfetto_writer w = {.x = x,
                                .losses = x->losses ? x->losses : &own,
                                .names = {.strings = event_stream_strings(x->stream), .mangled = x->mangled_names}};
    perfetto_init(&w.packets, sink);
    perfetto_counters_init(&w.counters, x->survey->first_ns, x->survey->last_ns);
    caveat_list_init(&own);
    w.tracks.packets = &w.packets;
    w.tracks.first_ns = x->survey->first_ns;
    int rc = write_events(&w, e);
    if (!rc)
        rc = write_measures(&w, e);
    if (!rc)
        rc = write_inside(&w, e);
    if (!rc && x->check)
        rc = perfetto_rules_write(x->check, x->survey->first_ns, &w.packets, e);
    if (!rc)
        rc = write_about(&w, e);
    caveat_list_release(&own);
    perfetto_counters_release(&w.counters);
    perfetto_tracks_release(&w.tracks);
    perfetto_release(&w.packets);
    export_names_release(&w.names);
    return rc;
}

int perfetto_export_check(const struct trace_survey *survey, struct caveat_list *losses, struct err *e)
{
    return survey->launches_only
               ? caveat_add(losses, CAVEAT_NOTE, e,
                            "it has launches and no copies: there are no counters and no gaps of its devices")
               : 0;
}
