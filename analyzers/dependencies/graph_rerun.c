/* When would a recorded program have ended, if some of its work had been shorter? */
#include "analyzers/dependencies/graph_rerun.h"

#include <math.h>
#include <stdlib.h>

enum {
    UNEXPLAINED_LEFT_NS = 20000, /* of a call that waits, where a longer wait is not explained */
    LEAST_LAUNCH_NS = 2000,      /* from a call to its work: no GPU is quicker */
    NEXT_NS = 4000,              /* from one operation to the next, where nothing else is waited for */
    TOLD_NS = 10000,             /* at most from the end of what a stream waits for to the start of what comes next, */
    TOLD_QUICK_NS = 2000         /* and where something else held it up */
};

struct running {
    const struct recorded_graph *g;
    const struct rerun *how;
    struct rerun_times *t;
};

static int64_t *times(size_t count)
{
    return calloc(count + 1, sizeof(int64_t));
}

int rerun_times_new(struct rerun_times *t, const struct recorded_graph *g, struct err *e)
{
    *t = (struct rerun_times){.call_start_ns = times(g->calls.count),
                              .call_end_ns = times(g->calls.count),
                              .work_start_ns = times(g->works.count),
                              .work_end_ns = times(g->works.count),
                              .meeting_ns = times(g->meetings.count),
                              .done_ns = times(g->processes.count),
                              .called_ns = times(g->processes.count),
                              .launched_ns = times(g->works.count)};
    const bool is_made = t->call_start_ns && t->call_end_ns && t->work_start_ns && t->work_end_ns && t->meeting_ns &&
                         t->done_ns && t->called_ns && t->launched_ns;
    return is_made ? 0 : err_memory(e);
}

void rerun_times_release(struct rerun_times *t)
{
    free(t->call_start_ns);
    free(t->call_end_ns);
    free(t->work_start_ns);
    free(t->work_end_ns);
    free(t->meeting_ns);
    free(t->done_ns);
    free(t->called_ns);
    free(t->launched_ns);
    *t = (struct rerun_times){0};
}

static void begin(const struct running *r)
{
    const struct recorded_graph *g = r->g;
    for (size_t i = 0; i < g->calls.count; i++) {
        r->t->call_start_ns[i] = g->calls.items[i].start_ns;
        r->t->call_end_ns[i] = g->calls.items[i].end_ns;
    }
    for (size_t i = 0; i < g->works.count; i++) {
        r->t->work_start_ns[i] = g->works.items[i].start_ns;
        r->t->work_end_ns[i] = g->works.items[i].end_ns;
        r->t->launched_ns[i] = INT64_MIN;
    }
    for (size_t i = 0; i < g->meetings.count; i++)
        r->t->meeting_ns[i] = INT64_MIN;
    for (size_t i = 0; i < g->processes.count; i++)
        r->t->done_ns[i] = r->t->called_ns[i] = INT64_MIN;
}

static void raise(int64_t *time_ns, int64_t to_ns)
{
    if (to_ns > *time_ns)
        *time_ns = to_ns;
}

/* One of several times holds, and it is not known which. */
struct choice {
    int64_t first_ns, last_ns;
};

static const struct choice no_choice = {INT64_MAX, INT64_MIN};

static void consider(struct choice *c, int64_t time_ns)
{
    if (time_ns < c->first_ns)
        c->first_ns = time_ns;
    raise(&c->last_ns, time_ns);
}

static int64_t chosen(const struct running *r, const struct choice *c)
{
    return r->how->gains_most ? c->first_ns : c->last_ns;
}

static int64_t after_work(const struct running *r, uint32_t work, int64_t recorded_ns)
{
    return r->t->work_end_ns[work] + (recorded_ns - r->g->works.items[work].end_ns);
}

/* The time between is the host's own. What lies before the first work is not the program's time. */
static int64_t after_call(const struct running *r, uint32_t call, int64_t recorded_ns)
{
    const int64_t end_ns = r->g->calls.items[call].end_ns, from_ns = end_ns > r->g->first_ns ? end_ns : r->g->first_ns;
    const int64_t gone_ns = recorded_ns > from_ns ? llround((double)(recorded_ns - from_ns) * r->how->host_gone) : 0;
    return r->t->call_end_ns[call] + (recorded_ns - end_ns) - gone_ns;
}

