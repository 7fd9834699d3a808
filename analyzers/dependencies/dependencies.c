/* How much of a saving in a kernel would reach the program, by the recorded graph? */
#include "analyzers/dependencies/dependency_rows.h"

#include <math.h>
#include <stdlib.h>

#include "analyzers/dependencies/graph_rerun.h"
#include "analyzers/dependencies/graph_steps.h"
#include "core/base/array.h"
#include "core/base/count_of.h"
#include "core/base/demangle.h"
#include "core/base/key_table.h"
#include "core/base/str.h"
#include "core/stats/statistics.h"
#include "core/trace/event_stream.h"
#include "core/trace/identity.h"
#include "core/trace/resumptions.h"
#include "core/trace/short_names.h"

#define SHORTER_BY     0.1  /* of a kernel's time */
#define ERROR_MAX      0.01 /* of the program's time */
#define UNCALLED_MAX   0.001
#define HIDDEN_BELOW   0.2 /* as where it is measured (docs/profile.md) */
#define CRITICAL_ABOVE 0.8
#define WIDTH_MAX      0.4

enum { TIME_ERROR_MAX_NS = 1000 };

static const struct bounded unknown = {NAN, NAN, NAN};

/* ---- the graph ---- */

static bool has_waits(const struct recorded_graph *g)
{
    for (size_t i = 0; i < g->calls.count; i++)
        if (g->calls.items[i].detail == CPPROF_API_SYNC)
            return true;
    return false;
}

static bool has_paused(const struct event_stream *stream)
{
    const struct resumptions *r = event_stream_resumptions(stream);
    for (size_t i = 0; r && i < r->count; i++)
        if (r->items[i].paused_ns < r->items[i].time_ns)
            return true;
    return false;
}

static enum dependency_reason doubt_of(const struct dependencies *d, const struct event_stream *stream, bool is_whole)
{
    const struct recorded_graph *g = d->graph;
    if (!is_whole || g->unfinished)
        return DEPENDENCY_RECORDS_MISSING;
    if (g->reason)
        return g->reason;
    if (event_stream_gpus(stream)->count)
        return DEPENDENCY_SHARED_GPU;
    if (!g->works.count)
        return DEPENDENCY_NO_WORK;
    if (event_stream_is_launches_only(stream) || (double)g->uncalled > UNCALLED_MAX * (double)g->works.count)
        return DEPENDENCY_CALLS_MISSING;
    if (event_stream_may_lack_waits(stream) && !has_waits(g))
        return DEPENDENCY_WAITS_MISSING;
    if (has_paused(stream))
        return DEPENDENCY_PAUSED;
    return event_stream_time_error_ns(stream) > TIME_ERROR_MAX_NS ? DEPENDENCY_TIMES_ROUNDED : DEPENDENCY_NO_REASON;
}

static void count_edges(struct dependencies *d)
{
    const struct recorded_graph *g = d->graph;
    d->works = (int64_t)g->works.count;
    d->calls = (int64_t)g->calls.count;
    for (size_t i = 0; i < g->works.count; i++) {
        const unsigned flags = g->works.items[i].flags;
        d->sure += (flags & WORK_SURE) != 0;
        d->unsure += (flags & (WORK_SURE | WORK_FOLLOWS)) == WORK_FOLLOWS && !(flags & (WORK_BY_BEFORE | WORK_BY_CALL));
        d->unexplained += (flags & WORK_UNEXPLAINED) != 0;
        d->recorded += (flags & WORK_TOLD) != 0;
    }
    for (size_t i = 0; i < g->calls.count; i++)
        d->unexplained += (g->calls.items[i].flags & CALL_UNEXPLAINED) != 0;
}

static double saved_ns(const struct dependencies *d, const struct rerun *how)
{
    return (double)(d->graph->last_ns - graph_rerun(d->graph, how, d->times));
}

