/* How does any input become one stream of events? */
#define _GNU_SOURCE
#include "trace/event_stream.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "io/input_export.h"
#include "io/input_file.h"
#include "trace/collective_notes.h"
#include "trace/event_spool.h"
#include "trace/event_work.h"
#include "trace/host_scopes.h"
#include "trace/object_names.h"
#include "trace/rank_starts.h"
#include "trace/rank_table.h"
#include "trace/readers/bundle_traces.h"
#include "trace/readers/reader.h"
#include "trace/resumptions.h"
#include "trace/trace_handover.h"
#include "trace/trace_operands.h"
#include "trace/trace_workers.h"

struct event_stream {
    char *path;
    int rank; /* for events that have none; -1 */
    bool launches_only, may_lack_waits, lacks_migrations, has_unread;
    int64_t time_error_ns;
    struct event_spool *events;
    struct record_spool *scopes; /* NULL: not asked for */
    struct record_spool *notes;  /* the same */
    int world_size;
    bool has_twins;    /* two traces state the same rank */
    uint16_t *origins; /* for each rank the place of its trace, and 1 more; 0: none; NULL: a single trace */
    struct strtab strings;
    struct object_names names;
    struct resumptions resumptions;
    struct caveat_list caveats;
    struct rank_starts starts;
    struct event_filter filter; /* without functions it takes everything */
};

static int new_stream(struct event_stream **out, const char *path, struct err *e)
{
    *out = NULL;
    struct event_stream *s = calloc(1, sizeof *s);
    if (!s)
        return err_memory(e);
    s->rank = -1;
    strtab_init(&s->strings);
    s->strings.size_bytes_max = EVENT_STREAM_NAME_BYTES_MAX;
    caveat_list_init(&s->caveats);
    s->path = strdup(path);
    int rc = s->path ? event_spool_new(&s->events, e) : err_memory(e);
    if (rc)
        event_stream_free(s);
    else
        *out = s;
    return rc;
}

void event_stream_free(struct event_stream *s)
{
    if (!s)
        return;
    if (s->filter.free)
        s->filter.free(s->filter.state);
    rank_starts_release(&s->starts);
    event_spool_free(s->events);
    record_spool_free(s->scopes);
    record_spool_free(s->notes);
    free(s->origins);
    strtab_release(&s->strings);
    object_names_release(&s->names);
    resumptions_release(&s->resumptions);
    caveat_list_release(&s->caveats);
    free(s->path);
    free(s);
}

/* What of one trace goes where. */
struct destination {
    struct event_spool *events;
    struct record_spool *scopes, *notes; /* NULL: not asked for */
};

/* Makes the sink through which readers fill a destination. */
static struct reader_sink sink_of(struct event_stream *s, const struct destination *to)
{
    const struct event_spool *events = to->events;
    return (struct reader_sink){.events = to->events,
                                .scopes = to->scopes,
                                .notes = to->notes,
                                .strings = &s->strings,
                                .caveats = &s->caveats,
                                .names = events == s->events ? &s->names : NULL,
                                .resumptions = events == s->events ? &s->resumptions : NULL,
                                .rank = -1};
}

static void take_sink(struct event_stream *s, const struct reader_sink *sink)
{
    s->launches_only |= sink->launches_only;
    s->may_lack_waits |= sink->may_lack_waits;
    s->lacks_migrations |= sink->lacks_migrations;
    s->has_unread |= sink->has_unread;
    if (sink->world_size > s->world_size)
        s->world_size = sink->world_size;
    if (sink->time_error_ns > s->time_error_ns)
        s->time_error_ns = sink->time_error_ns;
}

/* Readers report a full string table as memory that is out; this replaces the message. */
static int set_error_if_full(const struct event_stream *s, const char *path, int rc, struct err *e)
{
    return rc && s->strings.is_full
               ? err_set(e, ERR_INPUT, "'%s' has more than %d MiB of distinct names: too many to keep", path,
                         EVENT_STREAM_NAME_BYTES_MAX >> 20)
               : rc;
}

static int open_operand(struct event_stream *s, struct input_file *file, const char *path, struct err *e)
{
    int rc = input_file_open(file, path, &s->caveats, e);
    if (!rc && !reader_of_trace(&file->input))
        rc = input_export(file, TOOL_REPORT_NSYS, e);
    return rc;
}

