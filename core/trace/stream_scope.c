/* Is this event in the part of the trace that was asked for? */
#define _POSIX_C_SOURCE 200809L
#include "core/trace/stream_scope.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/base/pattern.h"
#include "core/trace/event_stream.h"
#include "core/trace/identity.h"
#include "core/trace/launch_index.h"
#include "core/trace/range_name.h"
#include "core/trace/range_occurrences.h"
#include "core/trace/rank_starts.h"
#include "core/trace/selector.h"

/* How often the name of a kernel was seen on a rank and device; the slot is free while `seen` is 0. */
struct name_count {
    uint32_t name;
    int16_t rank, device;
    int64_t seen;
};

struct scope_filter {
    struct stream_scope scope;
    const struct rank_starts *starts; /* of the stream; it already knows the rank of each event that passes */
    bool *takes_range;                /* for each string id */
    bool own_thread;                  /* of the range */
    struct launch_index *index;
    /* The index with shorter ranges and the one with longer ranges, for rounded times; NULL: times are exact. */
    struct launch_index *narrow, *wide;
    struct scope_counts left_out;
    struct name_count *counts; /* open addressing */
    size_t count_capacity, count_used;
};

bool stream_scope_is_everything(const struct stream_scope *scope)
{
    return !scope->range && !scope->has_window && !scope->streams.count && !scope->devices.count &&
           !scope->ranks.count && !scope->skip_first;
}

static int compile_range(regex_t *regex, struct scope_filter *f, const char *range, struct err *e)
{
    char *pattern = strndup(range, range_words_length(range, &f->own_thread));
    const int rc = pattern ? pattern_compile(regex, pattern, "range pattern", e) : err_memory(e);
    free(pattern);
    return rc;
}

static int match_names(struct scope_filter *f, const struct strtab *strings, const char *range, struct err *e)
{
    regex_t regex;
    int rc = compile_range(&regex, f, range, e);
    if (rc)
        return rc;
    const size_t count = strtab_count(strings) + 1;
    f->takes_range = calloc(count, sizeof *f->takes_range);
    for (size_t id = 1; f->takes_range && id < count; id++)
        f->takes_range[id] = !regexec(&regex, strtab_text(strings, (uint32_t)id), 0, NULL, 0);
    regfree(&regex);
    return f->takes_range ? 0 : err_memory(e);
}

static int index_ranges(struct scope_filter *f, struct event_stream *s, struct err *e)
{
    if (!f->scope.range)
        return 0;
    const struct strtab *strings = event_stream_strings(s);
    int code = match_names(f, strings, f->scope.range, e);
    const struct range_pattern pattern = {f->takes_range, strtab_count(strings) + 1, f->own_thread};
    const int64_t off_ns = 2 * event_stream_time_error_ns(s); /* a call and an end of a range may both be off */
    if (!code)
        code = launch_index_build(&f->index, s, &pattern, 1, e);
    if (!code && off_ns)
        code = launch_index_build_widened(&f->narrow, s, &pattern, 1, -off_ns, e);
    return code || !off_ns ? code : launch_index_build_widened(&f->wide, s, &pattern, 1, off_ns, e);
}

static bool allows(const struct scope_numbers *numbers, int64_t value)
{
    for (size_t i = 0; i < numbers->count; i++)
        if (numbers->items[i] == value)
            return true;
    return !numbers->count;
}

static bool is_in_window(const struct scope_filter *f, const struct cpprof_event *event)
{
    int64_t first_ns, since_first_ns;
    return rank_starts_get(f->starts, event->rank, &first_ns) &&
           !__builtin_sub_overflow(event->start_ns, first_ns, &since_first_ns) &&
           since_first_ns >= f->scope.window_start_ns && since_first_ns < f->scope.window_end_ns;
}

/* Checks all conditions except the range and the count. */
static bool takes_place(const struct scope_filter *f, const struct cpprof_event *event)
{
    if (!allows(&f->scope.ranks, event->rank) || (f->scope.has_window && !is_in_window(f, event)))
        return false;
    return !event_is_gpu_work(event) ||
           (allows(&f->scope.streams, event->stream) && allows(&f->scope.devices, event->device));
}

