/* What does NCCL say of its collectives, and when were their kernels launched? */
#define _GNU_SOURCE
#include "collector/inject/guest_collectives.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/collective_row.h"
#include "core/base/shard_chunk.h"

/* Limits: launches of a communicator of which nothing was said yet, and collectives without one; kinds of operations;
 * rows that wait. */
enum { LAUNCHES_MAX = 64, OPERATIONS_MAX = 16, WAITING_MAX = 1 << 16, WORD_BYTES = 24, NAME_BYTES = 64 };

struct launch {
    int64_t begin_ns, end_ns; /* end INT64_MAX: it is not over */
    uint32_t thread;
    bool is_captured; /* into a graph */
};

struct operation {
    char name[WORD_BYTES];
    uint64_t count;       /* collectives of it so far, as NCCL counts */
    uint64_t told_latest; /* which report of the communicator it was in */
};

/* A row with its texts, before the shard has ids for them. */
struct waiting {
    struct collective_row row;
    char operation[WORD_BYTES], type[WORD_BYTES], algorithm[WORD_BYTES], protocol[WORD_BYTES], name[NAME_BYTES];
    uint64_t plan; /* of those that are reported before their kernel is launched */
};

struct waiting_list {
    struct waiting *items;
    size_t count, capacity;
};

struct guest_communicator {
    uint64_t id;
    char name[NAME_BYTES];
    int ranks, rank;
    bool is_known, is_captured, tells_launches;
    struct launch launches[LAUNCHES_MAX]; /* of which nothing was said yet, the oldest first */
    size_t launch_count;
    struct waiting_list early; /* reported before their launch, the oldest first */
    uint64_t plans, told;      /* reports of kernels, and of collectives */
    struct operation operations[OPERATIONS_MAX];
    size_t operation_count;
};

static struct {
    CUptiResult (*clock)(uint64_t *now_ns);
    atomic_bool is_on;
    pthread_mutex_t lock; /* guards the fields below and all communicators */
    struct waiting_list waiting;
    uint64_t opened, taken, unlaunched, misnumbered;
    uint64_t stored; /* the writing thread's */
} nccl = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local uint32_t thread_number;
static _Thread_local int64_t reported_ns; /* when this thread reported last */

/* The kernel whose collectives this thread reports now. */
static _Thread_local struct {
    struct guest_communicator *of;
    uint64_t plan;
    struct launch launch;
    size_t place; /* that the launch had among those of the communicator */
    bool has_launch;
} report;

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

/* ---- launches and reports that wait for each other ---- */

static void forget_launch(struct guest_communicator *c, size_t at)
{
    c->launch_count--;
    memmove(&c->launches[at], &c->launches[at + 1], (c->launch_count - at) * sizeof *c->launches);
}

/* Takes the oldest launch that is over and is not captured. */
static bool take_oldest(struct guest_communicator *c, struct launch *launch, size_t *place)
{
    for (size_t i = 0; i < c->launch_count; i++)
        if (c->launches[i].end_ns != INT64_MAX && !c->launches[i].is_captured) {
            *place = i;
            *launch = c->launches[i];
            forget_launch(c, i);
            return true;
        }
    return false;
}

/* The caller holds the lock. */
static void store_later(const struct waiting *w)
{
    struct waiting *slot = nccl.waiting.count < WAITING_MAX ? ARRAY_PUSH(&nccl.waiting) : NULL;
    if (slot)
        *slot = *w;
}

static void set_launch(struct waiting *w, const struct launch *launch)
{
    w->row.begin_ns = launch->begin_ns;
    w->row.end_ns = launch->end_ns;
    w->row.thread = launch->thread;
}

/* What was reported before its launch has one by now: the oldest of which nothing was said on the thread that
 * launched. The caller holds the lock. */
static void launch_early(struct guest_communicator *c)
{
    struct launch launch;
    size_t done = 0, place;
    while (done < c->early.count && take_oldest(c, &launch, &place))
        for (const uint64_t plan = c->early.items[done].plan;
             done < c->early.count && c->early.items[done].plan == plan; done++) {
            set_launch(&c->early.items[done], &launch);
            store_later(&c->early.items[done]);
        }
    c->early.count -= done;
    if (done)
        memmove(c->early.items, c->early.items + done, c->early.count * sizeof *c->early.items);
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
    if (lock_if_on()) {
        launch_early(c);
        unlock();
    }
    free(c->early.items);
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
    launch_early(c);
    c->is_captured = is_captured;
    unlock();
}

/* A graph whose runs are reported leaves its launch without a report of its own. */
static void forget_captured(struct guest_communicator *c, uint32_t thread)
{
    for (size_t i = c->launch_count; i-- > 0;)
        if (c->launches[i].is_captured && c->launches[i].thread == thread)
            forget_launch(c, i);
}

