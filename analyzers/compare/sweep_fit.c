/* Which line goes through the times over sizes, and how sure is it? */
#include "analyzers/compare/sweep_fit.h"

#include <math.h>
#include <stdlib.h>

#include "core/stats/line_fit.h"
#include "core/stats/ratio_decision.h"
#include "core/stats/resampling.h"
#include "core/stats/statistics.h"

#define RESIDUAL_MOST 0.10

/* Beyond either end of an interval, with the looks paid for as in core/stats/ratio_decision.c. */
static double tail_of(const struct sweep_times *t)
{
    return (1 - RATIO_CONFIDENCE) / t->looks / 2;
}

/* What is asked of the lines, each with its value in every resample. */
enum quantity { BASE_FIXED, BASE_SLOPE, CAND_FIXED, CAND_SLOPE, FIXED_CHANGE, SLOPE_FACTOR, QUANTITIES };

struct workspace {
    const struct sweep_times *times;
    double *base_ns, *cand_ns, *weights, *change_ns; /* one a size */
    size_t *picks;                                   /* processes of a resample */
    double *one_size;                                /* their medians */
    double *drawn[QUANTITIES];                       /* RESAMPLES each, ascending at the end */
    void *memory;
};

static bool has_candidate(const struct sweep_times *t)
{
    return t->cand.processes > 0;
}

static size_t most_processes(const struct sweep_times *t)
{
    return t->base.processes > t->cand.processes ? t->base.processes : t->cand.processes;
}

static size_t fewest_processes(const struct sweep_times *t)
{
    return has_candidate(t) && t->cand.processes < t->base.processes ? t->cand.processes : t->base.processes;
}

static int workspace_init(struct workspace *w, const struct sweep_times *t, struct err *e)
{
    const size_t processes = most_processes(t);
    const size_t doubles = 4 * t->sizes + processes + QUANTITIES * (size_t)RESAMPLES;
    *w = (struct workspace){.times = t};
    double *memory = calloc(doubles, sizeof *memory);
    w->picks = calloc(processes + 1, sizeof *w->picks);
    w->memory = memory;
    if (!memory || !w->picks)
        return err_memory(e);
    w->base_ns = memory;
    w->cand_ns = memory + t->sizes;
    w->weights = memory + 2 * t->sizes;
    w->change_ns = memory + 3 * t->sizes;
    w->one_size = memory + 4 * t->sizes;
    for (size_t i = 0; i < QUANTITIES; i++)
        w->drawn[i] = w->one_size + processes + i * RESAMPLES;
    return 0;
}

static void workspace_release(struct workspace *w)
{
    free(w->memory);
    free(w->picks);
}

static void pick_all(struct workspace *w, size_t processes)
{
    for (size_t i = 0; i < processes; i++)
        w->picks[i] = i;
}

static void pick_some(struct workspace *w, size_t processes, uint64_t *random)
{
    for (size_t i = 0; i < processes; i++)
        w->picks[i] = resampling_draw(random, processes);
}

static void medians_of(struct workspace *w, const struct sweep_series *series, double *out)
{
    for (size_t size = 0; size < w->times->sizes; size++) {
        for (size_t i = 0; i < series->processes; i++)
            w->one_size[i] = series->ns[size * series->processes + w->picks[i]];
        out[size] = median(w->one_size, series->processes);
    }
}

/* Relative errors count alike at every size; both arms are weighted alike, so
 * that the line of the change is the change of the lines. */
static void weigh(struct workspace *w)
{
    const bool two = has_candidate(w->times);
    for (size_t i = 0; i < w->times->sizes; i++)
        w->weights[i] = 1 / (w->base_ns[i] * (two ? w->cand_ns[i] : w->base_ns[i]));
}

struct lines {
    struct line_fit base, cand;
};

static bool fit_lines(struct workspace *w, struct lines *out)
{
    const struct sweep_times *t = w->times;
    return line_fit(&out->base, t->base.bytes, w->base_ns, w->weights, t->sizes) &&
           (!has_candidate(t) || line_fit(&out->cand, t->cand.bytes, w->cand_ns, w->weights, t->sizes));
}

static void keep_draw(struct workspace *w, size_t at, const struct lines *l)
{
    w->drawn[BASE_FIXED][at] = l->base.fixed;
    w->drawn[BASE_SLOPE][at] = l->base.slope;
    w->drawn[CAND_FIXED][at] = l->cand.fixed;
    w->drawn[CAND_SLOPE][at] = l->cand.slope;
    w->drawn[FIXED_CHANGE][at] = l->cand.fixed - l->base.fixed;
    w->drawn[SLOPE_FACTOR][at] = l->base.slope / l->cand.slope;
}

static void resample(struct workspace *w)
{
    const struct sweep_times *t = w->times;
    uint64_t random = resampling_seed;
    for (size_t at = 0; at < RESAMPLES; at++) {
        struct lines lines = {0};
        pick_some(w, t->base.processes, &random);
        medians_of(w, &t->base, w->base_ns);
        if (!t->paired)
            pick_some(w, t->cand.processes, &random);
        medians_of(w, &t->cand, w->cand_ns);
        fit_lines(w, &lines);
        keep_draw(w, at, &lines);
    }
    for (size_t i = 0; i < QUANTITIES; i++)
        sort_doubles(w->drawn[i], RESAMPLES);
}

