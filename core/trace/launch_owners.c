/* What was open on the host when this work was launched?
 *
 * Scopes of the host come in the order of their starts, as events do. So one pass over both knows at each call what is
 * open on its thread. Calls and work then go into a spool whose order puts the call of an id before its work. */
#define _GNU_SOURCE
#include "core/trace/launch_owners.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/key_table.h"
#include "core/base/pattern.h"
#include "core/trace/event_work.h"
#include "core/trace/host_scopes.h"
#include "core/trace/identity.h"
#include "core/trace/range_name.h"
#include "core/trace/range_occurrences.h"

enum { HALVES_IN_MEMORY = 64 * 1024, ANY_THREAD = 0, FORWARDS_MAX = 2 * 1024 * 1024 };

enum half_role { HALF_OTHER_CALL, HALF_LAUNCH, HALF_WORK }; /* a launch starts work */

/* A call or work before they are joined. No padding, because records are written as bytes. */
struct half {
    int64_t start_ns, end_ns;
    uint64_t size_bytes;
    int64_t owner; /* of calls */
    uint32_t correlation;
    int16_t rank, device;
    uint16_t kind, flags;
    uint8_t role;
    uint8_t out_of_scope;
    uint8_t zero[2];
    uint32_t thread; /* of calls */
    uint32_t also_zero;
};

/* The names of the steps. */
struct step_name {
    uint32_t name;   /* string id of the range */
    uint32_t number; /* from 1, among those of the name on the rank */
    bool is_alone;   /* it is the only one of its name on the rank */
};

/* Scopes of one kind, in the order of their starts. */
struct scope_cursor {
    struct record_spool *spool; /* NULL: the scopes of the stream */
    struct host_scope next;     /* the first that was not added to those that are open */
    bool has_next;
};

/* What was open where an operator began whose backward pass has the same sequence number. */
struct forward {
    int64_t owner;
    uint32_t thread;
    bool is_doubtful; /* operators of several threads have the number */
};

struct launch_owners {
    struct event_stream *stream;
    enum owner_kind kind;
    struct record_spool *halves;

    struct scope_cursor scopes;
    struct open_scopes *own; /* by thread */
    struct open_scopes *any; /* with OWNER_RANGE: by rank */

    /* With OWNER_MODULE and OWNER_FRAME: autograd launches the backward pass on a thread without Python. */
    struct scope_cursor operators; /* that have a sequence number */
    struct open_scopes *backward;  /* by thread */
    struct key_table sequences;    /* (rank, sequence) -> its forward, from 1 */
    ARRAY_OF(struct forward) forwards;

    struct range_occurrences steps; /* with OWNER_STEP */
    struct step_name *step_names;

    /* The group that is being read: the launches of one id, and its work where there are several of them. */
    ARRAY_OF(struct half) group, work;
    ARRAY_OF(int64_t) call_starts, work_starts;
    bool is_doubtful; /* of the work that is given */
    bool is_giving;
    size_t given;
    struct half ahead; /* the first that is not of the group */
    bool has_ahead;
    int64_t doubtful;
};

static const struct {
    uint16_t scope;
    const char *missing; /* what a trace without them lacks; what to do */
} kinds[] = {
    [OWNER_OPERATOR] = {HOST_SCOPE_OPERATOR, "operators (cpu_op); record with torch.profiler and ProfilerActivity.CPU"},
    [OWNER_MODULE] = {HOST_SCOPE_MODULE, "modules (nn.Module); record with torch.profiler and with_stack=True"},
    [OWNER_FRAME] = {HOST_SCOPE_FRAME, "Python frames outside PyTorch; record with torch.profiler and with_stack=True"},
    [OWNER_RANGE] = {HOST_SCOPE_RANGE, "NVTX range and no user_annotation"},
    [OWNER_STEP] = {0, "ProfilerStep#N; name the range of a step with --range"},
};

void launch_owners_free(struct launch_owners *o)
{
    if (!o)
        return;
    record_spool_free(o->halves);
    record_spool_free(o->scopes.spool);
    record_spool_free(o->operators.spool);
    open_scopes_free(o->own);
    open_scopes_free(o->any);
    open_scopes_free(o->backward);
    key_table_release(&o->sequences);
    free(o->forwards.items);
    range_occurrences_release(&o->steps);
    free(o->step_names);
    free(o->group.items);
    free(o->work.items);
    free(o->call_starts.items);
    free(o->work_starts.items);
    free(o);
}

