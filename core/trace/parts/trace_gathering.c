/* How do several traces become one stream, whoever reads them? */
#include "core/trace/parts/trace_gathering.h"

#include <stdlib.h>
#include <string.h>

#include "core/trace/collective_notes.h"
#include "core/trace/event_stream_state.h"
#include "core/trace/event_work.h"
#include "core/trace/host_scopes.h"
#include "core/trace/parts/part_source.h"
#include "core/trace/parts/trace_handover.h"
#include "core/trace/parts/trace_measure.h"
#include "core/trace/rank_table.h"

/* Several traces become several ranks. */
struct gathering {
    struct event_stream *stream;
    struct trace_operand_list *operands;
    const struct trace_measure *measure; /* NULL: all events are gathered */
    const struct stream_scope *scope;    /* of what is measured */
    struct rank_table *ranks;
    struct part_source *source; /* NULL: each trace is read here */
    uint32_t key;               /* event_stream_wish */
    size_t read, skipped;
    size_t repeated;                   /* of those that were read: further recordings of a process */
    struct traced_processes processes; /* each with its recordings, one after the other ... */
    int16_t again_as;                  /* the rank of the process whose recording is taken once more; -1: of none */
    bool has_work;                     /* any trace has GPU work */
    struct caveat_list idle;           /* paths of the traces that have none */
    struct err first_error;
    struct scope_counts left_out; /* where traces are measured, and the next two */
    struct err failed;
    bool is_uneven; /* traces differ in what a measure of all would take from the least exact of them */
    bool has_facts;
    int64_t time_error_ns; /* of the first trace, ... */
    bool launches_only;
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

static int note_work(struct gathering *g, const char *path, bool has_work, struct err *e)
{
    g->has_work |= has_work;
    return has_work ? 0 : caveat_add(&g->idle, CAVEAT_NOTE, e, "%s", path);
}

static int map_rank(struct gathering *g, int own, int16_t *rank, struct err *e)
{
    *rank = g->again_as;
    return g->again_as >= 0 ? 0 : rank_table_map(g->ranks, own, rank, &g->stream->caveats, e);
}

/* The first start and the last end of all events whose times can be. */
static int find_span(struct event_spool *events, struct traced_process *p, struct err *e)
{
    struct cpprof_event event;
    int rc = event_spool_rewind(events, e);
    while (!rc && (rc = event_spool_next(events, &event, e)) == 1) {
        rc = 0;
        if (event.flags & EVENT_IS_FALSE)
            continue;
        const int64_t end_ns = event.flags & CPPROF_EVENT_UNFINISHED ? event.start_ns : event.end_ns;
        p->start_ns = p->start_ns == INT64_MIN ? event.start_ns : p->start_ns;
        p->end_ns = p->end_ns == INT64_MAX || end_ns > p->end_ns ? end_ns : p->end_ns;
    }
    return rc;
}

/* Is the trace one more recording of a process? Then it gets its rank. */
static int find_process(struct gathering *g, const struct destination *from, struct traced_process *p, struct err *e)
{
    g->again_as = -1;
    if (!p->process || (g->operands->count < 2))
        return 0;
    const int rc = find_span(from->events, p, e);
    const struct traced_process *known = rc ? NULL : traced_processes_find(&g->processes, p);
    if (known)
        p->rank = g->again_as = known->rank;
    return rc;
}

static int keep_process(struct gathering *g, struct traced_process *p, struct err *e)
{
    if (!p->process)
        return 0;
    int rc = 0;
    if (g->again_as < 0)
        rc = rank_table_map(g->ranks, p->own_rank, &p->rank, &g->stream->caveats, e);
    return rc ? rc : traced_processes_add(&g->processes, p, e);
}

static int move_events(struct gathering *g, struct event_spool *from, const char *path, int own, struct err *e)
{
    struct cpprof_event event;
    bool has_work = false;
    int rc = event_spool_rewind(from, e);
    if (g->again_as < 0)
        rank_table_begin(g->ranks, path);
    while (!rc && (rc = event_spool_next(from, &event, e)) == 1) {
        has_work |= event_is_gpu_work(&event) && !(event.flags & EVENT_IS_FALSE);
        rc = map_rank(g, event.rank >= 0 ? event.rank : own, &event.rank, e);
        if (!rc)
            rc = note_origin(g, event.rank, e);
        if (!rc)
            rc = event_spool_add(g->stream->events, &event, e);
    }
    return rc ? rc : note_work(g, path, has_work, e);
}

static int move_scopes(struct gathering *g, struct record_spool *from, int own, struct err *e)
{
    struct host_scope scope;
    int rc = from ? record_spool_rewind(from, e) : 0;
    while (!rc && from && (rc = record_spool_next(from, &scope, e)) == 1) {
        rc = map_rank(g, scope.rank >= 0 ? scope.rank : own, &scope.rank, e);
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
        rc = map_rank(g, note.rank >= 0 ? note.rank : own, &note.rank, e);
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

/* A rank whose trace was not copied is no file here, and nothing else names it. */
static int note_missing(struct gathering *g, struct err *e)
{
    const int ranks = g->stream->world_size;
    return ranks <= 0 || g->read - g->repeated >= (size_t)ranks
               ? 0
               : caveat_add(&g->stream->caveats, CAVEAT_NOTE, e,
                            "the job has %d ranks, and %zu of them have a trace here that can be read", ranks,
                            g->read - g->repeated);
}

/* GPUs of different traces are different ones. */
static int move_gpus(struct gathering *g, const struct gpu_places *from, int own, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < from->count; i++) {
        const struct gpu_place *place = &from->items[i];
        int16_t rank;
        rc = map_rank(g, place->rank >= 0 ? place->rank : own, &rank, e);
        if (!rc)
            rc = gpu_places_add(&g->stream->gpus, rank, place->device, (int64_t)g->read << 32 | place->gpu, e);
    }
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
    int rc = move_events(g, from->events, path, own, e);
    if (!rc)
        rc = move_scopes(g, from->scopes, own, e);
    if (!rc)
        rc = move_notes(g, from->notes, own, e);
    return rc ? rc : move_gpus(g, from->gpus, own, e);
}

static void release_destination(struct destination *to)
{
    record_spool_free(to->notes);
    record_spool_free(to->scopes);
    event_spool_free(to->events);
}

/* ---- where traces are read ---- */

/* What is measured has the ranks that the trace states, as those of other traces are not known here. */
static int measure_own(const struct gathering *g, struct event_stream *own, struct handover *about)
{
    struct err *e = &about->failed;
    int rc = event_spool_rewind(own->events, e);
    if (!rc && g->scope)
        rc = event_stream_scope_counted(own, g->scope, &about->scope, e);
    return rc ? rc : g->measure->measure(g->measure->context, own, e);
}

static int measure_and_write(const struct gathering *g, struct event_stream *own, const struct reader_sink *sink,
                             struct handover *about, FILE *to, struct err *e)
{
    event_stream_take_sink(own, sink);
    own->gpus = *sink->gpus;
    *sink->gpus = (struct gpu_places){0};
    gpu_places_settle(&own->gpus);
    own->rank = sink->rank;
    about->is_measured = true;
    const bool has_result = !about->why.code && !about->is_skipped && !measure_own(g, own, about);
    int rc = trace_handover_write(sink, about, &own->starts, to, e);
    return rc || !has_result ? rc : g->measure->write(g->measure->context, to, e);
}

/* Reads a trace into a stream of its own, and hands that over, or what is measured of it. */
static int work(void *context, size_t index, FILE *to, struct err *e)
{
    const struct gathering *g = context;
    const struct trace_operand *operand = &g->operands->items[index];
    struct event_stream *own;
    struct gpu_places gpus = {0};
    struct destination into = {.gpus = &gpus};
    struct handover about = {0};
    int rc = event_stream_new(&own, operand->path, e);
    if (rc)
        return rc;
    rc = new_destination(&into, g->stream, e);
    if (!rc) {
        struct event_spool *swapped = own->events;
        struct reader_sink sink = event_stream_sink(own, &into);
        event_stream_fill(own, operand, &sink, &about.is_skipped, &about.why);
        own->events = into.events;
        rc = g->measure && !g->source->wants_all ? measure_and_write(g, own, &sink, &about, to, e)
                                                 : trace_handover_write(&sink, &about, NULL, to, e);
        own->events = swapped;
    }
    release_destination(&into);
    gpu_places_release(&gpus);
    event_stream_free(own);
    return rc;
}

/* ---- where they meet ---- */

/* What another process says of a trace. */
struct obtained {
    struct handover about;
    struct part_reader reader;
    struct rank_facts *ranks;
    int own_rank;
    int64_t recorded_from_ns;
    struct traced_process process;
};

static void release_obtained(struct obtained *o)
{
    part_reader_release(&o->reader);
    free(o->ranks);
}

/* A measure of all traces would take the largest error of times for each, and no GPU work where one has launches
 * alone. */
static void compare_facts(struct gathering *g, const struct reader_sink *sink)
{
    if (g->has_facts && (g->time_error_ns != sink->time_error_ns || g->launches_only != sink->launches_only))
        g->is_uneven = true;
    g->has_facts = true;
    g->time_error_ns = sink->time_error_ns;
    g->launches_only = sink->launches_only;
}

static void take_process(const struct reader_sink *sink, const char *path, struct traced_process *out)
{
    *out = (struct traced_process){.process = sink->process,
                                   .own_rank = sink->rank,
                                   .path_rank = trace_rank_of_path(path),
                                   .start_ns = INT64_MIN,
                                   .end_ns = INT64_MAX,
                                   .rank = -1};
    memcpy(out->host, sink->host, sizeof out->host);
}

static int read_here(struct gathering *g, const struct trace_operand *operand, const struct destination *to,
                     struct obtained *out, struct err *e)
{
    struct reader_sink sink = event_stream_sink(g->stream, to);
    const int rc = event_stream_fill(g->stream, operand, &sink, &out->about.is_skipped, e);
    out->own_rank = sink.rank;
    out->recorded_from_ns = sink.recorded_from_ns;
    take_process(&sink, operand->path, &out->process);
    event_stream_take_sink(g->stream, &sink);
    return rc;
}

/* Takes over what another process read. */
static int take_over(struct gathering *g, const struct trace_operand *operand, const struct destination *to,
                     struct obtained *out, struct err *e)
{
    struct reader_sink sink = event_stream_sink(g->stream, to);
    int rc = g->source->take(g->source, &out->reader.from, e);
    if (!rc)
        rc = trace_handover_read(&out->reader, &sink, &out->about, &out->ranks, e);
    if (!rc && out->about.is_measured != (g->measure != NULL))
        rc = part_makes_no_sense(e);
    if (rc)
        return g->stream->strings.is_full ? event_stream_set_error_if_full(g->stream, operand->path, rc, e)
                                          : err_context(e, "while reading '%s'", operand->path);
    out->own_rank = sink.rank;
    out->recorded_from_ns = sink.recorded_from_ns;
    take_process(&sink, operand->path, &out->process);
    event_stream_take_sink(g->stream, &sink);
    if (out->about.why.code)
        return err_set(e, out->about.why.code, "%s", out->about.why.text);
    if (!out->about.is_skipped)
        compare_facts(g, &sink);
    return 0;
}

/* Each rank of the trace gets the one that it has among all. */
static int map_ranks(struct gathering *g, struct obtained *o, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < o->reader.rank_count; i++) {
        struct rank_facts *facts = &o->ranks[i];
        rc = rank_table_map(g->ranks, facts->rank >= 0 ? facts->rank : o->own_rank, &facts->rank, &g->stream->caveats,
                            e);
        o->reader.ranks[i].here = facts->rank;
        if (!rc)
            rc = note_origin(g, facts->rank, e);
        if (!rc)
            rc = rank_starts_add(&g->stream->starts, facts, e);
    }
    return rc;
}

/* What cannot be measured of one trace could not be measured of all. */
static int take_result(struct gathering *g, const struct trace_operand *operand, struct obtained *o, struct err *e)
{
    bool has_work = false;
    rank_table_begin(g->ranks, operand->path);
    int rc = map_ranks(g, o, e);
    for (size_t i = 0; i < o->reader.rank_count; i++)
        has_work |= rank_facts_have_gpu_work(&o->ranks[i]);
    if (!rc)
        rc = note_work(g, operand->path, has_work, e);
    if (rc)
        return rc;
    g->stream->measured_events += o->about.events;
    scope_counts_add(&g->left_out, &o->about.scope);
    if (o->about.failed.code && !g->failed.code)
        g->failed = o->about.failed;
    if (o->about.failed.code)
        return 0;
    rc = g->measure->take(g->measure->context, &o->reader, g->stream, e);
    if (!rc)
        rc = part_read_end(&o->reader, e);
    return rc ? err_context(e, "while reading '%s'", operand->path) : 0;
}

/* When a trace may be one more recording of a process, it is not what is measured of it alone that counts. */
static int measure_process(struct gathering *g, const struct obtained *o, struct err *e)
{
    g->again_as = -1;
    g->is_uneven |= traced_processes_find(&g->processes, &o->process) != NULL;
    return o->process.process ? traced_processes_add(&g->processes, &o->process, e) : 0;
}

static int take(struct gathering *g, const struct trace_operand *operand, const struct destination *to,
                struct obtained *o, struct err *e)
{
    g->read++;
    int rc = g->measure ? measure_process(g, o, e) : find_process(g, to, &o->process, e);
    if (!rc)
        rc = event_stream_add_recorded_from(g->stream, g->again_as < 0 ? o->recorded_from_ns : INT64_MIN, e);
    if (!rc)
        rc = event_stream_add_trace_path(g->stream, operand->path, e);
    if (rc)
        return rc;
    if (g->measure)
        return take_result(g, operand, o, e);
    rc = move_all(g, to, operand->path, o->own_rank, e);
    return rc ? rc : keep_process(g, &o->process, e);
}

static int gather(struct gathering *g, const struct trace_operand *operand, struct err *e)
{
    struct gpu_places gpus = {0};
    struct destination to = {.gpus = &gpus};
    struct obtained o = {.own_rank = -1};
    struct err bad = {0};
    int rc = new_destination(&to, g->stream, e);
    if (!rc && (g->source ? take_over(g, operand, &to, &o, &bad) : read_here(g, operand, &to, &o, &bad)))
        rc = forgive(g, &bad, e);
    else if (!rc && o.about.is_skipped)
        rc = note_skipped(g, operand->path, e);
    else if (!rc)
        rc = take(g, operand, &to, &o, e);
    release_obtained(&o);
    release_destination(&to);
    gpu_places_release(&gpus);
    return rc;
}

static int recording_order(const void *left, const void *right)
{
    const struct traced_process *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

/* Notes where recording of a process went on, and how many recordings it has. */
static int note_recordings(struct gathering *g, struct err *e)
{
    struct traced_process *p = g->processes.items;
    const size_t count = g->measure ? 0 : g->processes.count;
    int rc = 0;
    if (count)
        qsort(p, count, sizeof *p, recording_order);
    for (size_t from = 0, end; !rc && from < count; from = end) {
        for (end = from + 1; !rc && end < count && p[end].rank == p[from].rank; end++)
            rc = resumptions_add(&g->stream->resumptions, p[end].rank, p[end - 1].end_ns, p[end].start_ns)
                     ? err_memory(e)
                     : 0;
        if (!rc && end - from > 1)
            rc = caveat_add(&g->stream->caveats, CAVEAT_NOTE, e,
                            "%zu traces are recordings of one process (%lld), one after the other: they are no ranks, "
                            "and the time between them is left out",
                            end - from, (long long)p[from].process);
        if (!rc && end - from > 1 && end - from == g->read)
            g->stream->recordings = g->read;
        g->repeated += end - from - 1;
    }
    return rc;
}

/* Where all are recordings of one process, it has the rank that its traces state, if any. */
static void settle_recordings(struct gathering *g)
{
    struct event_stream *s = g->stream;
    if (s->recordings)
        s->rank = g->processes.items[0].own_rank;
    for (size_t i = 0; s->recordings && i < s->resumptions.count; i++)
        s->resumptions.items[i].rank = s->rank;
    resumptions_sort(&s->resumptions);
}

static int gather_all(struct gathering *g, struct err *e)
{
    int rc = 0;
    if (g->source) {
        g->source->wants_all = !g->measure;
        g->source->key = g->key;
        rc = g->source->begin(g->source, g->operands, work, g, e);
    }
    if (!rc)
        rc = rank_table_new(&g->ranks, g->operands, e);
    for (size_t i = 0; !rc && i < g->operands->count; i++)
        rc = gather(g, &g->operands->items[i], e);
    if (!rc)
        rc = note_idle(g, e);
    if (!rc)
        rc = note_recordings(g, e);
    if (!rc)
        settle_recordings(g);
    return rc ? rc : note_missing(g, e);
}

static int set_error(const struct gathering *g, struct err *e)
{
    if (g->first_error.code)
        return err_set(e, g->first_error.code, "%s", g->first_error.text);
    return err_set(e, ERR_INPUT, "'%s' is a directory, but no bundle, and none of its %zu files is a trace",
                   g->stream->path, g->skipped);
}

int trace_gather(struct event_stream *s, struct trace_operand_list *operands, const struct event_stream_wish *wish,
                 struct trace_gathered *out, struct err *e)
{
    struct gathering g = {.stream = s,
                          .operands = operands,
                          .again_as = -1,
                          .source = wish->source,
                          .key = wish->key,
                          .measure = wish->measure,
                          .scope = wish->scope};
    s->is_measured = wish->measure != NULL;
    int rc = gather_all(&g, e);
    gpu_places_settle(&s->gpus);
    if (g.source)
        g.source->end(g.source);
    s->has_twins = g.ranks && rank_table_has_twins(g.ranks);
    s->twins = s->has_twins ? rank_table_describe_twins(g.ranks) : NULL;
    caveat_list_release(&g.idle);
    traced_processes_release(&g.processes);
    rank_table_free(g.ranks);
    *out = (struct trace_gathered){g.is_uneven, g.failed, g.left_out};
    return rc || g.read ? rc : set_error(&g, e);
}