/* Does the same, and measures the steps. */
static double saved_of_steps_ns(const struct dependencies *d, const struct rerun *how, double *step_ns)
{
    const double saved = saved_ns(d, how);
    if (d->steps->lengths)
        graph_steps_measure(d->steps, d->graph, d->times->work_end_ns, step_ns);
    return saved;
}

static int find_steps(struct dependencies *d, struct event_stream *stream, struct err *e)
{
    const int rc = graph_steps_find(d->steps, d->graph, stream, e);
    for (size_t i = 0; i < COUNT_OF(d->step_ns) && !rc; i++)
        if (!(d->step_ns[i] = calloc(d->steps->items.count + 1, sizeof *d->step_ns[i])))
            return err_memory(e);
    if (!rc && d->steps->lengths)
        graph_steps_measure(d->steps, d->graph, NULL, d->step_ns[0]);
    return rc;
}

const char *dependencies_steps(const struct dependencies *d, size_t *count)
{
    *count = d->steps ? d->steps->lengths : 0;
    return *count ? str_text(&d->steps->range) : NULL;
}

/* A graph that explains the recorded times ends when the program did, also without the delays of unknown cause. */
static void measure_error(struct dependencies *d)
{
    const struct rerun how = {.left = 1, .drops_unexplained = true};
    d->program_ns = (double)(d->graph->last_ns - d->graph->first_ns);
    d->error = d->program_ns > 0 ? fabs(saved_ns(d, &how)) / d->program_ns : NAN;
    if (!(d->error <= ERROR_MAX))
        d->reason = DEPENDENCY_NOT_EXPLAINED;
}

static int build(struct dependencies *d, struct event_stream *stream, bool is_whole, struct err *e)
{
    d->graph = calloc(1, sizeof *d->graph);
    d->times = calloc(1, sizeof *d->times);
    d->steps = calloc(1, sizeof *d->steps);
    int rc = d->graph && d->times && d->steps ? recorded_graph_read(d->graph, stream, e) : err_memory(e);
    if (rc)
        return rc;
    d->reason = doubt_of(d, stream, is_whole);
    if (d->reason)
        return 0;
    rc = recorded_graph_join(d->graph, event_stream_strings(stream), e);
    if (!rc)
        rc = rerun_times_new(d->times, d->graph, e);
    if (!rc)
        rc = find_steps(d, stream, e);
    if (rc)
        return rc;
    count_edges(d);
    measure_error(d);
    return 0;
}

/* ---- the gain ---- */

static bool may_be_shorter(const struct graph_work *w)
{
    return w->name && (w->kind == CPPROF_EVENT_KERNEL || w->kind == CPPROF_EVENT_COPY);
}

static double total_of(const struct recorded_graph *g, uint32_t symbol, uint64_t grid_blocks)
{
    double total_ns = 0;
    for (size_t i = 0; i < g->works.count; i++) {
        const struct graph_work *w = &g->works.items[i];
        if (may_be_shorter(w) && w->name == symbol && (!grid_blocks || w->grid_blocks == grid_blocks))
            total_ns += (double)(w->end_ns - w->start_ns);
    }
    return total_ns;
}

/* What goes of the steps, into the place of their lengths. Returns how many have any length. */
static size_t gains_of(const struct dependencies *d, double *step_ns)
{
    size_t count = 0;
    for (size_t i = 0; i < d->steps->lengths; i++)
        if (d->step_ns[0][i] > 0)
            step_ns[count++] = 1 - step_ns[i] / d->step_ns[0][i];
    return count;
}

static struct bounded between(const struct dependencies *d, double a, double b)
{
    const double low = fmax(0, fmin(a, b) - d->error), high = fmax(low, fmax(a, b) + d->error);
    return (struct bounded){(low + high) / 2, low, high};
}