static int set_missing(const struct launch_owners *o, struct err *e)
{
    return err_set(e, ERR_INPUT, "'%s' has no %s", event_stream_source(o->stream), kinds[o->kind].missing);
}

/* ---- scopes ---- */

/* Goes to the next scope of the cursor. */
static int read_scope(struct launch_owners *o, struct scope_cursor *c, struct err *e)
{
    int rc;
    do
        rc = c->spool ? record_spool_next(c->spool, &c->next, e) : event_stream_next_scope(o->stream, &c->next, e);
    while (rc == 1 && !c->spool && c->next.kind != kinds[o->kind].scope);
    c->has_next = rc == 1;
    return rc < 0 ? rc : 0;
}

static int rewind_cursor(struct launch_owners *o, struct scope_cursor *c, struct err *e)
{
    int rc = c->spool ? record_spool_rewind(c->spool, e) : event_stream_rewind_scopes(o->stream, e);
    return rc ? rc : read_scope(o, c, e);
}

static int replace_open(struct open_scopes **open, struct err *e)
{
    open_scopes_free(*open);
    return open_scopes_new(open, e);
}

/* Goes to the beginning, where nothing is open. */
static int start_scopes(struct launch_owners *o, struct err *e)
{
    int rc = replace_open(&o->own, e);
    if (!rc)
        rc = replace_open(&o->any, e);
    if (!rc)
        rc = replace_open(&o->backward, e);
    if (!rc)
        rc = rewind_cursor(o, &o->scopes, e);
    return rc || !o->operators.spool ? rc : rewind_cursor(o, &o->operators, e);
}

/* Adds the scopes that begin up to that time. */
static int pass_scopes(struct launch_owners *o, int64_t time_ns, struct err *e)
{
    const struct host_scope *scope = &o->scopes.next;
    int rc = 0;
    while (!rc && o->scopes.has_next && scope->start_ns <= time_ns) {
        rc = open_scopes_add(o->own, scope->rank, scope->thread, scope, e);
        if (!rc && o->kind == OWNER_RANGE)
            rc = open_scopes_add(o->any, scope->rank, ANY_THREAD, scope, e);
        if (!rc)
            rc = read_scope(o, &o->scopes, e);
    }
    return rc;
}

static int pass_operators(struct launch_owners *o, int64_t time_ns, struct err *e)
{
    const struct host_scope *op = &o->operators.next;
    int rc = 0;
    while (!rc && o->operators.has_next && op->start_ns <= time_ns) {
        rc = op->forward_thread ? open_scopes_add(o->backward, op->rank, op->thread, op, e) : 0;
        if (!rc)
            rc = read_scope(o, &o->operators, e);
    }
    return rc;
}

/* ---- from the backward pass to the forward pass ---- */

static int collect_operators(struct launch_owners *o, struct err *e)
{
    struct host_scope scope;
    int rc = host_scope_spool_new(&o->operators.spool, e);
    if (!rc)
        rc = event_stream_rewind_scopes(o->stream, e);
    while (!rc && (rc = event_stream_next_scope(o->stream, &scope, e)) == 1)
        rc = scope.kind == HOST_SCOPE_OPERATOR && scope.sequence >= 0 && scope.start_ns < scope.end_ns
                 ? record_spool_add(o->operators.spool, &scope, e)
                 : 0;
    return rc;
}

/* Of the operators with one number it is the last to begin whose node autograd made. */
static int add_forward(struct launch_owners *o, const struct host_scope *op, struct err *e)
{
    const uint32_t id = key_table_add(&o->sequences, op->rank, (uint32_t)op->sequence);
    int rc = pass_scopes(o, op->start_ns, e);
    if (rc)
        return rc;
    if (id > FORWARDS_MAX)
        return err_set(e, ERR_INPUT, "more than %d operators of a forward pass; use a shorter trace", FORWARDS_MAX);
    const bool is_new = id > o->forwards.count;
    if (!id || (is_new && !ARRAY_PUSH(&o->forwards)))
        return err_memory(e);
    struct forward *f = &o->forwards.items[id - 1];
    const struct host_scope *scope = open_scopes_innermost(o->own, op->rank, op->thread, op->start_ns);
    f->is_doubtful |= !is_new && f->thread != op->thread;
    f->owner = scope ? scope->name : OWNER_NONE;
    f->thread = op->thread;
    return 0;
}