static void count_left_out_work(struct scope_filter *f, struct event_stream *s, const struct cpprof_event *work)
{
    const int64_t time_error_ns = event_stream_time_error_ns(s);
    const struct launch_call *call = launch_index_call(f->index, work);
    const bool is_at_an_edge = f->wide && launch_index_ranges(f->narrow, work) != launch_index_ranges(f->wide, work);
    event_stream_call_doubt(s)->of_scope |= call && call->is_doubtful && f->left_out.found;
    f->left_out.doubtful +=
        call && (call->is_doubtful || is_at_an_edge || launch_call_is_late(call, work, time_error_ns));
    f->left_out.of_other_threads += call && call->of_other_threads;
    f->left_out.unlaunched += !call;
    f->left_out.unranged += call && !rank_starts_has_kind(f->starts, work->rank, CPPROF_EVENT_RANGE);
}

/* Counts GPU work that is left out: work that was launched while the range was open, but on another thread than the one
 * asked for; work without known call; and work on a rank without recorded ranges. Also counts work whose call may be
 * another one's. */
static int count_left_out(struct scope_filter *f, struct event_stream *s, struct err *e)
{
    struct cpprof_event event;
    int code = event_stream_rewind(s, e);
    while (!code && (code = event_stream_next_unscoped(s, &event, e)) > 0) {
        code = 0;
        if (event_is_gpu_work(&event) && takes_place(f, &event))
            count_left_out_work(f, s, &event);
    }
    return code ? code : event_stream_rewind(s, e);
}

static void scope_filter_free(void *state)
{
    struct scope_filter *f = state;
    if (!f)
        return;
    launch_index_free(f->index);
    launch_index_free(f->narrow);
    launch_index_free(f->wide);
    free(f->takes_range);
    free(f->counts);
    free(f);
}

/* Where no range matches, there is nothing to count, unless one may match in another trace. */
static int scope_filter_new(struct scope_filter **out, struct event_stream *s, const struct stream_scope *scope,
                            bool count_always, struct err *e)
{
    struct scope_filter *f = calloc(1, sizeof *f);
    *out = NULL;
    if (!f)
        return err_memory(e);
    f->scope = *scope;
    f->starts = event_stream_starts(s);
    int code = event_stream_rewind(s, e);
    if (!code)
        code = index_ranges(f, s, e);
    f->left_out.found = f->index && launch_index_found(f->index);
    if (!code && f->index && (f->left_out.found || count_always))
        code = count_left_out(f, s, e);
    f->scope.range = NULL; /* owned by the caller; from now on the index answers */
    if (code)
        scope_filter_free(f);
    else
        *out = f;
    return code;
}

static void scope_filter_rewind(void *state)
{
    struct scope_filter *f = state;
    free(f->counts);
    f->counts = NULL;
    f->count_capacity = f->count_used = 0;
}

static struct name_count *find_count(struct name_count *counts, size_t capacity, const struct name_count *wanted)
{
    const uint64_t key =
        (uint64_t)wanted->name << 32 | (uint64_t)(uint16_t)wanted->rank << 16 | (uint16_t)wanted->device;
    size_t at = (size_t)hash_mix(key) & (capacity - 1);
    while (counts[at].seen &&
           (counts[at].name != wanted->name || counts[at].rank != wanted->rank || counts[at].device != wanted->device))
        at = (at + 1) & (capacity - 1);
    return &counts[at];
}

static int grow_counts(struct scope_filter *f, struct err *e)
{
    const size_t grown = f->count_capacity ? f->count_capacity * 2 : 64;
    struct name_count *counts = calloc(grown, sizeof *counts);
    if (!counts)
        return err_memory(e);
    for (size_t i = 0; i < f->count_capacity; i++)
        if (f->counts[i].seen)
            *find_count(counts, grown, &f->counts[i]) = f->counts[i];
    free(f->counts);
    f->counts = counts;
    f->count_capacity = grown;
    return 0;
}

/* Returns 1 from occurrence skip_first + 1 of the kernel's name on. */
static int is_past_first(struct scope_filter *f, const struct cpprof_event *kernel, struct err *e)
{
    if (f->count_used >= f->count_capacity / 2) {
        int code = grow_counts(f, e);
        if (code)
            return code;
    }
    const struct name_count wanted = {.name = kernel->name, .rank = kernel->rank, .device = kernel->device};
    struct name_count *count = find_count(f->counts, f->count_capacity, &wanted);
    if (!count->seen) {
        if (f->count_used == SCOPE_COUNTS_MAX)
            return err_set(e, ERR_INPUT, "more than %d kernels to count the first ones of", SCOPE_COUNTS_MAX);
        *count = wanted;
        f->count_used++;
    }
    return ++count->seen > f->scope.skip_first;
}