/* The hull of what the scatter around the line leaves open and what other
 * processes would have given. */
static struct bounded bound(const struct workspace *w, enum quantity which, double value, double half)
{
    struct bounded out = {value, value - half, value + half};
    const size_t processes = fewest_processes(w->times);
    if (processes >= RATIO_PROCESSES_MIN) {
        const double expanded = resampling_tail(tail_of(w->times), (double)processes);
        out.low = fmin(out.low, quantile_sorted(w->drawn[which], RESAMPLES, expanded));
        out.high = fmax(out.high, quantile_sorted(w->drawn[which], RESAMPLES, 1 - expanded));
    }
    return out;
}

/* ns per byte -> bytes per s; times that do not grow with the size have no bandwidth. */
static struct bounded bandwidth(struct bounded slope)
{
    return (struct bounded){slope.value > 0 ? 1e9 / slope.value : NAN, slope.high > 0 ? 1e9 / slope.high : NAN,
                            slope.low > 0 ? 1e9 / slope.low : INFINITY};
}

static struct sweep_fit describe(const struct workspace *w, const struct sweep_series *series, const double *ns,
                                 const struct line_fit *line, enum quantity fixed)
{
    const double t = student_t_quantile(1 - tail_of(w->times), line->df);
    struct sweep_fit out = {
        .fixed_ns = bound(w, fixed, line->fixed, t * line->fixed_error),
        .bytes_per_s = bandwidth(bound(w, fixed + 1, line->slope, t * line->slope_error)),
    };
    for (size_t i = 0; i < w->times->sizes; i++) {
        const double residual = 1 - (line->fixed + line->slope * series->bytes[i]) / ns[i];
        if (fabs(residual) > fabs(out.worst_residual)) {
            out.worst_residual = residual;
            out.worst_point = i;
        }
    }
    return out;
}

static bool same_sizes(const struct sweep_times *t)
{
    for (size_t i = 0; i < t->sizes; i++)
        if (t->base.bytes[i] != t->cand.bytes[i])
            return false;
    return true;
}

/* What both lines miss alike cancels: the change has a line, and scatter, of its own. */
static void describe_change(struct sweep *out, struct workspace *w, const struct lines *lines)
{
    struct line_fit change;
    for (size_t i = 0; i < w->times->sizes; i++)
        w->change_ns[i] = w->cand_ns[i] - w->base_ns[i];
    if (!line_fit(&change, w->times->base.bytes, w->change_ns, w->weights, w->times->sizes))
        return;
    const double t = student_t_quantile(1 - tail_of(w->times), change.df), base = lines->base.slope;
    const double slow = lines->cand.slope + t * change.slope_error, quick = lines->cand.slope - t * change.slope_error;
    out->fixed_change_ns = bound(w, FIXED_CHANGE, change.fixed, t * change.fixed_error);
    if (!(base > 0 && lines->cand.slope > 0))
        return;
    out->bandwidth_factor = bound(w, SLOPE_FACTOR, base / lines->cand.slope, 0);
    out->bandwidth_factor.low = fmin(out->bandwidth_factor.low, base / slow);
    out->bandwidth_factor.high = quick > 0 ? fmax(out->bandwidth_factor.high, base / quick) : INFINITY;
}

/* The medians of all processes; resamples go over them, so they are taken again. */
static void observe(struct workspace *w)
{
    pick_all(w, w->times->base.processes);
    medians_of(w, &w->times->base, w->base_ns);
    pick_all(w, w->times->cand.processes);
    medians_of(w, &w->times->cand, w->cand_ns);
}

static void fit(struct sweep *out, struct workspace *w)
{
    const struct sweep_times *times = w->times;
    struct lines lines = {0};
    observe(w);
    weigh(w);
    out->has_fit = fit_lines(w, &lines);
    if (!out->has_fit)
        return;
    if (fewest_processes(times) >= RATIO_PROCESSES_MIN) {
        resample(w);
        observe(w);
    }
    out->base = describe(w, &times->base, w->base_ns, &lines.base, BASE_FIXED);
    if (!has_candidate(times))
        return;
    out->cand = describe(w, &times->cand, w->cand_ns, &lines.cand, CAND_FIXED);
    if (same_sizes(times))
        describe_change(out, w, &lines);
}

int sweep_fit_times(struct sweep *out, const struct sweep_times *times, struct err *e)
{
    static const struct bounded unknown = {NAN, NAN, NAN};
    struct workspace w;
    out->has_fit = false;
    out->fixed_change_ns = out->bandwidth_factor = unknown;
    int rc = workspace_init(&w, times, e);
    if (!rc && times->base.processes)
        fit(out, &w);
    workspace_release(&w);
    return rc;
}

bool sweep_fit_holds(const struct sweep_fit *fit)
{
    return fabs(fit->worst_residual) <= RESIDUAL_MOST && isfinite(fit->bytes_per_s.value);
}