static int find_forwards(struct launch_owners *o, struct err *e)
{
    int rc = collect_operators(o, e);
    if (!rc)
        rc = start_scopes(o, e);
    while (!rc && o->operators.has_next) {
        if (!o->operators.next.forward_thread)
            rc = add_forward(o, &o->operators.next, e);
        if (!rc)
            rc = read_scope(o, &o->operators, e);
    }
    return rc;
}

static int64_t owner_of_forward(const struct launch_owners *o, const struct cpprof_event *call)
{
    const struct host_scope *op = open_scopes_innermost(o->backward, call->rank, call->thread, call->start_ns);
    const uint32_t id = op ? key_table_find(&o->sequences, call->rank, (uint32_t)op->sequence) : 0;
    return id && !o->forwards.items[id - 1].is_doubtful ? o->forwards.items[id - 1].owner : OWNER_NONE;
}

/* ---- ranges ---- */

static struct host_scope scope_of_range(const struct cpprof_event *range, int64_t place)
{
    return (struct host_scope){.start_ns = range->start_ns,
                               .end_ns = range->flags & CPPROF_EVENT_UNFINISHED ? INT64_MAX : range->end_ns,
                               .place = place,
                               .sequence = -1,
                               .name = range->name,
                               .thread = range->thread,
                               .rank = range->rank,
                               .kind = HOST_SCOPE_RANGE};
}

static int collect_ranges(struct launch_owners *o, struct err *e)
{
    const struct strtab *names = event_stream_strings(o->stream);
    struct cpprof_event event;
    int64_t place = 0;
    int rc = host_scope_spool_new(&o->scopes.spool, e);
    if (!rc)
        rc = event_stream_rewind(o->stream, e);
    while (!rc && (rc = event_stream_next_unscoped(o->stream, &event, e)) == 1) {
        rc = 0;
        if (event.kind != CPPROF_EVENT_RANGE || !event.name || event.name > strtab_count(names))
            continue;
        const struct host_scope scope = scope_of_range(&event, place++);
        rc = record_spool_add(o->scopes.spool, &scope, e);
    }
    return rc;
}

/* ---- steps ---- */

static int mark_names(const struct launch_owners *o, const char *pattern, bool **takes, struct err *e)
{
    const struct strtab *names = event_stream_strings(o->stream);
    const size_t count = strtab_count(names) + 1;
    bool own_thread;
    regex_t regex;
    char *text = strndup(pattern, range_words_length(pattern, &own_thread));
    int rc = text ? pattern_compile(&regex, text, "range pattern", e) : err_memory(e);
    free(text);
    if (rc)
        return rc;
    *takes = calloc(count, sizeof **takes);
    for (size_t id = 1; *takes && id < count; id++)
        (*takes)[id] = !regexec(&regex, strtab_text(names, (uint32_t)id), 0, NULL, 0);
    regfree(&regex);
    return *takes ? 0 : err_memory(e);
}

/* A step has the name of the range that begins it. */
static int read_step_names(struct launch_owners *o, const bool *takes, struct err *e)
{
    const struct strtab *names = event_stream_strings(o->stream);
    struct cpprof_event event;
    int rc = event_stream_rewind(o->stream, e);
    while (!rc && (rc = event_stream_next_unscoped(o->stream, &event, e)) == 1) {
        rc = 0;
        if (event.kind != CPPROF_EVENT_RANGE || event.name > strtab_count(names) || !takes[event.name])
            continue;
        const size_t at = range_occurrences_at(&o->steps, event.rank, event.start_ns);
        if (at != SIZE_MAX && o->steps.items[at].start_ns == event.start_ns)
            o->step_names[at].name = event.name;
    }
    return rc;
}

/* Numbers the steps of one rank by their names. `seen` has an entry for each name, and is zero again afterwards. */
static void number_steps(struct launch_owners *o, size_t from, size_t end, uint32_t *seen)
{
    for (size_t i = from; i < end; i++)
        o->step_names[i].number = ++seen[o->step_names[i].name];
    for (size_t i = from; i < end; i++)
        o->step_names[i].is_alone = seen[o->step_names[i].name] == 1;
    for (size_t i = from; i < end; i++)
        seen[o->step_names[i].name] = 0;
}

