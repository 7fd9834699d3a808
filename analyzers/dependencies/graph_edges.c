/* What did each node wait for? The order of starts and ends gives the edges that may be there; times say which of them
 * held a node up. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/dependencies/recorded_graph.h"
#include "core/base/key_table.h"

/* Times that tell one cause from another. */
enum {
    LATE_NS = 2000,        /* a start that is later than usual by less needs no other cause */
    WAKE_NS = 10000,       /* a stream goes on so soon after the work of another that it waited for */
    REACTION_NS = 20000,   /* a host goes on so soon after work that it waited for; the same bound as for gaps */
    WAKE_HOST_NS = 200000, /* and so soon from a call that waits, where its thread has slept */
    QUEUE_MIN = 512,       /* a launch may wait for room when so many operations are queued: CUDA has room for 1,024 */
    QUEUE_FULL = 98,       /* it does, when there were never more by a fiftieth: percent */
    OVERLAP_NS = 1000      /* work on one stream overlaps when it does by more than its clock may be off */
};
/* Waits for another stream are sure when chance alone would give so many of them with less than this probability, and
 * no more than a tenth of the late starts has another cause. */
#define CHANCE_MAX  1e-6
#define OTHER_CAUSE 0.1

enum { CLASSES = 4 /* kernel, copy, memset; later parts of a launch */ };

enum { LATEST = GRAPH_SOURCES + 1 };

/* Those that ended last, the last one first, of which no two are on one stream or thread. */
struct latest {
    uint32_t nodes[LATEST], places[LATEST];
};

struct stream_state {
    uint32_t done, running; /* the last that ended, and one that has not */
};

struct process_state {
    struct latest works, calls;
    uint32_t queued, most_queued;
};

struct joining {
    struct recorded_graph *g;
    struct stream_state *streams;
    struct process_state *processes;
    uint32_t *threads; /* the last call of each */
    size_t *stream_works;
    int64_t launch_ns[CLASSES],
        follow_ns[CLASSES]; /* the usual time from a call to a start, and from an end to a start */
};

/* ---- points ---- */

static int by_time(const void *left, const void *right)
{
    const struct graph_point *a = left, *b = right;
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns ? -1 : 1;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

static int make_points(struct recorded_graph *g, struct err *e)
{
    size_t n = 0;
    g->points = calloc(2 * (g->calls.count + g->works.count) + 1, sizeof *g->points);
    if (!g->points)
        return err_memory(e);
    for (size_t i = 0; i < g->calls.count; i++) {
        const struct graph_call *c = &g->calls.items[i];
        g->points[n++] = (struct graph_point){c->start_ns, (uint32_t)i, POINT_CALL_START};
        g->points[n++] = (struct graph_point){c->end_ns, (uint32_t)i,
                                              c->end_ns > c->start_ns ? POINT_CALL_END : POINT_CALL_ENDS_AT_ONCE};
    }
    for (size_t i = 0; i < g->works.count; i++) {
        const struct graph_work *w = &g->works.items[i];
        g->points[n++] = (struct graph_point){w->start_ns, (uint32_t)i, POINT_WORK_START};
        g->points[n++] = (struct graph_point){w->end_ns, (uint32_t)i,
                                              w->end_ns > w->start_ns ? POINT_WORK_END : POINT_WORK_ENDS_AT_ONCE};
    }
    qsort(g->points, n, sizeof *g->points, by_time);
    g->point_count = n;
    return 0;
}

/* ---- which edges may be there ---- */

static void note_latest(struct latest *l, uint32_t node, uint32_t place)
{
    size_t at = 0;
    while (at + 1 < LATEST && l->nodes[at] != GRAPH_NONE && l->places[at] != place)
        at++;
    memmove(&l->nodes[1], &l->nodes[0], at * sizeof l->nodes[0]);
    memmove(&l->places[1], &l->places[0], at * sizeof l->places[0]);
    l->nodes[0] = node;
    l->places[0] = place;
}

/* The latest of other streams or threads. */
static void copy_others(const struct latest *l, uint32_t place, uint32_t *to, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < LATEST && l->nodes[i] != GRAPH_NONE && count < most; i++)
        if (l->places[i] != place)
            to[count++] = l->nodes[i];
}

