/* What is in a stream of events, and what does it give? */
#define _GNU_SOURCE
#include "core/trace/event_stream.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/input_export.h"
#include "core/io/input_file.h"
#include "core/trace/collective_notes.h"
#include "core/trace/duration_groups.h"
#include "core/trace/event_stream_state.h"
#include "core/trace/event_work.h"
#include "core/trace/host_scopes.h"

int event_stream_new(struct event_stream **out, const char *path, struct err *e)
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
    free(s->comm);
    if (s->comm_copies.free)
        s->comm_copies.free(s->comm_copies.state);
    rank_starts_release(&s->starts);
    event_spool_free(s->events);
    plausible_times_free(s->watch);
    record_spool_free(s->scopes);
    record_spool_free(s->notes);
    free(s->origins);
    free(s->twins);
    for (size_t i = 0; i < s->trace_paths.count; i++)
        free(s->trace_paths.items[i]);
    free(s->trace_paths.items);
    free(s->recorded_from_ns.items);
    strtab_release(&s->strings);
    object_names_release(&s->names);
    resumptions_release(&s->resumptions);
    gpu_places_release(&s->gpus);
    caveat_list_release(&s->caveats);
    free(s->path);
    free(s);
}

struct reader_sink event_stream_sink(struct event_stream *s, const struct destination *to)
{
    const struct event_spool *events = to->events;
    return (struct reader_sink){.events = to->events,
                                .scopes = to->scopes,
                                .notes = to->notes,
                                .strings = &s->strings,
                                .caveats = &s->caveats,
                                .names = events == s->events ? &s->names : NULL,
                                .resumptions = events == s->events ? &s->resumptions : NULL,
                                .gpus = to->gpus ? to->gpus : &s->gpus,
                                .rank = -1,
                                .recorded_from_ns = INT64_MIN,
                                .may_be_on_demand = s->may_be_on_demand};
}

void event_stream_take_sink(struct event_stream *s, const struct reader_sink *sink)
{
    s->launches_only |= sink->launches_only;
    s->may_lack_waits |= sink->may_lack_waits;
    s->lacks_migrations |= sink->lacks_migrations;
    s->dependent_launch = dependent_launch_with(s->dependent_launch, sink->dependent_launch == DEPENDENT_LAUNCH_UNSAID
                                                                         ? DEPENDENT_LAUNCH_MIXED
                                                                         : sink->dependent_launch);
    s->lacks_times |= sink->lacks_times;
    s->lacks_collectives |= sink->lacks_collectives;
    s->hides_anywhere |= sink->hides_anywhere;
    s->has_unread |= sink->has_unread;
    s->is_mixed |= sink->is_mixed;
    s->is_on_demand |= sink->is_on_demand;
    if (sink->world_size > s->world_size)
        s->world_size = sink->world_size;
    if (sink->time_error_ns > s->time_error_ns)
        s->time_error_ns = sink->time_error_ns;
}

int event_stream_set_error_if_full(const struct event_stream *s, const char *path, int rc, struct err *e)
{
    return rc && s->strings.is_full
               ? err_set(e, ERR_INPUT, "'%s' has more than %d MiB of distinct names: too many to keep", path,
                         EVENT_STREAM_NAME_BYTES_MAX >> 20)
               : rc;
}

int event_stream_judge_times(struct event_stream *s, const char *path, const struct reader_sink *sink, struct err *e)
{
    const struct plausible_facts facts = {path, sink->origin_ns, sink->time_error_ns,
                                          !sink->has_unplaced && !sink->launches_only};
    return plausible_times_judge(sink->events, &facts, sink->strings, &s->caveats, e);
}

static int open_operand(struct event_stream *s, struct input_file *file, const char *path, struct err *e)
{
    int rc = input_file_open(file, path, &s->caveats, e);
    if (!rc && !reader_of_trace(&file->input))
        rc = input_export(file, TOOL_REPORT_NSYS, e);
    return rc;
}

/* Rows that are read on demand are judged as they come: a second time with all of them if need be. */
static int watch_times(struct event_stream *s, const struct reader_sink *sink, struct err *e)
{
    const struct plausible_facts facts = {s->path, sink->origin_ns, sink->time_error_ns, true};
    plausible_times_free(s->watch);
    return plausible_times_new(&s->watch, &facts, e);
}

int event_stream_fill(struct event_stream *s, const struct trace_operand *operand, struct reader_sink *sink,
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
    if (!rc && !*skipped)
        rc = sink->is_on_demand ? watch_times(s, sink, e) : event_stream_judge_times(s, operand->path, sink, e);
    return event_stream_set_error_if_full(s, operand->path, rc, e);
}