/* Reads one trace. *skipped is set for a file listed in a folder that is not a trace and was not meant as one. */
static int fill_sink(struct event_stream *s, const struct trace_operand *operand, struct reader_sink *sink,
                     bool *skipped, struct err *e)
{
    struct input_file file;
    int rc = open_operand(s, &file, operand->path, e);
    if (rc)
        return rc;
    const struct reader *found = reader_of_trace(&file.input), *reader = found ? found : &not_a_trace_reader;
    *skipped = operand->listed && !found && !not_a_trace_was_meant_as_one(&file.input);
    if (!*skipped)
        rc = reader->read(&file.input, sink, e);
    input_file_close(&file);
    return set_error_if_full(s, operand->path, rc, e);
}

/* *rank becomes the one that the input names, or -1. */
static int read_operand(struct event_stream *s, const struct trace_operand *operand, const struct destination *to,
                        int *rank, bool *skipped, struct err *e)
{
    struct reader_sink sink = sink_of(s, to);
    const int rc = fill_sink(s, operand, &sink, skipped, e);
    *rank = sink.rank;
    take_sink(s, &sink);
    return rc;
}

/* Reads a single trace directly into its final place. */
static int read_single(struct event_stream *s, const struct trace_operand *operand, struct err *e)
{
    const struct trace_operand named = {operand->path, false};
    bool skipped;
    const struct destination own = {s->events, s->scopes, s->notes};
    int rc = read_operand(s, &named, &own, &s->rank, &skipped, e);
    object_names_sort(&s->names);
    resumptions_sort(&s->resumptions);
    return rc;
}

/* Several traces become several ranks. */
struct gathering {
    struct event_stream *stream;
    const struct trace_operand_list *operands;
    struct rank_table *ranks;
    struct trace_workers *workers; /* NULL: each trace is read here */
    size_t read, skipped;
    bool has_work;           /* any trace has GPU work */
    struct caveat_list idle; /* paths of the traces that have none */
    struct err first_error;
};

/* There is a place for each possible rank; the system only provides the pages that are used. */
static int note_origin(struct gathering *g, int16_t rank, struct err *e)
{
    struct event_stream *s = g->stream;
    if (!s->origins && !(s->origins = calloc(UINT16_MAX + 1, sizeof *s->origins)))
        return err_memory(e);
    s->origins[(uint16_t)rank] = (uint16_t)g->read;
    return 0;
}

static int move_events(struct gathering *g, struct event_spool *from, const char *path, int own, struct err *e)
{
    struct cpprof_event event;
    bool has_work = false;
    int rc = event_spool_rewind(from, e);
    rank_table_begin(g->ranks, path);
    while (!rc && (rc = event_spool_next(from, &event, e)) == 1) {
        has_work |= event_is_gpu_work(&event);
        rc = rank_table_map(g->ranks, event.rank >= 0 ? event.rank : own, &event.rank, &g->stream->caveats, e);
        if (!rc)
            rc = note_origin(g, event.rank, e);
        if (!rc)
            rc = event_spool_add(g->stream->events, &event, e);
    }
    g->has_work |= has_work;
    return rc || has_work ? rc : caveat_add(&g->idle, CAVEAT_NOTE, e, "%s", path);
}

static int move_scopes(struct gathering *g, struct record_spool *from, int own, struct err *e)
{
    struct host_scope scope;
    int rc = from ? record_spool_rewind(from, e) : 0;
    while (!rc && from && (rc = record_spool_next(from, &scope, e)) == 1) {
        rc = rank_table_map(g->ranks, scope.rank >= 0 ? scope.rank : own, &scope.rank, &g->stream->caveats, e);
        if (!rc)
            rc = record_spool_add(g->stream->scopes, &scope, e);
    }
    return rc;
}

static int move_notes(struct gathering *g, struct record_spool *from, int own, struct err *e)
{
    struct collective_note note;
    int rc = from ? record_spool_rewind(from, e) : 0;
    while (!rc && from && (rc = record_spool_next(from, &note, e)) == 1) {
        rc = rank_table_map(g->ranks, note.rank >= 0 ? note.rank : own, &note.rank, &g->stream->caveats, e);
        if (!rc)
            rc = record_spool_add(g->stream->notes, &note, e);
    }
    return rc;
}

/* A rank without GPU work, when others have some, must not look like a rank that keeps every rule. */
static int note_idle(struct gathering *g, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; !rc && g->has_work && i < g->idle.count; i++)
        rc = caveat_add(&g->stream->caveats, CAVEAT_TRUNCATED, e, "%s: no work on the GPU is in it, as in other traces",
                        g->idle.items[i].text);
    return rc;
}