static void start_work(struct joining *j, uint32_t index)
{
    struct graph_work *w = &j->g->works.items[index];
    struct stream_state *stream = &j->streams[w->stream];
    const struct graph_work *works = j->g->works.items;
    w->before = stream->done;
    if (stream->running != GRAPH_NONE && works[stream->running].end_ns - w->start_ns > OVERLAP_NS) {
        w->source[0] = stream->running;
        w->flags |= WORK_OVERLAPS;
    } else {
        copy_others(&j->processes[w->process].works, w->stream, w->source, GRAPH_SOURCES);
        if (stream->running != GRAPH_NONE)
            w->before = stream->running;
    }
    if (stream->running == GRAPH_NONE || works[stream->running].end_ns < w->end_ns)
        stream->running = index;
    j->stream_works[w->stream]++;
}

static void end_work(struct joining *j, uint32_t index)
{
    const struct graph_work *w = &j->g->works.items[index];
    struct stream_state *stream = &j->streams[w->stream];
    struct process_state *process = &j->processes[w->process];
    stream->done = index;
    if (stream->running == index)
        stream->running = GRAPH_NONE;
    note_latest(&process->works, index, w->stream);
    if (w->call != GRAPH_NONE && process->queued)
        process->queued--;
}

static void start_call(struct joining *j, uint32_t index)
{
    struct graph_call *c = &j->g->calls.items[index];
    struct process_state *process = &j->processes[c->process];
    c->before = j->threads[c->thread];
    j->threads[c->thread] = index;
    copy_others(&process->calls, c->thread, &c->turn, 1);
    c->done_before = process->works.nodes[0];
    c->queued = process->queued;
    process->queued += c->parts;
    if (process->queued > process->most_queued)
        process->most_queued = process->queued;
}

static void end_call(struct joining *j, uint32_t index)
{
    struct graph_call *c = &j->g->calls.items[index];
    struct process_state *process = &j->processes[c->process];
    copy_others(&process->works, GRAPH_NONE, c->awaited, GRAPH_SOURCES);
    note_latest(&process->calls, index, c->thread);
}

static void follow_points(struct joining *j)
{
    for (size_t i = 0; i < j->g->point_count; i++) {
        const struct graph_point *p = &j->g->points[i];
        switch ((enum point_order)p->order) {
        case POINT_WORK_START: start_work(j, p->node); break;
        case POINT_WORK_END:
        case POINT_WORK_ENDS_AT_ONCE: end_work(j, p->node); break;
        case POINT_CALL_START: start_call(j, p->node); break;
        case POINT_CALL_END:
        case POINT_CALL_ENDS_AT_ONCE: end_call(j, p->node); break;
        }
    }
}

/* Gives what it was told to wait for, the latest ones. Returns how many there are. */
static size_t find_told(const struct stream_edge *edges, size_t edge_count, uint32_t to, uint32_t source[GRAPH_SOURCES])
{
    size_t low = 0, high = edge_count, count = 0;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (edges[middle].to < to)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < edge_count && edges[low].to == to && count < GRAPH_SOURCES; low++)
        source[count++] = edges[low].from;
    return count;
}

/* ---- which of them held a call up ---- */

static bool ended_in(const struct recorded_graph *g, uint32_t work, const struct graph_call *c)
{
    return work != GRAPH_NONE && g->works.items[work].end_ns > c->start_ns && g->works.items[work].end_ns <= c->end_ns;
}

/* Keeps the first `count` of what it may have waited for. */
static void keep_awaited(struct graph_call *c, size_t count)
{
    c->flags |= CALL_WAITS;
    for (size_t i = count; i < GRAPH_SOURCES; i++)
        c->awaited[i] = GRAPH_NONE;
}

static void wait_for(struct graph_call *c, uint32_t work)
{
    c->awaited[0] = work;
    keep_awaited(c, 1);
}

static bool waits_for_all(const struct recorded_graph *g, const struct graph_call *c, const struct strtab *strings)
{
    const char *name = strtab_text(strings, c->name);
    return g->processes.items[c->process].devices < 2 &&
           (strstr(name, "DeviceSynchronize") || strstr(name, "CtxSynchronize"));
}