static bool scope_filter_takes_rank(const void *state, int rank)
{
    const struct scope_filter *f = state;
    return allows(&f->scope.ranks, rank);
}

static int scope_filter_takes(void *state, const struct cpprof_event *event, struct err *e)
{
    struct scope_filter *f = state;
    if (!takes_place(f, event))
        return 0;
    if (f->index && !launch_index_ranges(f->index, event))
        return 0;
    return event->kind == CPPROF_EVENT_KERNEL && f->scope.skip_first ? is_past_first(f, event, e) : 1;
}

static int restrict_to(struct event_stream *s, const struct stream_scope *scope, bool count_always,
                       struct scope_counts *counts, struct err *e)
{
    struct scope_filter *f = NULL;
    struct comm_counts comm;
    *counts = (struct scope_counts){0};
    int rc = event_stream_name_comm(s, scope->comm, &comm, e);
    if (!rc && !stream_scope_is_everything(scope))
        rc = scope_filter_new(&f, s, scope, count_always, e);
    if (!rc && f)
        *counts = f->left_out;
    counts->comm = comm;
    if (rc || !f)
        return rc;
    event_stream_set_filter(s, (struct event_filter){scope_filter_takes, scope_filter_takes_rank, scope_filter_rewind,
                                                     scope_filter_free, f});
    return 0;
}

int event_stream_scope_counted(struct event_stream *s, const struct stream_scope *scope, struct scope_counts *counts,
                               struct err *e)
{
    return restrict_to(s, scope, true, counts, e);
}

int event_stream_scope(struct event_stream *s, const struct stream_scope *scope, struct err *e)
{
    struct scope_counts counts;
    int rc = restrict_to(s, scope, false, &counts, e);
    return rc ? rc : scope_counts_note(&counts, scope, event_stream_own_caveats(s), e);
}

void scope_counts_add(struct scope_counts *sum, const struct scope_counts *counts)
{
    sum->found |= counts->found;
    sum->of_other_threads += counts->of_other_threads;
    sum->unlaunched += counts->unlaunched;
    sum->unranged += counts->unranged;
    sum->doubtful += counts->doubtful;
    sum->comm.named += counts->comm.named;
    sum->comm.of_other_threads += counts->comm.of_other_threads;
    sum->comm.unlaunched += counts->comm.unlaunched;
    sum->comm.doubtful += counts->comm.doubtful;
}

int scope_counts_note(const struct scope_counts *counts, const struct stream_scope *scope, struct caveat_list *caveats,
                      struct err *e)
{
    int rc = comm_counts_note(&counts->comm, scope->comm, caveats, e);
    if (!rc && scope->range && !counts->found)
        rc = caveat_add(caveats, CAVEAT_NOTE, e, "no NVTX range matches '%s'", scope->range);
    if (rc || !scope->range)
        return rc;
    if (caveat_has(caveats, CAVEAT_RANGES))
        rc = caveat_add(caveats, CAVEAT_WEAKENS, e,
                        "NVTX ranges may be missing, and with them work that belongs to '%s'", scope->range);
    if (rc || !counts->found)
        return rc;
    if (!rc && counts->of_other_threads)
        rc = caveat_add(caveats, CAVEAT_NOTE, e,
                        "GPU operations left out that other threads launched while a range of '%s' was open: %lld",
                        scope->range, (long long)counts->of_other_threads);
    if (!rc && counts->unlaunched)
        rc = caveat_add(caveats, CAVEAT_WEAKENS, e,
                        "GPU operations left out that have no recorded call, so that a range of '%s' may have launched "
                        "them: %lld",
                        scope->range, (long long)counts->unlaunched);
    if (!rc && counts->unranged)
        rc = caveat_add(caveats, CAVEAT_WEAKENS, e,
                        "GPU operations left out of ranks without any NVTX range, so that it is not known what '%s' is "
                        "there: %lld",
                        scope->range, (long long)counts->unranged);
    if (!rc && counts->doubtful)
        rc =
            caveat_add(caveats, CAVEAT_WEAKENS, e,
                       "GPU operations that a range of '%s' may have launched or not, as they start before their call, "
                       "several calls have their correlation id, or rounded times do not tell: %lld",
                       scope->range, (long long)counts->doubtful);
    return rc;
}