/* One bad trace does not spoil the others. */
static int forgive(struct gathering *g, const struct err *bad, struct err *e)
{
    if (bad->code != ERR_INPUT)
        return err_set(e, bad->code, "%s", bad->text);
    if (!g->first_error.code)
        g->first_error = *bad;
    return caveat_add(&g->stream->caveats, CAVEAT_TRUNCATED, e, "%s", bad->text);
}

static int note_skipped(struct gathering *g, const char *path, struct err *e)
{
    g->skipped++;
    return caveat_add(&g->stream->caveats, CAVEAT_NOTE, e, "%s: no trace that can be read; left out", path);
}

static int new_destination(struct destination *to, const struct event_stream *s, struct err *e)
{
    int rc = event_spool_new(&to->events, e);
    if (!rc && s->scopes)
        rc = host_scope_spool_new(&to->scopes, e);
    return !rc && s->notes ? collective_note_spool_new(&to->notes, e) : rc;
}

static int move_all(struct gathering *g, const struct destination *from, const char *path, int own, struct err *e)
{
    g->read++;
    int rc = move_events(g, from->events, path, own, e);
    if (!rc)
        rc = move_scopes(g, from->scopes, own, e);
    return rc ? rc : move_notes(g, from->notes, own, e);
}

static void release_destination(struct destination *to)
{
    record_spool_free(to->notes);
    record_spool_free(to->scopes);
    event_spool_free(to->events);
}

/* ---- in workers ---- */

/* Reads a trace into a stream of its own, and hands that over. */
static int work(void *context, size_t index, FILE *to, struct err *e)
{
    const struct gathering *g = context;
    const struct trace_operand *operand = &g->operands->items[index];
    struct event_stream *own;
    struct destination into = {0};
    struct handover about = {0};
    int rc = new_stream(&own, operand->path, e);
    if (rc)
        return rc;
    rc = new_destination(&into, g->stream, e);
    if (!rc) {
        struct reader_sink sink = sink_of(own, &into);
        fill_sink(own, operand, &sink, &about.is_skipped, &about.why);
        rc = trace_handover_write(&sink, &about, to, e);
    }
    release_destination(&into);
    event_stream_free(own);
    return rc;
}

/* Takes over what the next worker read. */
static int take_over(struct gathering *g, const struct trace_operand *operand, const struct destination *to, int *rank,
                     bool *skipped, struct err *e)
{
    struct reader_sink sink = sink_of(g->stream, to);
    struct handover about = {0};
    FILE *from;
    int rc = trace_workers_take(g->workers, &from, e);
    if (!rc)
        rc = trace_handover_read(from, &sink, &about, e);
    if (rc)
        return err_context(e, "while reading '%s'", operand->path);
    *rank = sink.rank;
    *skipped = about.is_skipped;
    take_sink(g->stream, &sink);
    return about.why.code ? err_set(e, about.why.code, "%s", about.why.text)
                          : set_error_if_full(g->stream, operand->path, 0, e);
}

static int obtain(struct gathering *g, const struct trace_operand *operand, const struct destination *to, int *rank,
                  bool *skipped, struct err *e)
{
    return g->workers ? take_over(g, operand, to, rank, skipped, e)
                      : read_operand(g->stream, operand, to, rank, skipped, e);
}

static int gather(struct gathering *g, const struct trace_operand *operand, struct err *e)
{
    struct destination to = {0};
    struct err bad = {0};
    bool skipped = false;
    int own = -1;
    int rc = new_destination(&to, g->stream, e);
    if (!rc && obtain(g, operand, &to, &own, &skipped, &bad))
        rc = forgive(g, &bad, e);
    else if (!rc && skipped)
        rc = note_skipped(g, operand->path, e);
    else if (!rc)
        rc = move_all(g, &to, operand->path, own, e);
    release_destination(&to);
    return rc;
}

static int read_several(struct event_stream *s, const struct trace_operand_list *operands,
                        const struct event_stream_wish *wish, struct err *e)
{
    struct gathering g = {.stream = s, .operands = operands};
    int rc = rank_table_new(&g.ranks, operands, e);
    if (!rc && wish->jobs > 1 && wish->end_worker)
        rc = trace_workers_new(&g.workers, wish->jobs, operands->count, work, &g, wish->end_worker, e);
    for (size_t i = 0; !rc && i < operands->count; i++)
        rc = gather(&g, &operands->items[i], e);
    if (!rc)
        rc = note_idle(&g, e);
    s->has_twins = g.ranks && rank_table_has_twins(g.ranks);
    caveat_list_release(&g.idle);
    trace_workers_free(g.workers);
    rank_table_free(g.ranks);
    if (rc || g.read)
        return rc;
    if (g.first_error.code)
        return err_set(e, g.first_error.code, "%s", g.first_error.text);
    return err_set(e, ERR_INPUT, "'%s' is a directory, but no bundle, and none of its %zu files is a trace", s->path,
                   g.skipped);
}