/* `median` sorts, so the least comes first. */
static void set_steps(const struct dependencies *d, struct step_gain *step)
{
    const size_t count = gains_of(d, d->step_ns[1]);
    if (!d->steps->lengths || gains_of(d, d->step_ns[2]) != count || !count)
        return;
    step->median = between(d, median(d->step_ns[1], count), median(d->step_ns[2], count));
    step->least = between(d, d->step_ns[1][0], d->step_ns[2][0]);
}

/* What the graph does not explain may be for what is shorter or against it. `share` is what goes, of the program's
 * time.
 */
static enum dependency_reason gain_of(const struct dependencies *d, const struct rerun *least, double share,
                                      struct bounded *gain, struct step_gain *step)
{
    struct rerun most = *least;
    most.gains_most = true;
    const double low = saved_of_steps_ns(d, least, d->step_ns[1]) / d->program_ns,
                 high = saved_of_steps_ns(d, &most, d->step_ns[2]) / d->program_ns;
    gain->low = fmax(0, fmin(low, high) - d->error);
    gain->high = fmax(fmax(gain->low, high), fmin(share, high + d->error));
    gain->value = (gain->low + gain->high) / 2;
    set_steps(d, step);
    return gain->high - gain->low > WIDTH_MAX * share ? DEPENDENCY_UNSEEN_WAITS : DEPENDENCY_NO_REASON;
}

enum dependency_reason dependencies_gain(const struct dependencies *d, uint32_t symbol, uint64_t grid_blocks,
                                         double saving_ns, struct bounded *gain, struct step_gain *step)
{
    *gain = step->median = step->least = unknown;
    if (d->reason)
        return d->reason;
    const double total_ns = total_of(d->graph, symbol, grid_blocks), share = saving_ns / d->program_ns;
    if (!(saving_ns > 0) || !(saving_ns <= total_ns))
        return DEPENDENCY_NO_LAUNCHES;
    if (d->error >= share)
        return DEPENDENCY_BELOW_ERROR;
    const struct rerun least = {.name = symbol, .grid_blocks = grid_blocks, .left = 1 - saving_ns / total_ns};
    return gain_of(d, &least, share, gain, step);
}

/* ---- the kernels ---- */

static int by_time(const void *left, const void *right)
{
    const struct dependency_row *a = left, *b = right;
    if (a->total_ns != b->total_ns)
        return a->total_ns > b->total_ns ? -1 : 1;
    return (a->symbol > b->symbol) - (a->symbol < b->symbol);
}

/* Copies of which nobody needs to know: names of copies are not those of kernels. */
static void leave_out_copies(struct dependencies *d, uint32_t symbols)
{
    for (size_t i = 0; i < d->graph->works.count; i++) {
        const struct graph_work *w = &d->graph->works.items[i];
        if (w->kind == CPPROF_EVENT_COPY && w->name && w->name <= symbols &&
            (double)d->rows[w->name].total_ns < DEPENDENCY_COPY_MIN * d->program_ns)
            d->rows[w->name] = (struct dependency_row){0};
    }
}

static int find_kernels(struct dependencies *d, const struct strtab *strings, struct err *e)
{
    const uint32_t symbols = strtab_count(strings);
    d->rows = calloc((size_t)symbols + 1, sizeof *d->rows);
    if (!d->rows)
        return err_memory(e);
    for (size_t i = 0; i < d->graph->works.count; i++) {
        const struct graph_work *w = &d->graph->works.items[i];
        if (!may_be_shorter(w) || w->name > symbols)
            continue;
        struct dependency_row *row = &d->rows[w->name];
        row->symbol = w->name;
        row->launches++;
        row->total_ns += w->end_ns - w->start_ns;
    }
    leave_out_copies(d, symbols);
    qsort(d->rows, (size_t)symbols + 1, sizeof *d->rows, by_time);
    while (d->count < DEPENDENCY_KERNELS_MAX && d->count <= symbols && d->rows[d->count].total_ns > 0)
        d->count++;
    return 0;
}

