/* Which call started which work?
 *
 * Both go as records into one spool whose order puts the call of an id before
 * its work: reading it back is the join. */
#include "trace/launch_join.h"

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/key_table.h"
#include "io/record_spool.h"
#include "trace/selector.h"

enum { RECORDS_IN_MEMORY = 64 * 1024, THREADS_MAX = 65536 };

enum half_kind { HALF_CALL, HALF_WORK };

/* A call or work until they are joined; no padding, since records are written whole. */
struct half {
    int64_t start_ns, end_ns;
    uint64_t amount; /* bytes; of a kernel the blocks of its grid */
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

enum half_flag { HALF_NESTED = 1, HALF_OUT_OF_SCOPE = 2, HALF_DRIVER = 4, HALF_PAGEABLE = 8 };

/* The last call of a thread, until it is known whether another one lies in it. */
struct open_call {
    struct half call;
    bool is_open;
};

struct launch_join {
    struct record_spool *halves;
    int64_t calls;
    struct key_table threads;
    struct {
        struct open_call *items; /* one for each id of threads */
        size_t count, capacity;
    } open;

    struct half call; /* of the group that is being read; kind HALF_CALL */
    bool has_call, is_reported;
    uint32_t part;
};

/* What a lone call is good for: those that start something come first. */
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
        COMPARE(b->end_ns, a->end_ns) /* of a runtime call and the driver call with its id the outer one */
        COMPARE(a->flags, b->flags)   /* in scope before out of it */
    }
    COMPARE(a->start_ns, b->start_ns)
    COMPARE(a->end_ns, b->end_ns)
    COMPARE(a->device, b->device)
    COMPARE(a->stream, b->stream)
    COMPARE(a->name, b->name)
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

/* Calls come in the order of their starts, of equal starts the shorter first. */
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
    if (flags || !event_is_gpu_work(event))
        return 0;
    struct half work = half_of(event, HALF_WORK);
    work.flags = event_is_pageable(event) ? HALF_PAGEABLE : 0;
    return record_spool_add(j->halves, &work, e);
}

/* Everything in the scope; how many events that were. */
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

/* Every call once more, for work in the scope whose call is not. */
static int read_calls(struct launch_join *j, struct event_stream *stream, bool add, struct err *e)
{
    struct cpprof_event event;
    int rc = event_stream_rewind(stream, e);
    while (!rc && (rc = event_stream_next_unscoped(stream, &event, e)) == 1) {
        rc = 0;
        if (event.kind != CPPROF_EVENT_API)
            continue;
        j->calls++;
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
    if (!rc)
        rc = read_scope(j, stream, &events, e);
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
    free(j);
}

int64_t launch_join_calls(const struct launch_join *j)
{
    return j->calls;
}

int launch_join_rewind(struct launch_join *j, struct err *e)
{
    j->has_call = false;
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
}

static bool same_launch(const struct half *a, const struct half *b)
{
    return a->rank == b->rank && a->correlation == b->correlation;
}

/* A call whose group ended without work. Calls outside of the scope, and those
 * that hold or are held by another one, are none of that. */
static bool take_lone_call(struct launch_join *j, struct launched *out)
{
    const bool is_lone = j->has_call && !j->is_reported && !(j->call.flags & (HALF_NESTED | HALF_OUT_OF_SCOPE));
    if (is_lone) {
        *out = (struct launched){.rank = j->call.rank, .device = -1, .correlation = j->call.correlation};
        set_call(out, &j->call);
    }
    j->has_call = false;
    return is_lone;
}

static void begin_group(struct launch_join *j, const struct half *call)
{
    j->call = *call;
    j->has_call = true;
    j->is_reported = false;
    j->part = 0;
}

static void take_work(struct launch_join *j, const struct half *work, struct launched *out)
{
    *out = (struct launched){.rank = work->rank, .correlation = work->correlation};
    set_work(out, work);
    if (!j->has_call || !work->correlation || !same_launch(work, &j->call))
        return;
    set_call(out, &j->call);
    out->part = j->part++;
    j->is_reported = true;
}

int launch_join_next(struct launch_join *j, struct launched *out, struct err *e)
{
    struct half half;
    int rc;
    while ((rc = record_spool_next(j->halves, &half, e)) == 1) {
        if (half.half == HALF_WORK) {
            take_work(j, &half, out);
            return 1;
        }
        if (j->has_call && same_launch(&half, &j->call))
            continue;
        const bool lone = take_lone_call(j, out);
        begin_group(j, &half);
        if (lone)
            return 1;
    }
    if (!rc && take_lone_call(j, out))
        return 1;
    return rc;
}
