/* Which launches belong to one block? They are in the order in which the host made them, as streams may be ahead of one
 * another. */
#include "analyzers/causal/causal_blocks.h"

#include <stdbool.h>
#include <stdlib.h>

#include "analyzers/causal/causal_rows.h"
#include "core/base/key_table.h"
#include "core/trace/duration_groups.h"
#include "core/trace/event_stream.h"

struct launch {
    int64_t start_ns, delay_ns, kernel_ns; /* start: of the delay */
    uint32_t correlation, name;            /* name: 0 until the kernel behind the delay is found */
    uint32_t lane;                         /* which stream of which context */
    int16_t rank;
    uint8_t target, dose;
};

/* One more than the index of a launch; 0: none. One kernel may be delayed on the host and on its stream. */
struct waiting {
    size_t on_host, on_stream;
};

struct gathering {
    uint32_t delay_name;
    const struct causal_request *asked;
    ARRAY_OF(struct launch) launches;
    struct key_table places, lanes;        /* context of a device, stream of a context */
    ARRAY_OF(struct waiting) last_of_lane; /* what comes next on it is theirs */
    struct key_table kernel_keys, bare_keys;
    ARRAY_OF(int64_t) bare_launches; /* of each name of a rank: those without a delay in front */
    struct causal_blocks *out;
};

/* ---- launches ---- */

/* Gives a number for each stream, from 1; 0 when memory is out. */
static uint32_t lane_of(struct gathering *g, const struct cpprof_event *event)
{
    const uint32_t device = (uint32_t)(uint16_t)event->rank << 16 | (uint16_t)event->device;
    const uint32_t place = key_table_add(&g->places, (int32_t)device, event->context);
    const uint32_t lane = place ? key_table_add(&g->lanes, (int32_t)place, event->stream) : 0;
    while (lane && g->last_of_lane.count < lane)
        if (!ARRAY_PUSH(&g->last_of_lane))
            return 0;
    return lane;
}

static bool is_known(const struct gathering *g, const struct cpprof_event *event)
{
    const size_t dose = (size_t)event->block[0] - 1, target = (size_t)event->block[1] - 1;
    return target < g->asked->target_count && (dose < g->asked->dose_count || dose == CAUSAL_OUT_OF_TURN) &&
           !(event->flags & CPPROF_EVENT_UNFINISHED);
}

/* How long the host has waited. */
static int64_t host_delay_ns(const struct causal_request *asked, size_t target, size_t dose)
{
    return asked->targets[target].on_host && dose < asked->dose_count ? asked->doses_ns[dose] : 0;
}

/* A launch may have two records: first that of its host's delay, then that of its stream's. */
static int take_delay(struct gathering *g, const struct cpprof_event *event, uint32_t lane, struct err *e)
{
    struct waiting *waiting = &g->last_of_lane.items[lane - 1];
    if (!is_known(g, event)) {
        *waiting = (struct waiting){0};
        return 0;
    }
    const size_t target = (size_t)event->block[1] - 1, dose = (size_t)event->block[0] - 1;
    size_t *last = g->asked->targets[target].on_host ? &waiting->on_host : &waiting->on_stream;
    *last = 0;
    if (g->launches.count == CAUSAL_LAUNCHES_MAX) {
        g->out->left_out++;
        return 0;
    }
    struct launch *launch = ARRAY_PUSH(&g->launches);
    if (!launch)
        return err_memory(e);
    *launch =
        (struct launch){.start_ns = event->start_ns,
                        .delay_ns = duration_ns(event->start_ns, event->end_ns) + host_delay_ns(g->asked, target, dose),
                        .correlation = event->correlation,
                        .lane = lane,
                        .rank = event->rank,
                        .target = (uint8_t)target,
                        .dose = (uint8_t)dose};
    *last = g->launches.count;
    return 0;
}

