/* What does NCCL say of its collectives, and when were their kernels launched? */
#define _GNU_SOURCE
#include "collector/inject/guest_collectives.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/collective_row.h"
#include "base/shard_chunk.h"

/* Limits: launches of a communicator of which nothing was said yet; kinds of operations; rows that wait. */
enum { LAUNCHES_MAX = 64, OPERATIONS_MAX = 16, WAITING_MAX = 1 << 16, WORD_BYTES = 24, NAME_BYTES = 64 };

struct launch {
    int64_t begin_ns, end_ns;
    uint32_t thread;
};

struct operation {
    char name[WORD_BYTES];
    uint64_t count; /* collectives of it so far, as NCCL counts */
};

struct guest_communicator {
    uint64_t id;
    char name[NAME_BYTES];
    int ranks, rank;
    bool is_known, is_captured, tells_launches;
    struct launch launches[LAUNCHES_MAX]; /* the oldest first */
    size_t launch_count;
    struct launch current; /* of the collectives that are reported now */
    bool has_current;
    struct operation operations[OPERATIONS_MAX];
    size_t operation_count;
};

/* A row with its texts, before the shard has ids for them. */
struct waiting {
    struct collective_row row;
    char operation[WORD_BYTES], type[WORD_BYTES], algorithm[WORD_BYTES], protocol[WORD_BYTES], name[NAME_BYTES];
};

struct waiting_list {
    struct waiting *items;
    size_t count, capacity;
};

static struct {
    CUptiResult (*clock)(uint64_t *now_ns);
    atomic_bool is_on;
    pthread_mutex_t lock; /* guards the fields below and all communicators */
    struct waiting_list waiting;
    uint64_t opened, taken, unlaunched, lost;
    uint64_t stored; /* the writing thread's */
} nccl = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local uint32_t thread_number;
static _Thread_local int64_t reported_ns; /* when this thread reported last */

static uint32_t this_thread(void)
{
    return thread_number ? thread_number : (thread_number = (uint32_t)gettid());
}

static int64_t now_ns(void)
{
    uint64_t now = 0;
    return nccl.clock(&now) ? 0 : (int64_t)now;
}

static void copy_text(char *to, size_t bytes, const char *from)
{
    snprintf(to, bytes, "%s", from ? from : "");
}

/* Returns false, without the lock, when nothing is recorded: in a forked child it may be held for ever. */
static bool lock_if_on(void)
{
    if (!atomic_load(&nccl.is_on))
        return false;
    pthread_mutex_lock(&nccl.lock);
    return true;
}

static void unlock(void)
{
    pthread_mutex_unlock(&nccl.lock);
}

/* ---- communicators ---- */

static void identify(struct guest_communicator *c, const struct communicator_identity *identity)
{
    c->id = identity->id;
    c->ranks = identity->ranks;
    c->rank = identity->rank;
    copy_text(c->name, sizeof c->name, identity->name);
    c->is_known = true;
}

struct guest_communicator *guest_collectives_open(const struct communicator_identity *identity)
{
    struct guest_communicator *c = atomic_load(&nccl.is_on) ? calloc(1, sizeof *c) : NULL;
    if (!c)
        return NULL;
    if (identity->rank >= 0)
        identify(c, identity);
    reported_ns = now_ns();
    if (lock_if_on()) {
        nccl.opened++;
        unlock();
    }
    return c;
}

void guest_collectives_close(struct guest_communicator *c)
{
    free(c);
}

void guest_collectives_identify(struct guest_communicator *c, const struct communicator_identity *identity)
{
    if (!lock_if_on())
        return;
    if (!c->is_known)
        identify(c, identity);
    unlock();
}

/* ---- launches ---- */

void guest_collectives_call(struct guest_communicator *c, bool is_captured)
{
    if (!lock_if_on())
        return;
    c->is_captured = is_captured;
    unlock();
}

static void forget_oldest(struct guest_communicator *c, size_t at)
{
    c->launch_count--;
    memmove(&c->launches[at], &c->launches[at + 1], (c->launch_count - at) * sizeof *c->launches);
}

void guest_collectives_launch(struct guest_communicator *c)
{
    const int64_t begin_ns = now_ns();
    if (!lock_if_on())
        return;
    c->tells_launches = true;
    if (c->launch_count == LAUNCHES_MAX)
        forget_oldest(c, 0);
    if (!c->is_captured)
        c->launches[c->launch_count++] = (struct launch){begin_ns, INT64_MAX, this_thread()};
    unlock();
}

void guest_collectives_launched(struct guest_communicator *c)
{
    const int64_t end_ns = now_ns();
    if (!lock_if_on())
        return;
    for (size_t i = c->launch_count; i-- > 0;)
        if (c->launches[i].thread == this_thread() && c->launches[i].end_ns == INT64_MAX) {
            c->launches[i].end_ns = end_ns;
            break;
        }
    unlock();
}

/* NCCL reports on the thread that launched. Where the host waits for each kernel a thread of CUDA reports, and so it
 * does for each run of a graph, whose kernels nobody launches one by one. */
