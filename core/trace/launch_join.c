/* Which call started which work?
 *
 * Both go as records into one spool, whose order puts the call of an id before its work. Reading it back is the
 * join. */
#include "core/trace/launch_join.h"

#include <assert.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/key_table.h"
#include "core/io/record_spool.h"
#include "core/trace/event_spool.h"
#include "core/trace/identity.h"
#include "core/trace/selector.h"

enum { RECORDS_IN_MEMORY = 64 * 1024, THREADS_MAX = 65536 };

enum half_kind { HALF_CALL, HALF_WORK };

/* A call or work before they are joined. No padding, because records are written as bytes. */
struct half {
    int64_t start_ns, end_ns;
    uint64_t amount; /* bytes; for a kernel the blocks of its grid */
    uint32_t correlation;
    uint32_t name;
    uint32_t thread;
    uint32_t context, stream;
    uint32_t detail;
    int16_t rank, device;
    uint16_t event_kind;
    uint8_t half;  /* enum half_kind */
    uint8_t flags; /* enum half_flag */
};

enum half_flag { HALF_NESTED = 1, HALF_OUT_OF_SCOPE = 2, HALF_DRIVER = 4, HALF_PAGEABLE = 8, HALF_COMMUNICATES = 16 };

/* The last call of a thread, kept until it is known whether another call is inside it. */
struct open_call {
    struct half call;
    bool is_open;
};

struct launch_join {
    struct record_spool *halves;
    int64_t calls;
    struct key_table threads;
    struct {
        struct open_call *items; /* one for each thread id */
        size_t count, capacity;
    } open;

    /* The group that is being read: the calls of one id, and its work where there are several of them. */
    ARRAY_OF(struct half) group, work;
    ARRAY_OF(int64_t) call_starts, work_starts;
    bool is_reported;
    bool is_doubtful; /* of a group that is given from here on */
    uint32_t part;
    size_t given_calls, given_work;
    struct half ahead; /* the first of the next group */
    bool has_ahead, is_giving;

    struct event_stream *stream;
    int64_t doubtful;
    bool is_told;
};

/* Sorts calls with equal ids: those that start something come first. */
static int call_rank(const struct half *h)
{
    return h->detail == CPPROF_API_LAUNCH || h->detail == CPPROF_API_COPY ? 0 : 1;
}

static int half_order(const void *left, const void *right)
{
    const struct half *a = left, *b = right;
#define COMPARE(x, y)                                                                                                  \
    if ((x) != (y))                                                                                                    \
        return (x) < (y) ? -1 : 1;
    COMPARE(a->rank, b->rank)
    COMPARE(a->correlation, b->correlation)
    COMPARE(a->half, b->half)
    if (a->half == HALF_CALL) {
        COMPARE(call_rank(a), call_rank(b))
        COMPARE(a->start_ns, b->start_ns)
        COMPARE(b->end_ns, a->end_ns) /* the outer one of a runtime call and the driver call with its id */
        COMPARE(a->flags, b->flags)   /* calls in the scope first */
    }
    COMPARE(a->start_ns, b->start_ns)
    COMPARE(a->end_ns, b->end_ns)
    COMPARE(a->device, b->device)
    COMPARE(a->stream, b->stream)
    COMPARE(a->name, b->name)
    COMPARE(a->flags & HALF_OUT_OF_SCOPE, b->flags & HALF_OUT_OF_SCOPE)
#undef COMPARE
    return 0;
}

static uint64_t amount_of(const struct cpprof_event *event)
{
    return event->kind == CPPROF_EVENT_KERNEL ? (uint64_t)event->grid[0] * event->grid[1] * event->grid[2]
                                              : event->size_bytes;
}

static struct half half_of(const struct cpprof_event *event, uint8_t half)
{
    return (struct half){.start_ns = event->start_ns,
                         .end_ns = event->end_ns,
                         .amount = amount_of(event),
                         .correlation = event->correlation,
                         .name = event->name,
                         .thread = event->thread,
                         .context = event->context,
                         .stream = event->stream,
                         .detail = event->detail,
                         .rank = event->rank,
                         .device = event->device,
                         .event_kind = event->kind,
                         .half = half};
}

static int open_call_of(struct open_call **out, struct launch_join *j, const struct half *call, struct err *e)
{
    const uint32_t id = key_table_add(&j->threads, call->rank, call->thread);
    if (id > THREADS_MAX)
        return err_set(e, ERR_INPUT, "calls on more than %d threads", THREADS_MAX);
    if (!id || (id > j->open.count && !ARRAY_PUSH(&j->open)))
        return err_memory(e);
    *out = &j->open.items[id - 1];
    return 0;
}