/* Gives a filled stream; NULL after an error. */
static int give(struct event_stream **out, struct event_stream *s, int rc)
{
    if (rc)
        event_stream_free(s);
    *out = rc ? NULL : s;
    return rc;
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
    int rc = event_stream_new(&s, "memory", e);
    if (!rc)
        rc = copy_strings(&s->strings, strings, e);
    for (size_t i = 0; !rc && i < count; i++)
        rc = event_spool_add(s->events, &events[i], e);
    if (!rc)
        rc = event_spool_rewind(s->events, e);
    return give(out, s, rc);
}

/* `event`: NULL behind the last one. */
static int watch(struct event_stream *s, const struct cpprof_event *event, struct err *e)
{
    const int rc = event ? plausible_times_take(s->watch, event, e) : plausible_times_finish(s->watch, e);
    return rc || !plausible_times_is_suspicious(s->watch) ? rc
                                                          : err_set(e, ERR_INPUT, "a row has a time that cannot be");
}

/* False rows are given, too. */
static int next_of_all(struct event_stream *s, struct cpprof_event *out, struct err *e)
{
    int got = event_spool_next(s->events, out, e);
    int rc = s->watch && got >= 0 ? watch(s, got ? out : NULL, e) : 0;
    if (rc || got != 1)
        return rc ? rc : got;
    if (out->rank < 0 || s->recordings)
        out->rank = (int16_t)s->rank;
    if (s->comm_copies.communicates && event_is_between_gpus(out) &&
        s->comm_copies.communicates(s->comm_copies.state, out))
        out->flags |= EVENT_COMMUNICATES;
    if (!rc && !(out->flags & EVENT_IS_FALSE))
        rc = rank_starts_note(&s->starts, out, e);
    return rc ? rc : got;
}

int event_stream_next_unscoped(struct event_stream *s, struct cpprof_event *out, struct err *e)
{
    int got;
    while ((got = next_of_all(s, out, e)) == 1 && out->flags & EVENT_IS_FALSE)
        ;
    return got;
}

int event_stream_next(struct event_stream *s, struct cpprof_event *out, struct err *e)
{
    int code;
    while ((code = event_stream_next_unscoped(s, out, e)) == 1 && s->filter.takes)
        if ((code = s->filter.takes(s->filter.state, out, e)))
            break;
    return code;
}

int event_stream_next_with_false(struct event_stream *s, struct cpprof_event *out, struct err *e)
{
    int code;
    while ((code = next_of_all(s, out, e)) == 1) {
        if (out->flags & EVENT_IS_FALSE ? event_stream_takes_rank(s, out->rank) : !s->filter.takes)
            break;
        if (!(out->flags & EVENT_IS_FALSE) && (code = s->filter.takes(s->filter.state, out, e)))
            break;
    }
    return code;
}

void event_stream_set_filter(struct event_stream *s, struct event_filter filter)
{
    if (s->filter.free)
        s->filter.free(s->filter.state);
    s->filter = filter;
    gpu_places_choose(&s->gpus, filter.takes_rank, filter.state);
}

void event_stream_gpu_of(const struct event_stream *s, int16_t *rank, int16_t *device)
{
    gpu_places_find(&s->gpus, rank, device);
}

bool event_stream_takes_rank(const struct event_stream *s, int rank)
{
    return !s->filter.takes_rank || s->filter.takes_rank(s->filter.state, rank);
}

int event_stream_rewind(struct event_stream *s, struct err *e)
{
    if (s->filter.rewind)
        s->filter.rewind(s->filter.state);
    plausible_times_free(s->watch); /* a second pass has the same rows */
    s->watch = NULL;
    return event_spool_rewind(s->events, e);
}

void event_stream_rest(struct event_stream *s)
{
    event_spool_rest(s->events);
    if (s->notes)
        record_spool_rest(s->notes);
    malloc_trim(0); /* what readers of many traces have freed lies in between what stays */
}

