/* How does a stream begin: with one trace, several, or a bundle? */
#define _GNU_SOURCE
#include <stdlib.h>

#include "core/base/files.h"
#include "core/base/str.h"
#include "core/trace/collective_notes.h"
#include "core/trace/event_stream.h"
#include "core/trace/event_stream_state.h"
#include "core/trace/gpu_samples.h"
#include "core/trace/host_scopes.h"
#include "core/trace/parts/local_parts.h"
#include "core/trace/parts/trace_gathering.h"
#include "core/trace/readers/bundle_traces.h"
#include "core/trace/stream_scope.h"

/* Reads a single trace directly into its final place. */
static int read_single(struct event_stream *s, const struct trace_operand *operand, struct err *e)
{
    const struct trace_operand named = {operand->path, false};
    bool skipped;
    const struct destination own = {.events = s->events, .scopes = s->scopes, .notes = s->notes};
    struct reader_sink sink = event_stream_sink(s, &own);
    const int rc = event_stream_fill(s, &named, &sink, &skipped, e);
    s->rank = sink.rank; /* the one that the input names, or -1 */
    event_stream_take_sink(s, &sink);
    object_names_sort(&s->names);
    resumptions_sort(&s->resumptions);
    gpu_places_settle(&s->gpus);
    return rc ? rc : event_stream_add_recorded_from(s, sink.recorded_from_ns, e);
}

static int note_omissions(struct event_stream *s, const struct trace_operand_list *operands, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < operands->omissions.count; i++)
        rc = caveat_add(&s->caveats, operands->omissions.items[i].kind, e, "%s", operands->omissions.items[i].text);
    return rc;
}

/* Gives a filled stream; NULL after an error. */
static int give(struct event_stream **out, struct event_stream *s, int rc)
{
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

static int new_as(struct event_stream **out, const char *source, const struct event_stream_wish *wish, struct err *e)
{
    int rc = event_stream_new(out, source, e);
    if (!rc && wish->scopes)
        rc = host_scope_spool_new(&(*out)->scopes, e);
    if (!rc && wish->notes)
        rc = collective_note_spool_new(&(*out)->notes, e);
    return rc;
}

/* Reads several traces once more, all events of them, when what was measured of each alone does not tell. */
static int read_several(struct event_stream **s, struct trace_operand_list *operands,
                        const struct event_stream_wish *wish, struct trace_gathered *gathered, struct err *e)
{
    int rc = trace_gather(*s, operands, wish, gathered, e);
    if (rc || !gathered->is_uneven)
        return rc;
    struct event_stream_wish all = *wish;
    struct event_stream *again = NULL;
    all.measure = NULL;
    if (all.source->is_alone)
        all.source = NULL;
    rc = new_as(&again, (*s)->path, &all, e);
    event_stream_free(*s);
    *s = again;
    return rc ? rc : trace_gather(*s, operands, &all, gathered, e);
}

/* The scope of what was measured is that in which it was measured. */
static int restrict_to_scope(struct event_stream *s, const struct event_stream_wish *wish,
                             const struct trace_gathered *gathered, struct err *e)
{
    if (s->is_measured && gathered->failed.code)
        return err_set(e, gathered->failed.code, "%s", gathered->failed.text);
    if (!wish->scope)
        return 0;
    if (!s->is_measured)
        return event_stream_scope(s, wish->scope, e);
    struct comm_counts none;
    const int rc = event_stream_name_comm(s, wish->scope->comm, &none, e);
    return rc ? rc : scope_counts_note(&gathered->left_out, wish->scope, &s->caveats, e);
}

/* What a folder says of its other files comes before what the trace says at its end. A pipe can be read only once. */
static bool may_be_on_demand(const struct trace_operand_list *operands, const struct event_stream_wish *wish)
{
    return wish->on_demand && operands->count == 1 && files_is_regular(operands->items[0].path) &&
           !operands->omissions.count && !wish->scopes && !wish->notes &&
           (!wish->scope || (stream_scope_is_everything(wish->scope) && !wish->scope->comm));
}

static int open_operands(struct event_stream **s, struct trace_operand_list *operands,
                         const struct event_stream_wish *wish, struct err *e)
{
    struct trace_gathered gathered = {0};
    (*s)->may_be_on_demand = may_be_on_demand(operands, wish);
    int rc =
        operands->count == 1 ? read_single(*s, &operands->items[0], e) : read_several(s, operands, wish, &gathered, e);
    if (!rc)
        rc = note_omissions(*s, operands, e);
    if (!rc)
        rc = event_spool_rewind((*s)->events, e);
    return rc ? rc : restrict_to_scope(*s, wish, &gathered, e);
}

/* The ranks of a scope are those that traces have among all, which is not known where one of them is read. */
static bool may_measure(const struct event_stream_wish *wish)
{
    return wish->measure && !wish->scopes && !wish->notes && (!wish->scope || !wish->scope->ranks.count);
}

int event_stream_open_as(struct event_stream **out, const char *const *paths, size_t count,
                         const struct event_stream_wish *wish, struct err *e)
{
    *out = NULL;
    if (!count)
        return err_set(e, ERR_USAGE, "no trace is named");
    if (wish->scope && comm_regex_check(wish->scope->comm, e))
        return ERR_USAGE;
    struct event_stream *s = NULL;
    struct event_stream_wish granted = *wish;
    struct part_source *local = NULL;
    struct trace_operand_list operands = {0};
    char *source = describe_source(paths, count);
    int rc = source ? new_as(&s, source, wish, e) : err_memory(e);
    free(source);
    const size_t jobs = wish->jobs ? wish->jobs : 1;
    if (!rc && !granted.source && wish->may_fork && (jobs > 1 || may_measure(wish)))
        rc = local_parts_new(&local, jobs, e);
    if (local)
        granted.source = local;
    if (granted.source)
        granted.source->jobs = jobs;
    granted.on_demand = wish->on_demand && !wish->source; /* other processes do not open a trace once more */
    if (!granted.source || !may_measure(wish))
        granted.measure = NULL;
    if (!rc)
        rc = granted.source ? granted.source->list(granted.source, paths, count, &operands, e)
                            : trace_operands_add_all(&operands, paths, count, e);
    if (!rc)
        rc = open_operands(&s, &operands, &granted, e);
    local_parts_free(local);
    trace_operands_release(&operands);
    const bool was_hasty = rc && s && s->is_on_demand;
    rc = give(out, s, rc);
    if (!was_hasty)
        return rc;
    struct event_stream_wish patient = *wish;
    patient.on_demand = false;
    return event_stream_open_as(out, paths, count, &patient, e);
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
    int rc = event_stream_new(&s, bundle->path, e);
    *out = NULL;
    if (rc)
        return rc;
    const struct destination own = {.events = s->events};
    struct reader_sink sink = event_stream_sink(s, &own);
    sink.samples = samples;
    rc = event_stream_set_error_if_full(s, bundle->path, bundle_traces_read(bundle, &sink, e), e);
    if (!rc)
        rc = event_stream_judge_times(s, bundle->path, &sink, e);
    event_stream_take_sink(s, &sink);
    s->rank = sink.rank;
    object_names_sort(&s->names);
    resumptions_sort(&s->resumptions);
    gpu_places_settle(&s->gpus);
    if (samples)
        gpu_samples_sort(samples);
    if (!rc)
        rc = event_spool_rewind(s->events, e);
    return give(out, s, rc);
}