/* What ended at about the same time before the call did, of which one is what it waited for. */
static size_t count_awaited(const struct recorded_graph *g, const struct graph_call *c)
{
    const int64_t first_lag_ns = c->end_ns - g->works.items[c->awaited[0]].end_ns;
    const int64_t most_ns = first_lag_ns > REACTION_NS ? WAKE_HOST_NS : REACTION_NS;
    size_t count = 1;
    while (count < GRAPH_SOURCES && ended_in(g, c->awaited[count], c) &&
           c->end_ns - g->works.items[c->awaited[count]].end_ns <= most_ns)
        count++;
    return count;
}

static void decide_synchronisation(const struct recorded_graph *g, struct graph_call *c, const struct strtab *strings)
{
    const bool is_for_all = waits_for_all(g, c, strings);
    c->flags |= is_for_all ? CALL_WAITS_FOR_ALL : 0;
    if (!ended_in(g, c->awaited[0], c)) {
        c->flags |= c->end_ns - c->start_ns > REACTION_NS ? CALL_UNEXPLAINED : 0;
        return;
    }
    if (c->end_ns - g->works.items[c->awaited[0]].end_ns > WAKE_HOST_NS)
        c->flags |= CALL_UNSURE;
    keep_awaited(c, is_for_all ? 1 : count_awaited(g, c));
}

/* It waited for room, for sure if the queue was full, or if it took long. */
static void decide_queued(const struct joining *j, struct graph_call *c)
{
    const uint64_t most = j->processes[c->process].most_queued;
    const bool is_full = (uint64_t)c->queued * 100 >= most * QUEUE_FULL;
    if (c->queued < QUEUE_MIN || !ended_in(j->g, c->awaited[0], c))
        return;
    wait_for(c, c->awaited[0]);
    if (!is_full && c->end_ns - c->start_ns <= REACTION_NS)
        c->flags |= CALL_UNSURE;
}

/* Calls such as cudaFree may wait. */
static void decide_other(const struct recorded_graph *g, struct graph_call *c)
{
    if (!ended_in(g, c->awaited[0], c))
        return;
    c->flags |= CALL_UNSURE;
    keep_awaited(c, count_awaited(g, c));
}

/* A copy from pageable memory returns when the last of its data is staged, a little before its end. */
static bool waits_for_own(const struct recorded_graph *g, const struct graph_call *c, bool is_long)
{
    if (c->own == GRAPH_NONE)
        return false;
    const struct graph_work *own = &g->works.items[c->own];
    if (own->flags & WORK_PAGEABLE && is_long && own->start_ns < c->end_ns)
        return true;
    return ended_in(g, c->own, c) && (c->detail == CPPROF_API_COPY || is_long);
}

/* Where all waits are known, a call that synchronises waits for what the trace says. Returns false when it says
 * nothing, or when that is not why the call took so long. */
static bool decide_told_call(const struct recorded_graph *g, struct graph_call *c)
{
    uint32_t source[GRAPH_SOURCES] = {GRAPH_NONE, GRAPH_NONE, GRAPH_NONE};
    if (!g->processes.items[c->process].knows_edges ||
        !find_told(g->call_edges.items, g->call_edges.count, (uint32_t)(c - g->calls.items), source))
        return false;
    const int64_t done_ns = g->works.items[source[0]].end_ns;
    const bool is_waiting = done_ns > c->start_ns;
    if (c->end_ns - (is_waiting ? done_ns : c->start_ns) > (is_waiting ? WAKE_HOST_NS : REACTION_NS))
        return false;
    memcpy(c->awaited, source, sizeof c->awaited);
    c->flags |= CALL_TOLD;
    return true;
}

/* A copy that returns only when it is done, a launch that is made to, or one that waits for room. */
static void decide_call(const struct joining *j, struct graph_call *c, const struct strtab *strings)
{
    const bool is_long = c->end_ns - c->start_ns > REACTION_NS;
    if (c->detail == CPPROF_API_SYNC && decide_told_call(j->g, c))
        return;
    if (c->detail == CPPROF_API_SYNC)
        decide_synchronisation(j->g, c, strings);
    else if (waits_for_own(j->g, c, is_long))
        wait_for(c, c->own);
    else if (c->parts)
        decide_queued(j, c);
    else if (is_long)
        decide_other(j->g, c);
}