static int count_kernel(struct gathering *g, const struct launch *launch, struct err *e)
{
    const int32_t place = (int32_t)launch->rank * CAUSAL_TARGETS_MAX + launch->target;
    const uint32_t id = key_table_add(&g->kernel_keys, place, launch->name);
    if (!id)
        return err_memory(e);
    if (id > g->out->kernels.count) {
        struct causal_kernel *kernel = ARRAY_PUSH(&g->out->kernels);
        if (!kernel)
            return err_memory(e);
        *kernel = (struct causal_kernel){.rank = launch->rank, .target = launch->target, .name = launch->name};
    }
    g->out->kernels.items[id - 1].launches++;
    return 0;
}

/* Counts a launch without a delay in front of it. It is one of a target's if others of its name have a delay. */
static int count_bare(struct gathering *g, const struct cpprof_event *event, struct err *e)
{
    const uint32_t id = key_table_add(&g->bare_keys, event->rank, event->name);
    if (!id)
        return err_memory(e);
    if (id > g->bare_launches.count && !ARRAY_PUSH(&g->bare_launches))
        return err_memory(e);
    g->bare_launches.items[id - 1]++;
    return 0;
}

/* A copy is not what a delay of kernels waits for, nor the other way round. */
static int join_launch(struct gathering *g, size_t *waiting, const struct cpprof_event *event, struct err *e)
{
    struct launch *launch = *waiting ? &g->launches.items[*waiting - 1] : NULL;
    const bool is_copy = event->kind == CPPROF_EVENT_COPY;
    if (!launch || is_copy == (g->asked->targets[launch->target].pattern != NULL))
        return 0;
    *waiting = 0;
    launch->name = event->name;
    if (!(event->flags & CPPROF_EVENT_UNFINISHED))
        launch->kernel_ns = duration_ns(event->start_ns, event->end_ns);
    const int rc = count_kernel(g, launch, e);
    return rc ? rc : 1;
}

/* It is bare when neither the host nor the stream has waited for it. */
static int take_launch(struct gathering *g, const struct cpprof_event *event, struct err *e)
{
    const uint32_t lane = lane_of(g, event);
    if (!lane)
        return err_memory(e);
    if (event->kind == CPPROF_EVENT_KERNEL && event->name == g->delay_name)
        return take_delay(g, event, lane, e);
    struct waiting *waiting = &g->last_of_lane.items[lane - 1];
    const int on_host = join_launch(g, &waiting->on_host, event, e);
    const int on_stream = on_host < 0 ? on_host : join_launch(g, &waiting->on_stream, event, e);
    if (on_stream < 0)
        return on_stream;
    return on_host || on_stream ? 0 : count_bare(g, event, e);
}

static bool is_launch(const struct cpprof_event *event)
{
    return event->kind == CPPROF_EVENT_KERNEL || event->kind == CPPROF_EVENT_COPY;
}

static int gather(struct gathering *g, struct event_stream *stream, struct err *e)
{
    struct cpprof_event event;
    int got, rc = event_stream_rewind(stream, e);
    while (!rc && (got = event_stream_next(stream, &event, e)))
        rc = got < 0 ? got : is_launch(&event) ? take_launch(g, &event, e) : 0;
    return rc;
}

static int find_bare(struct gathering *g, struct err *e)
{
    for (size_t i = 0; i < g->out->kernels.count; i++) {
        struct causal_kernel *kernel = &g->out->kernels.items[i];
        const uint32_t id = key_table_add(&g->bare_keys, kernel->rank, kernel->name);
        if (!id)
            return err_memory(e);
        kernel->undelayed = id <= g->bare_launches.count ? g->bare_launches.items[id - 1] : 0;
    }
    return 0;
}

static int by_call(const void *a, const void *b)
{
    const struct launch *p = a, *q = b;
    if (p->rank != q->rank)
        return p->rank < q->rank ? -1 : 1;
    if (p->correlation != q->correlation)
        return p->correlation < q->correlation ? -1 : 1;
    return (p->start_ns > q->start_ns) - (p->start_ns < q->start_ns);
}

/* ---- blocks ---- */

/* The block of each target that goes on; launches 0: none does. */
struct cutting {
    struct causal_block open[CAUSAL_TARGETS_MAX];
    const struct launch *first[CAUSAL_TARGETS_MAX], *last[CAUSAL_TARGETS_MAX];
    int64_t opened; /* blocks of the process */
};