static int add_name(uint32_t *name, uint32_t symbol, const struct strtab *strings, struct short_names *names,
                    struct err *e)
{
    struct str full;
    str_init(&full);
    demangle_full(&full, strtab_text(strings, symbol));
    *name = full.failed ? 0 : short_names_add(names, str_text(&full));
    str_release(&full);
    return *name ? 0 : err_memory(e);
}

static enum causal_status status_of(const struct bounded *c)
{
    if (c->low > CRITICAL_ABOVE)
        return CAUSAL_CRITICAL;
    return c->high < HIDDEN_BELOW ? CAUSAL_HIDDEN : CAUSAL_PARTLY;
}

static void judge_kernel(const struct dependencies *d, struct dependency_row *row)
{
    const double saving_ns = SHORTER_BY * (double)row->total_ns, share = saving_ns / d->program_ns;
    struct bounded gain;
    row->share = (double)row->total_ns / d->program_ns;
    row->criticality = unknown;
    row->reason = dependencies_gain(d, row->symbol, 0, saving_ns, &gain, &row->step);
    row->status = CAUSAL_INCONCLUSIVE;
    if (isfinite(gain.value))
        row->criticality = (struct bounded){gain.value / share, gain.low / share, gain.high / share};
    if (!row->reason)
        row->status = status_of(&row->criticality);
}

/* ---- the host ---- */

/* Time of threads that launch, between their calls: of a process on average, as they run at the same time. */
static int sum_host(const struct dependencies *d, double *total_ns, struct err *e)
{
    const struct recorded_graph *g = d->graph;
    uint32_t threads = 1;
    for (size_t i = 0; i < g->calls.count; i++)
        threads = g->calls.items[i].thread >= threads ? g->calls.items[i].thread + 1 : threads;
    bool *launches = calloc(threads, sizeof *launches);
    if (!launches)
        return err_memory(e);
    for (size_t i = 0; i < g->calls.count; i++)
        launches[g->calls.items[i].thread] |= g->calls.items[i].parts > 0;
    *total_ns = 0;
    for (size_t i = 0; i < g->calls.count; i++) {
        const struct graph_call *c = &g->calls.items[i];
        int64_t from_ns = c->before == GRAPH_NONE ? INT64_MAX : g->calls.items[c->before].end_ns;
        const int64_t to_ns = c->start_ns < g->last_ns ? c->start_ns : g->last_ns;
        from_ns = from_ns < g->first_ns ? g->first_ns : from_ns;
        if (launches[c->thread] && from_ns < to_ns)
            *total_ns += (double)(to_ns - from_ns);
    }
    *total_ns /= (double)(g->processes.count ? g->processes.count : 1);
    free(launches);
    return 0;
}

static int judge_host(struct dependencies *d, struct err *e)
{
    const struct rerun least = {.left = 1, .host_gone = SHORTER_BY};
    struct host_dependency *h = &d->host;
    double total_ns;
    const int rc = sum_host(d, &total_ns, e);
    if (rc)
        return rc;
    const double share = SHORTER_BY * total_ns / d->program_ns;
    h->share = total_ns / d->program_ns;
    if (!(total_ns > 0))
        h->reason = DEPENDENCY_NO_LAUNCHES;
    else if (d->error >= share)
        h->reason = DEPENDENCY_BELOW_ERROR;
    else
        h->reason = gain_of(d, &least, share, &h->gain, &h->step);
    if (isfinite(h->gain.value))
        h->criticality = (struct bounded){h->gain.value / share, h->gain.low / share, h->gain.high / share};
    if (!h->reason)
        h->status = status_of(&h->criticality);
    return 0;
}

/* ---- totals ---- */

static int by_total(const void *left, const void *right)
{
    const struct work_total *a = left, *b = right;
    if (a->total_ns != b->total_ns)
        return a->total_ns > b->total_ns ? -1 : 1;
    return (a->symbol > b->symbol) - (a->symbol < b->symbol);
}