/* ---- calls ---- */

/* The thread's own time before the call may be a wait that is not recorded. */
static int64_t start_of_call(const struct running *r, const struct graph_call *c)
{
    struct choice choice = no_choice;
    consider(&choice, c->before == GRAPH_NONE ? c->start_ns : after_call(r, c->before, c->start_ns));
    if (c->flags & CALL_IN_TURN)
        consider(&choice, after_call(r, c->turn, c->start_ns));
    if (c->flags & CALL_AFTER_WORK)
        consider(&choice, after_work(r, c->done_before, c->start_ns));
    int64_t start_ns = chosen(r, &choice);
    if (c->before != GRAPH_NONE && r->g->calls.items[c->before].end_ns <= c->start_ns)
        raise(&start_ns, r->t->call_end_ns[c->before]);
    if (!r->how->gains_most)
        raise(&start_ns, r->t->called_ns[c->process]);
    return start_ns;
}

static void start_call(const struct running *r, uint32_t index)
{
    const struct graph_call *c = &r->g->calls.items[index];
    int64_t length_ns = c->end_ns - c->start_ns;
    if (c->flags & CALL_UNEXPLAINED && r->how->drops_unexplained && length_ns > UNEXPLAINED_LEFT_NS)
        length_ns = UNEXPLAINED_LEFT_NS;
    r->t->call_start_ns[index] = start_of_call(r, c);
    r->t->call_end_ns[index] = r->t->call_start_ns[index] + length_ns;
}

/* A call takes some time, also when all is done. */
static int64_t end_of_wait(const struct running *r, const struct graph_call *c, int64_t start_ns)
{
    const int64_t length_ns = c->end_ns - c->start_ns;
    int64_t least_ns = length_ns;
    struct choice choice = no_choice;
    for (size_t i = 0; i < GRAPH_SOURCES && c->awaited[i] != GRAPH_NONE; i++) {
        const int64_t lag_ns = c->end_ns - r->g->works.items[c->awaited[i]].end_ns;
        consider(&choice, after_work(r, c->awaited[i], c->end_ns));
        if (lag_ns < least_ns)
            least_ns = lag_ns > 0 ? lag_ns : 0;
    }
    if (c->flags & CALL_UNSURE)
        consider(&choice, start_ns + length_ns);
    int64_t end_ns = chosen(r, &choice);
    raise(&end_ns, start_ns + least_ns);
    return end_ns;
}

/* It ends when all is over, and takes some time, also when it was before: all of its length where it did not wait. */
static int64_t end_of_told(const struct running *r, const struct graph_call *c, int64_t start_ns)
{
    const int64_t length_ns = c->end_ns - c->start_ns,
                  first_lag_ns = c->end_ns - r->g->works.items[c->awaited[0]].end_ns;
    int64_t end_ns = start_ns + (first_lag_ns < length_ns ? first_lag_ns : length_ns);
    for (size_t i = 0; i < GRAPH_SOURCES && c->awaited[i] != GRAPH_NONE; i++) {
        const int64_t lag_ns = c->end_ns - r->g->works.items[c->awaited[i]].end_ns;
        raise(&end_ns, r->t->work_end_ns[c->awaited[i]] + (i && lag_ns > TOLD_NS ? TOLD_NS
                                                           : lag_ns < length_ns  ? lag_ns
                                                                                 : length_ns));
    }
    return end_ns;
}

static void end_call(const struct running *r, uint32_t index)
{
    const struct graph_call *c = &r->g->calls.items[index];
    int64_t *end_ns = &r->t->call_end_ns[index];
    if (c->flags & CALL_TOLD) {
        *end_ns = end_of_told(r, c, r->t->call_start_ns[index]);
        raise(&r->t->called_ns[c->process], *end_ns);
        return;
    }
    if (c->flags & CALL_WAITS)
        *end_ns = end_of_wait(r, c, r->t->call_start_ns[index]);
    if (c->flags & CALL_WAITS_FOR_ALL || (!r->how->gains_most && c->detail == CPPROF_API_SYNC))
        raise(end_ns, r->t->done_ns[c->process]);
    raise(&r->t->called_ns[c->process], *end_ns);
}