static int note_omissions(struct event_stream *s, const struct trace_operand_list *operands, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < operands->omissions.count; i++)
        rc = caveat_add(&s->caveats, operands->omissions.items[i].kind, e, "%s", operands->omissions.items[i].text);
    return rc;
}

/* Gives a filled stream at its beginning; NULL after an error. */
static int give(struct event_stream **out, struct event_stream *s, int rc, struct err *e)
{
    if (!rc)
        rc = event_spool_rewind(s->events, e);
    if (rc)
        event_stream_free(s);
    *out = rc ? NULL : s;
    return rc;
}

static char *describe_source(const char *const *paths, size_t count)
{
    struct str text;
    str_init(&text);
    str_add(&text, paths[0]);
    if (count > 1)
        str_addf(&text, " and %zu more", count - 1);
    return str_take(&text);
}

int event_stream_open_as(struct event_stream **out, const char *const *paths, size_t count,
                         const struct event_stream_wish *wish, struct err *e)
{
    *out = NULL;
    if (!count)
        return err_set(e, ERR_USAGE, "no trace is named");
    struct event_stream *s;
    struct trace_operand_list operands = {0};
    char *source = describe_source(paths, count);
    int rc = source ? new_stream(&s, source, e) : err_memory(e);
    free(source);
    if (rc)
        return rc;
    if (wish->scopes)
        rc = host_scope_spool_new(&s->scopes, e);
    if (!rc && wish->notes)
        rc = collective_note_spool_new(&s->notes, e);
    for (size_t i = 0; !rc && i < count; i++)
        rc = trace_operands_add(&operands, paths[i], e);
    if (!rc)
        rc = operands.count == 1 ? read_single(s, &operands.items[0], e) : read_several(s, &operands, wish, e);
    if (!rc)
        rc = note_omissions(s, &operands, e);
    trace_operands_release(&operands);
    return give(out, s, rc, e);
}

int event_stream_open_ranks(struct event_stream **out, const char *const *paths, size_t count, struct err *e)
{
    return event_stream_open_as(out, paths, count, &(struct event_stream_wish){0}, e);
}

int event_stream_open(struct event_stream **out, const char *path, struct err *e)
{
    return event_stream_open_as(out, &path, 1, &(struct event_stream_wish){0}, e);
}

int event_stream_open_with_scopes(struct event_stream **out, const char *path, struct err *e)
{
    return event_stream_open_as(out, &path, 1, &(struct event_stream_wish){.scopes = true}, e);
}

int event_stream_open_bundle(struct event_stream **out, const struct bundle *bundle, struct err *e)
{
    return event_stream_open_sampled(out, bundle, NULL, e);
}

int event_stream_open_sampled(struct event_stream **out, const struct bundle *bundle, struct gpu_samples *samples,
                              struct err *e)
{
    struct event_stream *s;
    int rc = new_stream(&s, bundle->path, e);
    *out = NULL;
    if (rc)
        return rc;
    const struct destination own = {.events = s->events};
    struct reader_sink sink = sink_of(s, &own);
    sink.samples = samples;
    rc = set_error_if_full(s, bundle->path, bundle_traces_read(bundle, &sink, e), e);
    take_sink(s, &sink);
    s->rank = sink.rank;
    object_names_sort(&s->names);
    resumptions_sort(&s->resumptions);
    if (samples)
        gpu_samples_sort(samples);
    return give(out, s, rc, e);
}

static int copy_strings(struct strtab *to, const struct strtab *from, struct err *e)
{
    size_t count = from ? strtab_count(from) : 0;
    for (uint32_t id = 1; id <= count; id++)
        if (strtab_add_bytes(to, strtab_text(from, id), strtab_length(from, id)) != id)
            return err_memory(e);
    return 0;
}

