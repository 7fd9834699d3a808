/* Which ranges does --comm name, and which copies were launched there? */
#include "core/trace/communication/stream_comm.h"

#include <regex.h>
#include <stdlib.h>

#include "core/base/demangle.h"
#include "core/base/pattern.h"
#include "core/base/str.h"
#include "core/trace/event_stream.h"
#include "core/trace/event_work.h"
#include "core/trace/identity.h"
#include "core/trace/launch_index.h"

static int compile(regex_t *out, const char *regex, struct err *e)
{
    return pattern_compile(out, regex, "communication pattern", e);
}

int comm_regex_check(const char *regex, struct err *e)
{
    regex_t compiled;
    const int rc = regex ? compile(&compiled, regex, e) : 0;
    if (regex && !rc)
        regfree(&compiled);
    return rc;
}

/* The calls in ranges of such names. */
struct comm_calls {
    struct launch_index *exact;
    struct launch_index *narrow, *wide; /* by how rounding may shift a call and an end; NULL: times are exact */
};

static bool communicates(const void *state, const struct cpprof_event *copy)
{
    const struct comm_calls *calls = state;
    return launch_index_ranges(calls->exact, copy) != 0;
}

static void comm_calls_free(void *state)
{
    struct comm_calls *calls = state;
    if (!calls)
        return;
    launch_index_free(calls->exact);
    launch_index_free(calls->narrow);
    launch_index_free(calls->wide);
    free(calls);
}

static bool is_at_an_edge(const struct comm_calls *calls, const struct cpprof_event *copy)
{
    return calls->wide && launch_index_ranges(calls->narrow, copy) != launch_index_ranges(calls->wide, copy);
}

static void count_copy(struct event_stream *s, const struct comm_calls *calls, const struct cpprof_event *copy,
                       struct comm_counts *counts)
{
    const struct launch_call *call = launch_index_call(calls->exact, copy);
    const bool is_shared = call && call->is_doubtful;
    event_stream_call_doubt(s)->of_comm |= is_shared;
    if (is_shared || is_at_an_edge(calls, copy) ||
        (call && (call->ranges || call->of_other_threads) &&
         launch_call_is_late(call, copy, event_stream_time_error_ns(s))))
        counts->doubtful++;
    else if (call)
        counts->of_other_threads += !call->ranges && call->of_other_threads;
    else
        counts->unlaunched++;
}

static int count_copies(struct event_stream *s, const struct comm_calls *calls, struct comm_counts *counts,
                        struct err *e)
{
    struct cpprof_event event;
    int rc = 0;
    while (!rc && (rc = event_stream_next_unscoped(s, &event, e)) == 1) {
        rc = 0;
        if (event_is_between_gpus(&event))
            count_copy(s, calls, &event, counts);
    }
    return rc ? rc : event_stream_rewind(s, e);
}

static int comm_calls_read(struct comm_calls *calls, struct event_stream *s, const struct range_pattern *pattern,
                           struct comm_counts *counts, struct err *e)
{
    const int64_t off_ns = 2 * event_stream_time_error_ns(s);
    int rc = launch_index_build(&calls->exact, s, pattern, 1, e);
    if (rc || !launch_index_found(calls->exact))
        return rc;
    if (off_ns)
        rc = launch_index_build_widened(&calls->narrow, s, pattern, 1, -off_ns, e);
    if (!rc && off_ns)
        rc = launch_index_build_widened(&calls->wide, s, pattern, 1, off_ns, e);
    return rc ? rc : count_copies(s, calls, counts, e);
}

static int judge_copies(struct event_stream *s, const struct range_pattern *pattern, struct comm_counts *counts,
                        struct err *e)
{
    struct comm_calls *calls = calloc(1, sizeof *calls);
    const int rc = calls ? comm_calls_read(calls, s, pattern, counts, e) : err_memory(e);
    if (!rc && launch_index_found(calls->exact))
        event_stream_set_comm_copies(s, (struct copy_judge){communicates, comm_calls_free, calls});
    else
        comm_calls_free(calls);
    return rc;
}

/* Does the regex take a name? Ranges are matched as they were recorded, kernels by their full names, too. */
struct taken_names {
    bool *recorded, *full;
    size_t count;
    bool any_recorded, any;
};