static int name_steps(struct launch_owners *o, const bool *takes, struct err *e)
{
    const size_t names = strtab_count(event_stream_strings(o->stream)) + 1;
    uint32_t *seen = calloc(names, sizeof *seen);
    o->step_names = calloc(o->steps.count, sizeof *o->step_names);
    int rc = seen && o->step_names ? read_step_names(o, takes, e) : err_memory(e);
    for (size_t from = 0, end; !rc && from < o->steps.count; from = end) {
        end = from + 1;
        while (end < o->steps.count && o->steps.items[end].rank == o->steps.items[from].rank)
            end++;
        number_steps(o, from, end, seen);
    }
    free(seen);
    return rc;
}

static int find_steps(struct launch_owners *o, const char *step, struct err *e)
{
    const char *pattern = step ? step : "^ProfilerStep#[0-9]+$";
    bool *takes = NULL;
    int rc = mark_names(o, pattern, &takes, e);
    if (!rc)
        rc = range_occurrences_read_unscoped(&o->steps, o->stream, pattern, takes,
                                             strtab_count(event_stream_strings(o->stream)) + 1, e);
    if (!rc && !o->steps.count)
        rc = step ? err_set(e, ERR_INPUT, "'%s' has no NVTX range that matches '%s'", event_stream_source(o->stream),
                            step)
                  : set_missing(o, e);
    if (!rc && (o->steps.is_shared || o->steps.is_crossed))
        rc = err_set(e, ERR_INPUT, "'%s': ranges that match '%s' overlap, so steps cannot be told apart",
                     event_stream_source(o->stream), pattern);
    if (!rc)
        rc = name_steps(o, takes, e);
    free(takes);
    return rc;
}

/* ---- calls and work ---- */

static int half_order(const void *left, const void *right)
{
    const struct half *a = left, *b = right;
#define COMPARE(x, y)                                                                                                  \
    if ((x) != (y))                                                                                                    \
        return (x) < (y) ? -1 : 1;
    COMPARE(a->rank, b->rank)
    COMPARE(a->correlation, b->correlation)
    COMPARE(a->role, b->role)
    COMPARE(a->start_ns, b->start_ns)
    COMPARE(b->end_ns, a->end_ns) /* the outer one of a runtime call and the driver call with its id */
    COMPARE(a->owner, b->owner)
    COMPARE(a->kind, b->kind)
    COMPARE(a->flags, b->flags)
    COMPARE(a->size_bytes, b->size_bytes)
    COMPARE(a->device, b->device)
    COMPARE(a->out_of_scope, b->out_of_scope)
#undef COMPARE
    return 0;
}

static int64_t owner_of_call(struct launch_owners *o, const struct cpprof_event *call)
{
    if (o->kind == OWNER_STEP) {
        const size_t at = range_occurrences_at(&o->steps, call->rank, call->start_ns);
        return at == SIZE_MAX ? OWNER_NONE : (int64_t)at + 1;
    }
    const struct host_scope *scope = open_scopes_innermost(o->own, call->rank, call->thread, call->start_ns);
    if (!scope)
        scope = open_scopes_innermost(o->any, call->rank, ANY_THREAD, call->start_ns);
    return scope ? scope->name : owner_of_forward(o, call);
}

static bool is_launch(const struct cpprof_event *event)
{
    return event->kind == CPPROF_EVENT_API && event->correlation &&
           (event->detail == CPPROF_API_LAUNCH || event->detail == CPPROF_API_COPY);
}

static uint8_t role_of(const struct cpprof_event *event)
{
    return is_launch(event) ? HALF_LAUNCH : event->kind == CPPROF_EVENT_API ? HALF_OTHER_CALL : HALF_WORK;
}

static int add_half(struct launch_owners *o, const struct cpprof_event *event, bool is_call, bool out_of_scope,
                    struct err *e)
{
    struct half half = {.start_ns = event->start_ns,
                        .end_ns = event->end_ns,
                        .size_bytes = event->size_bytes,
                        .owner = OWNER_UNKNOWN,
                        .correlation = event->correlation,
                        .rank = event->rank,
                        .device = event->device,
                        .kind = event->kind,
                        .flags = event->flags,
                        .role = role_of(event),
                        .out_of_scope = out_of_scope,
                        .thread = is_call ? event->thread : 0};
    int rc = is_call && o->own ? pass_scopes(o, event->start_ns, e) : 0;
    if (!rc && is_call && o->operators.spool)
        rc = pass_operators(o, event->start_ns, e);
    if (rc)
        return rc;
    if (is_call)
        half.owner = owner_of_call(o, event);
    return record_spool_add(o->halves, &half, e);
}