static void decide_gap(const struct recorded_graph *g, struct graph_call *c)
{
    const struct graph_call *calls = g->calls.items;
    const bool is_first = c->before == GRAPH_NONE;
    const int64_t from_ns = is_first ? INT64_MIN : calls[c->before].end_ns;
    if (c->turn != GRAPH_NONE && calls[c->turn].end_ns > from_ns)
        c->flags |= CALL_IN_TURN;
    if (c->done_before == GRAPH_NONE || is_first)
        return;
    const int64_t done_ns = g->works.items[c->done_before].end_ns;
    if (done_ns > from_ns && c->start_ns - from_ns > REACTION_NS && c->start_ns - done_ns <= REACTION_NS)
        c->flags |= CALL_AFTER_WORK;
}

/* ---- which of them held work up ---- */

static size_t class_of(const struct graph_work *w)
{
    if (w->flags & WORK_LATER_PART)
        return 3;
    return w->kind == CPPROF_EVENT_COPY ? 1 : w->kind == CPPROF_EVENT_MEMSET ? 2 : 0;
}

static int by_size(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static int64_t lower_quartile(int64_t *times_ns, size_t count)
{
    qsort(times_ns, count, sizeof *times_ns, by_size);
    return count ? times_ns[count / 4] : 0;
}

/* The time from its call to the start of work whose stream was idle; -1: it was not, or there is no call. */
static int64_t launch_time(const struct recorded_graph *g, const struct graph_work *w)
{
    if (w->call == GRAPH_NONE || w->flags & (WORK_OVERLAPS | WORK_LATER_PART))
        return -1;
    const struct graph_call *c = &g->calls.items[w->call];
    const bool was_idle = w->before == GRAPH_NONE || g->works.items[w->before].end_ns < c->start_ns;
    const bool waited_before = c->flags & CALL_WAITS && c->awaited[0] != c->own;
    return was_idle && !waited_before ? w->start_ns - c->start_ns : -1;
}

/* The time from the end of the work before it, where its call was over long before; -1: it was not. */
static int64_t follow_time(const struct recorded_graph *g, const struct graph_work *w)
{
    if (w->before == GRAPH_NONE || w->flags & WORK_OVERLAPS)
        return -1;
    const int64_t before_ns = g->works.items[w->before].end_ns;
    const bool was_queued = w->flags & WORK_LATER_PART ||
                            (w->call != GRAPH_NONE && g->calls.items[w->call].end_ns + REACTION_NS < before_ns);
    return was_queued ? w->start_ns - before_ns : -1;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Usual times are bounded: where every start was held up, the usual one is no property of a stream. */
static int measure_usual(struct joining *j, struct err *e)
{
    const struct recorded_graph *g = j->g;
    int64_t *launch_ns = calloc(g->works.count + 1, sizeof *launch_ns),
            *follow_ns = calloc(g->works.count + 1, sizeof *follow_ns);
    for (size_t class = 0; class < CLASSES && launch_ns && follow_ns; class ++) {
        size_t launches = 0, follows = 0;
        for (size_t i = 0; i < g->works.count; i++) {
            const struct graph_work *w = &g->works.items[i];
            if (class_of(w) != class)
                continue;
            if ((launch_ns[launches] = launch_time(g, w)) >= 0)
                launches++;
            if ((follow_ns[follows] = follow_time(g, w)) >= 0)
                follows++;
        }
        j->launch_ns[class] = smaller(lower_quartile(launch_ns, launches), REACTION_NS);
        j->follow_ns[class] = smaller(lower_quartile(follow_ns, follows), WAKE_NS);
    }
    const int rc = launch_ns && follow_ns ? 0 : err_memory(e);
    free(launch_ns);
    free(follow_ns);
    return rc;
}

/* A launch that waited for room starts its work only when it returns. */
static int64_t call_point_ns(const struct recorded_graph *g, struct graph_work *w)
{
    const struct graph_call *c = &g->calls.items[w->call];
    if (c->flags & CALL_WAITS && c->awaited[0] != c->own && w->start_ns >= c->end_ns)
        w->flags |= WORK_AFTER_CALL;
    return w->flags & WORK_AFTER_CALL ? c->end_ns : c->start_ns;
}

static void set_lags(const struct joining *j, struct graph_work *w)
{
    const struct recorded_graph *g = j->g;
    int64_t ready_ns = INT64_MIN, *binding = NULL;
    if (w->before != GRAPH_NONE) {
        const int64_t end_ns = g->works.items[w->before].end_ns;
        w->before_lag_ns = smaller(w->start_ns - end_ns, j->follow_ns[class_of(w)]);
        ready_ns = end_ns + w->before_lag_ns;
        binding = &w->before_lag_ns;
    }
    if (w->call != GRAPH_NONE) {
        const int64_t point_ns = call_point_ns(g, w);
        w->call_lag_ns = smaller(w->start_ns - point_ns, j->launch_ns[class_of(w)]);
        if (!binding || point_ns + w->call_lag_ns > ready_ns) {
            ready_ns = point_ns + w->call_lag_ns;
            binding = &w->call_lag_ns;
        }
    }
    w->late_ns = binding ? w->start_ns - ready_ns : 0;
    if (w->flags & WORK_OVERLAPS || w->late_ns > LATE_NS || !binding)
        return;
    *binding += w->late_ns;
    w->late_ns = 0;
    w->flags |= binding == &w->call_lag_ns ? WORK_BY_CALL : WORK_BY_BEFORE;
}

/* Did its stream get a wait between the calls of the work before it and its own? */
static bool was_told_to_wait(const struct recorded_graph *g, const struct graph_work *w)
{
    size_t low = 0, high = g->waits.count;
    if (w->call == GRAPH_NONE)
        return false;
    const uint32_t before = w->before == GRAPH_NONE ? GRAPH_NONE : g->works.items[w->before].call;
    const int64_t from_ns = before == GRAPH_NONE ? INT64_MIN : g->calls.items[before].start_ns;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct stream_wait *wait = &g->waits.items[middle];
        if (wait->queue < w->queue || (wait->queue == w->queue && wait->time_ns <= from_ns))
            low = middle + 1;
        else
            high = middle;
    }
    return low < g->waits.count && g->waits.items[low].queue == w->queue &&
           g->waits.items[low].time_ns <= g->calls.items[w->call].start_ns;
}

/* Work of another stream that ended right before it, and was launched before it. */
static bool may_follow(const struct recorded_graph *g, const struct graph_work *w, uint32_t source)
{
    if (source == GRAPH_NONE)
        return false;
    const struct graph_work *s = &g->works.items[source];
    const bool is_earlier = s->call == GRAPH_NONE || w->call == GRAPH_NONE ||
                            g->calls.items[s->call].start_ns <= g->calls.items[w->call].start_ns;
    return is_earlier && w->start_ns - s->end_ns <= WAKE_NS && s->end_ns >= w->start_ns - w->late_ns - LATE_NS;
}

/* Keeps those that it may have waited for, and returns how many. That its call or the work before it held it up is not
 * certain where other work ended right before it, too. */
static size_t keep_sources(const struct recorded_graph *g, struct graph_work *w)
{
    const bool is_possible =
        !g->processes.items[w->process].knows_waits || w->flags & (WORK_WAIT_SEEN | WORK_LATER_PART);
    size_t count = 0;
    for (size_t i = 0; i < GRAPH_SOURCES; i++)
        if (is_possible && may_follow(g, w, w->source[i]))
            w->source[count++] = w->source[i];
    for (size_t i = count; i < GRAPH_SOURCES; i++)
        w->source[i] = GRAPH_NONE;
    return count;
}

static int64_t call_end_of(const struct recorded_graph *g, const struct graph_work *w)
{
    return w->call == GRAPH_NONE ? INT64_MIN : g->calls.items[w->call].end_ns;
}

/* A short delay is usual, and so is any while the host is still in the call. Which of both held it up is the later one,
 * unless the call goes on for its own reasons. */
static void explain_by_call(const struct joining *j, struct graph_work *w)
{
    const struct recorded_graph *g = j->g;
    const struct graph_call *c = w->call == GRAPH_NONE ? NULL : &g->calls.items[w->call];
    const bool is_in_call = c && w->start_ns <= call_end_of(g, w) + j->launch_ns[class_of(w)];
    if (w->late_ns > REACTION_NS && !is_in_call) {
        w->flags |= WORK_UNEXPLAINED;
        return;
    }
    const int64_t ready_ns = w->start_ns - w->late_ns;
    const bool is_before_ready =
        w->before != GRAPH_NONE && g->works.items[w->before].end_ns + w->before_lag_ns == ready_ns;
    if (c && (!is_before_ready || (is_in_call && !(c->flags & CALL_WAITS)))) {
        w->call_lag_ns = w->start_ns - (w->flags & WORK_AFTER_CALL ? c->end_ns : c->start_ns);
        w->flags |= WORK_BY_CALL;
    } else {
        w->before_lag_ns += w->late_ns;
        w->flags |= WORK_BY_BEFORE;
    }
    w->late_ns = 0;
}

/* Where all waits are known, nothing else is waited for. Returns false when that does not explain when it started, as
 * where the default stream waits for all others. */
static bool decide_told(const struct joining *j, struct graph_work *w)
{
    const struct recorded_graph *g = j->g;
    uint32_t source[GRAPH_SOURCES] = {GRAPH_NONE, GRAPH_NONE, GRAPH_NONE};
    const size_t count = find_told(g->edges.items, g->edges.count, (uint32_t)(w - g->works.items), source);
    const bool is_late = w->late_ns && (!count || w->start_ns - g->works.items[source[0]].end_ns > WAKE_NS);
    if (w->flags & WORK_LATER_PART || is_late)
        return false;
    memcpy(w->source, source, sizeof w->source);
    if (count)
        w->flags |= WORK_FOLLOWS | WORK_SURE | WORK_TOLD;
    return true;
}

static void decide_work(const struct joining *j, struct graph_work *w)
{
    if (was_told_to_wait(j->g, w))
        w->flags |= WORK_WAIT_SEEN;
    set_lags(j, w);
    if (j->g->processes.items[w->process].knows_edges && !(w->flags & WORK_OVERLAPS) && decide_told(j, w))
        return;
    if (w->flags & WORK_OVERLAPS)
        w->flags |= WORK_FOLLOWS;
    else if (keep_sources(j->g, w))
        w->flags |= WORK_FOLLOWS | (w->late_ns && w->flags & WORK_WAIT_SEEN ? WORK_SURE : 0);
    else if (w->late_ns)
        explain_by_call(j, w);
}

/* ---- which waits for other streams are sure ---- */

/* Late starts of one kernel on one stream. */
struct late_group {
    size_t late, follow;
    double chance; /* that work of another stream ends right before a start, by chance */
};

/* Chernoff's bound: the chance that at least so many of so many are hit. */
static double tail(size_t hits, size_t count, double chance)
{
    const double share = (double)hits / (double)count;
    if (share <= chance)
        return 1;
    const double rest = share < 1 ? (1 - share) * log((1 - share) / (1 - chance)) : 0;
    return exp(-(double)count * (share * log(share / chance) + rest));
}

static bool is_sure(const struct late_group *group)
{
    return (double)group->follow >= (1 - OTHER_CAUSE) * (double)group->late &&
           tail(group->follow, group->late, group->chance) < CHANCE_MAX;
}

static double chance_of(const struct joining *j, const struct graph_work *w)
{
    const double others = (double)(j->g->processes.items[w->process].works - j->stream_works[w->stream]);
    const double span_ns = (double)(j->g->last_ns - j->g->first_ns);
    return span_ns > 0 ? fmin(1, others * WAKE_NS / span_ns) : 1;
}

static bool is_late(const struct graph_work *w)
{
    return w->late_ns && w->flags & (WORK_FOLLOWS | WORK_UNEXPLAINED) && !(w->flags & WORK_OVERLAPS);
}

static int group_late(struct joining *j, struct key_table *ids, struct err *e)
{
    struct recorded_graph *g = j->g;
    ARRAY_OF(struct late_group) groups = {0};
    int rc = 0;
    for (size_t i = 0; i < g->works.count && !rc; i++) {
        const struct graph_work *w = &g->works.items[i];
        if (!is_late(w))
            continue;
        const uint32_t id = key_table_add(ids, (int32_t)w->stream, w->name);
        if (!id || (id > groups.count && !ARRAY_PUSH(&groups))) {
            rc = err_memory(e);
            break;
        }
        groups.items[id - 1].late++;
        groups.items[id - 1].follow += (w->flags & WORK_FOLLOWS) != 0;
        groups.items[id - 1].chance = chance_of(j, w);
    }
    for (size_t i = 0; i < g->works.count && !rc; i++) {
        struct graph_work *w = &g->works.items[i];
        if (is_late(w) && w->flags & WORK_FOLLOWS && w->late_ns > REACTION_NS &&
            is_sure(&groups.items[key_table_find(ids, (int32_t)w->stream, w->name) - 1]))
            w->flags |= WORK_SURE;
    }
    free(groups.items);
    return rc;
}

/* ---- the order of launches ---- */

struct ordered {
    int64_t call_ns;
    uint32_t process, work;
};

static int by_launch(const void *left, const void *right)
{
    const struct ordered *a = left, *b = right;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    if (a->call_ns != b->call_ns)
        return a->call_ns < b->call_ns ? -1 : 1;
    return (a->work > b->work) - (a->work < b->work);
}

/* Without a call, work may have been launched at any time: first, so that others may wait for it. */
static int order_launches(struct recorded_graph *g, struct err *e)
{
    struct ordered *list = calloc(g->works.count + 1, sizeof *list);
    if (!list)
        return err_memory(e);
    for (size_t i = 0; i < g->works.count; i++) {
        const struct graph_work *w = &g->works.items[i];
        const int64_t call_ns = w->call == GRAPH_NONE ? INT64_MIN : g->calls.items[w->call].start_ns;
        list[i] = (struct ordered){call_ns, w->process, (uint32_t)i};
    }
    qsort(list, g->works.count, sizeof *list, by_launch);
    for (size_t i = 0; i < g->works.count; i++) {
        struct graph_process *p = &g->processes.items[list[i].process];
        if (!p->works)
            p->first_order = (uint32_t)i;
        g->works.items[list[i].work].order = p->works++;
    }
    free(list);
    return 0;
}

/* ---- waits that the trace tells ---- */

struct queued {
    uint32_t queue, correlation, work;
};

static int by_place(const void *left, const void *right)
{
    const struct queued *a = left, *b = right;
    if (a->queue != b->queue)
        return a->queue < b->queue ? -1 : 1;
    if (a->correlation != b->correlation)
        return a->correlation < b->correlation ? -1 : 1;
    return (a->work > b->work) - (a->work < b->work);
}

/* Returns the first place in the list that lies behind (queue, correlation), or at it, too. */
static size_t place_behind(const struct queued *list, size_t count, uint32_t queue, uint32_t correlation, bool or_at)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct queued *q = &list[middle];
        if (q->queue < queue ||
            (q->queue == queue && (or_at ? q->correlation < correlation : q->correlation <= correlation)))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Finds the works of an edge. Returns false when there are none, or when the clock says that it cannot be. */
static bool find_works(const struct recorded_graph *g, const struct queued *list, struct stream_edge *edge)
{
    const size_t count = g->works.count, to = place_behind(list, count, edge->queue, edge->correlation, false),
                 from = place_behind(list, count, edge->source_queue, edge->source_correlation, true);
    if (edge->queue == edge->source_queue || to == count || list[to].queue != edge->queue || !from ||
        list[from - 1].queue != edge->source_queue)
        return false;
    edge->to = list[to].work;
    edge->from = list[from - 1].work;
    return g->works.items[edge->from].end_ns <= g->works.items[edge->to].start_ns;
}

static bool find_awaited(const struct recorded_graph *g, const struct queued *list, struct stream_edge *edge)
{
    const size_t from = place_behind(list, g->works.count, edge->source_queue, edge->source_correlation, true);
    if (edge->to == GRAPH_NONE || !from || list[from - 1].queue != edge->source_queue)
        return false;
    edge->from = list[from - 1].work;
    return g->works.items[edge->from].end_ns <= g->calls.items[edge->to].end_ns;
}

static int by_target(const void *left, const void *right)
{
    const struct stream_edge *a = left, *b = right;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    if (a->from_end_ns != b->from_end_ns)
        return a->from_end_ns > b->from_end_ns ? -1 : 1;
    return (a->from > b->from) - (a->from < b->from);
}

typedef bool edge_finder(const struct recorded_graph *g, const struct queued *list, struct stream_edge *edge);

/* Keeps the edges of which both ends are known, each once. Returns how many. */
static size_t keep_edges(const struct recorded_graph *g, const struct queued *list, edge_finder *find,
                         struct stream_edge *edges, size_t count)
{
    size_t found = 0, kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (!find(g, list, &edges[i]))
            continue;
        edges[i].from_end_ns = g->works.items[edges[i].from].end_ns;
        edges[found++] = edges[i];
    }
    if (found)
        qsort(edges, found, sizeof *edges, by_target);
    for (size_t i = 0; i < found; i++)
        if (!kept || edges[i].to != edges[kept - 1].to || edges[i].from != edges[kept - 1].from)
            edges[kept++] = edges[i];
    return kept;
}