void guest_collectives_launch(struct guest_communicator *c)
{
    const int64_t begin_ns = now_ns();
    if (!lock_if_on())
        return;
    launch_early(c);
    c->tells_launches = true;
    forget_captured(c, this_thread());
    if (c->launch_count == LAUNCHES_MAX)
        forget_launch(c, 0);
    c->launches[c->launch_count++] = (struct launch){begin_ns, INT64_MAX, this_thread(), c->is_captured};
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

/* NCCL reports on the thread that launched, right behind the launch, unless the report has to wait for the stream: then
 * threads of CUDA report, in the order of the launches. So they do for each run of a graph, whose kernels nobody
 * launches one by one; whose collectives say that, and give the launch back. */
static bool take_launch(struct guest_communicator *c, uint32_t thread)
{
    for (size_t i = c->launch_count; i-- > 0;)
        if (c->launches[i].thread == thread && c->launches[i].end_ns != INT64_MAX) {
            report.place = i;
            report.launch = c->launches[i];
            forget_launch(c, i);
            return true;
        }
    return !c->early.count && take_oldest(c, &report.launch, &report.place);
}

static void give_back_launch(struct guest_communicator *c)
{
    if (!report.has_launch || report.launch.is_captured || !c->tells_launches || c->launch_count == LAUNCHES_MAX)
        return;
    const size_t place = report.place < c->launch_count ? report.place : c->launch_count;
    memmove(&c->launches[place + 1], &c->launches[place], (c->launch_count - place) * sizeof *c->launches);
    c->launches[place] = report.launch;
    c->launch_count++;
}

void guest_collectives_plan(struct guest_communicator *c)
{
    const int64_t end_ns = now_ns();
    if (!lock_if_on())
        return;
    const uint32_t thread = this_thread();
    report.of = c;
    report.plan = ++c->plans;
    report.has_launch = !c->tells_launches || take_launch(c, thread);
    if (!c->tells_launches)
        report.launch = (struct launch){reported_ns < end_ns ? reported_ns : end_ns, end_ns, thread, false};
    reported_ns = end_ns;
    unlock();
}

/* ---- collectives ---- */

/* Before NCCL 2.28 a run of a graph reports like a call, with the number of the next call, which is not counted. Places
 * that were given to other operations meanwhile are too high then. */
static void look_at_number(const struct guest_communicator *c, const struct operation *o, uint64_t sequence)
{
    if (sequence < o->count && o->told_latest != c->told)
        nccl.misnumbered++;
}

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
    look_at_number(c, o, reported->sequence);
    o->told_latest = ++c->told;
    if (o->count <= reported->sequence)
        o->count = reported->sequence + 1;
    uint64_t place = 0;
    for (size_t i = 0; i < c->operation_count; i++)
        place += c->operations[i].count;
    return (int64_t)place;
}

static void fill(struct waiting *w, const struct guest_communicator *c, const struct reported_collective *reported,
                 int64_t place)
{
    *w = (struct waiting){.row = {.communicator = c->id,
                                  .sequence = (int64_t)reported->sequence,
                                  .position = place,
                                  .count = reported->count,
                                  .rank = c->rank,
                                  .ranks = c->ranks > 0 ? (uint32_t)c->ranks : 0},
                          .plan = report.plan};
    copy_text(w->operation, sizeof w->operation, reported->operation);
    copy_text(w->type, sizeof w->type, reported->type);
    copy_text(w->algorithm, sizeof w->algorithm, reported->algorithm);
    copy_text(w->protocol, sizeof w->protocol, reported->protocol);
    copy_text(w->name, sizeof w->name, c->name);
}

/* The caller holds the lock. */
static void add_row(struct guest_communicator *c, const struct reported_collective *reported)
{
    const int64_t place = place_of(c, reported);
    struct waiting w;
    if (place <= 0)
        return;
    fill(&w, c, reported, place);
    if (report.has_launch) {
        set_launch(&w, &report.launch);
        store_later(&w);
        return;
    }
    struct waiting *slot = c->early.count < LAUNCHES_MAX ? ARRAY_PUSH(&c->early) : NULL;
    if (slot)
        *slot = w;
}

/* Does a run of a graph report it, or the call that is captured into one? NCCL does not number these. */
static bool is_of_graph(enum reported_call call)
{
    if (call != CALL_UNKNOWN)
        return call == CALL_CAPTURED;
    return !report.has_launch || report.launch.is_captured;
}

void guest_collectives_take(struct guest_communicator *c, const struct reported_collective *reported)
{
    if (!lock_if_on())
        return;
    nccl.taken++;
    if (report.of != c) /* of a kernel that was not told */
        report.has_launch = false;
    if (is_of_graph(reported->call)) {
        nccl.unlaunched++;
        give_back_launch(c);
        report.has_launch = false;
    } else {
        add_row(c, reported);
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
    const uint64_t opened = nccl.opened, taken = nccl.taken, unlaunched = nccl.unlaunched,
                   misnumbered = nccl.misnumbered;
    pthread_mutex_unlock(&nccl.lock);
    return opened ? json_pack("{s:I,s:I,s:I,s:I,s:I}", "communicators", (json_int_t)opened, "collectives",
                              (json_int_t)taken, "from_graphs", (json_int_t)unlaunched, "stored",
                              (json_int_t)nccl.stored, "misnumbered", (json_int_t)misnumbered)
                  : NULL;
}