static int read_in_scope(struct launch_owners *o, int64_t *events, struct err *e)
{
    struct cpprof_event event;
    int rc = event_stream_rewind(o->stream, e);
    while (!rc && (rc = event_stream_next(o->stream, &event, e)) == 1) {
        const bool is_call = event.kind == CPPROF_EVENT_API;
        ++*events;
        rc = is_call || event_is_gpu_work(&event) ? add_half(o, &event, is_call, false, e) : 0;
    }
    return rc;
}

/* Reads every launch once more, for work in the scope whose launch is outside, and all work, as it tells apart launches
 * that have one id. */
static int read_all_launches(struct launch_owners *o, struct err *e)
{
    struct cpprof_event event;
    int rc = o->kind == OWNER_STEP ? 0 : start_scopes(o, e);
    if (!rc)
        rc = event_stream_rewind(o->stream, e);
    while (!rc && (rc = event_stream_next_unscoped(o->stream, &event, e)) == 1)
        rc = is_launch(&event) || (event_is_gpu_work(&event) && event.correlation)
                 ? add_half(o, &event, is_launch(&event), true, e)
                 : 0;
    return rc;
}

static int prepare(struct launch_owners *o, const char *step, struct err *e)
{
    if (o->kind == OWNER_STEP)
        return find_steps(o, step, e);
    int rc = o->kind == OWNER_RANGE ? collect_ranges(o, e) : 0;
    if (!rc && (o->kind == OWNER_MODULE || o->kind == OWNER_FRAME))
        rc = find_forwards(o, e);
    if (!rc)
        rc = start_scopes(o, e);
    return !rc && !o->scopes.has_next ? set_missing(o, e) : rc;
}

static int read_stream(struct launch_owners *o, const char *step, struct err *e)
{
    int64_t events = 0;
    int rc = record_spool_new(&o->halves, sizeof(struct half), HALVES_IN_MEMORY, half_order, e);
    if (!rc)
        rc = prepare(o, step, e);
    if (!rc)
        rc = read_in_scope(o, &events, e);
    if (!rc && events != event_stream_count(o->stream))
        rc = read_all_launches(o, e);
    if (!rc)
        rc = event_stream_rewind(o->stream, e);
    return rc ? rc : record_spool_rewind(o->halves, e);
}

int launch_owners_new(struct launch_owners **out, struct event_stream *stream, enum owner_kind kind, const char *step,
                      struct err *e)
{
    struct launch_owners *o = calloc(1, sizeof *o);
    *out = NULL;
    if (!o)
        return err_memory(e);
    o->stream = stream;
    o->kind = kind;
    int rc = read_stream(o, step, e);
    if (rc)
        launch_owners_free(o);
    else
        *out = o;
    return rc;
}

/* ---- results ---- */

static bool is_of_group(const struct launch_owners *o, const struct half *half)
{
    return o->group.count && half->correlation && o->group.items[0].rank == half->rank &&
           o->group.items[0].correlation == half->correlation;
}

/* Is it the same launch once more, because it is in the scope, or the driver call inside it with its id? */
static bool is_part_of(const struct half *call, const struct half *outer)
{
    return call->thread == outer->thread && call->start_ns >= outer->start_ns && call->end_ns <= outer->end_ns &&
           (call->start_ns < outer->end_ns || call->start_ns == outer->start_ns);
}

static int add_to_group(struct launch_owners *o, const struct half *call, struct err *e)
{
    if (!is_of_group(o, call))
        o->group.count = o->work.count = o->call_starts.count = o->work_starts.count = 0;
    const size_t count = o->group.count;
    if (count > CALL_USES_MAX || (count && is_part_of(call, &o->group.items[count - 1])))
        return 0;
    struct half *slot = ARRAY_PUSH(&o->group);
    int64_t *start = slot ? ARRAY_PUSH(&o->call_starts) : NULL;
    if (!start)
        return err_memory(e);
    *slot = *call;
    *start = call->start_ns;
    return 0;
}

/* Keeps work of an id that several launches have until all of it is read. Work of the scope comes a second time where
 * all was read once more. */
