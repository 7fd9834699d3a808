/* What would HTA say of this trace? */
#include "analyzers/measure_hta.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "model/interval_set.h"
#include "model/launch_index.h"
#include "model/selector.h"

enum { US = 1000 };

/* What is gathered of one rank. */
struct gathered {
    int rank;
    bool has_steps;
    int64_t last_step_ns; /* start of the last profiler step */
    struct interval_set busy, compute, comm;
    int64_t counted, dropped;
};

struct gathering {
    struct {
        struct gathered *items; /* by rank */
        size_t count, capacity;
    } ranks;
    struct launch_index *calls;
    bool *is_step, *is_comm; /* per string id, name_count of them */
    size_t name_count;
};

void hta_release(struct hta_list *list)
{
    free(list->items);
    *list = (struct hta_list){0};
}

static int rank_of(struct gathering *g, int rank, struct gathered **out, struct err *e)
{
    size_t place = 0;
    while (place < g->ranks.count && g->ranks.items[place].rank < rank)
        place++;
    if (place == g->ranks.count || g->ranks.items[place].rank != rank) {
        if (!ARRAY_PUSH(&g->ranks))
            return err_memory(e);
        struct gathered *at = &g->ranks.items[place];
        memmove(at + 1, at, (g->ranks.count - 1 - place) * sizeof *at);
        *at = (struct gathered){.rank = rank};
    }
    *out = &g->ranks.items[place];
    return 0;
}

static int64_t round_up(int64_t time_ns)
{
    const int64_t rest = time_ns % US;
    return rest > 0 ? time_ns - rest + US : time_ns - rest;
}

static int64_t round_down(int64_t time_ns)
{
    const int64_t rest = time_ns % US;
    return rest < 0 ? time_ns - rest - US : time_ns - rest;
}

static bool has_name(const struct gathering *g, const bool *names, const struct cpprof_event *event)
{
    return event->name < g->name_count && names[event->name];
}

static int add_step(struct gathering *g, const struct cpprof_event *event, struct err *e)
{
    struct gathered *rank;
    if (event->kind != CPPROF_EVENT_RANGE || !has_name(g, g->is_step, event))
        return 0;
    int code = rank_of(g, event->rank, &rank, e);
    if (code)
        return code;
    rank->has_steps = true;
    rank->last_step_ns = event->start_ns;
    return 0;
}

static bool is_dropped(const struct gathering *g, const struct gathered *rank, const struct cpprof_event *work)
{
    if (!rank->has_steps)
        return false;
    const struct launch_call *call = launch_index_call(g->calls, work);
    return !call || call->start_ns > rank->last_step_ns;
}

static int add_work(struct gathering *g, const struct cpprof_event *work, struct err *e)
{
    struct gathered *rank;
    if (!event_is_gpu_work(work) || work->flags & CPPROF_EVENT_UNFINISHED || work->end_ns < work->start_ns)
        return 0;
    int code = rank_of(g, work->rank, &rank, e);
    if (code)
        return code;
    if (is_dropped(g, rank, work)) {
        rank->dropped++;
        return 0;
    }
    const int64_t start_ns = round_up(work->start_ns), end_ns = round_down(work->end_ns);
    rank->counted++;
    code = interval_set_add(&rank->busy, start_ns, end_ns, e);
    if (!code && work->kind == CPPROF_EVENT_KERNEL)
        code = interval_set_add(has_name(g, g->is_comm, work) ? &rank->comm : &rank->compute, start_ns, end_ns, e);
    return code;
}

static int pass(struct gathering *g, struct event_stream *stream,
                int (*add)(struct gathering *, const struct cpprof_event *, struct err *), struct err *e)
{
    struct cpprof_event event;
    int code = event_stream_rewind(stream, e);
    while (!code && (code = event_stream_next(stream, &event, e)) > 0)
        code = add(g, &event, e);
    return code;
}

static int find_names(struct gathering *g, const struct strtab *strings, struct err *e)
{
    const size_t count = g->name_count = strtab_count(strings) + 1;
    g->is_step = calloc(count, sizeof *g->is_step);
    g->is_comm = calloc(count, sizeof *g->is_comm);
    if (!g->is_step || !g->is_comm)
        return err_memory(e);
    for (uint32_t id = 1; id < count; id++) {
        g->is_step[id] = strstr(strtab_text(strings, id), "ProfilerStep");
        g->is_comm[id] = strstr(strtab_text(strings, id), "nccl");
    }
    return 0;
}

static int add_result(const struct gathered *g, struct hta_list *out, struct err *e)
{
    if (!g->counted && !g->dropped)
        return 0;
    struct interval_set both;
    interval_set_init(&both);
    struct hta_rank *rank = NULL;
    int code = interval_set_intersect(&g->comm, &g->compute, &both, e);
    if (!code) {
        rank = ARRAY_PUSH(out);
        code = rank ? 0 : err_memory(e);
    }
    if (rank) {
        const int64_t busy_ns = interval_set_total_ns(&g->busy);
        const struct interval_set *busy = &g->busy;
        const int64_t span_ns = busy->count ? busy->items[busy->count - 1].end_ns - busy->items[0].start_ns : 0;
        const int64_t compute_ns = interval_set_total_ns(&g->compute);
        *rank = (struct hta_rank){.rank = g->rank,
                                  .span_ns = span_ns,
                                  .idle_ns = span_ns - busy_ns,
                                  .compute_ns = compute_ns,
                                  .non_compute_ns = busy_ns - compute_ns,
                                  .comm_ns = interval_set_total_ns(&g->comm),
                                  .overlap_ns = interval_set_total_ns(&both),
                                  .counted = g->counted,
                                  .dropped = g->dropped};
    }
    interval_set_release(&both);
    return code;
}

static void gathering_release(struct gathering *g)
{
    for (size_t i = 0; i < g->ranks.count; i++) {
        interval_set_release(&g->ranks.items[i].busy);
        interval_set_release(&g->ranks.items[i].compute);
        interval_set_release(&g->ranks.items[i].comm);
    }
    free(g->ranks.items);
    free(g->is_step);
    free(g->is_comm);
    launch_index_free(g->calls);
}

int hta_measure(struct event_stream *stream, struct hta_list *out, struct err *e)
{
    struct gathering g = {.ranks = {0}};
    int code = find_names(&g, event_stream_strings(stream), e);
    if (!code)
        code = launch_index_build(&g.calls, stream, NULL, 0, true, e);
    if (!code)
        code = pass(&g, stream, add_step, e);
    if (!code)
        code = pass(&g, stream, add_work, e);
    for (size_t i = 0; !code && i < g.ranks.count; i++)
        code = add_result(&g.ranks.items[i], out, e);
    gathering_release(&g);
    return code;
}