static bool is_driver_call_in(const struct half *inner, const struct half *outer)
{
    return inner->flags & HALF_DRIVER && !(outer->flags & HALF_DRIVER) && inner->detail == outer->detail &&
           inner->correlation != outer->correlation && inner->start_ns >= outer->start_ns &&
           inner->end_ns <= outer->end_ns;
}

static int add_nested(struct launch_join *j, const struct half *inner, const struct half *outer, struct err *e)
{
    struct half call = *inner;
    call.start_ns = outer->start_ns;
    call.end_ns = outer->end_ns;
    call.name = outer->name;
    call.flags |= HALF_NESTED;
    return record_spool_add(j->halves, &call, e);
}

/* Calls come in the order of their starts; of those with equal starts the shorter comes first. */
static int add_call(struct launch_join *j, const struct half *call, struct err *e)
{
    struct open_call *open = NULL;
    int rc = open_call_of(&open, j, call, e);
    if (rc)
        return rc;
    assert(open);
    if (open->is_open && is_driver_call_in(call, &open->call)) {
        open->call.flags |= HALF_NESTED;
        return add_nested(j, call, &open->call, e);
    }
    if (open->is_open && is_driver_call_in(&open->call, call)) {
        rc = add_nested(j, &open->call, call, e);
        *open = (struct open_call){*call, true};
        open->call.flags |= HALF_NESTED;
        return rc;
    }
    if (open->is_open)
        rc = record_spool_add(j->halves, &open->call, e);
    *open = (struct open_call){*call, true};
    return rc;
}

static int close_calls(struct launch_join *j, struct err *e)
{
    for (size_t i = 0; i < j->open.count; i++) {
        struct open_call *open = &j->open.items[i];
        int rc = open->is_open ? record_spool_add(j->halves, &open->call, e) : 0;
        if (rc)
            return rc;
        open->is_open = false;
    }
    return 0;
}

static bool is_finished(const struct cpprof_event *event)
{
    return !(event->flags & CPPROF_EVENT_UNFINISHED);
}

static int add_event(struct launch_join *j, const struct cpprof_event *event, uint8_t flags, struct err *e)
{
    if (!is_finished(event))
        return 0;
    if (event->kind == CPPROF_EVENT_API && event->correlation) {
        struct half call = half_of(event, HALF_CALL);
        call.flags = flags | (event->flags & CPPROF_EVENT_DRIVER_API ? HALF_DRIVER : 0);
        return add_call(j, &call, e);
    }
    if (!event_is_gpu_work(event) || (flags && !event->correlation))
        return 0;
    struct half work = half_of(event, HALF_WORK);
    work.flags = flags | (event_is_pageable(event) ? HALF_PAGEABLE : 0) |
                 (event->flags & EVENT_COMMUNICATES ? HALF_COMMUNICATES : 0);
    return record_spool_add(j->halves, &work, e);
}

/* Reads everything in the scope, and counts the events. */
static int read_scope(struct launch_join *j, struct event_stream *stream, int64_t *events, struct err *e)
{
    struct cpprof_event event;
    int rc = event_stream_rewind(stream, e);
    while (!rc && (rc = event_stream_next(stream, &event, e)) == 1) {
        ++*events;
        rc = add_event(j, &event, 0, e);
    }
    return rc ? rc : close_calls(j, e);
}

/* Reads every call once more, for work in the scope whose call is outside, and all work, as it tells apart calls that
 * have one id. */
static int read_calls(struct launch_join *j, struct event_stream *stream, bool add, struct err *e)
{
    struct cpprof_event event;
    int rc = event_stream_rewind(stream, e);
    while (!rc && (rc = event_stream_next_unscoped(stream, &event, e)) == 1) {
        rc = 0;
        j->calls += event.kind == CPPROF_EVENT_API;
        if (add)
            rc = add_event(j, &event, HALF_OUT_OF_SCOPE, e);
    }
    return rc ? rc : close_calls(j, e);
}

