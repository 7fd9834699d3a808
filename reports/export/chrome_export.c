/* How does a trace become JSON that Perfetto and chrome://tracing open?
 *
 * The Trace Event Format with the categories and arguments of Kineto, PyTorch's
 * collector, so that tools for its traces read ours. Times count from
 * "baseTimeNanoseconds", because viewers keep them as floating point, where
 * nanoseconds since 1970 do not fit. In each row the numbers come before the
 * name: some viewers look for them without understanding all escapes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"
#include "core/trace/event_work.h"
#include "core/trace/identity.h"
#include "reports/export/chrome_lanes.h"
#include "reports/export/chrome_rows.h"
#include "reports/export/export_args.h"
#include "reports/export/export_names.h"
#include "reports/export/export_order.h"
#include "reports/export/export_text.h"
#include "reports/export/export_tracks.h"
#include "reports/export/trace_export.h"

struct chrome_writer {
    struct event_stream *stream;
    const struct trace_survey *survey;
    struct export_names names;
    struct chrome_rows rows;
    struct export_tracks tracks;
};

/* ---- names of processes and threads ---- */

static int name_line(struct chrome_writer *w, const struct export_place *place, const char *kind, const char *name,
                     struct err *e)
{
    chrome_begin_row(&w->rows, "M");
    chrome_add_line(&w->rows.row, place->process, place->thread);
    chrome_add_word(&w->rows.row, "name", kind);
    chrome_begin_args(&w->rows.row);
    chrome_add_word(&w->rows.row, "name", name);
    str_add_char(&w->rows.row, '}');
    return chrome_end_row(&w->rows, e);
}

/* Names what has not been seen before. */
static int name_place(struct chrome_writer *w, const struct cpprof_event *event, const struct export_place *place,
                      struct err *e)
{
    struct str name;
    int rc = 0;
    str_init(&name);
    if (place->is_new_process) {
        export_process_name(&name, event);
        rc = name.failed ? err_memory(e) : name_line(w, place, "process_name", str_text(&name), e);
    }
    if (!rc && place->is_new_line) {
        str_clear(&name);
        export_line_name(&name, event, place);
        rc = name.failed ? err_memory(e) : name_line(w, place, "thread_name", str_text(&name), e);
    }
    str_release(&name);
    return rc;
}

/* ---- events ---- */

static void add_axes(struct str *row, const char *key, const int64_t axes[static 3])
{
    chrome_add_key(row, key);
    for (size_t i = 0; i < 3; i++) {
        str_add_char(row, i ? ',' : '[');
        export_add_whole(row, axes[i]);
    }
    str_add_char(row, ']');
}

static void add_args(struct chrome_writer *w, const struct cpprof_event *event, const struct export_place *place)
{
    struct export_arg args[EXPORT_ARGS_MAX];
    struct str *row = &w->rows.row;
    const size_t count = export_args_of(args, event, place->line > 0, w->survey->several_ranks, w->names.strings);
    chrome_begin_args(row);
    for (size_t i = 0; i < count; i++)
        switch (args[i].type) {
        case EXPORT_ARG_WHOLE: chrome_add_whole(row, args[i].key, args[i].numbers[0]); break;
        case EXPORT_ARG_AXES: add_axes(row, args[i].key, args[i].numbers); break;
        case EXPORT_ARG_TEXT: chrome_add_text(row, args[i].key, args[i].text, args[i].length); break;
        }
    str_add_char(row, '}');
}

static int add_name(struct chrome_writer *w, const struct cpprof_event *event, struct err *e)
{
    size_t length;
    const char *name = export_names_of(&w->names, event, &length);
    if (!name)
        return err_memory(e);
    chrome_add_text(&w->rows.row, "name", name, length);
    return 0;
}

/* An arrow from the call to all work that it started. None where no calls were recorded. */
static int write_arrow(struct chrome_writer *w, const struct cpprof_event *event, const struct export_place *place,
                       struct err *e)
{
    const bool is_work = event_is_gpu_work(event);
    const int64_t arrow = export_arrow_of(event);
    if (!arrow || !w->survey->kinds[CPPROF_EVENT_API])
        return 0;
    chrome_begin_row(&w->rows, is_work ? "f" : "s");
    chrome_add_us(&w->rows.row, "ts", event->start_ns - w->survey->first_ns);
    chrome_add_line(&w->rows.row, place->process, place->thread);
    chrome_add_whole(&w->rows.row, "id", arrow);
    chrome_add_word(&w->rows.row, "cat", "ac2g");
    chrome_add_word(&w->rows.row, "name", "ac2g");
    if (is_work)
        chrome_add_word(&w->rows.row, "bp", "e");
    return chrome_end_row(&w->rows, e);
}