int event_stream_from_events(struct event_stream **out, const struct cpprof_event *events, size_t count,
                             const struct strtab *strings, struct err *e)
{
    struct event_stream *s;
    int rc = new_stream(&s, "memory", e);
    if (!rc)
        rc = copy_strings(&s->strings, strings, e);
    for (size_t i = 0; !rc && i < count; i++)
        rc = event_spool_add(s->events, &events[i], e);
    return give(out, s, rc, e);
}

int event_stream_next_unscoped(struct event_stream *s, struct cpprof_event *out, struct err *e)
{
    int got = event_spool_next(s->events, out, e);
    if (got != 1)
        return got;
    if (out->rank < 0)
        out->rank = (int16_t)s->rank;
    int rc = rank_starts_note(&s->starts, out, e);
    return rc ? rc : got;
}

int event_stream_next(struct event_stream *s, struct cpprof_event *out, struct err *e)
{
    int code;
    while ((code = event_stream_next_unscoped(s, out, e)) == 1 && s->filter.takes)
        if ((code = s->filter.takes(s->filter.state, out, e)))
            break;
    return code;
}

void event_stream_set_filter(struct event_stream *s, struct event_filter filter)
{
    if (s->filter.free)
        s->filter.free(s->filter.state);
    s->filter = filter;
}

bool event_stream_takes_rank(const struct event_stream *s, int rank)
{
    return !s->filter.takes_rank || s->filter.takes_rank(s->filter.state, rank);
}

int event_stream_rewind(struct event_stream *s, struct err *e)
{
    if (s->filter.rewind)
        s->filter.rewind(s->filter.state);
    return event_spool_rewind(s->events, e);
}

int event_stream_next_scope(struct event_stream *s, struct host_scope *out, struct err *e)
{
    const int got = s->scopes ? record_spool_next(s->scopes, out, e) : 0;
    if (got == 1 && out->rank < 0)
        out->rank = (int16_t)s->rank;
    return got;
}

int event_stream_rewind_scopes(struct event_stream *s, struct err *e)
{
    return s->scopes ? record_spool_rewind(s->scopes, e) : 0;
}

int event_stream_next_note(struct event_stream *s, struct collective_note *out, struct err *e)
{
    const int got = s->notes ? record_spool_next(s->notes, out, e) : 0;
    if (got == 1 && out->rank < 0)
        out->rank = (int16_t)s->rank;
    return got;
}

int event_stream_rewind_notes(struct event_stream *s, struct err *e)
{
    return s->notes ? record_spool_rewind(s->notes, e) : 0;
}

int event_stream_world_size(const struct event_stream *s)
{
    return s->world_size;
}

bool event_stream_has_twins(const struct event_stream *s)
{
    return s->has_twins;
}

const char *event_stream_ranks_doubt(const struct event_stream *s)
{
    if (s->has_twins)
        return "two traces say that they are of the same rank";
    return s->world_size > 0 && (size_t)s->world_size > s->starts.count ? "traces of some ranks of the job are missing"
                                                                        : "";
}

size_t event_stream_origin(const struct event_stream *s, int rank)
{
    const size_t place = s->origins ? s->origins[(uint16_t)rank] : 0;
    return place ? place - 1 : 0;
}

const struct strtab *event_stream_strings(const struct event_stream *s)
{
    return &s->strings;
}

const struct object_names *event_stream_object_names(const struct event_stream *s)
{
    return &s->names;
}

const struct resumptions *event_stream_resumptions(const struct event_stream *s)
{
    return &s->resumptions;
}

const struct caveat_list *event_stream_caveats(const struct event_stream *s)
{
    return &s->caveats;
}

struct caveat_list *event_stream_own_caveats(struct event_stream *s)
{
    return &s->caveats;
}

const struct rank_starts *event_stream_starts(const struct event_stream *s)
{
    return &s->starts;
}

const char *event_stream_source(const struct event_stream *s)
{
    return s->path;
}

int64_t event_stream_count(const struct event_stream *s)
{
    return event_spool_count(s->events);
}

int64_t event_stream_time_error_ns(const struct event_stream *s)
{
    return s->time_error_ns;
}

void event_stream_set_time_error_ns(struct event_stream *s, int64_t time_error_ns)
{
    s->time_error_ns = time_error_ns;
}

bool event_stream_is_launches_only(const struct event_stream *s)
{
    return s->launches_only;
}

bool event_stream_may_lack_waits(const struct event_stream *s)
{
    return s->may_lack_waits;
}

bool event_stream_lacks_migrations(const struct event_stream *s)
{
    return s->lacks_migrations;
}

bool event_stream_has_unread(const struct event_stream *s)
{
    return s->has_unread;
}