/* Works are in the order of their starts. Returns how many devices there are, or an error. */
static int sum_works(const struct recorded_graph *g, struct work_total *totals, uint32_t symbols, struct err *e)
{
    struct key_table devices = {0};
    ARRAY_OF(int64_t) last_ns = {0};
    int rc = 0;
    for (size_t i = 0; i < g->works.count && !rc; i++) {
        const struct graph_work *w = &g->works.items[i];
        const uint32_t id = key_table_add(&devices, w->rank, (uint32_t)w->device);
        if (!id || (id > last_ns.count && !ARRAY_PUSH(&last_ns))) {
            rc = err_memory(e);
            break;
        }
        int64_t *last = &last_ns.items[id - 1];
        if (may_be_shorter(w) && w->name <= symbols) {
            struct work_total *t = &totals[w->name];
            t->symbol = w->name;
            t->is_copy = w->kind == CPPROF_EVENT_COPY;
            t->copies = w->copies;
            t->launches++;
            t->total_ns += w->end_ns - w->start_ns;
            t->idle_ns += *last && w->start_ns > *last ? w->start_ns - *last : 0;
        }
        *last = w->end_ns > *last ? w->end_ns : *last;
    }
    rc = rc ? rc : (int)last_ns.count;
    free(last_ns.items);
    key_table_release(&devices);
    return rc;
}

static int sum_totals(struct dependencies *d, const struct strtab *strings, struct short_names *names, struct err *e)
{
    const uint32_t symbols = strtab_count(strings);
    const double span_ns = (double)(d->graph->last_ns - d->graph->first_ns);
    d->totals = calloc((size_t)symbols + 1, sizeof *d->totals);
    const int devices = d->totals ? sum_works(d->graph, d->totals, symbols, e) : err_memory(e);
    if (devices < 0)
        return devices;
    qsort(d->totals, (size_t)symbols + 1, sizeof *d->totals, by_total);
    int rc = 0;
    for (; d->total_count <= symbols && d->totals[d->total_count].launches && !rc; d->total_count++) {
        struct work_total *t = &d->totals[d->total_count];
        t->time_share = (double)t->total_ns / (span_ns * devices);
        t->idle_share = (double)t->idle_ns / (span_ns * devices);
        rc = add_name(&t->name, t->symbol, strings, names, e);
    }
    return rc;
}

int dependencies_measure(struct dependencies *d, struct event_stream *stream, bool is_whole, struct short_names *names,
                         struct err *e)
{
    *d = (struct dependencies){.error = NAN, .program_ns = NAN};
    d->host = (struct host_dependency){
        NAN, unknown, unknown, {unknown, unknown}, CAUSAL_INCONCLUSIVE, DEPENDENCY_NO_LAUNCHES};
    int rc = build(d, stream, is_whole, e);
    if (!rc)
        rc = sum_totals(d, event_stream_strings(stream), names, e);
    if (rc || d->reason)
        return rc;
    rc = find_kernels(d, event_stream_strings(stream), e);
    for (size_t i = 0; i < d->count && !rc; i++) {
        rc = add_name(&d->rows[i].name, d->rows[i].symbol, event_stream_strings(stream), names, e);
        judge_kernel(d, &d->rows[i]);
    }
    return rc ? rc : judge_host(d, e);
}

void dependencies_release(struct dependencies *d)
{
    if (d->graph)
        recorded_graph_release(d->graph);
    if (d->times)
        rerun_times_release(d->times);
    free(d->graph);
    free(d->times);
    free(d->rows);
    free(d->totals);
    if (d->steps)
        graph_steps_release(d->steps);
    free(d->steps);
    for (size_t i = 0; i < COUNT_OF(d->step_ns); i++)
        free(d->step_ns[i]);
    *d = (struct dependencies){0};
}