int event_stream_next_scope(struct event_stream *s, struct host_scope *out, struct err *e)
{
    const int got = s->scopes ? record_spool_next(s->scopes, out, e) : 0;
    if (got == 1 && (out->rank < 0 || s->recordings))
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
    if (got == 1 && (out->rank < 0 || s->recordings))
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

const char *event_stream_ranks_doubt(struct event_stream *s)
{
    int64_t start_ns;
    int missing = 0;
    if (s->has_twins)
        return s->twins ? s->twins : "two traces say that they are of the same rank";
    if (s->world_size <= 0 || (size_t)s->world_size <= s->starts.count)
        return "";
    while (missing < s->world_size && rank_starts_get(&s->starts, missing, &start_ns))
        missing++;
    const size_t more = (size_t)s->world_size - s->starts.count - 1;
    if (more)
        snprintf(s->missing, sizeof s->missing, "the job has %d ranks, and nothing is read of rank %d and %zu more",
                 s->world_size, missing, more);
    else
        snprintf(s->missing, sizeof s->missing, "the job has %d ranks, and nothing is read of rank %d", s->world_size,
                 missing);
    return s->missing;
}

const char *event_stream_trace_path(const struct event_stream *s, int rank)
{
    const size_t place = s->origins && rank >= 0 ? s->origins[(uint16_t)rank] : 0;
    return place && place <= s->trace_paths.count ? s->trace_paths.items[place - 1] : "";
}

int event_stream_add_trace_path(struct event_stream *s, const char *path, struct err *e)
{
    char *copy = strdup(path), **slot = copy ? ARRAY_PUSH(&s->trace_paths) : NULL;
    if (!slot) {
        free(copy);
        return err_memory(e);
    }
    *slot = copy;
    return 0;
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

int event_stream_add_recorded_from(struct event_stream *s, int64_t from_ns, struct err *e)
{
    int64_t *slot = ARRAY_PUSH(&s->recorded_from_ns);
    if (!slot)
        return err_memory(e);
    *slot = from_ns;
    return 0;
}

bool event_stream_recorded_from(const struct event_stream *s, int rank, int64_t *out)
{
    const size_t trace = event_stream_origin(s, rank);
    *out = trace < s->recorded_from_ns.count ? s->recorded_from_ns.items[trace] : INT64_MIN;
    return *out != INT64_MIN;
}

int64_t event_stream_recording_apart_ns(const struct event_stream *s)
{
    int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
    for (size_t i = 0; i < s->recorded_from_ns.count; i++) {
        const int64_t from_ns = s->recorded_from_ns.items[i];
        if (from_ns == INT64_MIN)
            continue;
        first_ns = from_ns < first_ns ? from_ns : first_ns;
        last_ns = from_ns > last_ns ? from_ns : last_ns;
    }
    return last_ns > first_ns ? duration_ns(first_ns, last_ns) : 0;
}

const struct rank_starts *event_stream_starts(const struct event_stream *s)
{
    return &s->starts;
}

int event_stream_set_comm(struct event_stream *s, const char *regex, struct err *e)
{
    free(s->comm);
    s->comm = strdup(regex);
    return s->comm ? 0 : err_memory(e);
}

void event_stream_set_comm_copies(struct event_stream *s, struct copy_judge judge)
{
    if (s->comm_copies.free)
        s->comm_copies.free(s->comm_copies.state);
    s->comm_copies = judge;
}

const char *event_stream_comm(const struct event_stream *s)
{
    return s->comm;
}

const char *event_stream_source(const struct event_stream *s)
{
    return s->path;
}

int64_t event_stream_count(const struct event_stream *s)
{
    return event_spool_count(s->events) + s->measured_events;
}

int64_t event_stream_time_error_ns(const struct event_stream *s)
{
    return s->time_error_ns;
}

enum dependent_launch event_stream_dependent_launch(const struct event_stream *s)
{
    return s->dependent_launch;
}

void event_stream_set_time_error_ns(struct event_stream *s, int64_t time_error_ns)
{
    s->time_error_ns = time_error_ns;
}

bool event_stream_is_launches_only(const struct event_stream *s)
{
    return s->launches_only;
}

bool event_stream_is_measured(const struct event_stream *s)
{
    return s->is_measured;
}

bool event_stream_is_on_demand(const struct event_stream *s)
{
    return s->is_on_demand;
}

bool event_stream_may_lack_waits(const struct event_stream *s)
{
    return s->may_lack_waits;
}

bool event_stream_lacks_collectives(const struct event_stream *s)
{
    return s->lacks_collectives;
}

bool event_stream_hides_anywhere(const struct event_stream *s)
{
    return s->hides_anywhere;
}

bool event_stream_lacks_times(const struct event_stream *s)
{
    return s->lacks_times;
}

bool event_stream_is_scoped(const struct event_stream *s)
{
    return s->filter.takes != NULL;
}

bool event_stream_lacks_migrations(const struct event_stream *s)
{
    return s->lacks_migrations;
}

const struct gpu_places *event_stream_gpus(const struct event_stream *s)
{
    return &s->gpus;
}

size_t event_stream_recordings(const struct event_stream *s)
{
    return s->recordings;
}

bool event_stream_is_mixed(const struct event_stream *s)
{
    return s->is_mixed;
}

struct call_doubt *event_stream_call_doubt(struct event_stream *s)
{
    return &s->call_doubt;
}

bool event_stream_has_unread(const struct event_stream *s)
{
    return s->has_unread;
}