/* ---- work ---- */

static int64_t after_source(const struct running *r, const struct graph_work *w, uint32_t source)
{
    int64_t time_ns = after_work(r, source, w->start_ns);
    if (w->flags & WORK_OVERLAPS)
        raise(&time_ns, r->t->work_start_ns[source]);
    return time_ns;
}

static int64_t point_of_call(const struct running *r, const struct graph_work *w)
{
    return (w->flags & WORK_AFTER_CALL ? r->t->call_end_ns : r->t->call_start_ns)[w->call];
}

/* It started as soon as a stream goes from one operation to the next. */
static bool is_next(const struct graph_work *w)
{
    return w->flags & WORK_BY_BEFORE && w->before_lag_ns <= NEXT_NS;
}

/* After the work and the call before it. What held it up took as long as it did, and what did not may be quick. */
static int64_t seen_start(const struct running *r, const struct graph_work *w, bool is_quick)
{
    const bool may_follow = w->flags & WORK_FOLLOWS;
    int64_t before_ns = w->before_lag_ns, call_ns = w->call_lag_ns;
    int64_t start_ns = w->before == GRAPH_NONE && w->call == GRAPH_NONE ? w->start_ns : INT64_MIN;
    if (is_quick && !is_next(w) && (!(w->flags & WORK_BY_BEFORE) || may_follow) && before_ns > 0)
        before_ns = 0;
    if (is_quick && (!(w->flags & WORK_BY_CALL) || may_follow) && call_ns > LEAST_LAUNCH_NS)
        call_ns = LEAST_LAUNCH_NS;
    if (w->before != GRAPH_NONE)
        raise(&start_ns, r->t->work_end_ns[w->before] + before_ns);
    if (w->call != GRAPH_NONE)
        raise(&start_ns, point_of_call(r, w) + call_ns);
    return start_ns;
}

/* All of what it was told to wait for is over. What held it up took as long as it did; what did not is quick. */
static int64_t told_start(const struct running *r, const struct graph_work *w)
{
    const bool is_held_up = !(w->flags & (WORK_BY_BEFORE | WORK_BY_CALL));
    int64_t start_ns = seen_start(r, w, false);
    for (size_t i = 0; i < GRAPH_SOURCES && w->source[i] != GRAPH_NONE; i++) {
        const int64_t lag_ns = w->start_ns - r->g->works.items[w->source[i]].end_ns,
                      most_ns = is_held_up && !i ? TOLD_NS : TOLD_QUICK_NS;
        raise(&start_ns, r->t->work_end_ns[w->source[i]] + (lag_ns < most_ns ? lag_ns : most_ns));
    }
    return start_ns;
}

static int64_t start_of(const struct running *r, const struct graph_work *w)
{
    if (w->flags & WORK_TOLD)
        return told_start(r, w);
    const int64_t usual_ns = seen_start(r, w, false);
    int64_t start_ns = r->how->gains_most ? seen_start(r, w, true) : usual_ns;
    if (w->flags & WORK_UNEXPLAINED && !r->how->drops_unexplained)
        return usual_ns + w->late_ns;
    if (!(w->flags & WORK_FOLLOWS) || (r->how->gains_most && is_next(w)))
        return start_ns;
    struct choice choice = no_choice;
    for (size_t i = 0; i < GRAPH_SOURCES && w->source[i] != GRAPH_NONE; i++)
        consider(&choice, after_source(r, w, w->source[i]));
    if (!(w->flags & WORK_SURE))
        consider(&choice, usual_ns + w->late_ns);
    raise(&start_ns, chosen(r, &choice));
    return start_ns;
}

/* A Fenwick tree whose sums are maxima. */
static void note_end(const struct running *r, const struct graph_work *w, int64_t end_ns)
{
    const struct graph_process *p = &r->g->processes.items[w->process];
    for (uint32_t i = w->order + 1; i <= p->works; i += i & -i)
        raise(&r->t->launched_ns[p->first_order + i - 1], end_ns);
}

