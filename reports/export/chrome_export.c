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

#include "base/json.h"
#include "reports/export/chrome_lanes.h"
#include "reports/export/chrome_tracks.h"
#include "reports/export/export_names.h"
#include "reports/export/export_text.h"
#include "reports/export/trace_export.h"
#include "trace/event_spool.h"
#include "trace/readers/work_names.h"
#include "trace/selector.h"

/* Kineto's category of each kind; "gpu_migration" is ours, it has none. */
static const char *const categories[] = {
    [CPPROF_EVENT_KERNEL] = "kernel",         [CPPROF_EVENT_COPY] = "gpu_memcpy",
    [CPPROF_EVENT_MEMSET] = "gpu_memset",     [CPPROF_EVENT_MIGRATION] = "gpu_migration",
    [CPPROF_EVENT_API] = "cuda_runtime",      [CPPROF_EVENT_SYNC] = "cuda_sync",
    [CPPROF_EVENT_RANGE] = "user_annotation", [CPPROF_EVENT_OVERHEAD] = "overhead",
};

static const char *const directions[] = {
    [CPPROF_COPY_UNKNOWN] = NULL, [CPPROF_COPY_H2D] = "H2D", [CPPROF_COPY_D2H] = "D2H",
    [CPPROF_COPY_D2D] = "D2D",    [CPPROF_COPY_P2P] = "P2P", [CPPROF_COPY_H2H] = "H2H",
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Events that start together wait for one another, up to so many: the longest is written first. */
enum { TOGETHER_MAX = 256 };

struct chrome_writer {
    struct event_stream *stream;
    const struct trace_survey *survey;
    struct export_names names;
    struct byte_sink *sink;
    struct chrome_tracks tracks;
    struct str row;
    bool has_rows;
    struct cpprof_event together[TOGETHER_MAX];
    size_t together_count;
};

/* ---- rows ---- */

static void begin_row(struct chrome_writer *w, const char *phase)
{
    str_clear(&w->row);
    str_add(&w->row, w->has_rows ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
    str_add(&w->row, phase);
    str_add_char(&w->row, '"');
    w->has_rows = true;
}

static int end_row(struct chrome_writer *w, struct err *e)
{
    str_add_char(&w->row, '}');
    if (w->row.failed)
        return err_memory(e);
    byte_sink_write(w->sink, w->row.text, w->row.length);
    return 0;
}

/* `key` needs no escapes; the first member of an object has no comma before it. */
static void add_key(struct str *row, const char *key)
{
    str_add(row, row->text[row->length - 1] == '{' ? "\"" : ",\"");
    str_add(row, key);
    str_add(row, "\":");
}

static void add_whole(struct str *row, const char *key, int64_t value)
{
    add_key(row, key);
    export_add_whole(row, value);
}

static void add_us(struct str *row, const char *key, int64_t ns)
{
    add_key(row, key);
    export_add_us(row, ns);
}

static void add_word(struct str *row, const char *key, const char *word)
{
    add_key(row, key);
    str_add_char(row, '"');
    str_add(row, word);
    str_add_char(row, '"');
}

static void add_text(struct str *row, const char *key, const char *text, size_t length)
{
    add_key(row, key);
    json_add_quoted(row, text, length);
}

/* Where JSON's readers keep whole numbers in 64 bits with a sign, larger ones are left out. */
static void add_count(struct str *row, const char *key, uint64_t value)
{
    if (value && value <= INT64_MAX)
        add_whole(row, key, (int64_t)value);
}

static void add_line(struct str *row, const struct chrome_place *place)
{
    add_whole(row, "pid", place->process);
    add_whole(row, "tid", place->thread);
}

/* ---- names of processes and threads ---- */

static int name_line(struct chrome_writer *w, const struct chrome_place *place, const char *kind, const char *name,
                     struct err *e)
{
    begin_row(w, "M");
    add_line(&w->row, place);
    add_word(&w->row, "name", kind);
    add_key(&w->row, "args");
    str_add_char(&w->row, '{');
    add_word(&w->row, "name", name);
    str_add_char(&w->row, '}');
    return end_row(w, e);
}

static int name_process(struct chrome_writer *w, const struct cpprof_event *event, const struct chrome_place *place,
                        struct err *e)
{
    struct str name;
    str_init(&name);
    if (event->rank >= 0)
        str_addf(&name, "rank %d: ", event->rank);
    if (!event_is_gpu_work(event))
        str_add(&name, "host");
    else if (event->device < 0)
        str_add(&name, "GPU unknown");
    else
        str_addf(&name, "GPU %d", event->device);
    int rc = name.failed ? err_memory(e) : name_line(w, place, "process_name", str_text(&name), e);
    str_release(&name);
    return rc;
}

static int name_thread(struct chrome_writer *w, const struct cpprof_event *event, const struct chrome_place *place,
                       struct err *e)
{
    struct str name;
    str_init(&name);
    if (event_is_gpu_work(event))
        str_addf(&name, "stream %" PRIu32, event->stream);
    else if (event->thread)
        str_addf(&name, "thread %" PRIu32, event->thread);
    else
        str_add(&name, "thread unknown");
    if (place->line)
        str_addf(&name, ", line %zu", place->line + 1);
    int rc = name.failed ? err_memory(e) : name_line(w, place, "thread_name", str_text(&name), e);
    str_release(&name);
    return rc;
}

/* ---- events ---- */

/* Nothing for axes that are not known: no kernel has 0 blocks. */
static void add_axes(struct str *row, const char *key, int64_t x, int64_t y, int64_t z)
{
    if (!x && !y && !z)
        return;
    add_key(row, key);
    str_add_char(row, '[');
    export_add_whole(row, x);
    str_add_char(row, ',');
    export_add_whole(row, y);
    str_add_char(row, ',');
    export_add_whole(row, z);
    str_add_char(row, ']');
}

static void add_kernel_args(struct str *row, const struct cpprof_event *event)
{
    const uint64_t shared = (uint64_t)event->shared_static_bytes + event->shared_dynamic_bytes;
    add_axes(row, "grid", event->grid[0], event->grid[1], event->grid[2]);
    add_axes(row, "block", event->block[0], event->block[1], event->block[2]);
    add_axes(row, "cluster", event->detail & 255, event->detail >> 8 & 255, event->detail >> 16 & 255);
    add_count(row, "registers per thread", event->registers);
    if (shared || event->grid[0])
        add_whole(row, "shared memory", shared < UINT32_MAX ? (int64_t)shared : UINT32_MAX);
    add_count(row, "static shared memory", event->shared_static_bytes);
    add_count(row, "local memory per thread", event->local_bytes);
}

static void add_copy_args(struct str *row, const struct cpprof_event *event)
{
    if (event->detail < COUNT(directions) && directions[event->detail])
        add_word(row, "direction", directions[event->detail]);
    if (event->flags & CPPROF_EVENT_SRC_PAGEABLE)
        add_word(row, "source", "pageable");
    if (event->flags & CPPROF_EVENT_DST_PAGEABLE)
        add_word(row, "destination", "pageable");
}

static void add_work_args(struct str *row, const struct cpprof_event *event)
{
    if (event->device >= 0)
        add_whole(row, "device", event->device);
    add_whole(row, "context", event->context);
    add_whole(row, "stream", event->stream);
    add_count(row, "correlation", event->correlation);
    add_count(row, "graph node id", event->graph_node);
    add_count(row, "bytes", event->size_bytes);
    if (event->kind == CPPROF_EVENT_KERNEL)
        add_kernel_args(row, event);
    if (event->kind == CPPROF_EVENT_COPY || event->kind == CPPROF_EVENT_MIGRATION)
        add_copy_args(row, event);
}

static void add_host_args(struct str *row, const struct cpprof_event *event, const struct chrome_place *place,
                          const struct strtab *strings)
{
    add_count(row, "correlation", event->correlation);
    if (place->line)
        add_whole(row, "thread", event->thread);
    if (event->kind == CPPROF_EVENT_SYNC) {
        add_count(row, "context", event->context);
        add_count(row, "stream", event->stream);
    }
    if (event->kind == CPPROF_EVENT_RANGE && event->detail)
        add_text(row, "domain", strtab_text(strings, event->detail), strtab_length(strings, event->detail));
}

static void add_args(struct chrome_writer *w, const struct cpprof_event *event, const struct chrome_place *place)
{
    struct str *row = &w->row;
    add_key(row, "args");
    str_add_char(row, '{');
    if (event_is_gpu_work(event))
        add_work_args(row, event);
    else
        add_host_args(row, event, place, w->names.strings);
    if (event->flags & CPPROF_EVENT_UNFINISHED)
        add_whole(row, "unfinished", 1);
    if (w->survey->several_ranks && event->rank >= 0)
        add_whole(row, "rank", event->rank);
    str_add_char(row, '}');
}

/* Waits mostly have no names of their own. */
static int add_name(struct chrome_writer *w, const struct cpprof_event *event, struct err *e)
{
    size_t length;
    const char *name = export_names_of(&w->names, event, &length);
    if (!name)
        return err_memory(e);
    if (event->kind == CPPROF_EVENT_SYNC && !strtab_length(w->names.strings, event->name))
        add_word(&w->row, "name", work_sync_name(event->detail));
    else
        add_text(&w->row, "name", name, length);
    return 0;
}

static const char *category_of(const struct cpprof_event *event)
{
    const bool is_driver_call = event->kind == CPPROF_EVENT_API && event->flags & CPPROF_EVENT_DRIVER_API;
    return is_driver_call ? "cuda_driver" : categories[event->kind];
}

/* An arrow from the call to all work that it started: they share the correlation id. None where no calls were recorded.
 */
static int write_arrow(struct chrome_writer *w, const struct cpprof_event *event, const struct chrome_place *place,
                       struct err *e)
{
    const bool is_work = event_is_gpu_work(event);
    const bool starts_work =
        event->kind == CPPROF_EVENT_API && (event->detail == CPPROF_API_LAUNCH || event->detail == CPPROF_API_COPY);
    if (!event->correlation || !(is_work || starts_work) || !w->survey->kinds[CPPROF_EVENT_API])
        return 0;
    begin_row(w, is_work ? "f" : "s");
    add_us(&w->row, "ts", event->start_ns - w->survey->first_ns);
    add_line(&w->row, place);
    add_whole(&w->row, "id", ((int64_t)event->rank + 1) * ((int64_t)1 << 32) + event->correlation);
    add_word(&w->row, "cat", "ac2g");
    add_word(&w->row, "name", "ac2g");
    if (is_work)
        add_word(&w->row, "bp", "e");
    return end_row(w, e);
}

static int write_event(struct chrome_writer *w, const struct cpprof_event *event, struct err *e)
{
    struct chrome_place place;
    int rc = chrome_tracks_place(&w->tracks, event, &place, e);
    if (!rc && place.is_new_process)
        rc = name_process(w, event, &place, e);
    if (!rc && place.is_new_line)
        rc = name_thread(w, event, &place, e);
    if (rc)
        return rc;
    begin_row(w, "X");
    add_us(&w->row, "ts", event->start_ns - w->survey->first_ns);
    add_us(&w->row, "dur", export_end_ns(event) - event->start_ns);
    add_line(&w->row, &place);
    add_word(&w->row, "cat", category_of(event));
    rc = add_name(w, event, e);
    if (rc)
        return rc;
    add_args(w, event, &place);
    rc = end_row(w, e);
    return rc ? rc : write_arrow(w, event, &place, e);
}

/* What lies inside something else that starts with it comes later; equal events keep their order. */
static int by_length(const void *a, const void *b)
{
    const struct cpprof_event *left = a, *right = b;
    const int64_t left_end = export_end_ns(left), right_end = export_end_ns(right);
    if (left_end != right_end)
        return left_end < right_end ? 1 : -1;
    return event_total_order(a, b);
}

static int write_together(struct chrome_writer *w, struct err *e)
{
    int rc = 0;
    if (w->together_count > 1)
        qsort(w->together, w->together_count, sizeof *w->together, by_length);
    for (size_t i = 0; !rc && i < w->together_count; i++)
        rc = write_event(w, &w->together[i], e);
    w->together_count = 0;
    return rc;
}

static int write_events(struct chrome_writer *w, struct err *e)
{
    struct cpprof_event event;
    int rc = 0, got = 0;
    while (!rc && !byte_sink_failed(w->sink) && (got = event_stream_next(w->stream, &event, e)) == 1) {
        const size_t waiting = w->together_count;
        if (waiting == TOGETHER_MAX || (waiting && w->together[0].start_ns != event.start_ns))
            rc = write_together(w, e);
        w->together[w->together_count++] = event;
    }
    if (rc || got < 0)
        return rc ? rc : got;
    return write_together(w, e);
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
            add_key(out, key);
        str_add(out, any ? ",\n" : "[\n");
        json_add_quoted(out, caveats->items[i].text, strlen(caveats->items[i].text));
        any = true;
    }
    if (any)
        str_add_char(out, ']');
}

static int write_head(struct chrome_writer *w, struct err *e)
{
    const struct caveat_list *caveats = event_stream_caveats(w->stream);
    struct str *row = &w->row;
    str_clear(row);
    str_add(row, "{\"schemaVersion\":1,\n\"otherData\":{");
    add_word(row, "writer", "cpprof");
    add_caveats(row, caveats, CAVEAT_NOTE, "notes");
    add_caveats(row, caveats, CAVEAT_RANGES, "weakens ranges");
    add_caveats(row, caveats, CAVEAT_WEAKENS, "weakens");
    add_caveats(row, caveats, CAVEAT_TRUNCATED, "truncated");
    if (w->survey->launches_only)
        add_whole(row, "launches only", 1);
    if (event_stream_may_lack_waits(w->stream))
        add_whole(row, "waits unknown", 1);
    if (event_stream_lacks_migrations(w->stream))
        add_whole(row, "migrations unknown", 1);
    if (event_stream_time_error_ns(w->stream))
        add_whole(row, "times off by ns", event_stream_time_error_ns(w->stream));
    str_add(row, "},\n");
    if (!w->survey->several_ranks && w->survey->rank >= 0)
        str_addf(row, "\"distributedInfo\":{\"rank\":%d},\n", w->survey->rank);
    str_addf(row, "\"baseTimeNanoseconds\":%" PRId64 ",\n\"traceEvents\":[", w->survey->first_ns);
    if (row->failed)
        return err_memory(e);
    byte_sink_write(w->sink, row->text, row->length);
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
    w->sink = sink;
    str_init(&w->row);
    int rc = write_head(w, e);
    if (!rc)
        rc = write_events(w, e);
    if (!rc && x->lanes)
        rc = chrome_lanes_write(x->lanes, w->has_rows, sink, e);
    if (!rc)
        byte_sink_write(sink, "\n]}\n", 4);
    chrome_tracks_release(&w->tracks);
    export_names_release(&w->names);
    str_release(&w->row);
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