static int take_names(struct taken_names *names, const struct strtab *strings, const regex_t *regex, struct err *e)
{
    struct str full;
    str_init(&full);
    for (size_t id = 1; id < names->count; id++) {
        const char *recorded = strtab_text(strings, (uint32_t)id);
        str_clear(&full);
        demangle_full(&full, recorded);
        names->recorded[id] = !regexec(regex, recorded, 0, NULL, 0);
        names->full[id] = names->recorded[id] || !regexec(regex, str_text(&full), 0, NULL, 0);
        names->any_recorded |= names->recorded[id];
        names->any |= names->full[id];
    }
    const int rc = full.failed ? err_memory(e) : 0;
    str_release(&full);
    return rc;
}

static bool is_named(const struct taken_names *names, const struct cpprof_event *event)
{
    const bool *takes = event->kind == CPPROF_EVENT_KERNEL  ? names->full
                        : event->kind == CPPROF_EVENT_RANGE ? names->recorded
                                                            : NULL;
    return takes && event->name < names->count && takes[event->name];
}

/* Names of calls and of files are strings, too. */
static int look_for_named(struct event_stream *s, const struct taken_names *names, struct comm_counts *counts,
                          struct err *e)
{
    struct cpprof_event event;
    int rc = 0;
    while (!counts->named && (rc = event_stream_next_unscoped(s, &event, e)) == 1)
        counts->named = is_named(names, &event);
    return rc < 0 ? rc : event_stream_rewind(s, e);
}

static int find_named(struct event_stream *s, const regex_t *regex, struct comm_counts *counts, struct err *e)
{
    const struct strtab *strings = event_stream_strings(s);
    const size_t count = strtab_count(strings) + 1;
    struct taken_names names = {calloc(count, sizeof(bool)), calloc(count, sizeof(bool)), count, false, false};
    int rc = names.recorded && names.full ? take_names(&names, strings, regex, e) : err_memory(e);
    const struct range_pattern pattern = {names.recorded, count, true};
    if (!rc && names.any)
        rc = look_for_named(s, &names, counts, e);
    if (!rc && names.any_recorded)
        rc = judge_copies(s, &pattern, counts, e);
    free(names.recorded);
    free(names.full);
    return rc;
}

/* A file that is read on demand has no names before its end, and a stream that was measured elsewhere has no events. */
int event_stream_name_comm(struct event_stream *s, const char *regex, struct comm_counts *counts, struct err *e)
{
    regex_t compiled;
    *counts = (struct comm_counts){0};
    int rc = regex ? compile(&compiled, regex, e) : 0;
    if (rc || !regex)
        return rc;
    rc = event_stream_set_comm(s, regex, e);
    if (!rc && !event_stream_is_measured(s) && !event_stream_is_on_demand(s))
        rc = find_named(s, &compiled, counts, e);
    regfree(&compiled);
    return rc;
}

int comm_counts_note(const struct comm_counts *counts, const char *regex, struct caveat_list *caveats, struct err *e)
{
    int rc = 0;
    if (regex && !counts->named)
        rc = caveat_add(caveats, CAVEAT_NOTE, e, "--comm '%s' matches no kernel or range", regex);
    if (!rc && counts->of_other_threads)
        rc = caveat_add(caveats, CAVEAT_NOTE, e,
                        "copies between GPUs that do not count as communication, as another thread launched them while "
                        "a range of '%s' was open: %lld",
                        regex, (long long)counts->of_other_threads);
    if (!rc && counts->unlaunched)
        rc = caveat_add(caveats, CAVEAT_WEAKENS, e,
                        "copies between GPUs that have no recorded call, so that a range of '%s' may have launched "
                        "them: %lld",
                        regex, (long long)counts->unlaunched);
    if (!rc && counts->doubtful)
        rc = caveat_add(caveats, CAVEAT_WEAKENS, e,
                        "copies between GPUs that a range of '%s' may have launched or not, as they start before their "
                        "call, several calls have their correlation id, or rounded times do not tell: %lld",
                        regex, (long long)counts->doubtful);
    return rc;
}