int launch_join_new(struct launch_join **out, struct event_stream *stream, struct err *e)
{
    int64_t events = 0;
    struct launch_join *j = calloc(1, sizeof *j);
    int rc = j ? record_spool_new(&j->halves, sizeof(struct half), RECORDS_IN_MEMORY, half_order, e) : err_memory(e);
    if (!rc) {
        j->stream = stream;
        rc = read_scope(j, stream, &events, e);
    }
    if (!rc)
        rc = read_calls(j, stream, events != event_stream_count(stream), e);
    if (!rc)
        rc = event_stream_rewind(stream, e);
    if (!rc)
        rc = launch_join_rewind(j, e);
    if (rc) {
        launch_join_free(j);
        j = NULL;
    }
    *out = j;
    return rc;
}

void launch_join_free(struct launch_join *j)
{
    if (!j)
        return;
    record_spool_free(j->halves);
    key_table_release(&j->threads);
    free(j->open.items);
    free(j->group.items);
    free(j->work.items);
    free(j->call_starts.items);
    free(j->work_starts.items);
    free(j);
}

int64_t launch_join_calls(const struct launch_join *j)
{
    return j->calls;
}

int launch_join_rewind(struct launch_join *j, struct err *e)
{
    j->group.count = 0;
    j->has_ahead = j->is_giving = false;
    j->doubtful = 0;
    return record_spool_rewind(j->halves, e);
}

static void set_call(struct launched *out, const struct half *call)
{
    out->has_call = true;
    out->is_nested = call->flags & HALF_NESTED;
    out->call_start_ns = call->start_ns;
    out->call_end_ns = call->end_ns;
    out->call_name = call->name;
    out->call_detail = call->detail;
    out->thread = call->thread;
}

static void set_work(struct launched *out, const struct half *work)
{
    out->start_ns = work->start_ns;
    out->end_ns = work->end_ns;
    const bool is_kernel = work->event_kind == CPPROF_EVENT_KERNEL;
    out->size_bytes = is_kernel ? 0 : work->amount;
    out->grid_blocks = is_kernel ? work->amount : 0;
    out->name = work->name;
    out->context = work->context;
    out->stream = work->stream;
    out->detail = work->detail;
    out->device = work->device;
    out->kind = work->event_kind;
    out->is_pageable = work->flags & HALF_PAGEABLE;
    out->communicates = work->flags & HALF_COMMUNICATES;
}

static bool same_launch(const struct half *a, const struct half *b)
{
    return a->rank == b->rank && a->correlation == b->correlation;
}

/* Calls outside the scope, and calls inside or around another one, are not given without work. */
static bool give_call(const struct half *call, bool is_doubtful, struct launched *out)
{
    if (call->flags & (HALF_NESTED | HALF_OUT_OF_SCOPE))
        return false;
    *out = (struct launched){
        .rank = call->rank, .device = -1, .correlation = call->correlation, .is_doubtful = is_doubtful};
    set_call(out, call);
    return true;
}

static bool give_work(struct launch_join *j, const struct half *work, const struct half *call, bool is_doubtful,
                      struct launched *out)
{
    if (work->flags & HALF_OUT_OF_SCOPE)
        return false;
    *out = (struct launched){.rank = work->rank, .correlation = work->correlation};
    set_work(out, work);
    if (call)
        set_call(out, call);
    out->is_doubtful = is_doubtful;
    j->doubtful += is_doubtful;
    return true;
}

/* Is it the same call once more, because it is in the scope, or the driver call inside it with its id? */
static bool is_part_of(const struct half *call, const struct half *outer)
{
    return call->thread == outer->thread && call->start_ns >= outer->start_ns && call->end_ns <= outer->end_ns &&
           (call->start_ns < outer->end_ns || call->start_ns == outer->start_ns);
}

/* Adds a call to the group. Calls that start nothing count only where no other has the id. */
static int add_to_group(struct launch_join *j, const struct half *call, struct err *e)
{
    const size_t count = j->group.count;
    if (count && (call_rank(call) != call_rank(&j->group.items[0]) || count > CALL_USES_MAX ||
                  is_part_of(call, &j->group.items[count - 1])))
        return 0;
    struct half *slot = ARRAY_PUSH(&j->group);
    int64_t *start = slot ? ARRAY_PUSH(&j->call_starts) : NULL;
    if (!start)
        return err_memory(e);
    *slot = *call;
    *start = call->start_ns;
    return 0;
}

static int begin_group(struct launch_join *j, const struct half *call, struct err *e)
{
    j->group.count = j->work.count = j->call_starts.count = j->work_starts.count = 0;
    j->is_reported = j->is_giving = false;
    j->part = 0;
    return add_to_group(j, call, e);
}