static int keep_work(struct launch_owners *o, const struct half *work, struct err *e)
{
    const struct half *last = o->work.count ? &o->work.items[o->work.count - 1] : NULL;
    if (last && work->out_of_scope && !last->out_of_scope && last->start_ns == work->start_ns &&
        last->end_ns == work->end_ns && last->device == work->device && last->size_bytes == work->size_bytes)
        return 0;
    struct half *slot = ARRAY_PUSH(&o->work);
    int64_t *start = slot ? ARRAY_PUSH(&o->work_starts) : NULL;
    if (!start)
        return err_memory(e);
    *slot = *work;
    *start = work->start_ns;
    return 0;
}

static bool end_group(struct launch_owners *o)
{
    o->is_giving = o->work.count > 0;
    o->is_doubtful = o->is_giving && !call_uses_are_known(o->call_starts.items, o->call_starts.count,
                                                          o->work_starts.items, o->work_starts.count);
    o->given = 0;
    return o->is_giving;
}

static bool give(const struct half *half, int64_t owner, struct owned_event *out)
{
    *out = (struct owned_event){.start_ns = half->start_ns,
                                .end_ns = half->end_ns,
                                .size_bytes = half->size_bytes,
                                .owner = owner,
                                .correlation = half->correlation,
                                .rank = half->rank,
                                .device = half->device,
                                .kind = half->kind,
                                .flags = half->flags};
    return !half->out_of_scope;
}

/* Gives the next work of a group: work i belongs to launch i. */
static bool give_next(struct launch_owners *o, struct owned_event *out)
{
    while (o->given < o->work.count) {
        const size_t i = o->given++;
        o->doubtful += o->is_doubtful && !o->work.items[i].out_of_scope;
        if (give(&o->work.items[i], o->is_doubtful ? OWNER_UNKNOWN : o->group.items[i].owner, out))
            return true;
    }
    o->work.count = 0;
    o->is_giving = false;
    return false;
}

/* Takes one half. Returns 1 when it gives something, 0, or an error code. */
static int take(struct launch_owners *o, const struct half *half, struct owned_event *out, struct err *e)
{
    const bool is_own = is_of_group(o, half);
    if (!is_own && end_group(o)) {
        o->ahead = *half;
        o->has_ahead = true;
        return 0;
    }
    if (half->role == HALF_LAUNCH) {
        const int rc = add_to_group(o, half, e);
        return rc ? rc : give(half, half->owner, out);
    }
    if (half->role == HALF_WORK && is_own && o->group.count > 1 && o->work.count <= CALL_USES_MAX)
        return keep_work(o, half, e);
    if (half->role == HALF_OTHER_CALL)
        return give(half, half->owner, out);
    return give(half, is_own && o->group.count == 1 ? o->group.items[0].owner : OWNER_UNKNOWN, out);
}

static int tell_doubtful(struct launch_owners *o, struct err *e)
{
    const int64_t doubtful = o->doubtful;
    o->doubtful = 0;
    return doubtful ? caveat_add(event_stream_own_caveats(o->stream), CAVEAT_NOTE, e, DOUBTFUL_CALLS "%lld",
                                 (long long)doubtful)
                    : 0;
}

static int read_half(struct launch_owners *o, struct half *half, struct err *e)
{
    if (!o->has_ahead)
        return record_spool_next(o->halves, half, e);
    *half = o->ahead;
    o->has_ahead = false;
    return 1;
}

int launch_owners_next(struct launch_owners *o, struct owned_event *out, struct err *e)
{
    struct half half;
    int rc;
    for (;;) {
        if (o->is_giving && give_next(o, out))
            return 1;
        rc = read_half(o, &half, e);
        if (rc == 1)
            rc = take(o, &half, out, e);
        else if (!rc && !end_group(o))
            return tell_doubtful(o, e);
        if (rc)
            return rc;
    }
}

void launch_owners_name(const struct launch_owners *o, int64_t owner, struct str *out)
{
    const struct strtab *names = event_stream_strings(o->stream);
    if (o->kind != OWNER_STEP) {
        str_add(out, strtab_text(names, (uint32_t)owner));
        return;
    }
    const struct step_name *step = &o->step_names[owner - 1];
    str_add(out, strtab_text(names, step->name));
    if (!step->is_alone)
        str_addf(out, " %u", (unsigned)step->number);
}

int64_t launch_owners_max(const struct launch_owners *o)
{
    return o->kind == OWNER_STEP ? (int64_t)o->steps.count : (int64_t)strtab_count(event_stream_strings(o->stream));
}