static int write_event(void *context, const struct cpprof_event *event, struct err *e)
{
    struct chrome_writer *w = context;
    struct export_place place;
    int rc = export_tracks_place(&w->tracks, event, &place, e);
    if (!rc)
        rc = name_place(w, event, &place, e);
    if (rc)
        return rc;
    chrome_begin_row(&w->rows, "X");
    chrome_add_us(&w->rows.row, "ts", event->start_ns - w->survey->first_ns);
    chrome_add_us(&w->rows.row, "dur", export_end_ns(event) - event->start_ns);
    chrome_add_line(&w->rows.row, place.process, place.thread);
    chrome_add_word(&w->rows.row, "cat", export_category_of(event));
    rc = add_name(w, event, e);
    if (rc)
        return rc;
    add_args(w, event, &place);
    rc = chrome_end_row(&w->rows, e);
    return rc ? rc : write_arrow(w, event, &place, e);
}

/* ---- the file ---- */

/* One member of "otherData": the texts of one kind of caveat. */
static void add_caveats(struct str *out, const struct caveat_list *caveats, enum caveat_kind kind, const char *key)
{
    bool any = false;
    for (size_t i = 0; i < caveats->count; i++) {
        if (caveats->items[i].kind != kind)
            continue;
        if (!any)
            chrome_add_key(out, key);
        str_add(out, any ? ",\n" : "[\n");
        json_add_quoted(out, caveats->items[i].text, strlen(caveats->items[i].text));
        any = true;
    }
    if (any)
        str_add_char(out, ']');
}

/* Devices of several processes that are one GPU: "rank device gpu". */
static void add_gpus(struct str *out, const struct gpu_places *gpus)
{
    for (size_t i = 0; i < gpus->count; i++) {
        const struct gpu_place *p = &gpus->items[i];
        if (!i)
            chrome_add_key(out, "gpus");
        str_addf(out, "%s\"%d %d %d\"", i ? "," : "[", p->rank, p->device, (int)p->gpu);
    }
    if (gpus->count)
        str_add_char(out, ']');
}

static int write_head(struct chrome_writer *w, struct err *e)
{
    const struct caveat_list *caveats = event_stream_caveats(w->stream);
    struct str *row = &w->rows.row;
    str_clear(row);
    str_add(row, "{\"schemaVersion\":1,\n\"otherData\":{");
    chrome_add_word(row, "writer", "cpprof");
    add_caveats(row, caveats, CAVEAT_NOTE, "notes");
    add_caveats(row, caveats, CAVEAT_RANGES, "weakens ranges");
    add_caveats(row, caveats, CAVEAT_HIDDEN, "hides kernels");
    add_caveats(row, caveats, CAVEAT_TIMES, "doubts times");
    add_caveats(row, caveats, CAVEAT_WEAKENS, "weakens");
    add_caveats(row, caveats, CAVEAT_TRUNCATED, "truncated");
    if (w->survey->launches_only)
        chrome_add_whole(row, "launches only", 1);
    if (event_stream_may_lack_waits(w->stream))
        chrome_add_whole(row, "waits unknown", 1);
    if (event_stream_lacks_migrations(w->stream))
        chrome_add_whole(row, "migrations unknown", 1);
    if (event_stream_is_mixed(w->stream))
        chrome_add_whole(row, "mixed", 1);
    add_gpus(row, event_stream_gpus(w->stream));
    if (event_stream_time_error_ns(w->stream))
        chrome_add_whole(row, "times off by ns", event_stream_time_error_ns(w->stream));
    str_add(row, "},\n");
    if (!w->survey->several_ranks && w->survey->rank >= 0)
        str_addf(row, "\"distributedInfo\":{\"rank\":%d},\n", w->survey->rank);
    str_addf(row, "\"baseTimeNanoseconds\":%" PRId64 ",\n\"traceEvents\":[", w->survey->first_ns);
    if (row->failed)
        return err_memory(e);
    byte_sink_write(w->rows.sink, row->text, row->length);
    return 0;
}

int chrome_export_write(const struct trace_export *x, struct byte_sink *sink, struct err *e)
{
    struct chrome_writer *w = calloc(1, sizeof *w);
    if (!w)
        return err_memory(e);
    w->stream = x->stream;
    w->names = (struct export_names){.strings = event_stream_strings(x->stream), .mangled = x->mangled_names};
    w->survey = x->survey;
    w->rows.sink = sink;
    str_init(&w->rows.row);
    int rc = write_head(w, e);
    if (!rc)
        rc = export_in_order(x->stream, sink, write_event, w, e);
    if (!rc && x->lanes)
        rc = chrome_lanes_write(x->lanes, &w->rows, e);
    if (!rc)
        byte_sink_write(sink, "\n]}\n", 4);
    export_tracks_release(&w->tracks);
    export_names_release(&w->names);
    str_release(&w->rows.row);
    free(w);
    return rc;
}

int chrome_export_check(const struct trace_survey *survey, struct caveat_list *losses, struct err *e)
{
    if (survey->gpu_work)
        return 0;
    return caveat_add(losses, CAVEAT_NOTE, e,
                      "no work on a GPU is in it: viewers open it, cpprof does not read it back");
}