/* Work of the scope comes a second time where all was read once more. */
static bool is_again(const struct launch_join *j, const struct half *work)
{
    const struct half *last = j->work.count ? &j->work.items[j->work.count - 1] : NULL;
    return last && last->start_ns == work->start_ns && last->end_ns == work->end_ns && last->device == work->device &&
           last->stream == work->stream && last->name == work->name && work->flags & HALF_OUT_OF_SCOPE &&
           !(last->flags & HALF_OUT_OF_SCOPE);
}

/* Keeps work of an id that several calls have until all of it is read. */
static int keep_work(struct launch_join *j, const struct half *work, struct err *e)
{
    if (is_again(j, work))
        return 0;
    struct half *slot = ARRAY_PUSH(&j->work);
    int64_t *start = slot ? ARRAY_PUSH(&j->work_starts) : NULL;
    if (!start)
        return err_memory(e);
    *slot = *work;
    *start = work->start_ns;
    return 0;
}

/* The group is read. Is there something to give? */
static bool end_group(struct launch_join *j)
{
    j->is_giving = j->group.count > 1 || (j->group.count && !j->is_reported);
    j->is_doubtful = j->group.count > 1 && !call_uses_are_known(j->call_starts.items, j->call_starts.count,
                                                                j->work_starts.items, j->work_starts.count);
    j->given_calls = j->given_work = 0;
    return j->is_giving;
}

/* Gives the next of a group: each call with its work, or apart where it is not known which belong together. */
static bool give_next(struct launch_join *j, struct launched *out)
{
    while (j->given_work < j->work.count || j->given_calls < j->group.count) {
        if (j->is_doubtful && j->given_work < j->work.count) {
            if (give_work(j, &j->work.items[j->given_work++], NULL, true, out))
                return true;
            continue;
        }
        const struct half *call = &j->group.items[j->given_calls++];
        const bool has_work = !j->is_doubtful && j->given_work < j->work.count;
        if (has_work ? give_work(j, &j->work.items[j->given_work++], call, false, out)
                     : give_call(call, j->is_doubtful && j->work.count, out))
            return true;
    }
    j->group.count = 0;
    j->is_giving = false;
    return false;
}

static bool is_of_group(const struct launch_join *j, const struct half *half)
{
    return j->group.count && half->correlation && same_launch(half, &j->group.items[0]);
}

/* Work that is given at once: its id has one call, or none, or there is too much of it to be told apart. */
static bool take_work(struct launch_join *j, const struct half *work, struct launched *out)
{
    const bool is_of_some = is_of_group(j, work), has_call = is_of_some && j->group.count == 1;
    if (!give_work(j, work, has_call ? &j->group.items[0] : NULL, is_of_some && !has_call, out))
        return false;
    if (has_call) {
        out->part = j->part++;
        j->is_reported = true;
    }
    return true;
}

/* Takes one half. Returns 1 when it gives something, 0, or an error code. */
static int take(struct launch_join *j, const struct half *half, struct launched *out, struct err *e)
{
    if (is_of_group(j, half)) {
        if (half->half == HALF_CALL)
            return add_to_group(j, half, e);
        return j->group.count > 1 && j->work.count <= CALL_USES_MAX ? keep_work(j, half, e) : take_work(j, half, out);
    }
    if (end_group(j)) {
        j->ahead = *half;
        j->has_ahead = true;
        return 0;
    }
    return half->half == HALF_CALL ? begin_group(j, half, e) : take_work(j, half, out);
}

static int tell_doubtful(struct launch_join *j, struct err *e)
{
    if (!j->doubtful || j->is_told)
        return 0;
    j->is_told = true;
    return caveat_add(event_stream_own_caveats(j->stream), CAVEAT_NOTE, e, DOUBTFUL_CALLS "%lld",
                      (long long)j->doubtful);
}

static int read_half(struct launch_join *j, struct half *half, struct err *e)
{
    if (!j->has_ahead)
        return record_spool_next(j->halves, half, e);
    *half = j->ahead;
    j->has_ahead = false;
    return 1;
}

int launch_join_next(struct launch_join *j, struct launched *out, struct err *e)
{
    struct half half;
    int rc;
    for (;;) {
        if (j->is_giving && give_next(j, out))
            return 1;
        rc = read_half(j, &half, e);
        if (rc == 1)
            rc = take(j, &half, out, e);
        else if (!rc && !end_group(j))
            return tell_doubtful(j, e);
        if (rc)
            return rc;
    }
}