/* The last end of what was launched before it and has ended. */
static int64_t last_end_before(const struct running *r, const struct graph_work *w)
{
    const struct graph_process *p = &r->g->processes.items[w->process];
    int64_t end_ns = INT64_MIN;
    for (uint32_t i = w->order; i > 0; i -= i & -i)
        raise(&end_ns, r->t->launched_ns[p->first_order + i - 1]);
    return end_ns;
}

static bool may_keep_order(const struct running *r, const struct graph_work *w)
{
    const struct graph_process *p = &r->g->processes.items[w->process];
    if (p->knows_edges && !(w->flags & (WORK_LATER_PART | WORK_UNEXPLAINED | WORK_FOLLOWS)))
        return false;
    return !r->how->gains_most && !(w->flags & WORK_TOLD) &&
           (!r->g->processes.items[w->process].knows_waits || w->flags & (WORK_WAIT_SEEN | WORK_LATER_PART));
}

static bool is_shorter(const struct rerun *how, const struct graph_work *w)
{
    return how->name && w->name == how->name && (w->kind == CPPROF_EVENT_KERNEL || w->kind == CPPROF_EVENT_COPY) &&
           (!how->grid_blocks || how->grid_blocks == w->grid_blocks);
}

static int64_t length_of(const struct running *r, const struct graph_work *w, int64_t recorded_ns)
{
    return is_shorter(r->how, w) ? llround((double)recorded_ns * r->how->left) : recorded_ns;
}

/* What began while the work before it on its stream still ran may wait for that inside, too. */
static int64_t end_of(const struct running *r, const struct graph_work *w, int64_t start_ns)
{
    struct choice choice = no_choice;
    consider(&choice, start_ns + length_of(r, w, w->end_ns - w->start_ns));
    if (w->flags & WORK_OVERLAPS) {
        const int64_t rest_ns = w->end_ns - r->g->works.items[w->source[0]].end_ns;
        if (rest_ns > 0)
            consider(&choice, r->t->work_end_ns[w->source[0]] + length_of(r, w, rest_ns));
    }
    int64_t end_ns = chosen(r, &choice);
    raise(&end_ns, start_ns);
    return end_ns;
}

static void start_work(const struct running *r, uint32_t index)
{
    const struct graph_work *w = &r->g->works.items[index];
    int64_t start_ns = start_of(r, w);
    if (may_keep_order(r, w))
        raise(&start_ns, last_end_before(r, w));
    int64_t end_ns = end_of(r, w, start_ns);
    /* Where ranks are not there that it needs, it may end when it did. */
    if (w->flags & WORK_COLLECTIVE && w->meeting == GRAPH_NONE && !r->how->gains_most)
        raise(&end_ns, w->end_ns);
    r->t->work_start_ns[index] = start_ns;
    r->t->work_end_ns[index] = end_ns;
    if (w->meeting != GRAPH_NONE)
        raise(&r->t->meeting_ns[w->meeting], start_ns);
}

static void end_work(const struct running *r, uint32_t index)
{
    const struct graph_work *w = &r->g->works.items[index];
    if (w->meeting != GRAPH_NONE)
        r->t->work_end_ns[index] =
            r->t->meeting_ns[w->meeting] + length_of(r, w, w->end_ns - r->g->meetings.items[w->meeting].last_start_ns);
    if (!r->how->gains_most)
        note_end(r, w, r->t->work_end_ns[index]);
    raise(&r->t->done_ns[w->process], r->t->work_end_ns[index]);
}

int64_t graph_rerun(const struct recorded_graph *g, const struct rerun *how, struct rerun_times *t)
{
    const struct running r = {g, how, t};
    int64_t last_ns = g->first_ns;
    begin(&r);
    for (size_t i = 0; i < g->point_count; i++) {
        const struct graph_point *p = &g->points[i];
        switch ((enum point_order)p->order) {
        case POINT_WORK_START: start_work(&r, p->node); break;
        case POINT_WORK_END:
        case POINT_WORK_ENDS_AT_ONCE: end_work(&r, p->node); break;
        case POINT_CALL_START: start_call(&r, p->node); break;
        case POINT_CALL_END:
        case POINT_CALL_ENDS_AT_ONCE: end_call(&r, p->node); break;
        }
    }
    for (size_t i = 0; i < g->works.count; i++)
        raise(&last_ns, t->work_end_ns[i]);
    return last_ns;
}