static int close_block(struct causal_blocks *out, struct cutting *c, size_t target, struct err *e)
{
    struct causal_block *open = &c->open[target];
    const bool is_enough = open->launches >= CAUSAL_LAUNCHES_MIN;
    open->span_ns = is_enough ? (double)duration_ns(c->first[target]->start_ns, c->last[target]->start_ns) : 0;
    if (open->span_ns > 0) {
        struct causal_block *block = ARRAY_PUSH(&out->blocks);
        if (!block)
            return err_memory(e);
        *block = *open;
    }
    open->launches = 0;
    return 0;
}

static void begin_block(struct cutting *c, const struct launch *launch)
{
    c->open[launch->target] = (struct causal_block){
        .rank = launch->rank, .target = launch->target, .dose = launch->dose, .number = c->opened++, .launches = 1};
    c->first[launch->target] = c->last[launch->target] = launch;
}

/* The one before it is whole now. Its time goes up to this one, which may have another dose. */
static void add_launch(struct cutting *c, const struct launch *launch)
{
    struct causal_block *open = &c->open[launch->target];
    open->delay_ns += (double)c->last[launch->target]->delay_ns;
    open->kernel_ns += (double)c->last[launch->target]->kernel_ns;
    open->elsewhere += c->last[launch->target]->lane != c->first[launch->target]->lane;
    open->launches++;
    c->last[launch->target] = launch;
}

/* Those of one process follow one another; the last one that it began may have been cut by its end. */
static void drop_ends(struct causal_blocks *out, size_t from, int64_t opened)
{
    size_t kept = from;
    for (size_t i = from; i < out->blocks.count; i++)
        if (out->blocks.items[i].number && out->blocks.items[i].number < opened - 1)
            out->blocks.items[kept++] = out->blocks.items[i];
    out->blocks.count = kept;
}

static int cut_process(struct causal_blocks *out, const struct launch *launches, size_t count, struct err *e)
{
    struct cutting c = {0};
    const size_t from = out->blocks.count;
    int rc = 0;
    for (size_t i = 0; i < count && !rc; i++) {
        const struct causal_block *open = &c.open[launches[i].target];
        const bool goes_on = open->launches;
        if (goes_on)
            add_launch(&c, &launches[i]);
        if (goes_on && open->dose != launches[i].dose)
            rc = close_block(out, &c, launches[i].target, e);
        if (!rc && !open->launches && launches[i].dose != CAUSAL_OUT_OF_TURN)
            begin_block(&c, &launches[i]);
    }
    drop_ends(out, from, c.opened);
    return rc;
}

static int cut(struct gathering *g, struct err *e)
{
    const struct launch *launches = g->launches.items;
    int rc = 0;
    if (g->launches.count)
        qsort(g->launches.items, g->launches.count, sizeof *g->launches.items, by_call);
    for (size_t i = 0, end; i < g->launches.count && !rc; i = end) {
        for (end = i; end < g->launches.count && launches[end].rank == launches[i].rank;)
            end++;
        rc = cut_process(g->out, launches + i, end - i, e);
    }
    return rc;
}

int causal_blocks_cut(struct causal_blocks *out, struct event_stream *stream, const struct causal_request *asked,
                      struct err *e)
{
    struct gathering g = {
        .delay_name = strtab_find(event_stream_strings(stream), CAUSAL_KERNEL), .asked = asked, .out = out};
    int rc = g.delay_name ? gather(&g, stream, e) : 0;
    if (!rc)
        rc = find_bare(&g, e);
    if (!rc)
        rc = cut(&g, e);
    free(g.launches.items);
    free(g.last_of_lane.items);
    key_table_release(&g.places);
    key_table_release(&g.lanes);
    key_table_release(&g.kernel_keys);
    key_table_release(&g.bare_keys);
    free(g.bare_launches.items);
    return rc;
}

void causal_blocks_release(struct causal_blocks *b)
{
    free(b->blocks.items);
    free(b->kernels.items);
    *b = (struct causal_blocks){0};
}