static int join_edges(struct recorded_graph *g, struct err *e)
{
    struct queued *list = calloc(g->works.count + 1, sizeof *list);
    if (!list)
        return err_memory(e);
    for (size_t i = 0; i < g->works.count; i++) {
        const struct graph_work *w = &g->works.items[i];
        list[i] = (struct queued){w->queue, w->correlation, (uint32_t)i};
    }
    qsort(list, g->works.count, sizeof *list, by_place);
    g->edges.count = keep_edges(g, list, find_works, g->edges.items, g->edges.count);
    g->call_edges.count = keep_edges(g, list, find_awaited, g->call_edges.items, g->call_edges.count);
    free(list);
    return 0;
}

/* ---- all of it ---- */

static int by_queue(const void *left, const void *right)
{
    const struct stream_wait *a = left, *b = right;
    if (a->queue != b->queue)
        return a->queue < b->queue ? -1 : 1;
    return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

static int prepare(struct joining *j, struct err *e)
{
    const struct recorded_graph *g = j->g;
    size_t streams = 1, threads = 1;
    for (size_t i = 0; i < g->works.count; i++)
        streams = g->works.items[i].stream >= streams ? g->works.items[i].stream + (size_t)1 : streams;
    for (size_t i = 0; i < g->calls.count; i++)
        threads = g->calls.items[i].thread >= threads ? g->calls.items[i].thread + (size_t)1 : threads;
    j->streams = calloc(streams, sizeof *j->streams);
    j->stream_works = calloc(streams, sizeof *j->stream_works);
    j->threads = calloc(threads, sizeof *j->threads);
    j->processes = calloc(g->processes.count + 1, sizeof *j->processes);
    if (!j->streams || !j->stream_works || !j->threads || !j->processes)
        return err_memory(e);
    for (size_t i = 0; i < streams; i++)
        j->streams[i] = (struct stream_state){GRAPH_NONE, GRAPH_NONE};
    for (size_t i = 0; i < threads; i++)
        j->threads[i] = GRAPH_NONE;
    for (size_t i = 0; i < g->processes.count; i++)
        for (size_t k = 0; k < LATEST; k++)
            j->processes[i].works.nodes[k] = j->processes[i].calls.nodes[k] = GRAPH_NONE;
    if (g->waits.count)
        qsort(g->waits.items, g->waits.count, sizeof *g->waits.items, by_queue);
    return 0;
}

static int decide(struct joining *j, const struct strtab *strings, struct err *e)
{
    struct recorded_graph *g = j->g;
    struct key_table ids = {0};
    follow_points(j);
    for (size_t i = 0; i < g->calls.count; i++) {
        decide_call(j, &g->calls.items[i], strings);
        decide_gap(g, &g->calls.items[i]);
    }
    int rc = measure_usual(j, e);
    for (size_t i = 0; i < g->works.count && !rc; i++)
        decide_work(j, &g->works.items[i]);
    if (!rc)
        rc = group_late(j, &ids, e);
    key_table_release(&ids);
    return rc;
}

int recorded_graph_join(struct recorded_graph *g, const struct strtab *strings, struct err *e)
{
    struct joining j = {.g = g};
    int rc = make_points(g, e);
    if (!rc)
        rc = order_launches(g, e);
    if (!rc)
        rc = join_edges(g, e);
    if (!rc)
        rc = prepare(&j, e);
    if (!rc)
        rc = decide(&j, strings, e);
    free(j.streams);
    free(j.stream_works);
    free(j.threads);
    free(j.processes);
    return rc;
}