static bool take_launch(struct guest_communicator *c, uint32_t thread)
{
    for (size_t i = 0; i < c->launch_count; i++)
        if (c->launches[i].end_ns != INT64_MAX && (c->launches[i].thread == thread || !c->is_captured)) {
            c->current = c->launches[i];
            forget_oldest(c, i);
            return true;
        }
    return false;
}

void guest_collectives_plan(struct guest_communicator *c)
{
    const int64_t end_ns = now_ns();
    if (!lock_if_on())
        return;
    const uint32_t thread = this_thread();
    if (c->tells_launches)
        c->has_current = take_launch(c, thread);
    else {
        c->current = (struct launch){reported_ns < end_ns ? reported_ns : end_ns, end_ns, thread};
        c->has_current = true;
    }
    reported_ns = end_ns;
    unlock();
}

/* ---- collectives ---- */

/* NCCL counts each operation for itself. Together their counts are the place among all. */
static int64_t place_of(struct guest_communicator *c, const struct reported_collective *reported)
{
    struct operation *o = c->operations, *end = c->operations + c->operation_count;
    char name[WORD_BYTES];
    copy_text(name, sizeof name, reported->operation);
    while (o < end && strcmp(o->name, name) != 0)
        o++;
    if (o == end && c->operation_count == OPERATIONS_MAX)
        return -1;
    if (o == end) {
        memcpy(o->name, name, sizeof name);
        c->operation_count++;
    }
    if (o->count <= reported->sequence)
        o->count = reported->sequence + 1;
    uint64_t place = 0;
    for (size_t i = 0; i < c->operation_count; i++)
        place += c->operations[i].count;
    return (int64_t)place;
}

/* The caller holds the lock. */
static void add_waiting(const struct guest_communicator *c, const struct reported_collective *reported, int64_t place)
{
    struct waiting *w = nccl.waiting.count < WAITING_MAX ? ARRAY_PUSH(&nccl.waiting) : NULL;
    if (!w) {
        nccl.lost++;
        return;
    }
    *w = (struct waiting){.row = {.begin_ns = c->current.begin_ns,
                                  .end_ns = c->current.end_ns,
                                  .communicator = c->id,
                                  .sequence = (int64_t)reported->sequence,
                                  .position = place,
                                  .count = reported->count,
                                  .rank = c->rank,
                                  .ranks = c->ranks > 0 ? (uint32_t)c->ranks : 0,
                                  .thread = c->current.thread}};
    copy_text(w->operation, sizeof w->operation, reported->operation);
    copy_text(w->type, sizeof w->type, reported->type);
    copy_text(w->algorithm, sizeof w->algorithm, reported->algorithm);
    copy_text(w->protocol, sizeof w->protocol, reported->protocol);
    copy_text(w->name, sizeof w->name, c->name);
}

void guest_collectives_take(struct guest_communicator *c, const struct reported_collective *reported)
{
    if (!lock_if_on())
        return;
    nccl.taken++;
    if (!c->has_current) {
        nccl.unlaunched++; /* a run of a graph, which NCCL does not number */
    } else {
        const int64_t place = place_of(c, reported);
        if (place > 0)
            add_waiting(c, reported, place);
        else
            nccl.lost++;
    }
    unlock();
}

/* ---- for the guest ---- */

void guest_collectives_start(CUptiResult (*clock)(uint64_t *now_ns))
{
    nccl.clock = clock;
    atomic_store(&nccl.is_on, true);
}

void guest_collectives_stop(void)
{
    atomic_store(&nccl.is_on, false);
}

static uint32_t text_id(struct shard_writer *shard, const char *text)
{
    return *text ? shard_writer_label(shard, text) : 0;
}

static void give_ids(struct shard_writer *shard, struct waiting *w)
{
    w->row.operation = text_id(shard, w->operation);
    w->row.type = text_id(shard, w->type);
    w->row.algorithm = text_id(shard, w->algorithm);
    w->row.protocol = text_id(shard, w->protocol);
    w->row.name = text_id(shard, w->name);
}

void guest_collectives_store(struct shard_writer *shard)
{
    pthread_mutex_lock(&nccl.lock);
    struct waiting_list list = nccl.waiting;
    nccl.waiting = (struct waiting_list){0};
    pthread_mutex_unlock(&nccl.lock);
    struct collective_row *rows = list.count ? calloc(list.count, sizeof *rows) : NULL;
    for (size_t i = 0; rows && i < list.count; i++) {
        give_ids(shard, &list.items[i]);
        rows[i] = list.items[i].row;
    }
    if (rows && !shard_chunk_append(shard, SHARD_CHUNK_COLLECTIVES, rows, list.count * sizeof *rows, NULL))
        nccl.stored += list.count;
    free(rows);
    free(list.items);
}

json_t *guest_collectives_facts(void)
{
    pthread_mutex_lock(&nccl.lock);
    const uint64_t opened = nccl.opened, taken = nccl.taken, unlaunched = nccl.unlaunched;
    pthread_mutex_unlock(&nccl.lock);
    return opened
               ? json_pack("{s:I,s:I,s:I,s:I}", "communicators", (json_int_t)opened, "collectives", (json_int_t)taken,
                           "from_graphs", (json_int_t)unlaunched, "stored", (json_int_t)nccl.stored)
               : NULL;
}
